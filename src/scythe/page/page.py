"""One page: bytes or text come in, and encoding, tree, blocks, links, images and metadata are worked out when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.model import Loss
from scythe.page.blocks import Blocks, cut_blocks
from scythe.url import Url


@dataclass(frozen=True)
class Page:
    """One page as received. Nothing is parsed until it is asked for, and then once."""

    html: str
    url: Url | None = None
    encoding: str = "utf-8"
    losses: tuple[Loss, ...] = ()

    @classmethod
    def from_text(cls, html: str, *, url: str | None = None) -> Page:
        """Take a page that is already text."""
        return cls(html=html, url=Url(url) if url else None)

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The HTML5 tree."""
        return LexborHTMLParser(self.html)

    @property
    def root(self) -> LexborNode:
        root = self.tree.root
        assert root is not None  # lexbor builds html, head and body for any input
        return root

    @cached_property
    def blocks(self) -> Blocks:
        """The page's text blocks, in page order."""
        return cut_blocks(self.root)
