"""Number all elements and text leaves of a page, for the published density and path methods, which count every tag."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scythe.page.blocks import BREAK, IMAGE, KIND, RULE, SKIP, TEXT, Blocks

if TYPE_CHECKING:
    from scythe.page.map import Node


@dataclass(slots=True)
class TextElements:
    """Columns of one page; element 0 is the root. Filled by `number_elements`, read-only afterwards."""

    # one row per element, parents before children
    parent: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    end: list[int] = field(default_factory=list)  # elements i:end[i] are element i and all inside it
    leaf_start: list[int] = field(default_factory=list)  # leaves leaf_start[i]:leaf_end[i] lie inside element i
    leaf_end: list[int] = field(default_factory=list)
    # one row per text leaf, page order; blank ones are left out
    leaf_text: list[str] = field(default_factory=list)  # white space squeezed
    leaf_parent: list[int] = field(default_factory=list)
    leaf_block: list[int] = field(default_factory=list)  # the block it belongs to
    leaf_linked: list[bool] = field(default_factory=list)  # inside a hyperlink

    def blocks_inside(self, element: int) -> tuple[int, int]:
        """Return the first block that has a leaf inside `element`, and the one after the last."""
        start, end = self.leaf_start[element], self.leaf_end[element]
        return (self.leaf_block[start], self.leaf_block[end - 1] + 1) if start < end else (0, 0)


def number_elements(root: Node, blocks: Blocks) -> TextElements:
    """Walk the tree below `root` once, without recursion. Linear in the number of nodes."""
    out = TextElements()
    block_of = _block_of_leaf(blocks)
    linked = 0  # open hyperlinks
    element = _open(out, root.tag or "", -1)
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        kind = KIND.get(tag)
        child = None
        if kind == TEXT:
            block = block_of.get(node.mem_id)
            if block is not None:
                _add_leaf(out, node.text_content or "", element, block, linked > 0)
        elif kind != SKIP:
            inner = _open(out, tag, element)
            child = node.first_child if kind not in (BREAK, IMAGE, RULE) else None
            if child is None:
                _close(out, inner)
            else:
                element = inner
                linked += tag == "a"
                node = child
                continue
        following = node.next
        while following is None and element:
            above = node.parent
            assert above is not None  # an open element lies below the root
            node = above
            _close(out, element)
            linked -= out.tag[element] == "a"
            element = out.parent[element]
            following = node.next
        node = following
    _close(out, 0)
    return out


def _block_of_leaf(blocks: Blocks) -> dict[int, int]:
    spans = enumerate(zip(blocks.leaf_start, blocks.leaf_end, strict=True))
    return {leaf.mem_id: block for block, (start, end) in spans for leaf in blocks.leaves[start:end]}


def _open(out: TextElements, tag: str, parent: int) -> int:
    out.parent.append(parent)
    out.tag.append(tag)
    out.end.append(len(out.tag))
    out.leaf_start.append(len(out.leaf_text))
    out.leaf_end.append(len(out.leaf_text))
    return len(out.tag) - 1


def _close(out: TextElements, element: int) -> None:
    out.end[element] = len(out.tag)
    out.leaf_end[element] = len(out.leaf_text)


def _add_leaf(out: TextElements, text: str, parent: int, block: int, linked: bool) -> None:
    text = " ".join(text.split())
    if text:
        out.leaf_text.append(text)
        out.leaf_parent.append(parent)
        out.leaf_block.append(block)
        out.leaf_linked.append(linked)
