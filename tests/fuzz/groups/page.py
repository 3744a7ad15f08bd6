"""Pages as they come: bytes are decoded, marked, mapped, read; nothing raises, nothing is lost in silence."""

import json
from functools import cache

from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.seeds import demo_pages, page_bodies
from tests.fuzz.shapes import CHARSETS
from tests.page.lexbor_trees import first_difference
from tests.page.map_faults import faults_of
from tests.property.soup import ATTRIBUTES, ODD

import scythe
from scythe.extension import native
from scythe.page import Page
from scythe.page.blocks import cut_blocks, read_blocks
from scythe.page.elements import read_elements
from scythe.page.encoding import decode
from scythe.page.links_from_bytes import read_hrefs
from scythe.page.map import PageMap

TOKENS = (
    *(text.encode() for text in (*ODD, *ATTRIBUTES)),
    *(f"<meta charset={name}>".encode() for name in CHARSETS),
    *(b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b$B", b"\x1b(B", b"\x1b$)C", b"\x0e", b"\x0f", b"\x81", b"\xe4"),
)
HEADERS = (
    *(None, "text/html", "text/plain", "application/xhtml+xml", "image/png", "text/html;charset", ""),
    *(f"text/html; charset={name}" for name in CHARSETS),
)
URL = "https://example.org/a/b?c"
FIRST = "The first sentence of this page is here to be found again."
LAST = "The last sentence of this page is here to be found again."
BEFORE = f"<!DOCTYPE html><html lang=en><head><title>Page</title></head><body><p>{FIRST}</p>\n".encode()
AFTER = f"\n<p>{LAST}</p></body></html>".encode()
# what may make text of what follows something else by right: markup, references, escapes, NUL as in UTF-16
_MARKUP = frozenset(b"<&\x00\x1b\x0e\x0f")


@cache
def headed() -> tuple[bytes, ...]:
    """Return pages with a first byte that says which header they come with."""
    return tuple(bytes([number % len(HEADERS)]) + body for number, body in enumerate(page_bodies()))


@cache
def middles() -> tuple[bytes, ...]:
    """Return what may stand in the middle of a page."""
    bodies = [page.html for page in demo_pages()[:8]]
    texts = [
        "Zwölf Boxkämpfer.",
        "Журнал вышел вчера.", "今年の収穫は良かった。", "우리는 들에서 일한다.", "Günaydın, nasılsın?",
    ]  # fmt: skip
    codecs = ["utf-8", "cp1252", "koi8-r", "cp1251", "shift_jis", "euc-jp", "iso2022_jp", "euc-kr", "gb18030", "cp1254"]
    return (*bodies, *(text.encode(codec, "replace") for text in texts for codec in codecs), *page_bodies()[-90:])


def split_header(data: bytes) -> tuple[str | None, bytes]:
    """Take the header off an input whose first byte names it."""
    return HEADERS[data[0] % len(HEADERS)] if data else None, data[1:]


def require_clean(text: str, what: str) -> None:
    """Raise where a text cannot be written anywhere."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Wrong(f"{what} is not valid UTF-8") from None
    if "\0" in text:
        raise Wrong(f"{what} holds NUL")


@target("page.decode", seeds=headed, tokens=TOKENS)
@target("page.decode-soup", seeds=headed, tokens=TOKENS, shape="page", kind=STRUCTURED)
def decode_bytes(data: bytes) -> None:
    """Any bytes become clean text; what could not be read is counted."""
    header, body = split_header(data)
    decoded = decode(body, header)
    require_clean(decoded.text, "the text")
    if decoded.source is not None and decoded.source != decoded.text.encode():
        raise Wrong("the source is not the text")
    if any(loss.count < 1 for loss in decoded.losses):
        raise Wrong(f"a loss of nothing: {decoded.losses}")
    if "\ufffd" in decoded.text and not decoded.losses and "\ufffd" not in body.decode(decoded.encoding, "ignore"):
        raise Wrong("bytes were replaced and nobody says so")
    if decoded != decode(body, header):
        raise Wrong("the same bytes were decoded in two ways")


@target("page.decode-kept", seeds=middles, tokens=TOKENS)
@target("page.decode-kept-soup", seeds=middles, tokens=TOKENS, shape="page", kind=STRUCTURED)
def keep_ends(data: bytes) -> None:
    """ASCII at both ends of a page survives whatever stands between, or a loss is told."""
    decoded = decode(BEFORE + data + AFTER)
    if decoded.losses or decoded.encoding.startswith(("utf-16", "iso2022")):
        return
    for sentence in (FIRST, LAST):
        if sentence not in decoded.text:
            raise Wrong(f"{sentence!r} was lost in {decoded.encoding}")


@target("page.map", seeds=page_bodies, tokens=TOKENS)
@target("page.map-soup", seeds=page_bodies, tokens=TOKENS, shape="page", kind=STRUCTURED)
def map_page(data: bytes) -> None:
    """Any bytes have a map whose columns and nodes agree, and whose offsets are those of tags and texts."""
    if native is None:
        return
    page_map = PageMap(data)
    page_map.root.text()
    if faults := faults_of(page_map):
        raise Wrong(f"{faults[:3]}")
    source = decode(data).text.encode()
    page_map = PageMap(source)  # of other bytes, both count damaged letters in their own way
    if not page_map.losses and (found := first_difference(source)):
        raise Wrong(f"lexbor builds another tree: {found}")
    blocks = read_blocks(page_map)
    if blocks.text != cut_blocks(page_map.root).text:
        raise Wrong("the walk in Python finds other blocks")
    require_clean(repr((read_elements(page_map).text, page_map.losses)), "the map")
    if (page_map.root.html or "").count("<html") < 1:
        raise Wrong("the page cannot be written")


@target("page.read", seeds=headed, tokens=TOKENS, slowest_s=1.0)
@target("page.read-soup", seeds=headed, tokens=TOKENS, shape="page", kind=STRUCTURED)
def read_all(data: bytes) -> None:
    """Any page gives a document, all of which can be written."""
    header, body = split_header(data)
    document = scythe.read(body, URL, content_type=header)
    written = json.dumps(document.to_dict(), ensure_ascii=False, allow_nan=False)
    require_clean(written, "the document")
    if "\\u0000" in written:
        raise Wrong("the document holds NUL")
    if not document.text and not document.why:
        raise Wrong("no text and no reason")


@target("page.read-kept", seeds=middles, tokens=TOKENS)
def keep_text(data: bytes) -> None:
    """Text at both ends of a page survives plain text between, whatever its bytes, or a loss is told."""
    plain = bytes(byte for byte in data[:20_000] if byte not in _MARKUP)
    page = Page.from_bytes(BEFORE + b"<p>" + plain + b"</p>" + AFTER)
    if page.encoding.startswith(("utf-16", "iso2022")):
        return
    text = "\n".join(page.blocks.text)
    if not page.losses and not (FIRST in text and LAST in text):
        raise Wrong(f"a sentence was lost in {page.encoding}")


@target("page.head", seeds=headed, tokens=TOKENS, shape="page", kind=STRUCTURED)
def read_head(data: bytes) -> None:
    """Links and what a page says of itself are found without a tree."""
    header, body = split_header(data)
    hrefs = read_hrefs(body, URL, header)
    for link in hrefs.links:
        require_clean(link.url, "a link")
    require_clean(repr(Page.from_bytes(body, url=URL).metadata), "what the page says")
