"""Make web pages and style sheets safe to show in a frame.

The document is rewritten from allow-listed elements and attributes, without scripts, forms, frames or URLs; elements
carry numbers, so that clicks can be mapped. Style sheets lose everything that fetches, covers or depends on the window.
The frame's policy forbids the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from scythe.limits import LIMITS
from scythe.package_files import packaged_text
from scythe.page import Page
from scythe.page.blocks import find_in
from scythe.page.map import Node

# at-rules that say when other rules hold; the rest fetches (import, font-face), moves (keyframes) or is for print
_KEPT_RULES = frozenset("container layer media scope supports".split())
_WINDOW_PX = 8.0  # of one hundredth of a window's height: frames are as high as their page, so 100vh would grow it
_MOST_PX = 20_000.0
_PX = {"px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "lh": 24.0, "rlh": 24.0, "pt": 4 / 3, "pc": 16.0}
_PX |= {"in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 1.0, "vw": 13.0, "%": 1.0}
_PX |= dict.fromkeys("vh svh lvh dvh vb vmin vmax".split(), _WINDOW_PX)
_WINDOW = frozenset("vh svh lvh dvh vb vmin vmax".split())
_STRING = r""""(?:[^"\\\n]++|\\.)*+"?|'(?:[^'\\\n]++|\\.)*+'?"""
_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
_TOKEN = re.compile(
    rf"""
    (?P<string>{_STRING})
    | (?P<comment>{_COMMENT})
    | (?P<fetch>(?<![\w-])(?:-\w{{1,9}}-)?(?:url|src|image|image-set|cross-fade|element|paint|expression|binding)\()
    | @(?P<rule>-?[a-z][\w-]*+)
    | (?<![\w.\#-])(?P<number>[+-]?(?:\d{{1,30}}(?:\.\d{{0,30}})?|\.\d{{1,30}})(?:e[+-]?\d{{1,3}})?)
      (?P<unit>[sld]?vh|vb|vmin|vmax|vw|r?em|ex|ch|r?lh|px|pt|pc|in|cm|mm|q|%)(?![\w-])
    | (?P<filter>(?<![\w-])(?:-webkit-)?(?:backdrop-)?filter\s{{0,9}}:)
    | (?P<fixed>(?<![\w-])position\s{{0,9}}:\s{{0,9}}(?:-webkit-)?(?:fixed|sticky)(?![\w-]))
    """,
    re.X | re.I | re.S,
)
_NESTING = re.compile(rf"{_STRING}|{_COMMENT}|\\.|[(){{}}\[\];]", re.S)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|(.))", re.S)
_QUOTED = re.compile(r"\s*+[\"']")
_UNQUOTED = re.compile(r"(?:[^)\\]++|\\.)*+\)?", re.S)
_PICTURE = re.compile(r"\s{0,9}[\"']?data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.I)


def clean_css(css: str) -> str:
    """Return a style sheet, or the value of a style attribute, that asks for nothing and stays in its place."""
    if "\\" in css:
        css = _ESCAPE.sub(_unescape, css)
    out: list[str] = []
    at = 0
    while (token := _TOKEN.search(css, at)) is not None:
        out.append(css[at : token.start()])
        said, at = _answer(css, token)
        out.append(said)
    out.append(css[at:])
    return "".join(out).replace("</", "<\\/")  # an end tag in a text or comment would end the style element


def _answer(css: str, token: re.Match[str]) -> tuple[str, int]:
    """Return what is written for a token, and where to go on."""
    end = token.end()
    match token.lastgroup:
        case "comment":
            return " ", end
        case "fetch":
            return _fetch(css, token)
        case "rule":
            is_kept = token["rule"].lower() in _KEPT_RULES
            return (token[0], end) if is_kept else ("", _skip_rule(css, end))
        case "unit":
            return _size(token), end
        case "filter":
            return "--filter:", end  # a name that means nothing: some hundred of them stop a browser
        case "fixed":
            return "position:static", end
        case _:
            return token[0], end


def _fetch(css: str, token: re.Match[str]) -> tuple[str, int]:
    """Pass over something that names an address, unless the picture itself is inside."""
    is_address = token[0].lower() == "url("
    unquoted = _UNQUOTED.match(css, token.end()) if is_address and not _QUOTED.match(css, token.end()) else None
    end = unquoted.end() if unquoted is not None else _skip(css, token.end(), ")")
    if is_address and _PICTURE.match(css, token.end()):
        return css[token.start() : end], end
    return "none", end


def _size(token: re.Match[str]) -> str:
    unit = token["unit"].lower()
    pixels = float(token["number"]) * _PX[unit]
    if abs(pixels) > _MOST_PX:
        return f"{'-' if pixels < 0 else ''}{_MOST_PX:.0f}px"
    return f"{pixels:.6g}px" if unit in _WINDOW else token[0]


def _skip_rule(css: str, at: int) -> int:
    """Return where an at-rule ends: behind its semicolon or its block, before the end of the block it stands in."""
    for token in _NESTING.finditer(css, at):
        if token[0] == ";":
            return token.end()
        if token[0] == "}":
            return token.start()
        if token[0] == "{":
            return _skip(css, token.end(), "}")
    return len(css)


def _skip(css: str, at: int, closing: str) -> int:
    """Return where what is open at `at` ends. A brace ends whatever else was left open inside."""
    opening = "(" if closing == ")" else "{"
    depth = 1
    for token in _NESTING.finditer(css, at):
        said = token[0]
        if said == opening:
            depth += 1
        elif said == closing:
            depth -= 1
            if depth == 0:
                return token.end()
        elif closing == ")" and said in "{};":
            return token.start()
    return len(css)


def _unescape(escape: re.Match[str]) -> str:
    """Write an escaped letter as itself: `u\\72l(` is url( to a browser, too."""
    code, plain = escape.groups()
    if code is None:
        return str(plain) if plain.isascii() and plain.isalpha() else escape[0]
    letter = int(code, 16)
    return chr(letter) if letter < 128 and chr(letter).isalpha() else escape[0]


ELEMENT, IMAGE = "data-sc", "data-sc-image"  # attributes: the number of an element of the body, of an image
_KIND = "data-sc-kind"  # what stood where a box stands now
# tags and attributes: those shown as they are; what acts becomes a plain box that looks the same from afar (what is not
# known at all a span); those that are gone; and boxes that say what stood in their place, their insides not shown
_TAGS: dict[str, Any] = json.loads(packaged_text("scythe.web", "safe_html.json"))
_AS_IS, _GONE, _SAID_INSIDE, _BUTTONS, _ATTRIBUTES, _LIST_ONLY = (
    frozenset(_TAGS[name].split()) for name in ("as_is", "gone", "said_inside", "buttons", "attributes", "list_only")
)
_RENAMED, _BOXES, _MOST_DIGITS = _TAGS["renamed"], _TAGS["boxes"], _TAGS["most_digits"]
_VOID = frozenset("br col hr img wbr".split())
_VALUE_CHARS = 4_000
_SAID_CHARS = 500  # of what a box says
_FEW_STYLES = 2_000  # characters

# the address of a picture by the number of its image; None: not to be loaded
Address = Callable[[int], str | None]


def number_elements(page: Page) -> list[Node]:
    """Return the body and all elements in it, in page order: the place of each is its number in the document."""
    body = page.map.body_node
    return [] if body is None else [body, *page.map.inside(body)]


def make_safe(page: Page, *, picture: Address, sheets: tuple[str, ...] = ()) -> str:
    """Write a page anew. `sheets` are addresses of ours that style sheets of the page are loaded from."""
    nodes = number_elements(page)
    writer = _Writer(nodes, {use.node_id: row for row, use in enumerate(page.images)}, picture)
    root, body = page.root, page.map.body_node
    inside = writer.write_children(body) if body is not None else ""
    if writer.is_cut:
        inside += f"<p {_KIND}='note'>The rest of this page is not shown: it is too long to look at.</p>"
    styles, size = _read_styles(page)
    is_bare = not sheets and (size < _FEW_STYLES or any(map(is_sheet, page.map.find("link"))))
    bare = " data-sc-bare" if is_bare else ""
    return (
        f"<!doctype html><html{_attributes(root, 'html')}{bare}><head>"
        f'<meta charset="utf-8"><title>{escape(page.head.title[:200])}</title><style>{_sheet("frame-base.css")}</style>'
        + "".join(f'<link rel="stylesheet" href="{escape(address)}">' for address in sheets)
        + f"{styles}<style>{_sheet('frame-last.css')}</style></head>"
        f"{writer.open(body, 'body') if body is not None else '<body>'}{inside}</body></html>"
    )


class _Writer:
    """Writes the elements of one page."""

    def __init__(self, nodes: list[Node], images: dict[int, int], picture: Address) -> None:
        self._numbers = {node.mem_id: number for number, node in enumerate(nodes)}
        self._images, self._picture = images, picture
        self.is_cut = False

    def write_children(self, body: Node) -> str:
        """Return what is in the body, without recursion, up to a size: pages are as long as they like."""
        out: list[str] = []
        size = 0
        stack: list[Node | str] = _children(body)
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                out.append(node)
                continue
            piece, closing = self._piece(node)
            size += len(piece) + len(closing)
            if size > LIMITS.shown_chars:
                self.is_cut = True
                out += [end for end in reversed(stack) if isinstance(end, str)]
                break
            out.append(piece)
            if closing:
                stack.append(closing)
                stack += _children(node)
        return "".join(out)

    def _piece(self, node: Node) -> tuple[str, str]:
        """Return text, or an opening tag with the closing one where its children come between."""
        tag = (node.tag or "").lower()
        if tag == "-text":
            return escape(node.text_content or "", quote=False), ""
        if tag in _AS_IS:
            name = tag
        elif tag in _GONE or tag.startswith(("-", "_", "!")) or not tag:
            return "", ""
        elif tag in _BOXES:
            return self._box(node, tag), ""
        else:
            name = _RENAMED.get(tag, "span")
            # a closed dialog, a form that a table pushed its fields out of
            if (tag == "dialog" and "open" not in node.attributes) or (tag == "form" and node.first_child is None):
                return "", ""
        kind = f' {_KIND}="{tag}"' if tag in ("button", "object") else ""
        return self.open(node, name, kind), "" if name in _VOID else f"</{name}>"

    def open(self, node: Node, name: str, more: str = "") -> str:
        """Return an opening tag."""
        number = self._numbers.get(node.mem_id)
        said = _attributes(node, name)
        if number is not None:
            said += f' {ELEMENT}="{number}"'
        row = self._images.get(node.mem_id)
        if row is not None and name == "img":
            address = self._picture(row)
            said += f' {IMAGE}="{row}"'
            said += f' src="{escape(address)}"' if address else ""
        return f"<{name}{said}{more}>"

    def _box(self, node: Node, tag: str) -> str:
        """Return a whole element that stands for one that would act, play, or be a document of its own."""
        attributes = node.attributes
        kind, inside = _BOXES[tag], ""
        if tag == "input":
            form = (attributes.get("type") or "text").strip().lower()
            if form == "hidden":
                return ""
            kind = "button" if form in _BUTTONS else "tick" if form in ("checkbox", "radio") else "field"
            inside = "" if kind == "tick" else attributes.get("value") or attributes.get("placeholder") or ""
        elif tag == "select":
            options = find_in(node, "option")
            chosen = next((one for one in options if "selected" in one.attributes), options[0] if options else None)
            inside = chosen.text() if chosen is not None else ""
        elif tag in _SAID_INSIDE:
            inside = node.text()
        side = "".join(
            f"{name}:{value}px;"
            for name in ("width", "height")
            if tag in ("video", "iframe", "canvas", "embed", "svg")
            and (value := _pixels(attributes.get(name) or "")) is not None
        )
        more = f' {_KIND}="{kind}"' + (f' style="{side}"' if side and not attributes.get("style") else "")
        return f"{self.open(node, 'span', more)}{escape(inside.strip()[:_SAID_CHARS], quote=False)}</span>"


def _children(node: Node) -> list[Node | str]:
    """Return the children, the last one first."""
    found: list[Node | str] = []
    child = node.last_child
    while child is not None:
        found.append(child)
        child = child.prev
    return found


def is_sheet(link: Node) -> bool:
    """Say whether a link names a style sheet, an alternate one included."""
    return "stylesheet" in (link.attributes.get("rel") or "").lower().split()


def _attributes(node: Node, name: str) -> str:
    return "".join(
        f' {key}="{escape(clean_css(value[:_VALUE_CHARS]) if key == "style" else value[:_VALUE_CHARS])}"'
        for key, given in node.attributes.items()
        if key in _ATTRIBUTES and _is_fit(key, value := given or "", name)
    )


def _is_fit(key: str, value: str, name: str) -> bool:
    """Say whether an attribute means no more than looks: browsers spend minutes on a cell that is a million wide."""
    if key in _LIST_ONLY:
        return name in ("ol", "ul", "li") and len(value) < 10
    most = _MOST_DIGITS.get(key)
    return most is None or len(value.strip().partition(".")[0].rstrip("px%")) <= most


def _pixels(value: str) -> int | None:
    number = value.strip().removesuffix("px")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else None


def _read_styles(page: Page) -> tuple[str, int]:
    """Return the page's own style elements, tamed, and how much they say."""
    out: list[str] = []
    left = LIMITS.shown_style_chars
    media = ((node, (node.attributes.get("media") or "").strip().lower()) for node in page.map.find("style"))
    for text in (node.text() for node, said in media if said != "print"):
        if len(text) > left:
            break
        left -= len(text)
        out.append(f"<style>{clean_css(text)}</style>")
    return "".join(out), LIMITS.shown_style_chars - left


@cache
def _sheet(name: str) -> str:
    """Return a style sheet of ours: `base` is what a page may override, `last` what it may not."""
    return (files("scythe.web") / "static" / name).read_text("utf-8")
