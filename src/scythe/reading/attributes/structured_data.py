"""Read typed attributes of a page's subject from structured data: JSON-LD, microdata, RDFa, and JSON inside scripts.

The first three become the same nested objects, of which the subject is chosen by its kind, by whether it has the page's
title or URL, and by position. Script data has no common format, so it is only used when nothing else states a price,
and only for an object that has the subject's name and a price.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.blocks import nodes_above
from scythe.page.dates import to_iso
from scythe.page.head import Json, types_of
from scythe.reading.attributes.values import (
    STATES,
    amount_of,
    count_of,
    currency_of,
    gtin_of,
    isbn_of,
    rating_of,
    state_of,
    table_lines,
)
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


_SCRIPTS = 20  # looked at on one page
_NODES = 50_000  # objects and lists looked at on one page
_KEYS = {
    "price": "price saleprice currentprice finalprice sellingprice specialprice amount value".split(),
    "currency": "currency pricecurrency currencycode currencyiso".split(),
    "brand": "brand brandname manufacturer".split(),
    "sku": "sku productid itemid articlenumber code".split(),
    "gtin": "gtin gtin13 ean ean13 upc barcode".split(),
}
_NAMES = ("name", "title", "productname", "displayname")
_SAME = 0.8  # share of the words of both names


def _holds_json(script: Node) -> bool:
    attributes = script.attributes
    return (attributes.get("type") or "").lower() == "application/json" or attributes.get("id") == "__NEXT_DATA__"


def read_hydration(page: Page, name: str) -> list[Pair]:
    """Return price, currency, brand and codes of the object that bears the name; nothing if none has a price."""
    wanted = frozenset(_WORD.findall(name.lower()))
    if not wanted or not page.mentions("application/json"):
        return []
    left = _NODES
    for node in [node for node in page.map.find("script") if _holds_json(node)][:_SCRIPTS]:
        script = node.text(deep=True)
        if not 2 < len(script) <= LIMITS.json_ld_bytes:
            continue
        try:
            value = json.loads(script)
        except (ValueError, RecursionError):
            continue
        for item in _objects(value, left):
            left -= 1
            if _bears(item, wanted) and (pairs := _pairs(item)):
                return pairs
    return []


def _objects(value: Json, most: int) -> Iterator[Item]:
    """Yield the objects inside a value, outer before inner."""
    pending = deque([value])
    for _ in range(most):
        if not pending:
            return
        value = pending.popleft()
        if isinstance(value, dict):
            yield {key.lower().replace("_", ""): one for key, one in value.items()}
            pending.extend(one for one in value.values() if isinstance(one, (dict, list)))
        elif isinstance(value, list):
            pending.extend(one for one in value if isinstance(one, (dict, list)))


def _bears(item: Item, wanted: frozenset[str]) -> bool:
    for key in _NAMES:
        own = item.get(key)
        if isinstance(own, str) and (words := frozenset(_WORD.findall(own[:500].lower()))):
            return len(words & wanted) >= _SAME * max(len(words), len(wanted))
    return False


def _pairs(item: Item) -> list[Pair]:
    """Return what an object states under the usual keys, if that includes a price."""
    inner = item.get("price")
    offer = item | {key.lower(): one for key, one in inner.items()} if isinstance(inner, dict) else item
    found: list[Pair] = []
    for name, keys in _KEYS.items():
        source = offer if name in ("price", "currency") else item
        for key in keys:
            if name == "price" and key in ("amount", "value") and source is item:
                continue
            raw = source.get(key)
            if name == "price":
                value = "" if isinstance(raw, (dict, list)) else amount_of(raw)
            else:
                value = text_of(raw)
            value = gtin_of(value) if name == "gtin" else currency_of(value) if name == "currency" else value
            if value.strip("0."):
                found.append((name, value[:200]))
                break
    return found if found and found[0][0] == "price" else []


_OFFERS = 500  # of one item


def offer_pairs(plain: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
    """Yield price, currency and availability of an item's offers."""
    offers = [offer for offer in _offers(plain, by_id) if isinstance(offer, dict)]
    stated = [(amount, offer) for offer in offers if (amount := _amount(offer)) and amount.strip("0.")]
    amounts.extend(amount for amount, _ in stated[:_OFFERS])
    if stated:
        yield "price", stated[0][0]
        codes = (_currency(offer) for offer in [stated[0][1], *offers])
        if code := next((code for code in codes if code), ""):
            yield "currency", code
        high = amount_of(text_of(stated[0][1].get("highPrice")))
        if high and high != stated[0][0] and stated[0][1].get("lowPrice"):
            yield "high_price", high
    states = [state for offer in offers if (state := state_of(text_of(offer.get("availability"))))]
    if states:
        yield "availability", next((state for state in states if state == STATES["instock"]), states[0])


