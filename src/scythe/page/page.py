"""The `Page` class: one page whose encoding, tree, blocks, links, images and metadata are computed on demand.

Also recovers pages that an unclosed `<title>`, `<script>` or comment would swallow by the standard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from scythe.errors import BadInput
from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Link, Loss, Metadata
from scythe.page.blocks import Blocks, Grid, find_grid, read_blocks
from scythe.page.encoding import Decoded, clean, decode, is_clean_utf8
from scythe.page.head import BodyQueries, Head, LinkedData, read_head, read_json_ld, squeeze
from scythe.page.images import ImageUse, read_images, source_of
from scythe.page.metadata import Sources, declared_title, judged_titles, read_metadata
from scythe.page.title import choose_title
from scythe.url import FOLDER, Url, absolute, without_user

if TYPE_CHECKING:
    from scythe.page.code_blocks import Code
    from scythe.page.elements import Elements
    from scythe.page.formulas import Formulas
    from scythe.page.map import Node, PageMap
    from scythe.page.tree_map import TreeMap
    from scythe.page.where import SourcePlaces

try:
    from stringzilla import find
except ImportError:  # pragma: no cover  (a platform without its wheel)
    find = bytes.find

_RAW = (b"title", b"script", b"style", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
_MARKUP = (b"</p", b"</div", b"</td", b"</a>")
_UNSEEN = frozenset(("script", "noscript", "style", "template", "link", "meta", "-comment", "!comment", "_comment"))
_AFTER_NAME = b"> \t\r\n\f/"


def shows_nothing(page_map: PageMap | TreeMap) -> bool:
    """Say whether the body holds nothing but scripts and white space. Costs next to nothing on any other page."""
    body = page_map.body_node
    node = body.first_child if body is not None else None
    while node is not None and (node.tag in _UNSEEN or (node.tag == "-text" and not node.text_content.strip())):
        node = node.next
    return node is None


def reopen(source: bytes) -> bytes | None:
    """Return a source that shows what was swallowed, or None when nothing was."""
    lower = source.lower()
    if not any(tag in lower for tag in _MARKUP):
        return None
    places = [(at, at + 4) for at in [lower.rfind(b"<!--")] if at >= 0 and lower.find(b"-->", at) < 0]
    for name in _RAW:
        at = _tag_from(lower, b"<" + name, _last_end(lower, name))
        end = lower.find(b">", at) if at >= 0 else -1
        if end >= 0:
            places.append((at, end + 1))
    if not places:
        shown = _without(_without(source, b"script"), b"noscript")
        return shown if len(shown) < len(source) else None
    start, end = min(places)
    return source[:start] + source[end:]


def _last_end(lower: bytes, name: bytes) -> int:
    """Return where the last closing tag of this name stands, or 0."""
    end = b"</" + name
    at = lower.rfind(end)
    while at >= 0 and lower[at + len(end) : at + len(end) + 1] not in _AFTER_NAME:
        at = lower.rfind(end, 0, at)
    return max(at, 0)


def _tag_from(lower: bytes, opening: bytes, start: int) -> int:
    """Return where the next tag with this beginning stands, or -1."""
    at = lower.find(opening, start)
    while at >= 0 and lower[at + len(opening) : at + len(opening) + 1] not in _AFTER_NAME:
        at = lower.find(opening, at + 1)
    return at


def _without(source: bytes, name: bytes) -> bytes:
    """Drop elements from tag to tag, as a browser does that runs scripts.

    A script that holds `<!--<script` hides its own end from a parser; a `<noscript>` that opens a box without closing
    it takes in the rest of the page.
    """
    lower, kept, at = source.lower(), [], 0
    while (start := _tag_from(lower, b"<" + name, at)) >= 0:
        kept.append(source[at:start])
        at = lower.find(b"</" + name, start)
        if at < 0:
            return b"".join(kept)
    return b"".join((*kept, source[at:]))


_SILENT = ("#", "javascript:", "mailto:", "tel:", "data:", "about:", "sms:", "whatsapp:", "blob:", "callto:", "skype:")


def read_links(page_map: PageMap | TreeMap, base: str | None) -> tuple[tuple[Link, ...], int]:
    """Return the page's http(s) links in page order, and how many addresses could not be understood."""
    links: list[Link] = []
    bad = 0
    for node in page_map.find("a", "area"):
        attributes = node.attributes
        href = (attributes.get("href") or "").strip()
        if is_silent(href):
            continue
        url = absolute(href, base)
        if url is None:
            bad += 1
            continue
        text = squeeze(node.text(deep=True)) or squeeze(
            attributes.get("aria-label") or attributes.get("title") or attributes.get("alt") or ""
        )
        links.append(Link(url, text, (attributes.get("rel") or "").strip().lower()))
    return tuple(links), bad


