"""Read what a page's structured data says of its subject: a page comes in, the subject's typed pairs go out.

JSON-LD, microdata and RDFa are read into the same nested objects. One of them is what the page is about; it is chosen
by its kind, by whether it bears the page's title or address, and by where it stands. Products of other pages that are
listed beside it have neither.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.page.jsonld import Json, types_of
from scythe.read.records.markup import read_microdata, read_rdfa
from scythe.read.records.money import amount_of, currency_of
from scythe.read.records.typed import STATES, count_of, gtin_of, isbn_of, rating_of, state_of, table_lines
from scythe.url import absolute

Item = dict[str, Json]
Pair = tuple[str, str]

_ITEMS = 500  # items among which the subject is chosen
_VALUES = 20  # of one property
_OFFERS = 500
_DEEP = 4  # objects inside objects that are followed
_LONGEST = 1_000  # characters of one value
_OTHERS = 40  # pairs without a canonical name
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
    **dict.fromkeys("offer aggregateoffer organization corporation".split(), 0.5),
}
_LISTED_UNDER = frozenset(
    "isrelatedto issimilarto itemlistelement isaccessoryorsparepartfor isconsumablefor review reviews itemreviewed "
    "author publisher seller offeredby brand manufacturer provider hiringorganization mainentityofpage "
    "parentorganization actor actors director creator ispartof worksfor member".split()
)
_WORD = re.compile(r"\w+")
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
_DATES = frozenset("date_published date_posted valid_through start_date end_date birth_date".split())


@dataclass(frozen=True, slots=True)
class Structured:
    """What structured data says of a page's subject."""

    pairs: tuple[Pair, ...] = ()  # canonical names first
    amounts: tuple[str, ...] = ()  # every price that its offers state, page order


def read_structured(page: Page) -> Structured:
    """Read the pairs of the page's subject from JSON-LD, microdata and RDFa, then what only the head says."""
    seen: dict[str, list[str]] = {}
    amounts: list[str] = []
    for items in _sources(page):
        item = choose(items, page)
        if item is None:
            continue
        for name, value in _pairs_of(item, {_id(other): other for other, _ in items if _id(other)}, amounts):
            seen.setdefault(name, []).append(value)
        if "price" in seen or "availability" in seen:
            break
    for name, value in _head_pairs(page):
        if name not in seen:
            seen[name] = [value]
    pairs = tuple((name, value) for name, values in seen.items() for value in dict.fromkeys(values))
    return Structured(pairs, tuple(dict.fromkeys(amounts)))


def _sources(page: Page) -> Iterator[list[tuple[Item, float]]]:
    """Yield the items of each syntax, each with how likely it is listed beside the subject."""
    listed = _listed(page.linked_data.objects)
    yield [(item, listed.get(id(item), 0.0)) for item in page.linked_data.objects[:_ITEMS]]
    for read in (read_microdata, read_rdfa):
        yield list(_unfold(read(page.tree, page.html)))


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
        score += 3 * _has_address(item, addresses, page.base)
        if alike.get(kind, 0) > 2 and match < 0.5:
            score -= 4  # one of a list
        if score > best_score + 0.01:
            best, best_score = item, score
    return best if best_score >= 2 else None


def _kind(item: Item) -> str:
    return next((kind for kind in types_of(item) if kind in _KINDS), "")


def _titles(page: Page) -> list[frozenset[str]]:
    texts = [page.head.title, page.metadata.title]
    texts += [node.text(deep=True, separator=" ")[:500] for node in page.tree.css("h1,h2")[:_TITLES]]
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


def _has_address(item: Item, addresses: set[str], base: str | None) -> bool:
    own = (item.get("url"), item.get("@id"), item.get("mainEntityOfPage"))
    return any(isinstance(one, str) and absolute(one, base) in addresses for one in own)


def _id(item: Item) -> str:
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


@lru_cache(maxsize=5_000)
def plain_name(name: str) -> str:
    """Return a property's name in words: `datePublished` is `date_published`."""
    return _HUMP.sub("_", name[:100].rpartition("/")[2].rpartition(":")[2]).lower().replace("-", "_").replace(" ", "_")


@lru_cache(maxsize=1)
def _properties() -> list[tuple[str, list[str]]]:
    return table_lines("properties")


def _pairs_of(item: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
    """Yield canonical pairs, then further properties as they are named."""
    plain = {plain_name(name): value for name, value in list(item.items())[:_ITEMS] if not name.startswith("@")}
    used = set()
    for name, paths in _properties():
        for path in paths:
            outer, _, inner = path.partition(".")
            values = [_typed(name, one) for one in _texts(plain.get(outer), inner, by_id)]
            if values := [value for value in values if value]:
                used.add(outer)
                yield name, ", ".join(dict.fromkeys(values))[:_LONGEST]
                break
        if name == "name":
            yield from _offer_pairs(plain, by_id, amounts)
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
        return text.rpartition("/")[2]
    if name == "sku":
        return text.removeprefix("sku:")
    return text


def _texts(value: Json, inner: str, by_id: dict[str, Item]) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:_VALUES]:
        if isinstance(one, dict) and len(one) == 1 and (known := by_id.get(_id(one))) is not None:
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


def _offer_pairs(plain: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
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
            if len(value) == 1 and (known := by_id.get(_id(value))) is not None:
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
