"""Rebuild the structure around chosen blocks (headings, lists, quotes, tables, figures) for rendering.

Markdown and HTML are built from these pieces, never from the page's own markup. No recursion; nesting is limited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scythe.model import Image
from scythe.page.blocks import BOX, KIND, PRE, Blocks, Grid, preformatted
from scythe.page.code_blocks import Code, CodeRun, find_language, read_code
from scythe.page.formulas import Formula, Formulas, TexInText
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import Node

STRONG, EM, DEL, SUB, SUP, MARK, CODE = "strong", "em", "del", "sub", "sup", "mark", "code"


class TextStyle(NamedTuple):
    """How a run of text is set: inside which link, and in which of the seven styles, outermost first."""

    link: Url | None = None
    styles: tuple[str, ...] = ()


PLAIN = TextStyle()


class Open(NamedTuple):
    """An element of structure begins. `attributes` are typed by the outline: numbers clamped, names checked."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()


class Close(NamedTuple):
    """An element of structure ends; pieces nest."""

    tag: str


class TextRun(NamedTuple):
    """Text in one setting; inside `pre` with its line breaks, else with white space squeezed."""

    text: str
    marks: TextStyle = PLAIN


class Picture(NamedTuple):
    """An image with its resolved address."""

    image: Image
    marks: TextStyle = PLAIN


class Break(NamedTuple):
    """A line break inside a paragraph."""


class Math(NamedTuple):
    """A formula as TeX."""

    formula: Formula
    marks: TextStyle = PLAIN


Inline = TextRun | Picture | Math
Piece = Open | Close | Inline | Break

_STYLES = dict.fromkeys(("b", "strong"), STRONG) | dict.fromkeys("i em cite dfn var".split(), EM)
_STYLES |= dict.fromkeys("s strike del".split(), DEL) | {"sub": SUB, "sup": SUP, "mark": MARK}
_STYLES |= dict.fromkeys("code kbd samp tt".split(), CODE)
_ORDER = (STRONG, EM, DEL, SUB, SUP, MARK, CODE)


class InlineReader:
    """Reads the blocks of one page. Settings are remembered per parent node, so deep inline nesting stays linear."""

    def __init__(
        self,
        blocks: Blocks,
        base: str | None,
        images: Mapping[int, Image],
        *,
        links: bool = True,
        formulas: Formulas | None = None,
        tex: TexInText | None = None,
    ) -> None:
        self._blocks = blocks
        self._formulas = formulas
        self._tex = tex
        self._shown: set[int] = set()  # formulas that were put already: they may stand in several blocks
        self._base = base
        self._images = images
        self._links = links
        self._by_node: dict[int, TextStyle] = {}
        self._by_box: dict[int, TextStyle] = {}
        self._addresses: dict[str, Url | None] = {}

    def read(self, block: int) -> list[Inline]:
        """Return the pieces of a block; text as in `blocks.text`, cut where the setting changes."""
        blocks, formulas = self._blocks, self._formulas
        if blocks.plain[block] and formulas is None:
            return self._with_formulas([TextRun(blocks.text[block])])
        joined = _Runs()
        for leaf in blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]:
            marks = self.marks(leaf, blocks.box[block])
            if formulas is not None:
                for formula in formulas.before.get(leaf.mem_id, ()):
                    joined.add_other(Math(formula, marks))
            root = formulas.around(leaf) if formulas is not None else 0
            image = None if root else self._images.get(leaf.mem_id)
            if root:
                self._add_formula(joined, root, marks)
            elif leaf.tag == "-text":
                joined.add_text(leaf.text_content or "", marks)
            elif image is not None:
                joined.add_other(Picture(image, marks))
            if formulas is not None:
                for formula in formulas.after.get(leaf.mem_id, ()):
                    joined.add_other(Math(formula, marks))
        return self._with_formulas(joined.finish())

    def _add_formula(self, joined: _Runs, root: int, marks: TextStyle) -> None:
        assert self._formulas is not None
        formula = self._formulas.roots[root]
        if formula is not None and root not in self._shown:
            self._shown.add(root)
            joined.add_other(Math(formula, marks._replace(styles=())))

    def _with_formulas(self, pieces: list[Inline]) -> list[Inline]:
        """Return the pieces with the TeX in their words told from the words."""
        if self._tex is None:
            return pieces
        out: list[Inline] = []
        for piece in pieces:
            if not isinstance(piece, TextRun) or CODE in piece.marks.styles:
                out.append(piece)
                continue
            for part in self._tex.split(piece.text):
                marks = piece.marks
                out.append(TextRun(part, marks) if isinstance(part, str) else Math(part, marks._replace(styles=())))
        return out

    def marks(self, leaf: Node, box: int) -> TextStyle:
        """Return how a leaf inside `box` is set."""
        path: list[Node] = []
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

    def _above(self, box: int) -> TextStyle:
        """Return the settings that a box inherits from inline elements around it, such as a link around a heading."""
        parents, boxes = self._blocks.box_parent, []
        while box > 0 and box not in self._by_box:
            boxes.append(box)
            box = parents[box]
        marks = self._by_box.get(box, PLAIN)
        for inner in reversed(boxes):
            node = self._blocks.box_node[inner].parent
            between: list[Node] = []
            while node is not None and KIND.get(node.tag or "") != BOX:
                between.append(node)
                node = node.parent
            for node in reversed(between):
                marks = self._inside(node, marks)
            self._by_box[inner] = marks
        return marks

    def _inside(self, node: Node, marks: TextStyle) -> TextStyle:
        tag = node.tag or ""
        if tag == "a":
            return TextStyle(self._address(node.attributes.get("href")), marks.styles) if self._links else marks
        style = _STYLES.get(tag)
        if style is None or style in marks.styles:
            return marks
        return TextStyle(marks.link, tuple([s for s in _ORDER if s == style or s in marks.styles]))

    def _address(self, href: str | None) -> Url | None:
        if not href:
            return None
        if href not in self._addresses:
            self._addresses[href] = absolute(href, self._base)
        return self._addresses[href]


