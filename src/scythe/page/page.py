"""One page: bytes or text come in; encoding, tree, blocks, links, images and metadata are worked out when asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import Link, Loss, Metadata
from scythe.page.blocks import Blocks, cut_blocks
from scythe.page.elements import Elements, list_elements
from scythe.page.encoding import Decoded, clean, decode
from scythe.page.head import Head, read_head
from scythe.page.images import ImageUse, read_images, source_of
from scythe.page.jsonld import LinkedData, read_json_ld
from scythe.page.leaves import Leaf, read_leaves
from scythe.page.links import read_links
from scythe.page.metadata import read_metadata
from scythe.page.microdata import Body
from scythe.page.reopen import reopen, shows_nothing
from scythe.url import Url, absolute


@dataclass(frozen=True)
class Page:
    """One page as received. Nothing is parsed until it is asked for, and then once."""

    html: str  # without NUL and lone surrogates
    url: Url | None = None
    encoding: str = "utf-8"
    decode_losses: tuple[Loss, ...] = ()

    @classmethod
    def from_bytes(cls, body: bytes, *, url: str | None = None, content_type: str | None = None) -> Page:
        """Take a page as it was received. `content_type` is the HTTP header, believed when the bytes agree."""
        if not isinstance(body, (bytes, bytearray, memoryview)):
            raise BadInput(f"Page.from_bytes wants bytes, not {type(body).__name__}; use Page.from_text for text")
        return cls._from_decoded(decode(bytes(body), content_type), url)

    @classmethod
    def from_text(cls, html: str, *, url: str | None = None) -> Page:
        """Take a page that is already text."""
        if not isinstance(html, str):
            raise BadInput(f"Page.from_text wants text, not {type(html).__name__}; use Page.from_bytes for bytes")
        losses: list[Loss] = []
        if len(html) > LIMITS.body_bytes:
            losses.append(Loss("characters beyond the size limit", len(html) - LIMITS.body_bytes))
            html = html[: LIMITS.body_bytes]
        return cls._from_decoded(clean(html, losses), url)

    @classmethod
    def _from_decoded(cls, decoded: Decoded, url: str | None) -> Page:
        page = cls(decoded.text, _page_url(url), decoded.encoding, decoded.losses)
        if decoded.source is not None:
            page.__dict__["_source"] = decoded.source  # saves encoding the text again; dropped with the parse
        return page

    def with_tree(self, tree: LexborHTMLParser) -> Page:
        """Return the same page with a tree that was built from its bytes elsewhere."""
        page = replace(self)
        page.__dict__["_parsed"] = (tree, ())
        return page

    @cached_property
    def _parsed(self) -> tuple[LexborHTMLParser, tuple[Loss, ...]]:
        from scythe.page.guard import parse  # numpy is half of the time of `scythe --help`

        source = self.__dict__.pop("_source", None) or self.html.encode()
        tree, losses = parse(source)
        if shows_nothing(tree) and (opened := reopen(source)):
            other, other_losses = parse(opened)
            if not shows_nothing(other):
                return other, (*other_losses, Loss("unclosed elements read as their content", 1))
        return tree, losses

    @property
    def tree(self) -> LexborHTMLParser:
        """The HTML5 tree, built within `Limits`."""
        return self._parsed[0]

    @property
    def root(self) -> LexborNode:
        root = self.tree.root
        assert root is not None  # lexbor builds html, head and body for any input
        return root

    @cached_property
    def blocks(self) -> Blocks:
        """The page's text blocks, in page order."""
        return cut_blocks(self.root)

    @cached_property
    def elements(self) -> Elements:
        """The page's elements and text leaves, in page order."""
        return list_elements(self.root)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The page's text leaves with their tag paths, in page order."""
        return read_leaves(self.root)

    @cached_property
    def head(self) -> Head:
        """What the page says about itself, unsorted."""
        return read_head(self.tree)

    @cached_property
    def base(self) -> str | None:
        """The address that relative links of this page are relative to."""
        return absolute(self.head.base, self.url) or self.url

    @cached_property
    def linked_data(self) -> LinkedData:
        """The schema.org objects of the page's JSON-LD."""
        return read_json_ld(self.head.json_ld)

    @cached_property
    def metadata(self) -> Metadata:
        """Title, author, dates, language and the like, as the page states them."""
        return read_metadata(self.head, self.linked_data, Body(self.tree, self.html), self.url, self.base)

    @cached_property
    def _links(self) -> tuple[tuple[Link, ...], int]:
        return read_links(self.tree, self.base)

    @property
    def links(self) -> tuple[Link, ...]:
        """The page's http(s) links, in page order."""
        return self._links[0]

    @cached_property
    def _images(self) -> tuple[tuple[ImageUse, ...], tuple[Loss, ...]]:
        losses: list[Loss] = []
        return read_images(self.tree, self.base, losses=losses), tuple(losses)

    @property
    def images(self) -> tuple[ImageUse, ...]:
        """The images the page shows, in page order, each with the `mem_id` of its node."""
        return self._images[0]

    @cached_property
    def image_sources(self) -> dict[int, Url]:
        """The address of each image by the `mem_id` of its node."""
        if "_images" not in self.__dict__ and not self.tree.css_matches("noscript"):  # so no image has a twin
            nodes = self.tree.css("img,amp-img")
            if len(nodes) <= LIMITS.page_images:
                return {node.mem_id: src for node in nodes if (src := source_of(node, self.base)) is not None}
        return {use.node_id: use.image.src for use in self.images}

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What was lost so far on the way from bytes to what has been asked for."""
        losses = list(self.decode_losses)
        done = self.__dict__
        if "_parsed" in done:
            losses.extend(self._parsed[1])
        if "linked_data" in done and self.linked_data.skipped:
            losses.append(Loss("unreadable JSON-LD scripts", self.linked_data.skipped))
        if "_links" in done and self._links[1]:
            losses.append(Loss("links without an absolute address", self._links[1]))
        if "_images" in done:
            losses.extend(self._images[1])
        return tuple(losses)


def _page_url(url: str | None) -> Url | None:
    return absolute(url) if url else None
