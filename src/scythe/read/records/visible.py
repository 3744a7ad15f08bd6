"""Cut the leaves of a page into lines as a reader sees them: elements come in, ranges of leaves go out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from scythe.page.blocks import BOX, BREAK, KIND, RULE
from scythe.page.elements import Elements
from scythe.read.records.words import roles, roles_of

_ENDS = frozenset(tag for tag, kind in KIND.items() if kind in (BOX, BREAK, RULE))
_BOXES = frozenset(tag for tag, kind in KIND.items() if kind == BOX)
# what stands around the subject of a page
_ASIDE = frozenset("menu breadcrumb pager share footer related comment advert".split())
_ASIDE_TAGS = frozenset("nav footer".split())
_WHOLE = frozenset("html body main article form".split())  # names on these speak of the whole page
_WHOLE_SHARE = 0.35  # of the leaves of a page, from which an element is not beside the subject
_LEAST_WHOLE = 10  # leaves
_MENU_LINKS = 0.5  # share of leaves in links
_HEADINGS = 5
_JOINED = 60  # leaves of one text


@dataclass(slots=True)
class Lines:
    """Lines of one page in page order, each a range of leaves, and what each row of its elements belongs to."""

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    box: list[int] = field(default_factory=list)  # the row of the innermost box around the line
    of_leaf: list[int] = field(default_factory=list)  # the line of each leaf
    aside: list[bool] = field(default_factory=list)  # per row: in a menu, a footer, a list of related things, hidden


def cut_lines(elements: Elements) -> Lines:
    """Cut at the edges of boxes and at line breaks. Linear in the number of elements and leaves."""
    cuts = {0, len(elements.text)}
    boxes = [0] * len(elements)  # the innermost box at or above each row
    tags, parents, starts, ends = elements.tag, elements.parent, elements.leaf_start, elements.leaf_end
    for row, tag in enumerate(tags):
        if tag in _ENDS:
            cuts.add(starts[row])
            cuts.add(ends[row])
        boxes[row] = row if tag in _BOXES or not row else boxes[parents[row]]
    edges = sorted(cuts)
    lines = Lines(edges[:-1], edges[1:], aside=_mark_aside(elements))
    lines.box = [boxes[elements.leaf_row[start]] for start in lines.start]
    for line, (start, end) in enumerate(zip(lines.start, lines.end, strict=True)):
        lines.of_leaf.extend([line] * (end - start))
    return lines


def _mark_aside(elements: Elements) -> list[bool]:
    """Say for each row whether it stands beside the subject, by what its names or those around it say.

    Names lie: whole pages are called a review, and boxes of facts a player-nav. So what holds the page's main heading
    or much of its text is the subject whatever its name, and menus and footers are made of links.
    """
    bits = {role: 1 << bit for bit, role in enumerate(roles())}
    asides, links = sum(bits[role] for role in _ASIDE), bits["menu"] | bits["footer"]
    linked = _linked(elements)
    headings = [elements.leaf_start[row] for row, tag in enumerate(elements.tag) if tag == "h1"]
    most = max(_LEAST_WHOLE, len(elements.text) * _WHOLE_SHARE)
    marked: list[bool] = []
    parents, hidden = elements.parent, elements.hidden
    for row, (tag, names) in enumerate(zip(elements.tag, elements.names, strict=True)):
        inside = row > 0 and marked[parents[row]]
        if not inside:
            inside = hidden[row] or tag in _ASIDE_TAGS
            if not inside and names and tag not in _WHOLE and (found := roles_of(names) & asides):
                start, end = elements.leaf_start[row], elements.leaf_end[row]
                inside = end - start < most and not any(start <= leaf < end for leaf in headings[:_HEADINGS])
                if inside and not found & ~links:
                    inside = linked[end] - linked[start] >= _MENU_LINKS * (end - start)
        marked.append(inside)
    return marked


def _linked(elements: Elements) -> list[int]:
    """Return how many leaves before each leaf stand in links."""
    in_link = [False] * len(elements)
    for row, tag in enumerate(elements.tag):
        in_link[row] = tag == "a" or (row > 0 and in_link[elements.parent[row]])
    return [0, *accumulate(in_link[row] for row in elements.leaf_row)]


def text_between(elements: Elements, start: int, end: int, most: int = 400) -> str:
    """Join leaves to one text, no longer than `most` characters."""
    if end - start == 1:
        return elements.text[start][:most]
    return " ".join(elements.text[start : min(end, start + _JOINED)])[:most]


def value_between(elements: Elements, start: int, end: int, most: int) -> str:
    """Join leaves to one text, without the links to other things that a bar sets apart: `12 Main St. | Map`."""
    for leaf in range(start + 1, min(end, start + _JOINED)):
        if elements.text[leaf - 1][-1] == "|" and elements.leaf_row[leaf] in elements.href:
            end = leaf
            break
    return text_between(elements, start, end, most).rstrip(" |")
