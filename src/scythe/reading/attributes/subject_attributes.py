"""Read the attributes of a page's subject: name, price, availability, contacts, then all labelled pairs.

Structured data is believed before the visible page. Values under canonical names are normalised: a price is a number
with its currency, codes have a valid check digit, availability is a schema.org term. The visible price is the one near
the name, with a price word in class or label, not crossed out and not one of a list of similar prices.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.page.elements import Elements
from scythe.reading.attributes.dictionary import concept_of
from scythe.reading.attributes.structured_data import Structured, read_hydration, read_structured
from scythe.reading.attributes.values import (
    Price,
    find_prices,
    gtin_of,
    isbn_of,
    localise,
    phrase_state,
    plain_amount,
    state_of,
    table_lines,
    typed_name,
)
from scythe.reading.attributes.visible_pairs import Labelled, Lines, cut_lines, find_pairs, text_between
from scythe.reading.lists.candidates import name_words
from scythe.reading.text.block_features import split_names
from scythe.url import host

_OFFER_TEXT = 120  # characters of a text that may state the price
_AMOUNTS = 300  # looked at on one page
_STRUCK = frozenset("s del strike".split())
_DIGIT = re.compile(r"\d")
_UNSIGNED = re.compile(r"[\d\s.,:;%/()+*'’-]{1,120}")  # names no currency
_BARE = re.compile(r"\d{1,3}(?:[.,'’ \u00a0]?\d{3}){0,3}(?:[.,]\d{1,2})?[.,]?")
_RAISED = re.compile(r"cent|decimal|fraction|fract|sup\b")
_CENTS = re.compile(r"[.,]?\d{2}")
_OFFER_SURE = 2.5
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
    return best if best.score >= _OFFER_SURE else None


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
            or len(text) > _OFFER_TEXT
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
        return -_OFFER_SURE  # what other things cost, or everything of a shop or a restaurant
    concept = concept_of(text.partition(":")[0]) or concept_of(before)
    if concept in ("price", "sale_price"):
        score += 2
    elif concept in ("list_price", "discount", "delivery", "invoice_price"):
        score -= 1.5
    return score


_LEAVES = 3_000  # looked at; names stand in the first half of a page
_SHORTEST, _LONGEST = 2, 250  # characters
_WORD = re.compile(r"\w+")
_NAMED = re.compile(r"head|product|subject|who|entry|summary|fn\b", re.I)
_TITLED = re.compile(r"title|(?<!user)name(?!s)|headline", re.I)
_TAGS = {"h1": 3.0, "h2": 1.5, "h3": 1.0, "h4": 0.7, "h5": 0.7, "caption": 0.7, "strong": 0.5, "b": 0.5, "font": 0.3}
_SEPARATORS = re.compile(r"\s[-–—|:•·»«/~]+\s|[|｜»«]|:\s|\s-|,\s|\(|\)|;\s|\s(?:by|at|in|from|von|bei|de|par|di)\s")
_HEADINGS = 50
_CLIMBED = 4  # elements above a leaf that may be its heading
_SHORTER = 0.4  # the least share of a name that may stand for it
_REPEATED, _MOST_REPEATS = 0.2, 5  # a name recurs on its page, in other texts too
_SURE = 2.8  # below that a text is no name


@dataclass(frozen=True, slots=True)
class Naming:
    """The name of a page's subject and where it stands."""

    text: str = ""
    leaf: int = -1


def find_name(page: Page, lines: Lines) -> Naming:
    """Return the best name of the subject, an empty one if none is sure."""
    elements = page.elements
    title = page.head.title or page.declared_title
    words = " ".join(_WORD.findall(title.lower()))
    edges = _edges(title)
    whole = "\n".join(text[:_LONGEST] for text in elements.text[:_LEAVES])
    known = frozenset(words.split())
    headed = _headed(elements)
    best, best_score, headings = Naming(), _SURE, list[Naming]()
    for leaf, text in enumerate(elements.text[:_LEAVES]):
        if not _SHORTEST <= len(text) <= _LONGEST or (first := _WORD.search(text)) is None:
            continue
        if first[0].lower() not in known and leaf not in headed:
            continue
        own = " ".join(_WORD.findall(text.lower()))
        in_title = f" {own} " in f" {words} "
        heading = _heading(elements, leaf)
        if (not in_title and heading < 3) or own.isdigit() or text[0] + text[-1] == "()":
            continue
        score = heading - leaf / _LEAVES
        if in_title:
            if " " not in own and own not in edges and heading < 1:
                continue  # a word of the title, not a name
            score += 1 + (own in edges) + 2 * len(own) / len(words) + (own + " ").startswith(words[: len(own)] + " ")
        row = elements.leaf_row[leaf]
        score -= 2.5 * lines.aside[row] + (heading < 1 and row in elements.href)
        if score + _REPEATED * _MOST_REPEATS > best_score:
            score += _REPEATED * min(whole.count(text) - 1, _MOST_REPEATS)
        if score > best_score:
            best, best_score = Naming(text, leaf), score
        if heading >= 1 and not lines.aside[row]:
            headings.append(Naming(text, leaf))
    return _shorten(best, headings, whole) if best.text else _lone_heading(elements, lines)


