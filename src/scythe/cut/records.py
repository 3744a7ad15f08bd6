"""Read the records of a page that were cut: byte ranges come in, regions with learned columns go out, or doubt.

The bytes of all records of a region are parsed together, each in a box of its own, without the page around them. Where
that could make a difference (formatting left open, end tags without a start) the paragraphs of a record are in doubt,
and so is the region.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.cut.flow import Flow
from scythe.cut.regions import CutRegions, RegionCutter, Span
from scythe.limits import LIMITS
from scythe.model import Record, Region
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.page.entry_columns import EntryReader, Range, read_entries
from scythe.page.fragment import root_name
from scythe.page.guard import parse
from scythe.rules import Layout, RegionRules
from scythe.url import Url, absolute

_LEAD = b"<!DOCTYPE html><body>"
_BOX = (b"<div>", b"</div>")
# what parts of tables need around them
_BOXES = {
    "tr": (b"<table><tbody>", b"</tbody></table>"),
    "td": (b"<table><tbody><tr>", b"</tr></tbody></table>"),
    "th": (b"<table><tbody><tr>", b"</tr></tbody></table>"),
    "tbody": (b"<table>", b"</table>"),
    "thead": (b"<table>", b"</table>"),
    "tfoot": (b"<table>", b"</table>"),
}


class RecordCutter:
    """Cuts and reads the records of pages of one layout."""

    def __init__(self, layout: Layout) -> None:
        self._rules = layout.regions
        self._cutter = RegionCutter(layout)
        self._readers = [EntryReader(rules.columns) for rules in layout.regions]
        self._flows: dict[str, Flow] = {}

    def find(self, body: bytes) -> CutRegions:
        """Find the records of a page without reading them."""
        return self._cutter.cut(body)

    def read(self, body: bytes, cut: CutRegions, url: Url | None = None) -> tuple[Region, ...] | None:
        """Read the records that were found; None where only the page's tree can tell what is in them."""
        base = (absolute(cut.base, url) if cut.base else None) or url
        regions: list[Region] = []
        for found in cut.regions:
            rules = self._rules[found.number]
            if not self._are_sure(body, found.parts, cut.codec):
                return None
            parts = [recode(body[start:end], cut.codec) for start, end in found.spans]
            page = parse_parts(parts, base)
            places = _records_in(page.elements, parts) if page is not None else None
            if page is None or places is None:
                return None
            records = read_entries(page, self._readers[found.number], *places)
            regions.append(name_region(records, rules))
        return tuple(regions)

    def _are_sure(self, body: bytes, spans: Sequence[Span], codec: str) -> bool:
        """Say whether the elements mean on their own what they mean in the page."""
        flow = self._flows.get(codec)
        if flow is None:
            flow = self._flows[codec] = Flow(encoding=codec)
        return all(flow.text(body, *span) is not None for span in spans)


def name_region(records: tuple[Record, ...], rules: RegionRules) -> Region:
    """Return the region of records that were read by rules."""
    names = tuple(column.name for column in rules.columns)
    return Region(records, names, rules.kind, rules.score / 1_000, rules.pattern)


def parse_parts(parts: Sequence[bytes], base: Url | None) -> Page | None:
    """Parse the sources of records, each in a box of its own; None where that takes something away."""
    lead, end = _BOXES.get(root_name(parts[0]), _BOX)
    source = _LEAD + b"".join([lead + part + end for part in parts])
    if len(source) > LIMITS.body_bytes:
        return None
    tree, losses = parse(source)
    if losses:
        return None
    page = Page("", base).with_tree(tree)
    page.__dict__["base"] = base  # which is known: records have no head to look it up in
    return page


def _records_in(elements: Elements, parts: Sequence[bytes]) -> tuple[list[Range], list[Range]] | None:
    """Return rows and leaves of the records, or None where the boxes do not hold one each."""
    boxes = elements.children(elements.tag.index("body")) if "body" in elements.tag else []
    if len(boxes) != len(parts):
        return None
    depth = _BOXES.get(root_name(parts[0]), _BOX)[0].count(b"<")
    rows: list[Range] = []
    leaves: list[Range] = []
    for box, part in zip(boxes, parts, strict=True):
        for _ in range(depth - 1):
            box += 1
        first, last = box + 1, elements.end[box]
        if first >= last or elements.tag[first] != root_name(part):
            return None
        rows.append((first, last))
        leaves.append((elements.leaf_start[box], elements.leaf_end[box]))
    return rows, leaves


def recode(part: bytes, codec: str) -> bytes:
    """Return a part of a page as UTF-8."""
    return part if codec == "utf-8" else part.decode(codec, "replace").encode("utf-8", "replace")
