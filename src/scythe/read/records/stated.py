"""Read the offers of an item of structured data: its properties come in, price, currency and availability go out."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from scythe.page.jsonld import Json
from scythe.read.records.money import amount_of, currency_of
from scythe.read.records.subject import Item, id_of, text_of
from scythe.read.records.typed import STATES, state_of

Pair = tuple[str, str]

_OFFERS = 500  # of one item
_VALUES = 20  # prices of one offer


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