def _shorten(best: Naming, headings: list[Naming], whole: str) -> Naming:
    """Return a heading that is part of the name and recurs more often: `Vivace` rather than `Vivace Review`."""
    often = whole.count(best.text) + 2
    shorter = [
        other
        for other in headings
        if other.text in best.text and len(best.text) * _SHORTER <= len(other.text) < len(best.text)
    ]
    return next((other for other in shorter if whole.count(other.text) >= often), best)


def _lone_heading(elements: Elements, lines: Lines) -> Naming:
    """Return the first second heading of a page that has no first heading and a title that says nothing of it."""
    if "h1" in elements.tag or "h2" not in elements.tag:
        return Naming()
    row = elements.tag.index("h2")
    leaf = elements.leaf_start[row]
    if elements.leaf_end[row] - leaf != 1 or lines.aside[row] or len(elements.text[leaf]) > _LONGEST:
        return Naming()
    return Naming(elements.text[leaf], leaf)


def _headed(elements: Elements) -> set[int]:
    """Return the leaves of first headings; anything else is a name only if the title repeats it."""
    rows = [row for row, tag in enumerate(elements.tag) if tag == "h1"][:_HEADINGS]
    return {leaf for row in rows for leaf in range(elements.leaf_start[row], elements.leaf_end[row])}


def _edges(title: str) -> set[str]:
    """Return what stands between the separators of a title, and what begins or ends there."""
    parts = [" ".join(_WORD.findall(part.lower())) for part in _SEPARATORS.split(title)]
    joined = {" ".join(parts[start:end]) for start in range(len(parts)) for end in range(start + 1, len(parts) + 1)}
    return joined if len(parts) <= 20 else set(parts)


def _heading(elements: Elements, leaf: int) -> float:
    """Return how much the elements around a leaf make it a heading."""
    row, best, named = elements.leaf_row[leaf], 0.0, 0.0
    for _ in range(_CLIMBED):
        if row < 0 or elements.leaf_end[row] - elements.leaf_start[row] > 6:
            break
        best = max(best, _TAGS.get(elements.tag[row], 0.0))
        if names := elements.names[row]:
            named = max(named, 1.3 if _TITLED.search(names) else 0.8 if _NAMED.search(names) else 0.0)
        row = elements.parent[row]
    return best + named


_AFTER, _BEFORE = 200, 20  # leaves around the name that may say so
_TEXT = 60  # characters
_BUTTONS = 60  # looked at on one page
_PRESSED = ("submit", "button", "image")


def find_state(page: Page, lines: Lines, name_leaf: int) -> str:
    """Return the availability stated nearest behind the subject's name: by a phrase, else by a button."""
    elements = page.elements
    last = min(len(elements.text), name_leaf + _AFTER) - 1
    if last < 0:
        return ""
    for line in range(lines.of_leaf[max(0, name_leaf - _BEFORE)], lines.of_leaf[last] + 1):
        start, end = lines.start[line], lines.end[line]
        text = text_between(elements, start, end, _TEXT + 1)
        if len(text) <= _TEXT and not lines.aside[elements.leaf_row[start]] and (state := phrase_state(text.lower())):
            return state
    buttons = ((node.tag, node.attributes) for node in page.map.find("input", "button"))
    pressed = (said for tag, said in buttons if tag == "button" or (said.get("type") or "").lower() in _PRESSED)
    for attributes in islice(pressed, _BUTTONS):
        text = " ".join(attributes.get(name) or "" for name in ("value", "title", "alt", "aria-label"))
        if text.strip() and (state := phrase_state(text.lower())):
            return state
    return ""


