"""List the visible elements and text leaves of a parsed page, in columns, for finding lists and attributes.

One row per element in page order, so that everything inside an element is one range of rows and one range of leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scythe.limits import LIMITS
from scythe.page.blocks import KIND, SKIP, TEXT, Nodes, is_hidden, names_of, numbers_of
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import Node, PageMap
    from scythe.page.tree_map import TreeMap

_SKIP = frozenset("script style noscript template svg iframe object head title textarea select".split())


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text node: its text, white space squeezed, and the tags from the root down to its parent."""

    text: str
    path: tuple[str, ...]


def read_leaves(root: Node) -> tuple[Leaf, ...]:
    """Walk the tree once, without recursion; leaves of one parent share one path tuple."""
    leaves: list[Leaf] = []
    paths: list[tuple[str, ...]] = [(root.tag or "",)]
    parents: list[Node] = []  # elements between root and node
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        child = None
        if tag == "-text":
            text = " ".join((node.text_content or "").split())
            if text:
                leaves.append(Leaf(text, paths[-1]))
        elif tag not in _SKIP:
            child = node.first_child
        if child is not None:
            parents.append(node)
            paths.append((*paths[-1], tag))
            node = child
            continue
        node = node.next
        while node is None and parents:
            paths.pop()
            node = parents.pop().next
    return tuple(leaves)


@dataclass(slots=True)
class Elements:
    """Columns of one page; row 0 is the root. Filled by `list_elements`, read-only afterwards."""

    # one row per element, parents before children
    tag: list[str] = field(default_factory=list)
    parent: Sequence[int] = field(default_factory=list)  # -1 above the root
    end: Sequence[int] = field(default_factory=list)  # rows row + 1 : end[row] lie inside the element
    depth: Sequence[int] = field(default_factory=list)  # 0 for the root
    classes: list[str] = field(default_factory=list)  # the class attribute as written
    names: list[str] = field(default_factory=list)  # class, id, role, itemprop as written, joined by spaces
    hidden: list[bool] = field(default_factory=list)  # by attribute or inline style, here or above
    leaf_start: Sequence[int] = field(default_factory=list)  # leaves leaf_start[row] : leaf_end[row] lie inside
    leaf_end: Sequence[int] = field(default_factory=list)
    node: Sequence[Node] = field(default_factory=list)
    href: dict[int, str] = field(default_factory=dict)  # row of an `a` -> its address as written, where it has one
    # one row per leaf: a text node with more than white space, page order
    text: list[str] = field(default_factory=list)  # white space squeezed
    leaf_row: Sequence[int] = field(default_factory=list)  # the element it stands in
    leaf_run: Sequence[int] = field(default_factory=list)  # the first run of the map in it

    def __len__(self) -> int:
        return len(self.tag)

    def children(self, row: int) -> list[int]:
        """Return the rows of the elements directly inside an element."""
        found, end, ends = [], self.end[row], self.end
        row += 1
        while row < end:
            found.append(row)
            row = ends[row]
        return found


def read_elements(page_map: PageMap | TreeMap) -> Elements:
    """Return the elements of a page. Linear in the number of nodes."""
    made = getattr(page_map, "made", None)
    if made is None:
        elements = list_elements(page_map.root)
        elements.leaf_run = [~page_map.numbers[number] for number in elements.leaf_run]  # type: ignore[union-attr]
        return elements
    elements = Elements(*map(numbers_of, made.elements(0, LIMITS.listed_of(len(page_map.source)))))
    elements.node = Nodes(made, elements.node)  # type: ignore[arg-type]  # rows, up to here
    return elements


def list_elements(root: Node) -> Elements:
    """Do what `PageMap` does in C: walk the tree below `root` once, without recursion. Runs are `mem_id` of texts."""
    out = Elements()
    tags, classes, names, hidden = out.tag, out.classes, out.names, out.hidden
    parents: list[int] = []
    ends: list[int] = []
    depths: list[int] = []
    starts: list[int] = []
    leaf_ends: list[int] = []
    leaf_rows: list[int] = []
    runs: list[int] = []
    out.parent, out.end, out.depth = parents, ends, depths
    out.leaf_start, out.leaf_end, out.leaf_row, out.leaf_run = starts, leaf_ends, leaf_rows, runs
    nodes: list[Node] = []
    out.node = nodes
    texts, kinds = out.text, KIND

    def open_row(node: Node, tag: str, parent: int) -> int:
        row, attributes = len(tags), node.attributes
        tags.append(tag)
        parents.append(parent)
        ends.append(row + 1)
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        classes.append(attributes.get("class") or "" if attributes else "")
        names.append(names_of(attributes) if attributes else "")
        hidden.append((parent >= 0 and hidden[parent]) or (bool(attributes) and is_hidden(attributes)))
        starts.append(len(texts))
        leaf_ends.append(len(texts))
        nodes.append(node)
        if tag == "a" and (href := attributes.get("href")):
            out.href[row] = href
        return row

    here = open_row(root, root.tag or "", -1)
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        kind = kinds.get(tag, -1)
        child = None
        if kind == TEXT:
            text = " ".join((node.text_content or "").split())
            if text:
                texts.append(text)
                leaf_rows.append(here)
                runs.append(node.mem_id)
        elif kind != SKIP:
            row = open_row(node, tag, here)
            child = node.first_child
            if child is not None:
                here = row
                node = child
                continue
        following = node.next
        while following is None and here > 0:
            ends[here] = len(tags)
            leaf_ends[here] = len(texts)
            node, here = nodes[here], parents[here]
            following = node.next
        node = following
    ends[0] = len(tags)
    leaf_ends[0] = len(texts)
    return out


Range = tuple[int, int]


def links_in(elements: Elements, rows: Range, base: str | None) -> tuple[Url, ...]:
    """Return the addresses that the elements of a range link to, each once."""
    hrefs = elements.href
    written = dict.fromkeys([hrefs[row] for row in range(*rows) if row in hrefs])  # most link twice to the same
    return tuple(dict.fromkeys([url for text in written if (url := absolute(text, base)) is not None]))


def images_in(elements: Elements, rows: Range, sources: dict[int, Url]) -> tuple[Url, ...]:
    """Return the addresses of the images in a range, each once."""
    if not sources:
        return ()
    tags, nodes = elements.tag, elements.node
    shown = (sources.get(nodes[row].mem_id) for row in range(*rows) if tags[row] in ("img", "amp-img"))
    return tuple(dict.fromkeys(src for src in shown if src is not None))


def html_of(elements: Elements, rows: Range) -> str:
    """Return the elements of a range as they are on the page."""
    row, last = rows
    parts = []
    while row < last:
        parts.append(elements.node[row].html or "")
        row = elements.end[row]
    return "".join(parts)
