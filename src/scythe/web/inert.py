"""Make a page of the web safe to look at: its tree comes in, a document that can do nothing goes out.

It is written anew from allow-listed elements and attributes; no script, form, frame, address or handler is among them.
Elements and images carry their numbers, so that a click can be told to mean one. The policy it is sent with forbids the
browser what the writing leaves out anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.web.tame import tame

ELEMENT, IMAGE = "data-sc", "data-sc-image"  # attributes: the number of an element of the body, of an image
_KIND = "data-sc-kind"  # what stood where a box stands now
_AS_IS = frozenset(
    """
    a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt
    em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd label legend li main mark menu nav
    ol p pre q rp rt ruby s samp search section small span strike strong sub sup table tbody td tfoot th thead time tr
    tt u ul var wbr
    """.split()
)
_VOID = frozenset("br col hr img wbr".split())
# what acts becomes a plain box that looks the same from afar; what is not known at all becomes a span
_RENAMED = {"amp-img": "img"} | dict.fromkeys("details dialog fieldset form noframes summary".split(), "div")
_GONE = frozenset(
    """
    area base basefont bgsound command datalist head keygen link meta noembed optgroup option param script source style
    template title track
    """.split()
)
# boxes that say what stood in their place; their insides are not shown
_BOXES = {
    "applet": "plug-in",
    "audio": "sound",
    "canvas": "drawing",
    "embed": "plug-in",
    "fencedframe": "another page",
    "frame": "another page",
    "frameset": "other pages",
    "iframe": "another page",
    "input": "field",
    "math": "formula",
    "meter": "bar",
    "plaintext": "text",
    "portal": "another page",
    "progress": "bar",
    "select": "field",
    "svg": "icon",
    "textarea": "field",
    "video": "video",
    "xmp": "text",
}
_SAID_INSIDE = frozenset("math plaintext textarea xmp".split())
_BUTTONS = frozenset("button image reset submit".split())
_ATTRIBUTES = frozenset(
    """
    align alt bgcolor border cellpadding cellspacing class color colspan dir face height hidden id lang nowrap reversed
    rowspan size span start style title type valign value width
    """.split()
)
_MOST_DIGITS = {"colspan": 2, "rowspan": 2, "span": 2, "width": 4, "height": 4, "border": 2, "cellpadding": 2}
_MOST_DIGITS |= {"cellspacing": 2, "size": 2}
_LIST_ONLY = frozenset(("type", "value", "start", "reversed"))
_VALUE_CHARS = 4_000
_SAID_CHARS = 500  # of what a box says
_FEW_STYLES = 2_000  # characters

# the address of a picture by the number of its image; None: not to be loaded
Address = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Inert:
    """A document that can do nothing, and whether it was cut for its size."""

    html: str
    elements: int  # of the whole page
    is_cut: bool


def number_elements(page: Page) -> list[LexborNode]:
    """Return the body and all elements in it, in page order: the place of each is its number in the document."""
    body = page.tree.body
    return [] if body is None else body.css("*")


def make_inert(page: Page, *, picture: Address, sheets: tuple[str, ...] = ()) -> Inert:
    """Write a page anew. `sheets` are addresses of ours that style sheets of the page are loaded from."""
    nodes = number_elements(page)
    writer = _Writer(nodes, {use.node_id: row for row, use in enumerate(page.images)}, picture)
    root, body = page.tree.root, page.tree.body
    inside = writer.write_children(body) if body is not None else ""
    if writer.is_cut:
        inside += f"<p {_KIND}='note'>The rest of this page is not shown: it is too long to look at.</p>"
    styles, size = _read_styles(page)
    is_bare = not sheets and (size < _FEW_STYLES or page.tree.css_first("link[rel~=stylesheet i]") is not None)
    bare = " data-sc-bare" if is_bare else ""
    html = (
        f"<!doctype html><html{_attributes(root, 'html') if root is not None else ''}{bare}><head>"
        f'<meta charset="utf-8"><title>{escape(page.head.title[:200])}</title><style>{_sheet("frame-base.css")}</style>'
        + "".join(f'<link rel="stylesheet" href="{escape(address)}">' for address in sheets)
        + f"{styles}<style>{_sheet('frame-last.css')}</style></head>"
        f"{writer.open(body, 'body') if body is not None else '<body>'}{inside}</body></html>"
    )
    return Inert(html, len(nodes), writer.is_cut)


class _Writer:
    """Writes the elements of one page."""

    def __init__(self, nodes: list[LexborNode], images: dict[int, int], picture: Address) -> None:
        self._numbers = {node.mem_id: number for number, node in enumerate(nodes)}
        self._images, self._picture = images, picture
        self.is_cut = False

    def write_children(self, body: LexborNode) -> str:
        """Return what is in the body, without recursion, up to a size: pages are as long as they like."""
        out: list[str] = []
        size = 0
        stack: list[LexborNode | str] = _children(body)
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

    def _piece(self, node: LexborNode) -> tuple[str, str]:
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
            if _is_invisible(node, tag):
                return "", ""
        kind = f' {_KIND}="{tag}"' if tag in ("button", "object") else ""
        return self.open(node, name, kind), "" if name in _VOID else f"</{name}>"

    def open(self, node: LexborNode, name: str, more: str = "") -> str:
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

    def _box(self, node: LexborNode, tag: str) -> str:
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
            option = node.css_first("option[selected]") or node.css_first("option")
            inside = option.text() if option is not None else ""
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


def _children(node: LexborNode) -> list[LexborNode | str]:
    """Return the children, the last one first."""
    found: list[LexborNode | str] = []
    child = node.last_child
    while child is not None:
        found.append(child)
        child = child.prev
    return found


def _is_invisible(node: LexborNode, tag: str) -> bool:
    """Say whether an element shows nothing: a closed dialog, a form that a table pushed its fields out of."""
    return (tag == "dialog" and "open" not in node.attributes) or (tag == "form" and node.first_child is None)


def _attributes(node: LexborNode, name: str) -> str:
    return "".join(
        f' {key}="{escape(_value(key, value or ""))}"'
        for key, value in node.attributes.items()
        if key in _ATTRIBUTES and _is_fit(key, value or "", name)
    )


def _is_fit(key: str, value: str, name: str) -> bool:
    """Say whether an attribute means no more than looks: browsers spend minutes on a cell that is a million wide."""
    if key in _LIST_ONLY:
        return name in ("ol", "ul", "li") and len(value) < 10
    most = _MOST_DIGITS.get(key)
    return most is None or len(value.strip().partition(".")[0].rstrip("px%")) <= most


def _value(key: str, value: str) -> str:
    value = value[:_VALUE_CHARS]
    return tame(value) if key == "style" else value


def _pixels(value: str) -> int | None:
    number = value.strip().removesuffix("px")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else None


def _read_styles(page: Page) -> tuple[str, int]:
    """Return the page's own style elements, tamed, and how much they say."""
    out: list[str] = []
    left = LIMITS.shown_style_chars
    for text in _style_texts(page):
        if len(text) > left:
            break
        left -= len(text)
        out.append(f"<style>{tame(text)}</style>")
    return "".join(out), LIMITS.shown_style_chars - left


def _style_texts(page: Page) -> Iterator[str]:
    for node in page.tree.css("style"):
        media = (node.attributes.get("media") or "").strip().lower()
        if media != "print":
            yield node.text()


@cache
def _sheet(name: str) -> str:
    """Return a style sheet of ours: `base` is what a page may override, `last` what it may not."""
    return (files("scythe.web") / "static" / name).read_text("utf-8")
