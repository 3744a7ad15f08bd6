"""Turn raw bytes into text, in Python; the C version is in src/native."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5

from scythe.page.blocks import INLINE, KIND
from scythe.page.tokens import COMMENT, END, LITERAL, START, UNENDED, Token, content_close, read_token


def _names(words: str) -> frozenset[bytes]:
    return frozenset(words.encode().split())


VOID = _names(  # no content
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
RAW = _names("iframe noembed noframes script style textarea title xmp")  # content is text up to the closing tag
RCDATA = _names("textarea title")  # ... with character references
SPECIAL = _names(  # stops the search of other end tags
    "address applet area article aside base basefont bgsound blockquote body br button caption center col "
    "colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 "
    "h3 h4 h5 h6 head header hgroup hr html iframe image img input keygen li link listing main marquee "
    "menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select "
    "source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp"
)
CLOSES_P = _names(  # its opening tag ends an open p
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search "
    "section summary table ul xmp"
)
SCOPE = _names("applet caption html marquee object table td template th")  # barrier of the scope of other elements
LIST = _names("ol ul")  # barrier of the scope of li
FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")  # may be built again further on
HEADING = _names("h1 h2 h3 h4 h5 h6")
TABLE_PART = _names("caption col colgroup tbody td tfoot th thead tr")
SECTION = _names("tbody tfoot thead")
CELL = _names("td th")
FRAME = _names("body frame frameset head html")  # never inside an element that is cut
OPAQUE = _names("math noscript select svg template")  # elements inside are not followed
BREAKS_OUT = _names(  # ends foreign content
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var"
)
HEADLIKE = _names("script style template")  # allowed between the cells of a table
KNOWN = _names(  # all others are ordinary inline elements
    "a address amp-img annotation annotation-xml applet area article aside audio b base basefont bgsound "
    "big blockquote body br button canvas caption center code col colgroup datalist dd desc details "
    "dialog dir div dl dt em embed fieldset figcaption figure font footer foreignobject form frame "
    "frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input keygen legend li link "
    "listing main map marquee math menu meta meter mi mn mo ms mtext nav nobr noembed noframes noscript "
    "object ol optgroup option p param plaintext pre progress rb rp rt rtc ruby s script search section "
    "select slot small source span strike strong style sub summary sup svg table tbody td template "
    "textarea tfoot th thead title tr track tt u ul var video wbr xmp"
)

DEPTH = 256  # elements open at once
_LEAVES = {b"math": (b"mi", b"mn", b"mo", b"ms", b"mtext"), b"svg": (b"title", b"desc")}  # HTML inside: text only


class Doubt(Exception):
    """What the bytes mean is not certain; the message says why."""


def kind_of(name: bytes) -> int:
    """Return what a name is in the text; INLINE for all that nobody lists."""
    return KIND.get(name.decode("latin-1"), INLINE)


def next_token(body: bytes, at: int) -> tuple[int, Token]:
    """Return the next `<` and its token; raises Doubt at the end of the page."""
    start = body.find(b"<", at)
    token = read_token(body, start, len(body)) if start >= 0 else None
    if token is None or token.kind == UNENDED:
        raise Doubt("the page ends inside the element")
    return start, token


def skip_template(body: bytes, token: Token) -> int:
    """Return the end of a template: its own end tag, whatever is open in it; only raw text can hide that."""
    at, inner = token.next, 1
    while inner:
        _, token = next_token(body, at)
        at, name = token.next, token.name
        if token.kind == END:
            inner -= name == b"template"
        elif token.kind == START:
            inner += name == b"template"
            if name == b"svg":
                at = svg_end(body, token)
                if at < 0:
                    raise Doubt("an unusual template")
                continue
            odd = name in (b"math", b"select", b"plaintext", b"col") or name in FRAME
            if odd or inner > DEPTH:
                raise Doubt("an unusual template")
            if name in RAW:
                at = content_close(body, token, len(body))
                if at < 0:
                    raise Doubt("the page ends inside the element")
    return at


def svg_end(body: bytes, token: Token) -> int:
    """Return the end of an svg in good order, or -1 where HTML in it may have ended it."""
    if token.slash:
        return token.next
    depth, leaf, at = 1, b"", token.next
    while depth:
        start = body.find(b"<", at)
        token = read_token(body, start, len(body)) if start >= 0 else token._replace(kind=UNENDED)
        if token.kind == UNENDED or (token.kind == COMMENT and body.startswith(b"<![CDATA[", start)):
            return -1
        at, name = token.next, token.name
        if token.kind == START:
            if leaf or token.is_odd or _is_html(name) or (name in RAW and name != b"title"):
                return -1
            depth += name == b"svg" and not token.slash
            leaf = name if name in _LEAVES[b"svg"] and not token.slash else b""
        elif token.kind == END:
            html = name in SPECIAL or name in FORMATTING or _is_html(name)
            if token.is_odd or (name != leaf if leaf else html):
                return -1
            depth -= name == b"svg" and not leaf
            leaf = b""
    return at


def _is_html(name: bytes) -> bool:
    """Say whether a tag in svg is read as HTML, or might be."""
    if name == b"svg":
        return False
    odd = name in (b"font", b"foreignobject", b"annotation-xml")
    return odd or name in BREAKS_OUT or name in OPAQUE or name in FRAME


def skip_select(body: bytes, token: Token) -> int:
    """Return the end of a select with nothing but options, which cannot surprise."""
    while True:
        _, token = next_token(body, token.next)
        if token.kind not in (START, END):
            continue
        if token.name == b"select" and token.kind == END:
            return token.next
        if token.name not in (b"option", b"optgroup"):
            raise Doubt("more than options in a select")


def skip_foreign(body: bytes, token: Token, put: Callable[[int, int], None], depth_left: int) -> int:
    """Return the end of svg or math, and put the text of math: tags by their names alone, until one is HTML."""
    if token.slash:
        return token.next
    root, at, leaf = token.name, token.next, -1
    open_names = [root]
    while True:
        if len(open_names) > depth_left:
            raise Doubt("too many open elements")
        shown = root == b"math" and b"annotation" not in open_names
        start, token = next_token(body, at)
        if shown:
            put(at, start)
        at, name = token.next, token.name
        if token.kind == LITERAL and shown:
            put(start, at)
        if token.kind == COMMENT and body.startswith(b"<![CDATA[", start):
            raise Doubt("HTML inside svg or math")
        if token.kind == START:
            if leaf >= 0 or not _stays_foreign(token, root):
                raise Doubt("HTML inside svg or math")
            if not token.slash:
                leaf = len(open_names) if name in _LEAVES[root] else leaf
                open_names.append(name)
        elif token.kind == END:
            level = _last_index(open_names, name)
            if level < 0 or name in (b"p", b"br") or (leaf >= 0 and level != leaf):
                raise Doubt("HTML inside svg or math")
            leaf = -1 if leaf >= level else leaf
            del open_names[level:]
            if not open_names:
                return at


def _last_index(names: list[bytes], name: bytes) -> int:
    return next((level for level in range(len(names) - 1, -1, -1) if names[level] == name), -1)


def _stays_foreign(token: Token, root: bytes) -> bool:
    name = token.name
    if token.is_odd or name in (b"font", b"foreignobject", b"annotation-xml"):
        return False
    if (name in BREAKS_OUT or name in OPAQUE) and not (name == root == b"svg"):
        return False
    return not (root == b"math" and kind_of(name) != INLINE and name != b"annotation")


_REFERENCE = re.compile(r"&(?:#([xX][0-9a-fA-F]+|[0-9]+);?|([A-Za-z0-9]{1,32})(;?))")
_WINDOWS = bytes(range(0x80, 0xA0)).decode("cp1252", "replace")
_LONGEST_BARE = 6  # letters of the names that stand without a semicolon
IN_TEXT, IN_ATTRIBUTE, AS_IS = range(3)


class Text:
    """The text of one value under way."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._is_broken = False

    def put(self, run: bytes, mode: int = IN_TEXT) -> None:
        """Append a run of the page; `mode` says how character references are read in it."""
        try:
            text = run.decode()
        except UnicodeDecodeError:
            self._is_broken = True
            return
        self._parts.append(text if mode == AS_IS else decode_references(text, in_attribute=mode == IN_ATTRIBUTE))

    def edge(self) -> None:
        """Part what stands before from what comes."""
        self._parts.append(" ")

    @property
    def has_gap(self) -> bool:
        """Whether white space stands at its end."""
        last = next((part for part in reversed(self._parts) if part), "")
        return last[-1:].isspace()

    def squeezed(self) -> str | None:
        """Return the text with white space squeezed, or None where it was not valid UTF-8."""
        return None if self._is_broken else " ".join("".join(self._parts).split())


def decode_references(text: str, *, in_attribute: bool) -> str:
    """Replace character references as the tokenizer of the standard does."""
    if "&" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return _character(found[1])
        return _named(found, in_attribute)

    return _REFERENCE.sub(replace, text)


def _named(found: re.Match[str], in_attribute: bool) -> str:
    name = found[2]
    if found[3] and (whole := html5.get(name + ";")):
        return whole
    for size in range(min(len(name), _LONGEST_BARE), 1, -1):
        bare = html5.get(name[:size])
        if bare is None:
            continue
        after = (found[0] + found.string[found.end() : found.end() + 1])[size + 1 : size + 2]
        if in_attribute and (after == "=" or (after.isascii() and after.isalnum())):
            return found[0]
        return bare + found[0][size + 1 :]
    return found[0]


def _character(digits: str) -> str:
    hexadecimal = digits[0] in "xX"
    digits = digits[hexadecimal:].lstrip("0")
    code = int(digits or "0", 16 if hexadecimal else 10) if len(digits) < 8 else 0x110000
    if 0x80 <= code < 0xA0:
        shown = _WINDOWS[code - 0x80]
        return chr(code) if shown == "\ufffd" else shown
    if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return chr(code)
