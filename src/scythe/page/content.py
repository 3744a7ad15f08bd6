"""Join page, chosen blocks and renderers: block numbers come in, text, markdown and html go out when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape

from scythe.model import Rendered, TextOptions
from scythe.page.grid import Grid, find_grid
from scythe.page.page import Page
from scythe.page.plain import render_text

_DEFAULTS = TextOptions()


@dataclass(frozen=True)
class PageContent:
    """The chosen blocks of one page. Holds the page's tree; pickled or copied, it becomes what it renders to."""

    page: Page
    kept: tuple[int, ...]  # ascending block numbers
    options: TextOptions = _DEFAULTS
    heading: str = ""  # a title line that stands in no block

    @cached_property
    def _grid(self) -> Grid:
        return find_grid(self.page.blocks)

    def text(self) -> str:
        """Return the blocks as text; see `render_text`."""
        body = render_text(self.page.blocks, self.kept, self._grid)
        return f"{self.heading}\n\n{body}".strip() if self.heading else body

    def markdown(self) -> str:
        """Return the blocks as markdown."""
        return Prose(self.text()).markdown()

    def html(self) -> str:
        """Return the blocks as safe html."""
        return Prose(self.text()).html()

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str]]:
        return Rendered, (self.text(), self.markdown(), self.html())


@dataclass(frozen=True)
class Prose:
    """Text without a tree behind it: paragraphs are set apart by blank lines, line breaks inside them are kept."""

    body: str

    def text(self) -> str:
        return self.body

    def markdown(self) -> str:
        return self.body

    def html(self) -> str:
        paragraphs = (escape(part).replace("\n", "<br>\n") for part in self.body.split("\n\n") if part.strip())
        return "\n".join(f"<p>{part}</p>" for part in paragraphs)
