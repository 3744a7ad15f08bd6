"""Extract the pages of one site in a worker: a job comes in, an answer goes out, and the site is learned on the way."""

from __future__ import annotations

from scythe.crawling.extraction import to_extracted
from scythe.crawling.jobs import Answer, Job, Named, SiteSetup
from scythe.page import Page
from scythe.reader import read


class SiteLearner:
    """What a worker knows of one site."""

    def __init__(self, setup: SiteSetup) -> None:
        self.setup = setup

    def extract(self, job: Job) -> Answer:
        """Extract one page, by what was learned of the site or, before that, cold."""
        page = Page.from_bytes(job.body, url=job.url, content_type=job.content_type)
        document = read(job.body, job.url, content_type=job.content_type)
        found = tuple(Named(link.url, is_nofollow="nofollow" in link.rel) for link in page.links)
        return Answer(to_extracted(document, self.setup.parts), found)

    @property
    def is_due(self) -> bool:
        """Whether there are enough pages to learn from."""
        return False

    def study(self) -> str | None:
        """Learn from the pages kept; return the profile, None where nothing could be learned."""
        return None

    def take_profile(self) -> str | None:
        """Return the profile if it changed since it was last taken."""
        return None