def _offers(plain: Item, by_id: dict[str, Item]) -> list[Json]:
    """Return an item's offers, those inside other offers too, or its own price as one."""
    pending: deque[Json] = deque([plain.get("offers") or plain.get("offer"), plain.get("has_variant")])
    found: list[Json] = []
    for _ in range(_OFFERS * 4):
        if not pending or len(found) >= _OFFERS:
            break
        value = pending.popleft()
        if isinstance(value, list):
            pending.extend(value[:_OFFERS])
        elif isinstance(value, dict):
            if len(value) == 1 and (known := by_id.get(id_of(value))) is not None:
                value = known
            found.append(value)
            if not (_amount(value)) and len(found) < _OFFERS:
                pending.extend(value.get(name) for name in ("offers", "itemOffered") if value.get(name))
    own = {"price": plain.get("price"), "availability": plain.get("availability")}
    return found if found else [own | {"priceCurrency": plain.get("price_currency")}]


def _amount(offer: Item) -> str:
    for name in ("price", "lowPrice"):
        if amount := amount_of(_scalar(offer.get(name))):
            return amount
    specification = offer.get("priceSpecification")
    for one in (specification if isinstance(specification, list) else [specification])[:_VALUES]:
        if isinstance(one, dict) and (amount := amount_of(_scalar(one.get("price") or one.get("minPrice")))):
            return amount
    return ""


def _scalar(value: Json) -> Json:
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, (str, int, float)) else None


def _currency(offer: Item) -> str:
    specification = offer.get("priceSpecification")
    specification = specification[0] if isinstance(specification, list) and specification else specification
    inner = specification.get("priceCurrency") if isinstance(specification, dict) else None
    text = text_of(offer.get("priceCurrency") or inner or offer.get("currency")).upper()
    if re.fullmatch("[A-Z]{3}", text):
        return {"RUR": "RUB"}.get(text, text)
    return currency_of(text) or currency_of(re.sub(r"[\d.,\s]", "", text_of(offer.get("price"))[:40]))


Pair = tuple[str, str]

_PROPERTIES = 500  # of one item
_VALUES = 20  # of one property
_OTHERS = 40  # pairs without a canonical name
_CRUMBS = 12
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# what describes the page or other things, not the subject
_SKIPPED = frozenset(
    """
    url image images logo photo thumbnail thumbnail_url main_entity_of_page same_as review reviews potential_action
    offers aggregate_rating is_related_to is_similar_to breadcrumb has_variant additional_property geo has_map
    interaction_statistic is_part_of main_entity video associated_media comment price price_currency availability
    currency low_price high_price has_offer_catalog identifier contact_point nutrition recipe_instructions step
    opening_hours_specification additional_type text article_body review_body item_list_element
    """.split()
)
_DATES = frozenset("publication_date date_posted deadline start_date end_date born".split())


@dataclass(frozen=True, slots=True)
class Structured:
    """What structured data says of a page's subject."""

    pairs: tuple[Pair, ...] = ()  # canonical names first
    amounts: tuple[str, ...] = ()  # every price that its offers state, page order


def read_structured(page: Page) -> Structured:
    """Read the pairs of the page's subject from JSON-LD, microdata and RDFa, then what only the head says."""
    seen: dict[str, list[str]] = {}
    amounts: list[str] = []
    for items in item_sources(page):
        item = choose(items, page)
        found: dict[str, list[str]] = {}
        if item is not None and "price" not in seen:
            for name, value in _pairs_of(item, {id_of(other): other for other, _ in items if id_of(other)}, amounts):
                found.setdefault(name, []).append(value)
        if "breadcrumb" not in seen and (crumbs := _breadcrumb([one for one, _ in items])):
            found["breadcrumb"] = [crumbs]
        seen = found | seen
    for name, value in _head_pairs(page):
        seen.setdefault(name, [value])
    pairs = tuple((name, value) for name, values in seen.items() for value in dict.fromkeys(values))
    return Structured(pairs, tuple(dict.fromkeys(amounts)))


def _breadcrumb(items: list[Item]) -> str:
    """Return the way from the start of the site to the page, as its names from the outermost to the innermost."""
    for item in items:
        elements = item.get("itemListElement")
        if "breadcrumblist" in types_of(item) and isinstance(elements, list):
            crumbs = [one for one in elements[:_CRUMBS] if isinstance(one, dict)]
            names = [text_of(one.get("name")) or text_of(one.get("item")) for one in crumbs]
            return " > ".join(name for name in names if name and "://" not in name)[:_LONGEST]
    return ""


@lru_cache(maxsize=5_000)
def plain_name(name: str) -> str:
    """Return a property's name in words: `datePublished` is `date_published`."""
    return _HUMP.sub("_", name[:100].rpartition("/")[2].rpartition(":")[2]).lower().replace("-", "_").replace(" ", "_")


@lru_cache(maxsize=1)
def _properties() -> list[tuple[str, list[str]]]:
    return table_lines("properties")


