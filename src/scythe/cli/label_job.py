"""What `scythe annotate` works on: its inputs come in, pages and a profile, there or to be made, go out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scythe.cli.learn import load_to_learn
from scythe.cli.pages import SETS, keep_good, load_pages
from scythe.sources import PAGE_SUFFIXES, Loaded, Reach, is_address
from scythe.teaching.spread import FROM_FILES, spread

if TYPE_CHECKING:
    from scythe.rules import LabelledPage
    from scythe.site import Site


class Job:
    """What a command works on: a profile, there or to be made, and pages."""

    def __init__(self, site: str, pages: Sequence[str], base: str | None, reach: Reach, delay_s: float) -> None:
        path = Path(site)
        self.site = site
        has_pages = is_address(site) or path.is_dir() or path.suffix.lower() in PAGE_SUFFIXES
        self.is_site = is_address(site)
        self.profile = None if has_pages or site.lower().endswith(SETS) else site
        self.exists = self.profile is not None and path.exists()
        self.inputs = list(pages) if self.profile is not None else [site, *pages]
        self.base, self.reach, self.delay_s = base, reach, delay_s

    def load(self) -> list[Loaded]:
        """Load the pages given; of a site, some of its pages. What fails is said and left out."""
        if self.is_site:
            sampled = load_to_learn(self.inputs[:1], self.base, None, self.reach, self.delay_s)
            return [*sampled, *keep_good(load_pages(self.inputs[1:], self.base, self.reach))]
        return keep_good(load_pages(self.inputs, self.base, self.reach))

    def open_known(self) -> tuple[LabelledPage, ...]:
        """Return the pages that the profile has labels of. Raises BadInput, OSError."""
        from scythe.profiles.profile import open_profile

        return open_profile(self.profile).profile.images.labelled if self.profile is not None and self.exists else ()

    def open_site(self, pages: Sequence[Loaded]) -> Site:
        """Load the profile, or learn one from pages. Raises BadInput, OSError."""
        from scythe.site import Site

        if self.profile is not None and self.exists:
            return Site.load(self.profile)
        return Site.learn([(page.url, page.body) for page in spread(list(pages), FROM_FILES)])