_NEAR = 120  # leaves behind the name
_VALUE = 200
_CLASSES = {
    "street-address": "street_address",
    "locality": "locality",
    "region": "region",
    "postal-code": "postal_code",
    "country-name": "country",
    "tel": "phone",
}
_PHONE = re.compile(
    r"(?:\+\d{1,3}[ .-]?)?\(?\d{2,5}\)?[ ./-]{1,2}\d{2,5}(?:[ ./-]\d{2,5}){0,3}(?: ?(?:x|ext\.?) ?\d{1,5})?"
)
_WEB = re.compile(r"(?:https?://|www\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:/\S{0,100})?")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_DIGITS = range(9, 16)  # of a telephone number; seven are too many things


def find_contacts(elements: Elements, lines: Lines, name_leaf: int) -> list[Pair]:
    """Return the first telephone number, address parts, web and mail address that belong to the subject."""
    found: dict[str, str] = {}
    for name, value in (*_by_class(elements, lines), *_by_form(elements, lines, name_leaf)):
        found.setdefault(name, value)
    return list(found.items())


def _by_class(elements: Elements, lines: Lines) -> Iterator[Pair]:
    said = {one for one in set(elements.classes) if len(one) <= _VALUE and not _CLASSES.keys().isdisjoint(one.split())}
    for row, classes in enumerate(elements.classes) if said else ():
        for word in classes.split() if classes in said and not lines.aside[row] else ():
            start, end = elements.leaf_start[row], elements.leaf_end[row]
            if word in _CLASSES and 0 < end - start <= 6:
                value = text_between(elements, start, end, _VALUE)
                if word != "tel" or _PHONE.search(value):
                    yield _CLASSES[word], value


def _by_form(elements: Elements, lines: Lines, name_leaf: int) -> Iterator[Pair]:
    if name_leaf < 0:
        return
    for leaf in range(name_leaf + 1, min(len(elements.text), name_leaf + _NEAR)):
        text = elements.text[leaf].strip(" |,;")
        if len(text) > _VALUE or lines.aside[elements.leaf_row[leaf]]:
            continue
        if _PHONE.fullmatch(text) and sum(map(str.isdigit, text)) in _DIGITS:
            if concept_of(elements.text[leaf - 1]) in (None, "phone"):
                yield "phone", text
        elif _WEB.fullmatch(text):
            yield "website", text
        elif _MAIL.fullmatch(text):
            yield "email", text


Pair = tuple[str, str]

_PAIRS = 300  # of one page; the longest specification tables have some 150 rows
_FIRST = tuple(
    "name price currency high_price availability condition brand manufacturer sku mpn gtin isbn model author".split()
)
_DATED = frozenset("publication_date release_date date_posted date deadline start_date born founded".split())
_CODE = re.compile(r"[\w./#-]{2,40}(?: [\w./#-]{1,20}){0,2}")


def read_attributes(page: Page) -> tuple[Pair, ...]:
    """Return the attributes of a page's subject, from structured data and as the page shows them."""
    elements = page.elements
    lines = cut_lines(elements)
    name = find_name(page, lines)
    structured = read_structured(page)
    labelled = sorted(
        find_pairs(elements, lines), key=lambda pair: pair.leaf < name.leaf
    )  # what stands above is less sure
    shown = find_price(elements, lines, name.leaf)
    typed = dict[str, list[str]]()
    for key, value in structured.pairs:
        typed.setdefault(key, []).append(_after_label(value) if key == "brand" else value)
    if name.text and name.text in typed.get("name", [name.text])[0]:
        typed["name"] = [name.text]  # markup adds words that the page does not show
    used = _add_labelled(typed, labelled)
    _add_price(typed, structured, shown, page)
    if "price" not in typed:
        for key, value in read_hydration(page, typed.get("name", [""])[0]):
            typed.setdefault(key, [value])
    _add_stock(typed, page, lines, name, shown)
    _add_codes(typed)
    _add_contacts(typed, page, lines, name, labelled)
    return _join(typed, labelled, used)


def _add_labelled(typed: dict[str, list[str]], labelled: list[Labelled]) -> set[int]:
    """Add the first labelled value of each typed concept; return the leaves of those that are said by now."""
    used = set()
    for pair in labelled:
        name = typed_name(pair.label)
        value = _typed_value(name, pair.value) if name else ""
        if not value:
            continue
        if name == "isbn" and len(value) == 13 and len(typed.get("isbn", [""])[0]) == 10:
            typed["isbn"] = [value]
        if typed.setdefault(name, [value])[0] == value:
            used.add(pair.leaf)
    return used