def _pairs_of(item: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
    """Yield canonical pairs, then further properties as they are named."""
    plain = {plain_name(name): value for name, value in list(item.items())[:_PROPERTIES] if not name.startswith("@")}
    used: set[str] = set()
    for name, paths in _properties():
        for path in paths:
            outer, _, inner = path.partition(".")
            if plain.get(outer) is None:
                continue
            values = [_typed(name, one) for one in _texts(plain.get(outer), inner, by_id)]
            if values := [value for value in values if value]:
                used.update(one.partition(".")[0] for one in paths)
                yield name, ", ".join(dict.fromkeys(values))[:_LONGEST]
                break
        if name == "name":
            yield from offer_pairs(plain, by_id, amounts)
    yield from _further(plain, used)


def _typed(name: str, text: str) -> str:
    """Return the text in the form that values of this name have."""
    if name == "gtin":
        return gtin_of(text)
    if name == "isbn":
        return isbn_of(text) or text
    if name in ("rating_value", "rating_best"):
        return rating_of(text)
    if name in ("rating_count", "review_count"):
        return count_of(text)
    if name in _DATES:
        return to_iso(text) or text
    if name == "condition":
        return text.rpartition("/")[2].removesuffix("Condition")
    if name == "sku":
        return text.removeprefix("sku:")
    return text


def _texts(value: Json, inner: str, by_id: dict[str, Item]) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:_VALUES]:
        if isinstance(one, dict) and len(one) == 1 and (known := by_id.get(id_of(one))) is not None:
            one = known
        if inner:
            one = next((v for k, v in one.items() if plain_name(k) == inner), None) if isinstance(one, dict) else None
        if isinstance(one, dict) and (address := _address(one)):
            yield address
        elif text := _measure(one) or text_of(one):
            yield text


def _address(item: Item) -> str:
    """Return a postal address, or the one of a place, on one line."""
    place = item.get("address")
    if isinstance(place, list) and place:
        place = place[0]
    if isinstance(place, dict):
        item = place
    elif isinstance(place, str):
        return text_of(place)
    names = ("streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry")
    parts = [text for name in names if (text := text_of(item.get(name)))]
    return ", ".join(dict.fromkeys(parts))


def _measure(value: Json) -> str:
    """Return a quantity with its unit, or a salary."""
    if not isinstance(value, dict):
        return ""
    inner = value.get("value")
    amount = inner if isinstance(inner, dict) else value
    number = text_of(amount.get("value"))
    if not number and (low := text_of(amount.get("minValue"))):
        number = f"{low} - {text_of(amount.get('maxValue'))}".strip(" -")
    if not number:
        return ""
    unit = text_of(value.get("currency")) or text_of(amount.get("unitText")) or text_of(amount.get("unitCode"))
    return f"{number} {unit}".strip()


def _further(plain: Item, used: set[str]) -> Iterator[Pair]:
    """Yield further plain properties, and those that the item lists by name."""
    count = 0
    properties = plain.get("additional_property")
    for one in (properties if isinstance(properties, list) else [properties])[:200]:
        if isinstance(one, dict) and (name := text_of(one.get("name"))[:100]):
            if stated := _measure(one) or text_of(one.get("value")):
                yield name, stated
    for name, value in plain.items():
        if count >= _OTHERS:
            return
        if name in used or name in _SKIPPED or name.startswith("@"):
            continue
        if (text := text_of(value)) and not text.startswith(("http://", "https://")):
            count += 1
            yield name, text


_HEAD = {
    "price": ("product:sale_price:amount", "product:price:amount", "og:price:amount", "product:price", "twitter:data1"),
    "currency": ("product:sale_price:currency", "product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id", "product:sku", "og:sku"),
    "gtin": ("product:ean", "product:gtin", "product:upc"),
    "mpn": ("product:mfr_part_no",),
    "isbn": ("book:isbn", "books:isbn"),
    "condition": ("product:condition",),
    "author": ("book:author",),
    "address": ("business:contact_data:street_address", "og:street-address"),
    "phone": ("business:contact_data:phone_number", "og:phone_number"),
}


def _head_pairs(page: Page) -> Iterator[Pair]:
    """Yield what OpenGraph and product tags in the head say."""
    named: dict[str, str] = {}
    for name, content in page.head.properties:
        named.setdefault(name, content.strip()[:_LONGEST])
    for name, keys in _HEAD.items():
        for key in keys:
            value = named.get(key, "")
            if not value:
                continue
            if name == "price":
                value = amount_of(value) if key != "twitter:data1" else ""
                value = value if value.strip("0.") else ""
            elif name == "availability":
                value = state_of(value)
            elif name == "currency":
                value = value if re.fullmatch("[A-Z]{3}", value) else currency_of(value)
            else:
                value = _typed(name, value)
            if value:
                yield name, value
                break
