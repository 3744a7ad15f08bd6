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
        if blocks.plain[block]:
            return [Run(blocks.text[block])]
        joined = _Runs()
        for leaf in blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]:
            marks = self.marks(leaf, blocks.box[block])
            if leaf.tag == "-text":
                joined.add_text(leaf.text_content or "", marks)
                continue
            image = self._images.get(leaf.mem_id)
            if image is not None:
                joined.add_picture(Picture(image, marks))
        return joined.finish()

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


class _Runs:
    """The runs of one block under way; leaves in one setting are joined, white space is squeezed across leaves."""

    def __init__(self) -> None:
        self._out: list[Run | Picture] = []
        self._parts: list[str] = []  # of the run under way; joined once, since a run may have many leaves
        self._marks = PLAIN
        self._spaced = True  # white space here would be the second, or the first of the block

    def add_text(self, raw: str, marks: Marks) -> None:
        text = self._squeeze(raw)
        if not text:
            return
        if marks != self._marks:
            self._end_run()
            self._marks = marks
        self._parts.append(text)
        self._spaced = text[-1] == " "

    def add_picture(self, picture: Picture) -> None:
        self._end_run()
        self._out.append(picture)
        self._spaced = False

    def finish(self) -> list[Run | Picture]:
        if self._parts and self._spaced:
            self._parts[-1] = self._parts[-1][:-1]
        self._end_run()
        return self._out

    def _end_run(self) -> None:
        text = "".join(self._parts)
        if text:
            self._out.append(Run(text, self._marks))
        self._parts.clear()

    def _squeeze(self, raw: str) -> str:
        words = " ".join(raw.split())
        if not words:
            return " " if raw and not self._spaced else ""
        before = " " if raw[0].isspace() and not self._spaced else ""
        return f"{before}{words} " if raw[-1].isspace() else before + words
