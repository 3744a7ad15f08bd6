"""Choose the item of a page's structured data that the page is about.

JSON-LD, microdata and RDFa become the same nested objects. The subject is chosen by its kind, by whether it has the
page's title or URL, and by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.blocks import nodes_above
from scythe.page.head import Json, types_of
from scythe.url import absolute

if TYPE_CHECKING:
    from scythe.page.map import Node

_TEXT = 5_000  # characters of one value
_STRUCK = frozenset("s del strike".split())
_MARKUP_DEEP = 256  # no tree is deeper
_LINKS = {"a": "href", "link": "href", "area": "href", "img": "src", "source": "src", "iframe": "src", "video": "src"}


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The attributes that one way of marking up uses."""

    scope: str  # opens an item
    kind: str  # says what it is
    name: str  # names a property


_MICRODATA = _Syntax("itemscope", "itemtype", "itemprop")
_RDFA = _Syntax("typeof", "typeof", "property")


def read_microdata(page: Page) -> list[dict[str, Json]]:
    """Return the outermost items of a page's microdata, each with those inside it."""
    return _read(page, _MICRODATA) if page.mentions("itemprop", "itemProp", "ITEMPROP") else []


def read_rdfa(page: Page) -> list[dict[str, Json]]:
    """Return the outermost items of a page's RDFa, each with those inside it."""
    return _read(page, _RDFA) if page.mentions("typeof=") else []


def _read(page: Page, syntax: _Syntax) -> list[dict[str, Json]]:
    outermost: list[dict[str, Json]] = []
    opened: dict[int, dict[str, Json]] = {}  # by mem_id of the element that opens it
    borrowed: dict[str, dict[str, Json]] = {}  # by id of an element whose properties an item claims
    for node in _described(page, syntax)[: LIMITS.metas * 2]:
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


def _described(page: Page, syntax: _Syntax) -> list[Node]:
    """Return the elements that open an item or name a property, in page order; RDFA's properties only in the body."""
    named = page.map.having(syntax.name)
    if syntax is _RDFA:
        named = [node for node in named if node.parent is None or node.parent.tag != "head"]
    found = {node.mem_id: node for node in (*page.map.having(syntax.scope), *named)}
    return [node for _, node in sorted(found.items())]


def _local(name: str) -> str:
    """Return a type or a property without the vocabulary it is from."""
    return name.rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2][:100]


def _owner(
    node: Node, opened: dict[int, dict[str, Json]], borrowed: dict[str, dict[str, Json]]
) -> dict[str, Json] | None:
    if borrowed and (found := borrowed.get(node.attributes.get("id") or "")) is not None:
        return found
    for at in nodes_above(node, _MARKUP_DEEP):
        if (found := opened.get(at.mem_id)) is not None:
            return found
        if borrowed and (found := borrowed.get(at.attributes.get("id") or "")) is not None:
            return found
    return None


