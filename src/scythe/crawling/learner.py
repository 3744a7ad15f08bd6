"""Extract the pages of one site in a worker: a job comes in, an answer goes out, and the site is learned on the way.

The first pages are read cold, and kept. Then the site is learned from them, and its pages are cut from there on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from scythe.crawling.discover import Discovery, discover
from scythe.crawling.extraction import is_cold, to_extracted
from scythe.crawling.jobs import Answer, Job, SiteSetup
from scythe.crawling.lists import read_list
from scythe.crawling.sample import Kept, Sample
from scythe.crawling.told import Told
from scythe.errors import BadInput
from scythe.model import Document
from scythe.page.encoding import in_utf8
from scythe.page.said import read_said
from scythe.page.sniff import sniff_bytes
from scythe.reader import read
from scythe.rules import Profile
from scythe.site import Site
from scythe.teaching.teach import DEFAULT_FIELDS

# images are so on all pages of a layout: more pages do not help
_LASTING = ("tree: read cold", "missing: no rule in this layout")
_HANDED_S = 30.0  # between two profiles that are handed on


class SiteLearner:
    """What a worker knows of one site."""

    def __init__(self, setup: SiteSetup, told: Told) -> None:
        self._sample = Sample()
        self._site: Site | None = None
        self._handed: Profile | None = None  # the profile last handed on
        self._handed_at = time.monotonic()
        self.renew(setup, told)

    def renew(self, setup: SiteSetup, told: Told) -> None:
        """Go on as `setup` says: with its profile, if it has one, and with or without the right to learn."""
        self.setup = setup
        self._is_news = None if setup.tells_again else told.ask_for(setup.key)
        taken_up = _take_up(setup.profile)
        if taken_up is not None:
            self._site, self._handed, self._handed_at = taken_up, taken_up.profile, time.monotonic()
            self._sample.is_learned = True

    def extract(self, job: Job) -> Answer:
        """Extract one page, by what was learned of the site or, before that, cold; of a sitemap or feed, addresses."""
        if job.kind == "list":
            return Answer(read_list(job))
        if job.kind != "page":
            seen = self._discover(job, job.body)
            return Answer(found=seen.found, why=seen.why)
        body = in_utf8(job.body, job.content_type)
        document = self._read(body, job)
        seen = self._discover(job, body)
        said = None if is_cold(document) else read_said(body, job.url, seen.tags)
        extracted = to_extracted(document, self.setup.parts, said)
        if job.is_whole and job.status == 200 and (extracted.text or extracted.regions) and self._may_learn:
            self._sample.add(job.url, body, "" if self._site is None else self._trouble(document))
        # pages that nothing learned fits are no drift: most sites have some of a kind
        events = self._site.drift.events if self._site is not None else ()
        drift = sum(event.what != "unknown" for event in events)
        return Answer(
            extracted,
            seen.found,
            self.take_profile(),
            directives=seen.directives,
            canonical=seen.canonical,
            drift=drift,
        )

    @property
    def is_due(self) -> bool:
        """Whether there are enough pages to learn from."""
        return self._may_learn and self.setup.is_learner and self._sample.is_due

    @property
    def is_learned(self) -> bool:
        return self._site is not None

    def study(self) -> str | None:
        """Learn from the pages kept; return the profile, None where nothing better could be learned."""
        if not self._may_learn or not self.setup.is_learner:
            return None
        site = self._learn(self._sample.begin())
        self._sample.settle(learned=site is not None)
        if site is None:
            return None
        self._site = site.save_trees()
        return self._hand_on(site)

    def take_profile(self, *, now: bool = False) -> str | None:
        """Return the profile if something was learned since it was last handed on; with `now`, if anything changed.

        Where searches begin changes all the time: it can wait.
        """
        site, before = self._site, self._handed
        if site is None or site.profile is before or not self.setup.is_learner:
            return None
        if not now:
            if time.monotonic() - self._handed_at < _HANDED_S:
                return None
            self._handed_at = time.monotonic()  # or looked at, which need not be done for every page either
            if _knows(site.profile) == _knows(before):
                return None
        return self._hand_on(site)

    def _hand_on(self, site: Site) -> str | None:
        self._handed, self._handed_at = site.profile, time.monotonic()
        try:
            return site.to_json()
        except BadInput:  # beyond the limits of what a file may hold: it serves this run only
            return None

    def _read(self, body: bytes, job: Job) -> Document:
        if self._site is None or sniff_bytes(body[:4096], job.content_type):
            return read(body, job.url, content_type=job.content_type)
        return self._site.extract(body, job.url)

    @property
    def _may_learn(self) -> bool:
        """Whether the site is ours to learn: not where someone showed by example what to extract."""
        return self.setup.learns and (self._site is None or not self._site.profile.named)

    def _learn(self, pages: Sequence[Kept]) -> Site | None:
        asked = [name for name in DEFAULT_FIELDS if name not in ("images", "records") or name in self.setup.parts]
        try:
            site = Site.learn(pages, fields=asked)
        except BadInput:
            return None
        if self._site is None:
            return site if site.profile.layouts else None
        return site if self._count_fitting(site, pages) > self._count_fitting(self._site, pages) else None

    def _count_fitting(self, site: Site, pages: Sequence[Kept]) -> int:
        documents = (site.extract(body, url, via="cut") for url, body in pages)
        return sum(bool(document.text) and not self._trouble(document) for document in documents)

    def _trouble(self, document: Document) -> str:
        """Say what the rules did not give of what is wanted of nearly every page; empty where they gave all."""
        names = [name for name in ("title", "text") if name in document.fields or not document.fields]
        hows = [document.how.get(name, "cut") for name in names]
        if "images" in self.setup.parts:
            _ = document.images  # upon which it is known how they were got
            hows.append(document.how.get("images", "cut"))
        return " ".join(how for how in hows if not how.startswith("cut") and how not in _LASTING)

    def _discover(self, job: Job, body: bytes) -> Discovery:
        return discover(
            body,
            job.url,
            kind=job.kind,
            content_type=job.content_type,
            robots_tag=job.robots_tag,
            is_news=self._is_news,
        )


def _take_up(profile: str | None) -> Site | None:
    try:
        return Site.from_json(profile).save_trees() if profile else None
    except BadInput:  # whoever gave it has checked it: what an archive holds may be of a newer version
        return None


def _knows(profile: Profile | None) -> list[tuple[object, ...]]:
    """Return what a profile has rules for, without the rules."""
    return [
        (layout.name, [(each.name, len(each.ways)) for each in layout.fields], len(layout.regions), layout.images.pages)
        for layout in (profile.layouts if profile is not None else ())
    ]
