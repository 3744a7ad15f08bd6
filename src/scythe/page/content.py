"""Join a page, its chosen blocks and the renderers: block numbers come in, text, markdown and html go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from scythe.model import Image, Rendered, TextOptions
from scythe.page.clean_html import render_html
from scythe.page.clean_text import render_text
from scythe.page.grid import Grid, find_grid
from scythe.page.inline import InlineReader
from scythe.page.markdown import render_markdown
from scythe.page.outline import Outline
from scythe.page.page import Page
from scythe.page.pieces import Break, Close, Open, Piece, Run
from scythe.page.places import image_places

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
        body = render_text(self.page.blocks, self.kept, self._grid)
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

    @cached_property
    def _marked(self) -> tuple[Image, ...]:
        if self._mark_images is None:
            return tuple(use.image for use in self.page.images)
        return self._mark_images(self.page, self.kept)

    @cached_property
    def pieces(self) -> list[Piece]:
        """The chosen blocks with the structure around them."""
        blocks, images = self.page.blocks, self._images()
        inline = InlineReader(blocks, self.page.base, images, links=self.options.links)
        return Outline(blocks, self._grid, inline).weave(self.kept, self._standing_alone(images), self.heading)

    @cached_property
    def _grid(self) -> Grid:
        return find_grid(self.page.blocks)

    def _images(self) -> dict[int, Image]:
        if not self.options.images or not self.page.blocks.image_node:
            return {}
        return {use.node_id: use.image for use in self.page.images}

    def _standing_alone(self, images: dict[int, Image]) -> dict[int, Image]:
        """Return the images to show between the chosen blocks, by row; those inside a block come with its words."""
        if not images or not self.kept:
            return {}
        blocks = self.page.blocks
        leaves = (leaf for i in self.kept for leaf in blocks.leaves[blocks.leaf_start[i] : blocks.leaf_end[i]])
        inside = {leaf.mem_id for leaf in leaves if leaf.tag != "-text"}
        found: dict[int, Image] = {}
        for row in self._rows_to_show():
            node_id = blocks.image_node[row].mem_id
            image = images.get(node_id)
            if image is not None and node_id not in inside and not is_icon(image):
                found[row] = image
        return found

    def _rows_to_show(self) -> Iterable[int]:
        """Return the rows of the relevant images or, where no rule tells them, of those next to the chosen blocks."""
        if self._mark_images is None:
            return image_places(self.page.blocks, self.kept)
        marks = zip(self.page.images, self._marked, strict=True)
        relevant = {node_id for use, image in marks if image.relevant for node_id in (use.node_id, *use.twin_ids)}
        return (row for row, node in enumerate(self.page.blocks.image_node) if node.mem_id in relevant)

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


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

    def _pieces(self) -> list[Piece]:
        pieces: list[Piece] = []
        for paragraph in self.body.split("\n\n"):
            lines = [" ".join(line.split()) for line in paragraph.split("\n") if line.strip()]
            if lines:
                pieces.append(Open("p"))
                for number, line in enumerate(lines):
                    pieces += [Break(), Run(line)] if number else [Run(line)]
                pieces.append(Close("p"))
        return pieces


def is_icon(image: Image) -> bool:
    """Say whether an image is declared so small that it illustrates nothing."""
    sides = [side for side in (image.width, image.height) if side is not None]
    return bool(sides) and max(sides) <= _ICON_PX