class _Runs:
    """The runs of one block under way; leaves in one setting are joined, white space is squeezed across leaves."""

    def __init__(self) -> None:
        self._out: list[Inline] = []
        self._parts: list[str] = []  # of the run under way; joined once, since a run may have many leaves
        self._marks = PLAIN
        self._spaced = True  # white space here would be the second, or the first of the block

    def add_text(self, raw: str, marks: TextStyle) -> None:
        text = self._squeeze(raw)
        if not text:
            return
        if marks != self._marks:
            self._end_run()
            self._marks = marks
        self._parts.append(text)
        self._spaced = text[-1] == " "

    def add_other(self, piece: Picture | Math) -> None:
        self._end_run()
        self._out.append(piece)
        self._spaced = False

    def finish(self) -> list[Inline]:
        if self._parts and self._spaced:
            self._parts[-1] = self._parts[-1][:-1]
        self._end_run()
        return self._out

    def _end_run(self) -> None:
        text = "".join(self._parts)
        if text:
            self._out.append(TextRun(text, self._marks))
        self._parts.clear()

    def _squeeze(self, raw: str) -> str:
        words = " ".join(raw.split())
        if not words:
            return " " if raw and not self._spaced else ""
        before = " " if raw[0].isspace() and not self._spaced else ""
        return f"{before}{words} " if raw[-1].isspace() else before + words


_NESTING = 16  # lists, their items and quotes around a block; markdown-it drops what is nested deeper than 20
_SPAN = 100  # columns; colspan is a number from the page
_ROW_SPAN = 1_000
_LIST_START = 100_000_000  # markdown takes nine digits

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HOLDERS = _HEADINGS | {"p", "pre", "caption"}  # hold words, no structure
_ITEMS = frozenset({"li", "td", "th", "dt", "dd", "figcaption"})  # hold words or structure
_WITH_WORDS = _HOLDERS | _ITEMS
_WITH_PICTURES = _WITH_WORDS | {"figure"}
_LISTS = frozenset({"ul", "ol"})
_ALL_LISTS = _LISTS | {"dl"}
_SAME = {"menu": "ul", "dir": "ul"} | dict.fromkeys(PRE, "pre")
_INSIDE_ONLY = {"li": _LISTS, "dt": frozenset({"dl"}), "dd": frozenset({"dl"}), "figcaption": frozenset({"figure"})}
_KNOWN = _WITH_WORDS | _ALL_LISTS | {"blockquote", "table", "tr", "figure"}
_WITH_ATTRIBUTES = frozenset({"ol", "td", "th", "pre"})
_OPEN, _CLOSE, _BREAK = {tag: Open(tag) for tag in _KNOWN}, {tag: Close(tag) for tag in _KNOWN}, Break()

Place = tuple[str, int]  # tag and box number; what we add ourselves has a negative number (see _own_paragraph)
Chain = tuple[Place, ...]  # outermost first


class Standing(NamedTuple):
    """What stands between blocks: the block before which, and the box in which it does."""

    block: int
    box: int
    piece: Picture | Math


