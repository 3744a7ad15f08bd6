"""Find the price of a page's subject as the page shows it: elements and lines come in, a price or nothing goes out.

Pages show many amounts: old prices, shipping, instalments, prices of related products. The subject's stands near its
name, bears a price word in its classes or its label, is not crossed out and is not one of a list of equals.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scythe.page.elements import Elements
from scythe.read.records.dictionary import concept_of
from scythe.read.records.labels import name_words
from scythe.read.records.money import Price, find_prices, plain_amount
from scythe.read.records.typed import table_lines
from scythe.read.records.visible import Lines
from scythe.read.text.names import split_names

_TEXT = 120  # characters of a text that may state the price
_AMOUNTS = 300  # looked at on one page
_CLIMBED = 4
_STRUCK = frozenset("s del strike".split())
_DIGIT = re.compile(r"\d")
_UNSIGNED = re.compile(r"[\d\s.,:;%/()+*'’-]{1,120}")  # names no currency
_BARE = re.compile(r"\d{1,3}(?:[.,'’ \u00a0]?\d{3}){0,3}(?:[.,]\d{1,2})?[.,]?")
_RAISED = re.compile(r"cent|decimal|fraction|fract|sup\b")
_CENTS = re.compile(r"[.,]?\d{2}")
_SURE = 2.5
_FEW_ALIKE, _MANY_ALIKE = 3, 6  # different amounts in elements of the same classes: a list
_TOGETHER = 3  # leaves between an old and a reduced price
_REDUCED = 0.2  # the lowest share of an old price that is believed


@dataclass(frozen=True, slots=True)
class Shown:
    """An amount on the page, and how likely it is the price of the subject."""

    price: Price
    leaf: int
    score: float


@lru_cache(maxsize=1)
def _words() -> dict[str, re.Pattern[str]]:
    """Return patterns for what the names of elements and the texts beside an amount say."""
    return {name: re.compile("|".join(_pattern(word) for word in words)) for name, words in table_lines("price_words")}


def _pattern(word: str) -> str:
    if not word[0].isascii() and not "а" <= word[0] <= "я":
        return re.escape(word.rstrip("*"))  # Chinese and Japanese write no spaces
    return r"(?<!\w)" + re.escape(word.rstrip("*")) + ("" if word.endswith("*") else r"(?!\w)")


@lru_cache(maxsize=2_048)
def _said(names: str) -> tuple[bool, bool, bool]:
    """Say whether the names of an element speak of a price, of an old price, of a price without tax."""
    text, words = " ".join(split_names(names)), _words()
    price, old, net = (words[kind].search(text) is not None for kind in ("price", "old", "net"))
    return price, old, net


def find_price(elements: Elements, lines: Lines, name_leaf: int) -> Shown | None:
    """Return the shown price of the subject, or None if none is sure. `name_leaf` is where its name stands, or -1."""
    found = list(_score(elements, lines, name_leaf))
    if not found:
        return None
    amounts: dict[str, int] = defaultdict(int)
    for shown in found:
        amounts[_key(shown.price)] += not lines.aside[elements.leaf_row[shown.leaf]]
    best = max(found, key=lambda shown: (shown.score + 0.5 * (amounts[_key(shown.price)] > 1), -shown.leaf))
    best = min(
        (best, *(shown for shown in found if _reduces(shown, best))), key=lambda shown: float(shown.price.amount)
    )
    return best if best.score >= _SURE else None


def _reduces(shown: Shown, other: Shown) -> bool:
    """Say whether an amount is the reduced price beside another that is as likely: of two together, it is lower."""
    share = float(shown.price.amount) / float(other.price.amount)
    return abs(shown.leaf - other.leaf) <= _TOGETHER and shown.score >= other.score - 0.3 and _REDUCED <= share < 1


def _key(price: Price) -> str:
    return f"{float(price.amount):.2f}"


def _score(elements: Elements, lines: Lines, name_leaf: int) -> Iterator[Shown]:
    """Yield the amounts of money on a page, each with its score."""
    seen = list(_amounts(elements))
    shapes: dict[object, set[str]] = defaultdict(set)
    for leaf, price in seen:
        shapes[_shape(elements, leaf)].add(price.amount)
    for leaf, price in seen:
        score = _by_names(elements, lines, leaf) + _by_place(leaf, name_leaf) + _by_text(elements, lines, leaf)
        alike = len(shapes[_shape(elements, leaf)])
        if alike >= _FEW_ALIKE:
            score -= 3 if alike >= _MANY_ALIKE else 2
        yield Shown(price, leaf, score)


def _shape(elements: Elements, leaf: int) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    row = elements.leaf_row[leaf]
    above = name_words(elements.names[elements.parent[row]]) if row else ()
    return elements.tag[row], name_words(elements.names[row]), above


def _amounts(elements: Elements) -> Iterator[tuple[int, Price]]:
    """Yield amounts with a currency beside them, in the same text or in the next one."""
    count, taken = 0, -1
    for leaf, text in enumerate(elements.text):
        if (
            leaf == taken
            or len(text) > _TEXT
            or _DIGIT.search(text) is None
            or elements.tag[elements.leaf_row[leaf]] == "sup"
        ):
            continue
        prices = [] if _UNSIGNED.fullmatch(text) else find_prices(text)
        price = prices[0][2] if prices else None
        if price is not None and text[-1].isdigit() and (cents := _cents_after(elements, leaf)):
            price = Price(f"{price.amount}.{cents}", price.currency) if "." not in price.amount else price
            taken = leaf + 1
        if price is None and len(text) <= 16 and _BARE.fullmatch(text):
            price = _from_parts(elements, leaf, text)
        if price is not None and price.amount.strip("0."):
            yield leaf, price
            count += 1
            if count >= _AMOUNTS:
                return


def _cents_after(elements: Elements, leaf: int) -> str:
    """Return the cents that stand raised behind an amount, in an element of their own."""
    after = leaf + 1
    if after >= len(elements.text) or not _CENTS.fullmatch(elements.text[after]):
        return ""
    row = elements.leaf_row[after]
    inside = elements.parent[row] == elements.leaf_row[leaf]
    raised = inside or elements.tag[row] in ("sup", "small") or _RAISED.search(elements.names[row].lower()) is not None
    marked = elements.text[after][0] in ".," or elements.text[leaf][-1] in ".,"
    return elements.text[after].lstrip(".,") if raised or marked else ""


def _from_parts(elements: Elements, leaf: int, text: str) -> Price | None:
    """Return the price that an amount makes together with the texts around it, if they name a currency."""
    texts = elements.text
    after, amount = leaf + 1, text.rstrip(".,")
    if not re.search(r"[.,]\d{1,2}$", amount) and (cents := _cents_after(elements, leaf)):
        amount, after = f"{amount},{cents}", after + 1
    behind = texts[after][:6].lstrip() if after < len(texts) else ""
    before = texts[leaf - 1][-6:].rstrip() if leaf else ""
    for beside, joined in ((behind, f"{amount} {behind}"), (before, f"{before} {amount}")):
        if beside and not _UNSIGNED.fullmatch(beside) and (found := find_prices(joined)):
            return Price(plain_amount(amount), found[0][2].currency)
    return None


def _by_names(elements: Elements, lines: Lines, leaf: int) -> float:
    score, row = 0.0, elements.leaf_row[leaf]
    if lines.aside[row]:
        score -= 4
    priced = old = net = False
    for _ in range(_CLIMBED):
        if row < 0 or elements.leaf_end[row] - elements.leaf_start[row] > 12:
            break
        if elements.tag[row] in _STRUCK:
            score -= 4
        if row in elements.href:
            score -= 1.5
        if elements.names[row]:
            said = _said(elements.names[row])
            priced, old, net = priced or said[0], old or said[1], net or said[2]
        row = elements.parent[row]
    return score + 2 * priced - 1.5 * old - 0.7 * net


def _by_place(leaf: int, name_leaf: int) -> float:
    if name_leaf < 0:
        return 0.5 if leaf < 150 else 0.0
    distance = leaf - name_leaf
    if distance < 0:
        return 0.7 if distance > -30 else 0.0
    steps = ((25, 2.0), (60, 1.6), (120, 1.2), (250, 0.4))
    return next((score for most, score in steps if distance <= most), 0.0)


def _by_text(elements: Elements, lines: Lines, leaf: int) -> float:
    """Return what the words around an amount and its label say for it."""
    texts, words = elements.text, _words()
    text, before = texts[leaf], texts[leaf - 1][-60:] if leaf else ""
    if before in (":", "："):
        before = texts[leaf - 2][-60:] if leaf > 1 else ""
    after = texts[leaf + 1][:12] if leaf + 1 < len(texts) else ""
    score = 0.5 if len(text) <= 16 else -1.0 if len(text) > 50 else 0.0
    if words["against"].search(text.lower()) or words["against"].search(before.lower()):
        score -= 2
    if words["month"].search(text.lower()) or words["month"].search(after.lower()):
        score -= 2.5
    if words["range"].search(before.lower()) or words["range"].search(text.lower()):
        return -_SURE  # what other things cost, or everything of a shop or a restaurant
    concept = concept_of(text.partition(":")[0]) or concept_of(before)
    if concept in ("price", "sale_price"):
        score += 2
    elif concept in ("list_price", "discount", "delivery", "invoice_price"):
        score -= 1.5
    return score