def _add(item: dict[str, Json], name: str, value: Json) -> None:
    known = item.get(name)
    if known is None:
        item[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        item[name] = [known, value]


def _value(node: Node, attributes: dict[str, str | None]) -> str:
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


def _text_of(node: Node) -> str:
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


Item = dict[str, Json]

_ITEMS = 500  # items among which the subject is chosen
_DEEP = 4  # objects inside objects that are followed
_LONGEST = 1_000  # characters of one value
_TITLES = 12  # headings that may bear the subject's name

# kinds of things pages are about; the number is how sure a page that marks one up is about it
_KINDS = {
    **dict.fromkeys(
        "product productgroup individualproduct productmodel someproducts book movie jobposting recipe vehicle car "
        "motorcycle softwareapplication mobileapplication videogame musicalbum tvseries course event hotel restaurant "
        "apartment house singlefamilyresidence realestatelisting collegeoruniversity".split(),
        4.0,
    ),
    **dict.fromkeys(
        "localbusiness foodestablishment store lodgingbusiness person school educationalorganization musicgroup "
        "sportsteam attraction touristattraction place musicevent sportsevent theaterevent dataset podcastepisode "
        "creativework service audiobook game tvepisode musicrecording medicalbusiness physician dentist".split(),
        2.5,
    ),
    **dict.fromkeys(
        "article newsarticle blogposting reportagenewsarticle analysisnewsarticle techarticle scholarlyarticle".split(),
        1.5,
    ),
    **dict.fromkeys("offer aggregateoffer".split(), 0.5),
    **dict.fromkeys("organization corporation newsmediaorganization".split(), -3.0),  # mostly the site's owner
}
_LISTED_UNDER = frozenset(
    "isrelatedto issimilarto itemlistelement isaccessoryorsparepartfor isconsumablefor review reviews itemreviewed "
    "author publisher seller offeredby brand manufacturer provider hiringorganization mainentityofpage "
    "parentorganization actor actors director creator ispartof worksfor member".split()
)
_WORD = re.compile(r"\w+")


def item_sources(page: Page) -> Iterator[list[tuple[Item, float]]]:
    """Yield the items of each syntax, each with how likely it is listed beside the subject."""
    listed = _listed(page.linked_data.objects)
    yield [(item, listed.get(id(item), 0.0)) for item in page.linked_data.objects[:_ITEMS]]
    for read in (read_microdata, read_rdfa):
        yield list(_unfold(read(page)))


def _listed(objects: tuple[Item, ...]) -> dict[int, float]:
    """Return which objects stand inside another one as something other than its subject."""
    inner = {}
    for item in objects:
        for name, value in item.items():
            weight = 4.0 if name.lower() in _LISTED_UNDER else 0.5
            if name != "@graph" and isinstance(value, (dict, list)):
                for one in value[:_ITEMS] if isinstance(value, list) else [value]:
                    inner[id(one)] = weight
                    if isinstance(one, dict) and isinstance(one.get("item"), dict):
                        inner[id(one["item"])] = weight
    return inner


def _unfold(items: list[Item]) -> Iterator[tuple[Item, float]]:
    pending: list[tuple[Json, float]] = [(item, 0.0) for item in reversed(items[:_ITEMS])]
    for _ in range(_ITEMS * 4):
        if not pending:
            return
        item, weight = pending.pop()
        if not isinstance(item, dict):
            continue
        yield item, weight
        for name, value in item.items():
            inner = weight + (4.0 if name.lower() in _LISTED_UNDER else 0.5)
            pending.extend((one, inner) for one in reversed(value if isinstance(value, list) else [value]))


def choose(items: list[tuple[Item, float]], page: Page) -> Item | None:
    """Return the item that the page is about, or None if no item is sure to be."""
    best, best_score = None, 0.0
    alike: dict[str, int] = {}
    for item, weight in items:
        if (kind := _kind(item)) and weight < 4:
            alike[kind] = alike.get(kind, 0) + 1
    titles = _titles(page) if alike else []
    addresses: set[str] = {address for address in (page.url, page.metadata.canonical) if address}
    for item, weight in items:
        kind = _kind(item)
        if not kind:
            continue
        match = _bears_title(item, titles)
        score = _KINDS[kind] + 3 * match - weight + 0.2 * min(len(item), 10)
        own = (item.get("url"), item.get("@id"), item.get("mainEntityOfPage"))
        score += 3 * any(isinstance(one, str) and absolute(one, page.base) in addresses for one in own)
        if alike.get(kind, 0) > 2 and match < 0.5:
            score -= 4  # one of a list
        if score > best_score + 0.01:
            best, best_score = item, score
    return best if best_score >= 2 else None


def _kind(item: Item) -> str:
    return next((kind for kind in types_of(item) if kind in _KINDS), "")


def _titles(page: Page) -> list[frozenset[str]]:
    texts = [page.head.title, page.declared_title]
    texts += [node.text(deep=True, separator=" ")[:500] for node in page.map.find("h1", "h2")[:_TITLES]]
    return [words for text in texts if (words := _words(text))]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:500].lower()))


def _bears_title(item: Item, titles: list[frozenset[str]]) -> float:
    """Return how much of the item's name or of a title of the page is in the other."""
    own = _words(text_of(item.get("name") or item.get("headline") or item.get("title")))
    if not own:
        return 0.0
    best = 0.0
    for words in titles:
        both = len(own & words)
        best = max(best, both / max(len(own), min(len(words), 2 * len(own))))
    return best


def id_of(item: Item) -> str:
    name = item.get("@id")
    return name if isinstance(name, str) else ""


def text_of(value: Json) -> str:
    """Return a value that schema.org allows to be text, a number, an object with a name, or a list, as text."""
    for _ in range(_DEEP):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or value.get("value")
        else:
            break
    if isinstance(value, bool) or value is None or isinstance(value, (dict, list)):
        return ""
    text = str(value)[: _LONGEST * 4]
    text = unescape(text) if "&" in text else text
    return " ".join(text.split())[:_LONGEST]
