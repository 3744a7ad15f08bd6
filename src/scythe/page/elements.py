"""List the visible elements and text leaves of a parsed page, in columns, for finding lists and attributes.

One row per element in page order, so that everything inside an element is one range of rows and one range of leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scythe.limits import LIMITS
from scythe.page.blocks import KIND, SKIP, Blocks, Nodes, is_hidden, names_of, numbers_of
from scythe.page.map import CONTINUES
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import Node, PageMap
    from scythe.page.tree_map import TreeMap


@dataclass(slots=True)
class Elements:
    """Columns of one page; row 0 is the root. Read-only."""

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
        return list_elements(page_map)
    elements = Elements(*map(numbers_of, made.elements(0, LIMITS.listed_of(len(page_map.source)))))
    elements.node = Nodes(made, elements.node)  # type: ignore[arg-type]  # rows, up to here
    return elements


def list_elements(page_map: PageMap | TreeMap) -> Elements:
    """Do what `PageMap` does in C, with the same columns."""
    out = Elements()
    rows: list[int] = []
    place = {-1: -1}  # row of the map -> ours, without those that are passed over with all inside
    depths, nodes = [-1], []
    for row, above in enumerate(page_map.parent.tolist()):
        node = page_map.element(row)
        tag, up = node.tag or "", place.get(above)
        if up is None or (row and KIND.get(tag) == SKIP):
            continue
        attributes, own = node.attributes, len(rows)
        place[row] = own
        rows.append(row)
        nodes.append(node)
        depths.append(depths[up + 1] + 1)
        out.tag.append(tag)
        out.classes.append(attributes.get("class") or "")
        out.names.append(names_of(attributes))
        out.hidden.append((up >= 0 and out.hidden[up]) or is_hidden(attributes))
        if tag == "a" and (href := attributes.get("href")):
            out.href[own] = href
    first = (page_map.run_flags & CONTINUES == 0).nonzero()[0]
    above_first = page_map.run_row[first].tolist()
    leaves = [(run, place[row]) for run, row in zip(first.tolist(), above_first, strict=True) if row in place]
    texts = [" ".join(page_map.run_text(run).split()) for run, _ in leaves]
    out.text = [text for text in texts if text]
    out.leaf_run, out.leaf_row = ([leaf[at] for leaf, text in zip(leaves, texts, strict=True) if text] for at in (0, 1))
    kept, runs = np.array(rows), np.array(out.leaf_run, dtype=np.int64)
    out.parent, out.depth, out.node = [place[above] for above in page_map.parent[kept].tolist()], depths[1:], nodes
    out.end = kept.searchsorted(page_map.last[kept]).tolist()
    out.leaf_start = runs.searchsorted(page_map.run_from[kept]).tolist()
    out.leaf_end = runs.searchsorted(page_map.run_to[kept]).tolist()
    return out


def blocks_of_leaves(elements: Elements, blocks: Blocks) -> NDArray[np.int64]:
    """Return the number of the block that each leaf is part of."""
    nodes: Nodes = blocks.leaves  # type: ignore[assignment]
    runs = ~np.array(nodes.rows, dtype=np.int64)  # images are negative
    place = np.maximum.accumulate(runs).searchsorted(elements.leaf_run)
    return np.array(blocks.leaf_end, dtype=np.int64).searchsorted(place, side="right")


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