def is_silent(href: str) -> bool:
    """Say whether an address is none that could be fetched, and is not meant to be."""
    return not href or href[:12].lower().startswith(_SILENT)


class LateHtml:
    """The text of a page: passed to it, or decoded from its bytes when first asked for."""

    def __set__(self, page: Page, given: str | None) -> None:
        page.__dict__["html"] = given

    def __get__(self, page: Page | None, owner: type) -> str:
        if page is None:
            raise AttributeError("html")  # there is no default
        html: str | None = page.__dict__["html"]
        if html is None:
            html = page.__dict__["html"] = bytes_of(page).decode()
        return html


_OPENING = 4_096  # characters


@dataclass(frozen=True)
class Page:
    """One page as received. Nothing is parsed until it is asked for, and then once."""

    html: str = cast("str", LateHtml())  # without NUL and lone surrogates
    url: Url | None = None
    encoding: str = "utf-8"
    decode_losses: tuple[Loss, ...] = ()
    mark_bytes: int = 0  # of a byte order mark that stood before the page

    @classmethod
    def from_bytes(cls, body: bytes, *, url: str | None = None, content_type: str | None = None) -> Page:
        """Take a page as it was received. `content_type` is the HTTP header, believed when the bytes agree.

        The address `FOLDER` says that the page is a file, and that images may lie beside it.
        """
        if not isinstance(body, (bytes, bytearray, memoryview)):
            raise BadInput(f"Page.from_bytes expects bytes, not {type(body).__name__}; use Page.from_text for text")
        body = bytes(body)
        if is_clean_utf8(body):
            page = cls("", _page_url(url))
            page.__dict__.update(html=None, _source=body, _is_in_folder=url == FOLDER)  # most readers need no text
            return page
        return cls._from_decoded(decode(body, content_type), url)

    @classmethod
    def from_text(cls, html: str, *, url: str | None = None) -> Page:
        """Take a page that is already text."""
        if not isinstance(html, str):
            raise BadInput(f"Page.from_text expects text, not {type(html).__name__}; use Page.from_bytes for bytes")
        losses: list[Loss] = []
        if len(html) > LIMITS.body_bytes:
            losses.append(Loss("characters beyond the size limit", len(html) - LIMITS.body_bytes))
            html = html[: LIMITS.body_bytes]
        return cls._from_decoded(clean(html, losses), url)

    @classmethod
    def _from_decoded(cls, decoded: Decoded, url: str | None) -> Page:
        page = cls(decoded.text, _page_url(url), decoded.encoding, decoded.losses, decoded.mark_bytes)
        if decoded.source is not None:
            page.__dict__["_source"] = decoded.source  # saves encoding the text again
        page.__dict__["_is_in_folder"] = url == FOLDER
        return page

    @cached_property
    def _mapped(self) -> tuple[PageMap | TreeMap, tuple[Loss, ...]]:
        from scythe.page.map import make_map  # numpy is half of the time of `scythe --help`

        source = bytes_of(self)
        made = self.__dict__.pop("_made", None) or make_map(source)
        if shows_nothing(made) and (opened := reopen(source)):
            other = make_map(opened)
            if not shows_nothing(other):
                return other, (*other.losses, Loss("unclosed elements read as their content", 1))
        return made, made.losses

    @property
    def map(self) -> PageMap | TreeMap:
        """The elements and texts of the page, within `Limits`."""
        return self._mapped[0]

    def mentions(self, *words: str) -> bool:
        """Say whether one of some words, in ASCII, stands anywhere in the source."""
        made = getattr(self.map, "made", None)
        if made is None:
            return any(word in self.html for word in words)
        return any(find(made.source, word.encode()) >= 0 for word in words)

    @property
    def root(self) -> Node:
        """The html element."""
        root: Node = self.map.root
        return root

    @cached_property
    def places(self) -> SourcePlaces:
        """Where parts of the page stand in the bytes it was received as."""
        from scythe.page.where import SourcePlaces

        return SourcePlaces(self)

    @cached_property
    def blocks(self) -> Blocks:
        """The page's text blocks, in page order."""
        return read_blocks(self.map)

    @cached_property
    def elements(self) -> Elements:
        """The page's elements and text leaves, in page order."""
        from scythe.page.elements import read_elements  # with numpy, which `scythe --help` needs nothing of

        return read_elements(self.map)

    @cached_property
    def grid(self) -> Grid:
        """The tables of data of the page."""
        return find_grid(self.blocks)

    @cached_property
    def code(self) -> Code:
        """The code of the page that has no pre around it, and what numbers the lines of code."""
        from scythe.page.code_blocks import Code  # few pages have some

        has_languages = self.mentions("data-lang", "data-code-language", "data-enlighter-language")
        has_code = has_languages or bool(self.map.find("pre", "code"))
        return Code(self.blocks, has_code=has_code, has_languages=has_languages)

    @cached_property
    def formulas(self) -> Formulas | None:
        """The formulas that elements of the page show; None where there are none."""
        from scythe.page.formulas import find_formulas  # few pages have some

        return find_formulas(self)

    @cached_property
    def head(self) -> Head:
        """What the page says about itself, unsorted."""
        return read_head(self.map, self.mentions)

    @cached_property
    def base(self) -> str | None:
        """The address that relative links of this page are relative to."""
        return absolute(self.head.base, self.url) or self.url

    @property
    def image_base(self) -> str | None:
        """What relative images are relative to: an address or, of a page in a file that has none, its folder."""
        return self.base or (FOLDER if self.__dict__.get("_is_in_folder") else None)

    @cached_property
    def linked_data(self) -> LinkedData:
        """The schema.org objects of the page's JSON-LD."""
        return read_json_ld(self.head.json_ld)

    @cached_property
    def said(self) -> Sources:
        """Everything that says something about the page."""
        return Sources(self.head, self.linked_data, self._body, self.url, self.base)

    @cached_property
    def metadata(self) -> Metadata:
        """Title, author, dates, language and the like, as the page states them."""
        return read_metadata(self.said, self.title[0])

    @cached_property
    def title(self) -> tuple[str, str]:
        """The title, and which parts of the page say it."""
        return choose_title(*judged_titles(self.said))

    @cached_property
    def declared_title(self) -> str:
        """The title that the head of the page states; any heading where it states none."""
        return declared_title(self.said)

    @cached_property
    def _body(self) -> BodyQueries:
        return BodyQueries(self.map, self.mentions, lambda: self.blocks)

    @cached_property
    def _links(self) -> tuple[tuple[Link, ...], int]:
        return read_links(self.map, self.base)

    @property
    def links(self) -> tuple[Link, ...]:
        """The page's http(s) links, in page order."""
        return self._links[0]

    @cached_property
    def _images(self) -> tuple[tuple[ImageUse, ...], tuple[Loss, ...]]:
        losses: list[Loss] = []
        return read_images(self.map.find("img", "amp-img"), self.image_base, losses=losses), tuple(losses)

    @property
    def images(self) -> tuple[ImageUse, ...]:
        """The images the page shows, in page order, each with the `mem_id` of its node."""
        return self._images[0]

    @cached_property
    def image_sources(self) -> dict[int, Url]:
        """The address of each image by the `mem_id` of its node."""
        if "_images" not in self.__dict__ and not self.map.find("noscript"):  # so no image has a twin
            nodes = self.map.find("img", "amp-img")
            if len(nodes) <= LIMITS.page_images:
                return {node.mem_id: src for node in nodes if (src := source_of(node, self.image_base)) is not None}
        return {use.node_id: use.image.src for use in self.images}

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What was lost so far on the way from bytes to what has been asked for."""
        losses = list(self.decode_losses)
        done = self.__dict__
        if "_mapped" in done:
            losses.extend(self._mapped[1])
            unlisted = len(self.map) - LIMITS.listed_of(len(self.map.source)) if native is not None else 0
            if unlisted > 0:
                losses.append(Loss("elements beyond the limit of lists", unlisted))
        if "linked_data" in done and self.linked_data.skipped:
            losses.append(Loss("unreadable JSON-LD scripts", self.linked_data.skipped))
        if "_links" in done and self._links[1]:
            losses.append(Loss("links without an absolute address", self._links[1]))
        if "_images" in done:
            losses.extend(self._images[1])
        losses.extend(done.get("_list_losses", ()))
        return tuple(losses)


def note_list_losses(page: Page, losses: list[Loss]) -> None:
    """Say what was lost when lists were looked for."""
    page.__dict__["_list_losses"] = losses


def bytes_of(page: Page) -> bytes:
    """Return a page in UTF-8."""
    known: bytes | None = page.__dict__.get("_source")
    return page.html.encode() if known is None else known


def opening_of(page: Page) -> str:
    """Return the first characters of a page."""
    if page.__dict__["html"] is None:
        return bytes_of(page)[: 4 * _OPENING].decode("utf-8", "ignore")[:_OPENING]
    return page.html[:_OPENING]


def share_map(page: Page, made: PageMap | TreeMap) -> Page:
    """Let a page take over a map that was made already, if it is one of the same bytes; return the page."""
    if page.__dict__.get("_source") == made.source:
        page.__dict__["_made"] = made
    return page


def _page_url(url: str | None) -> Url | None:
    address = absolute(url) if url else None
    return address and without_user(address)