class Outline:
    """Weaves the pieces of one choice of blocks."""

    def __init__(self, blocks: Blocks, grid: Grid, inline: InlineReader, code: Code) -> None:
        self._blocks = blocks
        self._grid = grid
        self._inline = inline
        self._code = code
        self._tables = set(grid.table_of.values()) - code.tables
        self._whole: set[int] = set()  # boxes of code that were put as a whole
        self._kept: frozenset[int] = frozenset()
        self._run = -1  # first block of the code without a pre that was put last
        self._all_kept: dict[int, bool] = {}  # by box
        self._languages: dict[int, str] = {}  # of code without a pre, by the number of its place
        self._chains: dict[int, Chain] = {-1: ()}
        self._pieces: list[Piece] = []
        self._open: Chain = ()
        self._filled: set[Place] = set()  # open items that hold something already
        self._column = 0  # next cell of the open row
        self._last = -1  # the block woven last

    def weave(self, kept: Sequence[int], alone: Sequence[Standing], heading: str = "") -> list[Piece]:
        """Return the pieces of the chosen blocks; `alone` is what stands between blocks, in the order of the page."""
        if heading:
            self._pieces += [Open("h1"), TextRun(heading), Close("h1")]
        self._kept = frozenset(kept)
        waiting = list(enumerate(alone))[::-1]
        for block in kept:
            while waiting and waiting[-1][1].block <= block:
                self._put_alone(*waiting.pop())
            if block not in self._code.numbers:
                self._put_block(block)
        for number, one in reversed(waiting):
            self._put_alone(number, one)
        self._move(())
        return self._pieces

    def _put_block(self, block: int) -> None:
        box = self._blocks.box[block]
        breaks = self._blocks.breaks[block] if self._last >= 0 and self._blocks.box[self._last] == box else 0
        runs_on = breaks > 0 and block == self._last + 1 and bool(self._open)
        chain = self._open if runs_on and breaks == 1 else self._place(box, block, split=runs_on)
        run = self._code.runs.get(block)
        if run is not None and (self._run == run.start or (block == run.start and self._begins(run, chain))):
            self._put_run(run, box, block)
            return
        if self._last in self._code.runs and chain is self._open and chain[-1][0] == "pre":
            chain = self._place(box, block, split=True)
        tag, holder = chain[-1]
        is_whole = tag == "pre" and self._is_whole(holder)
        pieces = [] if is_whole else self._read(tag, block)
        self._last = block
        if (is_whole and holder in self._whole) or not (is_whole or pieces):
            return
        if chain != self._open:
            self._move(chain)
            self._fill(chain)
        elif runs_on or tag in _WITH_WORDS:
            self._pieces.append(_BREAK)
        if is_whole:
            self._whole.add(holder)
            pieces = [TextRun(read_code(self._blocks.box_node[holder]))]
        self._pieces.extend(pieces)

    def _begins(self, run: CodeRun, chain: Chain) -> bool:
        """Say whether code without a pre is put as a whole."""
        return chain[-1][0] != "pre" and self._kept.issuperset(range(run.start, run.end))

    def _put_run(self, run: CodeRun, box: int, block: int) -> None:
        """Put code that has no pre around it, when its first block comes."""
        self._last, self._run = block, run.start
        if block != run.start:
            return
        chain = self._chain(box)
        if chain and chain[-1][0] in _HOLDERS:
            chain = chain[:-1]
        chain = (*self._listed(chain, box), ("pre", _own_paragraph(block)[1]))
        self._languages[chain[-1][1]] = find_language(run.node)
        self._move(chain)
        self._fill(chain)
        self._pieces.append(TextRun(read_code(run.node)))

    def _read(self, tag: str, block: int) -> Sequence[Piece]:
        return [TextRun(preformatted(self._blocks, block))] if tag == "pre" else self._inline.read(block)

    def _is_whole(self, box: int) -> bool:
        """Say whether all blocks of a box were chosen."""
        if box < 0:
            return False
        known = self._all_kept.get(box)
        if known is None:
            inside = range(self._blocks.box_start[box], self._blocks.box_end[box])
            known = self._all_kept[box] = self._kept.issuperset(inside)
        return known

    def _fill(self, chain: Chain) -> None:
        """Note which items hold something now."""
        for place in chain:
            if place[0] in _ITEMS:
                self._filled.add(place)

    def _put_alone(self, number: int, one: Standing) -> None:
        chain = self._chain(one.box)
        if chain and chain[-1][0] in ("pre", "table", "tr", "caption"):
            return
        if not chain or chain[-1][0] not in _WITH_PICTURES:
            chain = (*self._listed(chain, one.box), ("p", -2 * number - 2))
        self._move(chain)
        self._pieces.append(one.piece)
        self._fill(chain)

    def _place(self, box: int, block: int, *, split: bool) -> Chain:
        """Return where a block goes; `split` asks for a paragraph of its own although the box is the same."""
        chain = self._chain(box)
        last = chain[-1] if chain else ("", -1)
        if last[0] in _HOLDERS:
            return (*chain[:-1], _own_paragraph(block)) if split and last[0] == "p" else chain
        if last[0] in _ITEMS and not split and (last not in self._filled or last[1] == box):
            return chain
        return (*self._listed(chain, box), _own_paragraph(block))

    def _listed(self, chain: Chain, box: int) -> Chain:
        """Give words that stand between the items of a list an item of their own."""
        while chain and chain[-1][0] in ("table", "tr"):
            chain = chain[:-1]
        if chain and chain[-1][0] in _LISTS:
            return (*chain, ("li", box))
        return (*chain, ("dd", box)) if chain and chain[-1][0] == "dl" else chain

    def _chain(self, box: int) -> Chain:
        """Return the kept structure around a box, itself included; every box is worked out once."""
        parents, chains, path = self._blocks.box_parent, self._chains, []
        while box not in chains:
            path.append(box)
            box = parents[box]
        chain = chains[box]
        for box in reversed(path):
            chain = chains[box] = self._extend(chain, box)
        return chain

    def _extend(self, chain: Chain, box: int) -> Chain:
        tag = self._blocks.box_tag[box]
        tag = _SAME.get(tag, tag)
        if tag not in _KNOWN or (chain and chain[-1][0] == "pre"):
            return chain
        above = chain[:-1] if chain and chain[-1][0] in _HOLDERS else chain
        parent = above[-1][0] if above else ""
        if not self._belongs(tag, box, parent) or (tag not in _WITH_WORDS and len(above) > _NESTING):
            return chain
        if parent in _ALL_LISTS and tag not in ("li", "dt", "dd"):
            above = self._listed(above, box)
        return (*above, (tag, box))

    def _belongs(self, tag: str, box: int, parent: str) -> bool:
        if tag in ("td", "th"):
            return box in self._grid.table_of and parent == "tr"
        if tag == "tr":
            return box in self._grid.cells and parent == "table"
        if tag == "table":
            return box in self._tables
        if tag == "caption":
            return parent == "table"
        return parent in _INSIDE_ONLY[tag] if tag in _INSIDE_ONLY else True

    def _move(self, chain: Chain) -> None:
        """Close what the next piece is not inside, open what it is."""
        opened = self._open
        shared = 0
        for have, want in zip(opened, chain, strict=False):
            if have != want:
                break
            shared += 1
        for place in reversed(opened[shared:]):
            self._filled.discard(place)
            if place[0] == "tr":
                self._fill_row(place[1], len(self._grid.cells[place[1]]))
            self._pieces.append(_CLOSE[place[0]])
        for place in chain[shared:]:
            self._open_place(place)
        self._open = chain

    def _open_place(self, place: Place) -> None:
        tag, box = place
        if tag == "tr":
            self._column = 0
        elif tag in ("td", "th"):
            column = self._grid.column_of[box]
            self._fill_row(self._grid.row_of[box], column)
            self._column = column + 1
        attributes = self._attributes(tag, box) if tag in _WITH_ATTRIBUTES and (box >= 0 or tag == "pre") else ()
        self._pieces.append(Open(tag, attributes) if attributes else _OPEN[tag])

    def _fill_row(self, row: int, end: int) -> None:
        """Add the empty cells up to column `end`, so that columns stay in line."""
        for cell in self._grid.cells[row][self._column : end]:
            tag = self._blocks.box_tag[cell]
            self._pieces += [Open(tag, self._attributes(tag, cell)), _CLOSE[tag]]
        self._column = max(self._column, end)

    def _attributes(self, tag: str, box: int) -> tuple[tuple[str, str], ...]:
        if tag == "pre":
            language = find_language(self._blocks.box_node[box]) if box >= 0 else self._languages[box]
            return (("language", language),) if language else ()
        attributes = self._blocks.box_node[box].attributes
        if tag == "ol":
            start = _number(attributes.get("start"), _LIST_START)
            return (("start", str(start)),) if start is not None and start != 1 else ()
        if not attributes:
            return ()
        spans = (("colspan", _SPAN), ("rowspan", _ROW_SPAN))
        numbers = ((name, _number(attributes.get(name), most) or 1) for name, most in spans)
        return tuple((name, str(number)) for name, number in numbers if number > 1)


def _own_paragraph(block: int) -> Place:
    """Return the place of a paragraph that the page does not mark up: odd numbers here, even ones for images."""
    return ("p", -2 * block - 1)


def _number(text: str | None, most: int) -> int | None:
    digits = (text or "").strip()[:12]
    return min(int(digits), most) if digits.isascii() and digits.isdecimal() else None
