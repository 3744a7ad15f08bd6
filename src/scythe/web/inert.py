"""Make a page of the web safe to look at: its tree comes in, a document that can do nothing goes out.

It is written anew from allow-listed elements and attributes; no script, form, frame, address or handler is among them.
Elements and images carry their numbers, so that a click can be told to mean one. The policy it is sent with forbids the
browser what the writing leaves out anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.page import Page

ELEMENT, IMAGE = "data-sc", "data-sc-image"  # attributes: the number of an element of the body, of an image
_DROPPED = frozenset(
    """
    applet area audio base basefont bgsound canvas command datalist dialog embed fencedframe frame frameset head iframe
    keygen link map math meta noembed noframes object optgroup option param plaintext portal script select slot source
    svg template textarea title track video xmp
    """.split()
)
_VOID = frozenset("br col hr img wbr".split())
# what acts, or is a document of its own, becomes a plain box that looks the same from afar
_RENAMED = {
    "a": "span",
    "form": "div",
    "button": "span",
    "input": "span",
    "label": "span",
    "body": "div",
    "html": "div",
}
_RENAMED |= {
    "amp-img": "img",
    "noscript": "div",
    "fieldset": "div",
    "details": "div",
    "summary": "div",
    "picture": "span",
}
_KNOWN = frozenset(
    """
    a abbr address amp-img article aside b bdi bdo big blockquote body br button caption center cite code col colgroup
    dd del details dfn div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr html
    i img input ins kbd label legend li main mark menu nav noscript ol p picture pre q rp rt ruby s samp search section
    small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
    """.split()
)
_ATTRIBUTES = frozenset(
    "class id style title alt width height colspan rowspan align valign dir lang bgcolor color face size start".split()
)
_VALUE_CHARS = 4_000

# the address of a picture by the number of its image, and of a style sheet by its number; None: not to be loaded
Address = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Inert:
    """A document that can do nothing, and what was left out for its size."""

    html: str
    elements: int
    is_cut: bool


def number_elements(page: Page) -> list[LexborNode]:
    """Return the elements below the body in page order: the place of each is its number in the inert document."""
    body = page.tree.body
    return [] if body is None else [node for node in body.css("*") if node.tag and node.tag != "-text"]


def make_inert(page: Page, *, picture: Address, sheets: tuple[str, ...] = ()) -> Inert:
    """Write a page anew. `sheets` are addresses of ours that style sheets of the page are loaded from."""
    numbers = {node.mem_id: number for number, node in enumerate(number_elements(page))}
    images = {use.node_id: row for row, use in enumerate(page.images)}
    out: list[str] = []
    size, is_cut = 0, False
    for piece in _pieces(page, numbers, images, picture):
        size += len(piece)
        if size > LIMITS.shown_chars and not piece.startswith("</"):
            is_cut = True
            continue
        out.append(piece)
    links = "".join(f'<link rel="stylesheet" href="{escape(address)}">' for address in sheets)
    styles = "".join(f"<style>{text}</style>" for text in _styles(page))
    head = f'<meta charset="utf-8"><title>{escape(page.head.title[:200])}</title>{links}{styles}<style>{_OURS}</style>'
    body = "".join(out)
    return Inert(f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>', len(numbers), is_cut)


def _pieces(page: Page, numbers: dict[int, int], images: dict[int, int], picture: Address) -> Iterator[str]:
    """Yield tags and text of the body in page order, without recursion: pages nest as deeply as they like."""
    body = page.tree.body
    if body is None:
        return
    stack: list[LexborNode | str] = [body]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = (node.tag or "").lower()
        if tag == "-text":
            yield escape(node.text_content or "")
            continue
        if tag in _DROPPED or tag.startswith(("-", "_", "!")):
            continue
        name = _RENAMED.get(tag, tag if tag in _KNOWN else "div" if "-" in tag else "span")
        yield _open(node, name, numbers, images, picture)
        if name not in _VOID:
            stack.append(f"</{name}>")
            children: list[LexborNode] = []
            child = node.first_child
            while child is not None:
                children.append(child)
                child = child.next
            stack += reversed(children)


def _open(node: LexborNode, name: str, numbers: dict[int, int], images: dict[int, int], picture: Address) -> str:
    attributes = node.attributes
    said = [
        f' {key}="{escape((value or "")[:_VALUE_CHARS])}"' for key, value in attributes.items() if key in _ATTRIBUTES
    ]
    number = numbers.get(node.mem_id)
    if number is not None:
        said.append(f' {ELEMENT}="{number}"')
    row = images.get(node.mem_id)
    if row is not None:
        address = picture(row)
        said.append(f' {IMAGE}="{row}"')
        said.append(f' src="{escape(address)}"' if address else "")
    return f"<{name}{''.join(said)}>"


def _styles(page: Page) -> Iterator[str]:
    """Yield what the page's own style elements say. An end tag cannot be in it, or it would have ended there."""
    left = LIMITS.shown_chars
    for node in page.tree.css("style"):
        text = node.text_content or ""
        left -= len(text)
        if left < 0:
            return
        if "</" not in text:
            yield text


# Ours comes last: what a page hides or moves about stays findable, and nothing blinks.
_OURS = f"""
*, *::before, *::after {{ animation: none !important; transition: none !important; cursor: inherit !important; }}
html, body {{ overflow: visible !important; height: auto !important; max-height: none !important; }}
body {{ margin: 0 auto; padding: 16px; position: static !important; }}
body {{ visibility: visible !important; opacity: 1 !important; }}
img {{ max-width: 100%; }}
img[{IMAGE}] {{ visibility: visible !important; opacity: 1 !important; }}
img[{IMAGE}]:not([src]) {{
  display: inline-block !important; min-width: 72px; min-height: 48px; overflow: hidden;
  font: 12px/1.3 system-ui, sans-serif; color: #555;
  background: repeating-linear-gradient(45deg, #e9e9e6 0 8px, #f4f4f1 8px 16px);
}}
"""
