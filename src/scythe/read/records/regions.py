"""Find the records of a page: a page comes in, regions with aligned columns go out, what the page is about first."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from scythe.model import Region
from scythe.page import Page
from scythe.read.records.candidates import find_candidates
from scythe.read.records.fill import fill_placed, fill_region
from scythe.read.records.forest import Forest
from scythe.read.records.rank import CUT, Ranked, rank


def rank_regions(page: Page, forest: Forest | None = None) -> list[Ranked]:
    """Return where the regions of a page are, best first, menus and the like among them."""
    return rank(page, find_candidates(page.elements), forest)


def read_records(page: Page, *, everything: bool = False, forest: Forest | None = None) -> tuple[Region, ...]:
    """Return the regions of a page, best first; `everything` adds menus, pagers, footers and what else repeats.

    `forest` replaces the ranker that ships.
    """
    ranked = rank_regions(page, forest)
    return tuple(
        fill_region(page, one.candidate, one.score, one.kind) for one in ranked if everything or one.score >= CUT
    )


def place_records(page: Page) -> list[tuple[Region, list[list[LexborNode]]]]:
    """Return all regions of a page, menus and the like last, with the outermost elements of each record."""
    elements = page.elements
    placed = []
    for one in rank_regions(page):
        region, candidate = fill_placed(page, one.candidate, one.score, one.kind)
        places = [[elements.node[row] for row in _outermost(elements.end, *rows)] for rows in candidate.rows]
        placed.append((region, places))
    return placed


def _outermost(ends: list[int], first: int, last: int) -> list[int]:
    """Return the rows of a run of siblings."""
    rows = []
    while first < last:
        rows.append(first)
        first = ends[first]
    return rows
