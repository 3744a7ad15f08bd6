"""Read the subject's offer from the JSON that scripts build a page from: a page comes in, typed pairs go out.

Asked only when neither markup nor text states a price: the data of such scripts has no agreed form, so an object counts
only if it bears the subject's name and a price beside it.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.jsonld import Json
from scythe.read.records.money import amount_of, currency_of
from scythe.read.records.subject import Item, text_of
from scythe.read.records.typed import gtin_of

Pair = tuple[str, str]

_QUERY = 'script[type="application/json" i],script#__NEXT_DATA__'
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
_WORD = re.compile(r"\w+")
_SAME = 0.8  # share of the words of both names


def read_hydration(page: Page, name: str) -> list[Pair]:
    """Return price, currency, brand and codes of the object that bears the name; nothing if none has a price."""
    wanted = frozenset(_WORD.findall(name.lower()))
    if not wanted or "application/json" not in page.html:
        return []
    left = _NODES
    for node in page.tree.css(_QUERY)[:_SCRIPTS]:
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
