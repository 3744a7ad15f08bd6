"""Fill regions of small pages in tests: markup of records in, a region out."""

from __future__ import annotations

from scythe.model import RecordList
from scythe.page import Page
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list

ADDRESS = "https://example.org/list/page.html"


def candidate_of(page: Page, tag: str) -> Candidate:
    """Return the outermost elements of one tag as records."""
    elements = page.elements
    rows, row = [], 0
    while row < len(elements):
        if elements.tag[row] == tag:
            rows.append(row)
            row = elements.end[row]
        else:
            row += 1
    return Candidate(
        "test",
        0,
        tuple((row, elements.end[row]) for row in rows),
        tuple((elements.leaf_start[row], elements.leaf_end[row]) for row in rows),
    )


def fill(html: str, tag: str = "article") -> RecordList:
    """Fill the region whose records are all elements of one tag."""
    page = Page.from_text(html, url=ADDRESS)
    return fill_list(page, candidate_of(page, tag), 0.5, "list")


def fields(html: str, tag: str = "article") -> list[tuple[str, ...]]:
    """Return the fields of each record."""
    return [record.fields for record in fill(html, tag).records]


def articles(*bodies: str) -> str:
    """Write records, one for each body."""
    return "<main>" + "".join(f"<article>{body}</article>" for body in bodies) + "</main>"