def _after_label(text: str) -> str:
    """Return a brand without the label that its element begins with: `Brand: Acme`."""
    label, colon, value = text.rpartition(":")
    return value.strip() if colon and value.strip() and typed_name(label.split(" ")[-1]) == "brand" else text


def _typed_value(name: str, text: str) -> str:
    """Return the typed form of a labelled value, or an empty string where it has none."""
    if name == "price":
        prices = find_prices(text) if len(text) <= 40 else []
        return prices[0][2].amount if len(prices) == 1 and prices[0][2].amount.strip("0.") else ""
    if name == "availability":
        return state_of(text)
    if name == "gtin":
        return gtin_of(text)
    if name == "isbn":
        return isbn_of(text)
    if name in ("sku", "mpn"):
        return text if _CODE.fullmatch(text) and any(char.isdigit() for char in text) else ""
    return text if len(text) <= 60 else ""


def _add_price(typed: dict[str, list[str]], structured: Structured, shown: Shown | None, page: Page) -> None:
    """Settle the price: what structured data says, the shown one of several that it says, or what is shown."""
    if shown is not None:
        amount = shown.price.amount
        if len(structured.amounts) > 1 and amount in structured.amounts:
            typed["price"] = [amount]
        if not structured.amounts and "price" not in dict(structured.pairs):
            typed["price"] = [amount]
    price = typed.get("price", [""])[0]
    if price and "currency" not in typed and shown is not None and shown.price.currency:
        domain = host(page.url or "").rpartition(".")[2]
        country = domain if len(domain) == 2 else page.metadata.language.rpartition("-")[2]
        typed["currency"] = [localise(shown.price.currency, country)]


def _add_stock(typed: dict[str, list[str]], page: Page, lines: Lines, name: Naming, shown: Shown | None) -> None:
    """Add the availability that the page shows of something that is for sale."""
    if "availability" in typed or not ("price" in typed or ("brand" in typed and "sku" in typed)):
        return
    start = shown.leaf if shown is not None and name.leaf < 0 else name.leaf
    if state := find_state(page, lines, start):
        typed["availability"] = [state]


def _add_codes(typed: dict[str, list[str]]) -> None:
    """Say a trade item number that is also an ISBN or a stock number under its own name."""
    for name in ("isbn", "sku"):
        for value in typed.get(name, ()):
            if "gtin" not in typed and len(value) == 13 and (code := gtin_of(value)):
                typed["gtin"] = [code]


def _add_contacts(
    typed: dict[str, list[str]], page: Page, lines: Lines, name: Naming, labelled: list[Labelled]
) -> None:
    """Add unlabelled contacts to what has no price: those beside an offer are the shop's."""
    if "price" in typed:
        return
    known = {concept_of(pair.label) for pair in labelled}
    for key, value in find_contacts(page.elements, lines, name.leaf):
        if key not in known:
            typed.setdefault(key, [value])


def _join(typed: dict[str, list[str]], labelled: list[Labelled], used: set[int]) -> tuple[Pair, ...]:
    """List canonical pairs in a fixed order, further ones as they came, then those labelled on the page, each once."""
    pairs = [(name, value) for name in _FIRST for value in typed.get(name, ())]
    pairs += [(name, value) for name, values in typed.items() if name not in _FIRST for value in values]
    said = {(concept_of(name.replace("_", " ")) or name, value.lower()) for name, value in pairs}
    for pair in labelled:
        key = (concept_of(pair.label) or pair.label.lower(), pair.value.lower())
        if pair.leaf in used or key in said:
            continue
        said.add(key)
        pairs.append((pair.label, pair.value))
    pairs[_PAIRS:] = []
    return tuple(dict.fromkeys((*pairs, *_dates(typed, labelled))))


def _dates(typed: dict[str, list[str]], labelled: list[Labelled]) -> Iterator[Pair]:
    """Yield the ISO form of labelled dates that can be read in one way only, behind the texts themselves."""
    for pair in labelled:
        concept = concept_of(pair.label) or ""
        if concept in _DATED and concept not in typed and len(pair.value) <= 40 and (date := to_iso(pair.value)):
            typed[concept] = [date]
            if date != pair.value:
                yield concept, date
