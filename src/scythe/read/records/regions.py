"""Find the records of a page: a page comes in, regions with aligned columns go out, what the page is about first."""

from __future__ import annotations

from scythe.model import Region
from scythe.page import Page
from scythe.read.records.candidates import find_candidates
from scythe.read.records.fill import fill_region
from scythe.read.records.rank import CUT, Ranked, rank


def rank_regions(page: Page) -> list[Ranked]:
    """Return where the regions of a page are, best first, menus and the like among them."""
    return rank(page, find_candidates(page.elements))


def read_records(page: Page, *, everything: bool = False) -> tuple[Region, ...]:
    """Return the regions of a page, best first; `everything` adds menus, pagers, footers and what else repeats."""
    ranked = rank_regions(page)
    return tuple(
        fill_region(page, one.candidate, one.score, one.kind) for one in ranked if everything or one.score >= CUT
    )
