"""Render chosen blocks as text, Markdown and safe HTML, with the images that belong to them.

Every tag and attribute of the HTML is written by us, and every word is escaped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import accumulate

from scythe.model import Image, Rendered, Span, TextOptions
from scythe.page.blocks import Blocks, render_text
from scythe.page.formulas import Formulas, TexInText
from scythe.page.markdown import render_markdown
from scythe.page.outline import (
    PLAIN,
    Break,
    Close,
    InlineReader,
    Math,
    Open,
    Outline,
    Picture,
    Piece,
    Standing,
    TextRun,
    TextStyle,
)
from scythe.page.page import Page

INSIDE, BETWEEN, BEFORE, AFTER = "inside", "between", "before", "after"

_PICTURE_NAMES = ("caption", "figure", "image", "img", "media", "photo", "picture")
_CAPTION_BLOCKS = 4  # caption, credit and the like; a figure with more words is a box of teasers
_MOST = 0.8  # of the kept words lie in the content's box; a title or a note may stand outside
_TEXT_TAGS = frozenset("p li td th dt dd pre h1 h2 h3 h4 h5 h6 blockquote".split())


def content_box(blocks: Blocks, kept: Sequence[int]) -> int:
    """Return the innermost box, above the level of paragraphs, that holds most of the kept words."""
    ends = [0, *accumulate(len(blocks.text[i]) for i in kept)]
    box = blocks.box[max(kept, key=lambda i: len(blocks.text[i]))]
    while box > 0:
        inside = ends[bisect_left(kept, blocks.box_end[box])] - ends[bisect_left(kept, blocks.box_start[box])]
        if inside >= _MOST * ends[-1] and blocks.box_tag[box] not in _TEXT_TAGS:
            break
        box = blocks.box_parent[box]
    return box


def image_places(blocks: Blocks, kept: Sequence[int]) -> dict[int, str]:
    """Map rows of the image columns to their place: inside a kept block, between two, right before or after all.

    An image outside of blocks counts only next to a kept one, and not where the box it shares with other words lost all
    of them: adverts and teasers have their own images. A figure may lose its caption and keep its image. After the last
    block an image must still be inside the box of the content.
    """
    if not kept:
        return {}
    chosen, first, last = set(kept), kept[0], kept[-1]
    groups = _Groups(blocks, kept)
    places: dict[int, str] = {}
    for row, (block, box) in enumerate(zip(blocks.image_block, blocks.image_box, strict=True)):
        if block in chosen and blocks.box[block] == box:
            places[row] = INSIDE
            continue
        before, after = groups.neighbours(box, block)
        if before == last and groups.is_in_content(box):
            places[row] = AFTER
        elif first <= after <= last and (after in chosen or before in chosen):
            places[row] = BEFORE if before < first else BETWEEN
    return places


class _Groups:
    """Knows for each box the words that an image in it stands with."""

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._blocks = blocks
        self._kept = kept
        self._known: dict[int, tuple[int, bool]] = {}  # box -> innermost box with words, a figure on the way there
        self._in_content: dict[int, bool] = {content_box(blocks, kept): True, 0: False, -1: False}

    def neighbours(self, box: int, block: int) -> tuple[int, int]:
        """Return the blocks before and after an image, past its own caption; -2 in a box that lost all its words."""
        group, pictured = self._group(box)
        if self._has_kept(group):
            return block - 1, block
        start, end = self._blocks.box_start[group], self._blocks.box_end[group]
        return (start - 1, end) if pictured and end - start <= _CAPTION_BLOCKS else (-2, -2)

    def is_in_content(self, box: int) -> bool:
        """Say whether a box lies inside the box of the content."""
        path = []
        while box not in self._in_content:
            path.append(box)
            box = self._blocks.box_parent[box]
        found = self._in_content[box]
        self._in_content.update(dict.fromkeys(path, found))
        return found

    def _has_kept(self, box: int) -> bool:
        end = bisect_left(self._kept, self._blocks.box_end[box])
        return end > bisect_left(self._kept, self._blocks.box_start[box])

    def _group(self, box: int) -> tuple[int, bool]:
        blocks, path = self._blocks, []
        while box not in self._known:
            if box == 0 or blocks.box_end[box] > blocks.box_start[box]:
                self._known[box] = (box, self._is_figure(box))
                break
            path.append(box)
            box = blocks.box_parent[box]
        group, pictured = self._known[box]
        for box in reversed(path):
            pictured = pictured or self._is_figure(box)
            self._known[box] = (group, pictured)
        return group, pictured

    def _is_figure(self, box: int) -> bool:
        if self._blocks.box_tag[box] == "figure":
            return True
        names = self._blocks.box_names[box].lower()
        return any(name in names for name in _PICTURE_NAMES)


_LINE_AFTER_OPEN = frozenset({"ul", "ol", "dl", "table", "tr", "blockquote", "figure"})
_ATTRIBUTES = frozenset({"start", "colspan", "rowspan"})


def render_html(pieces: Iterable[Piece]) -> str:
    """Return html of allow-listed elements and attributes; addresses are absolute http(s) ones."""
    out: list[str] = []
    inline: list[str] = []  # open inline elements as written, outermost first
    preformatted = False
    for piece in pieces:
        if isinstance(piece, TextRun | Picture | Math):
            if inline or piece.marks is not PLAIN:
                _set_marks(out, inline, piece.marks)
            out.append(escape(piece.text, quote=False) if isinstance(piece, TextRun) else _other(piece))
            continue
        if inline:
            _set_inline(out, inline, [])
        if isinstance(piece, Open):
            out.append(_start_tag(piece))
            preformatted = piece.tag == "pre"
        elif isinstance(piece, Close):
            out.append(f"</{piece.tag}>\n")
            preformatted = False
        else:
            out.append("\n" if preformatted else "<br>\n")
    return "".join(out).strip("\n")


def _start_tag(piece: Open) -> str:
    attributes = ""
    if piece.attributes:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in piece.attributes if name in _ATTRIBUTES)
    return f"<{piece.tag}{attributes}>" + ("\n" if piece.tag in _LINE_AFTER_OPEN else "")


def _other(piece: Picture | Math) -> str:
    if isinstance(piece, Math):  # as MathJax and its like read it
        opening, closing = ("\\[", "\\]") if piece.formula.is_display else ("\\(", "\\)")
        return f"{opening}{escape(piece.formula.tex, quote=False)}{closing}"
    image = piece.image
    size = "".join(
        f' {name}="{pixels}"' for name, pixels in (("width", image.width), ("height", image.height)) if pixels
    )
    return f'<img src="{escape(image.src)}" alt="{escape(image.alt)}"{size}>'


def _set_marks(out: list[str], inline: list[str], marks: TextStyle) -> None:
    wanted = [f'a href="{escape(marks.link)}"'] if marks.link else []
    wanted += marks.styles
    _set_inline(out, inline, wanted)


def _set_inline(out: list[str], inline: list[str], wanted: list[str]) -> None:
    shared = 0
    while shared < len(inline) and shared < len(wanted) and inline[shared] == wanted[shared]:
        shared += 1
    while len(inline) > shared:
        out.append(f"</{inline.pop().partition(' ')[0]}>")
    for element in wanted[shared:]:
        out.append(f"<{element}>")
        inline.append(element)


MarkImages = Callable[[Page, tuple[int, ...]], tuple[Image, ...]]

_DEFAULTS = TextOptions()
_ICON_PX = 48  # avatars, share buttons and bullets are declared this small


class PageContent:
    """The chosen blocks of one page. Holds the page's tree; pickled or copied, it becomes what it renders to.

    `kept` are ascending block numbers, `heading` is a title line that stands in no block, and `mark_images` says which
    images of the page belong to the choice.
    """

    def __init__(
        self,
        page: Page,
        kept: tuple[int, ...],
        options: TextOptions = _DEFAULTS,
        heading: str = "",
        mark_images: MarkImages | None = None,
    ) -> None:
        self.page = page
        self.kept = kept
        self.options = options
        self.heading = heading
        self._mark_images = mark_images

    def text(self) -> str:
        """Return the blocks as text; see `render_text`."""
        body = render_text(self.page.blocks, self.kept, self.page.grid)
        return f"{self.heading}\n\n{body}".strip() if self.heading else body

    def markdown(self) -> str:
        """Return the blocks as markdown; see `render_markdown`."""
        return render_markdown(self.pieces)

    def html(self) -> str:
        """Return the blocks as safe html; see `render_html`."""
        return render_html(self.pieces)

    def images(self) -> tuple[Image, ...]:
        """Return the images of the page, marked where a rule was given."""
        return self._marked

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        """Return where the title, each block and each image stand in the bytes of the page."""
        blocks, places = self.page.blocks, self.page.places
        heads = [i for i in blocks.directly_in("h1") if blocks.text[i] == title]
        nodes = [use.node_id - 1 for use in self.page.images]
        return {
            "title": (places.of_block(heads[0]) if heads else _title_in_head(self.page, title),),
            "text": tuple(places.of_block(i) for i in self.kept),
            "images": tuple(places.of_nodes(node, node) for node in nodes),
            "author": tuple(map(places.of_value, self.page.metadata.authors)),
            "date": (places.of_date(self.page.metadata.published),),
        }

    @cached_property
    def _marked(self) -> tuple[Image, ...]:
        if self._mark_images is None:
            return tuple(use.image for use in self.page.images)
        return self._mark_images(self.page, self.kept)

    @cached_property
    def pieces(self) -> list[Piece]:
        """The chosen blocks with the structure around them."""
        page = self.page
        blocks, images, formulas = page.blocks, self._images(), page.formulas
        tex = TexInText(page) if page.mentions("\\", "$") else None
        inline = InlineReader(blocks, page.base, images, links=self.options.links, formulas=formulas, tex=tex)
        alone = [*self._pictures_alone(images, formulas, inline), *self._formulas_alone(formulas)]
        outline = Outline(blocks, page.grid, inline, page.code)
        return outline.weave(self.kept, sorted(alone, key=lambda one: one.block), self.heading)

    def _images(self) -> dict[int, Image]:
        if not self.options.images or not self.page.blocks.image_node:
            return {}
        return {use.node_id: use.image for use in self.page.images}

    def _pictures_alone(
        self, images: dict[int, Image], formulas: Formulas | None, inline: InlineReader
    ) -> Iterator[Standing]:
        """Yield the images to show between the chosen blocks; those inside a block come with its words."""
        if not images or not self.kept:
            return
        blocks = self.page.blocks
        leaves = (leaf for i in self.kept for leaf in blocks.leaves[blocks.leaf_start[i] : blocks.leaf_end[i]])
        inside = {leaf.mem_id for leaf in leaves if leaf.tag != "-text"}
        for row in sorted(self._rows_to_show()):
            node = blocks.image_node[row]
            image = images.get(node.mem_id)
            if image is None or node.mem_id in inside or is_icon(image):
                continue
            if formulas is None or not formulas.around(node):
                box = blocks.image_box[row]
                marks = PLAIN._replace(link=inline.marks(node, box).link)
                yield Standing(blocks.image_block[row], box, Picture(image, marks))

    def _formulas_alone(self, formulas: Formulas | None) -> Iterator[Standing]:
        """Yield the formulas without words that stand between the chosen blocks, beside one of them."""
        if formulas is None or not self.kept:
            return
        chosen = set(self.kept)
        for block, box, formula in formulas.alone:
            if block in chosen or block - 1 in chosen:
                yield Standing(block, box, Math(formula))

    def _rows_to_show(self) -> Iterable[int]:
        """Return the rows of the relevant images or, where no rule tells them, of those next to the chosen blocks."""
        if self._mark_images is None:
            return image_places(self.page.blocks, self.kept)
        marks = zip(self.page.images, self._marked, strict=True)
        relevant = {node_id for use, image in marks if image.relevant for node_id in (use.node_id, *use.twin_ids)}
        return (row for row, node in enumerate(self.page.blocks.image_node) if node.mem_id in relevant)

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


def _title_in_head(page: Page, title: str) -> Span | None:
    for node in page.map.find("title"):
        words = node.first_child
        if words is not None and title and title in " ".join((words.text_content or "").split()):
            return page.places.of(getattr(words, "span", None))
    return page.places.of_value(title)


@dataclass(frozen=True)
class Prose:
    """Text without a tree behind it: paragraphs are set apart by blank lines, line breaks inside them are kept."""

    body: str
    with_images: tuple[Image, ...] = ()

    def text(self) -> str:
        return self.body

    def markdown(self) -> str:
        return render_markdown(self._pieces())

    def html(self) -> str:
        return render_html(self._pieces())

    def images(self) -> tuple[Image, ...]:
        return self.with_images

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        return {}

    def _pieces(self) -> list[Piece]:
        pieces: list[Piece] = []
        for paragraph in self.body.split("\n\n"):
            lines = [" ".join(line.split()) for line in paragraph.split("\n") if line.strip()]
            if lines:
                pieces.append(Open("p"))
                for number, line in enumerate(lines):
                    pieces += [Break(), TextRun(line)] if number else [TextRun(line)]
                pieces.append(Close("p"))
        return pieces


def is_icon(image: Image) -> bool:
    """Say whether an image is declared so small that it illustrates nothing."""
    sides = [side for side in (image.width, image.height) if side is not None]
    return bool(sides) and max(sides) <= _ICON_PX
