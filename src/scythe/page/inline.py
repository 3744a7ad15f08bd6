"""Read the inline content of a block: its leaf nodes come in, runs of text and pictures with their settings go out."""

from __future__ import annotations

from collections.abc import Mapping

from selectolax.lexbor import LexborNode

from scythe.model import Image
from scythe.page.blocks import BOX, KIND, Blocks
from scythe.page.pieces import CODE, DEL, EM, MARK, PLAIN, STRONG, SUB, SUP, Marks, Picture, Run
from scythe.url import Url, absolute

_STYLES = {
    "b": STRONG,
    "strong": STRONG,
    "i": EM,
    "em": EM,
    "cite": EM,
    "dfn": EM,
    "var": EM,
    "s": DEL,
    "strike": DEL,
    "del": DEL,
    "sub": SUB,
    "sup": SUP,
    "mark": MARK,
    "code": CODE,
    "kbd": CODE,
    "samp": CODE,
    "tt": CODE,
}
_ORDER = (STRONG, EM, DEL, SUB, SUP, MARK, CODE)


class InlineReader:
    """Reads the blocks of one page. Settings are remembered per parent node, so deep inline nesting stays linear."""

    def __init__(self, blocks: Blocks, base: str | None, images: Mapping[int, Image], *, links: bool = True) -> None:
        self._blocks = blocks
        self._base = base
        self._images = images
        self._links = links
        self._by_node: dict[int, Marks] = {}
        self._by_box: dict[int, Marks] = {}
        self._addresses: dict[str, Url | None] = {}

    def read(self, block: int) -> list[Run | Picture]:
        """Return the runs and pictures of a block; text as in `blocks.text`, cut where the setting changes."""
        blocks = self._blocks
        out: list[Run | Picture] = []
        spaced = True  # white space here would be the second, or the first of the block
        for leaf in blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]:
            marks = self.marks(leaf, blocks.box[block])
            if leaf.tag != "-text":
                image = self._images.get(leaf.mem_id)
                if image is not None:
                    out.append(Picture(image, marks))
                continue
            text = _squeeze(leaf.text_content or "", spaced)
            if text:
                _append(out, text, marks)
                spaced = text[-1] == " "
        _trim(out)
        return out

    def marks(self, leaf: LexborNode, box: int) -> Marks:
        """Return how a leaf inside `box` is set."""
        path: list[LexborNode] = []
        known = self._by_node
        node = leaf.parent
        while node is not None and node.mem_id not in known and KIND.get(node.tag or "") != BOX:
            path.append(node)
            node = node.parent
        marks = self._above(box)
        if node is not None:
            marks = known.get(node.mem_id, marks)
        for node in reversed(path):
            marks = known[node.mem_id] = self._inside(node, marks)
        return marks

    def _above(self, box: int) -> Marks:
        """Return the settings that a box inherits from inline elements around it, such as a link around a heading."""
        parents, boxes = self._blocks.box_parent, []
        while box > 0 and box not in self._by_box:
            boxes.append(box)
            box = parents[box]
        marks = self._by_box.get(box, PLAIN)
        for inner in reversed(boxes):
            node = self._blocks.box_node[inner].parent
            between: list[LexborNode] = []
            while node is not None and KIND.get(node.tag or "") != BOX:
                between.append(node)
                node = node.parent
            for node in reversed(between):
                marks = self._inside(node, marks)
            self._by_box[inner] = marks
        return marks

    def _inside(self, node: LexborNode, marks: Marks) -> Marks:
        tag = node.tag or ""
        if tag == "a":
            return marks._replace(link=self._address(node.attributes.get("href"))) if self._links else marks
        style = _STYLES.get(tag)
        if style is None or style in marks.styles:
            return marks
        return marks._replace(styles=tuple(s for s in _ORDER if s == style or s in marks.styles))

    def _address(self, href: str | None) -> Url | None:
        if not href:
            return None
        if href not in self._addresses:
            self._addresses[href] = absolute(href, self._base)
        return self._addresses[href]


def _squeeze(raw: str, spaced: bool) -> str:
    """Return the words with one space between, before and after them where the page has any and none precedes."""
    words = " ".join(raw.split())
    if not words:
        return " " if raw and not spaced else ""
    before = " " if raw[0].isspace() and not spaced else ""
    return f"{before}{words} " if raw[-1].isspace() else before + words


def _append(out: list[Run | Picture], text: str, marks: Marks) -> None:
    last = out[-1] if out else None
    if isinstance(last, Run) and last.marks == marks:
        out[-1] = Run(last.text + text, marks)
    else:
        out.append(Run(text, marks))


def _trim(out: list[Run | Picture]) -> None:
    last = out[-1] if out else None
    if isinstance(last, Run) and last.text[-1] == " ":
        if last.text == " ":
            out.pop()
        else:
            out[-1] = Run(last.text[:-1], last.marks)
