"""Read items marked up in attributes, as microdata or RDFa: a tree comes in, nested objects as in JSON-LD go out."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.limits import LIMITS
from scythe.page.jsonld import Json

_TEXT = 5_000  # characters of one value
_STRUCK = frozenset("s del strike".split())
_DEEP = 256  # no tree is deeper
_LINKS = {"a": "href", "link": "href", "area": "href", "img": "src", "source": "src", "iframe": "src", "video": "src"}


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The attributes that one way of marking up uses."""

    scope: str  # opens an item
    kind: str  # says what it is
    name: str  # names a property
    query: str


_MICRODATA = _Syntax("itemscope", "itemtype", "itemprop", "[itemscope],[itemprop]")
_RDFA = _Syntax("typeof", "typeof", "property", "[typeof],body [property]")


def read_microdata(tree: LexborHTMLParser, html: str) -> list[dict[str, Json]]:
    """Return the outermost items of a page's microdata, each with those inside it."""
    return _read(tree, _MICRODATA) if "itemprop" in html or "ITEMPROP" in html else []


def read_rdfa(tree: LexborHTMLParser, html: str) -> list[dict[str, Json]]:
    """Return the outermost items of a page's RDFa, each with those inside it."""
    return _read(tree, _RDFA) if "typeof=" in html else []


def _read(tree: LexborHTMLParser, syntax: _Syntax) -> list[dict[str, Json]]:
    outermost: list[dict[str, Json]] = []
    opened: dict[int, dict[str, Json]] = {}  # by mem_id of the element that opens it
    borrowed: dict[str, dict[str, Json]] = {}  # by id of an element whose properties an item claims
    for node in tree.css(syntax.query)[: LIMITS.metas * 2]:
        if node.mem_id in opened:
            continue  # a node that matches both selectors comes twice
        attributes = node.attributes
        names = [_local(name) for name in (attributes.get(syntax.name) or "").split()[:5]]
        owner = _owner(node, opened, borrowed) if opened else None
        value: Json
        if syntax.scope in attributes:
            value = {"@type": [_local(kind) for kind in (attributes.get(syntax.kind) or "").split()[:5]]}
            opened[node.mem_id] = value
            for name in (attributes.get("itemref") or "").split()[:10]:
                borrowed.setdefault(name, value)
            if owner is None or not names:
                outermost.append(value)
        elif owner is None:
            continue
        else:
            value = _value(node, attributes)
        if owner is not None and value not in ("", None):
            for name in names:
                _add(owner, name, value)
    return outermost


def _local(name: str) -> str:
    """Return a type or a property without the vocabulary it is from."""
    return name.rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2][:100]


def _owner(
    node: LexborNode, opened: dict[int, dict[str, Json]], borrowed: dict[str, dict[str, Json]]
) -> dict[str, Json] | None:
    if borrowed and (found := borrowed.get(node.attributes.get("id") or "")) is not None:
        return found
    at = node.parent
    for _ in range(_DEEP):
        if at is None:
            return None
        if (found := opened.get(at.mem_id)) is not None:
            return found
        if borrowed and (found := borrowed.get(at.attributes.get("id") or "")) is not None:
            return found
        at = at.parent
    return None


def _add(item: dict[str, Json], name: str, value: Json) -> None:
    known = item.get(name)
    if known is None:
        item[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        item[name] = [known, value]


def _value(node: LexborNode, attributes: dict[str, str | None]) -> str:
    for name in ("content", "datetime"):
        if (value := attributes.get(name)) is not None:
            return value[:_TEXT].strip()
    tag = node.tag or ""
    text = _text_of(node)
    if tag in _LINKS and not text:
        return (attributes.get(_LINKS[tag]) or "")[:_TEXT].strip()
    if not text and tag in ("data", "meter", "input"):
        return (attributes.get("value") or "")[:_TEXT].strip()
    return text


def _text_of(node: LexborNode) -> str:
    """Return the text of an element without what is crossed out in it."""
    child = node.first_child
    struck = False
    while child is not None and not struck:
        struck, child = child.tag in _STRUCK, child.next
    if not struck:
        return " ".join(node.text(deep=True, separator=" ")[: _TEXT * 4].split())[:_TEXT]
    parts, child = [], node.first_child
    while child is not None:
        if child.tag not in _STRUCK:
            parts.append(child.text(deep=True, separator=" ")[: _TEXT * 4])
        child = child.next
    return " ".join(" ".join(parts).split())[:_TEXT]
