"""Read texts as money, numbers, dates, durations, truths and addresses, and tell which of these a field has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from scythe.model import VALUE_TYPES
from scythe.page.dates import date_words, find_days, to_iso
from scythe.reading.attributes.values import find_prices, plain_amount, read_price
from scythe.url import absolute

Typed: TypeAlias = "dict[str, float | str] | float | int | str | bool | None"
MONEY, NUMBER, DATE, MONTH_FIRST, DURATION, BOOLEAN, URL, TEXT = VALUE_TYPES
_MOST_AGREE = 0.9  # share of a field's values that are of its type
_SHORT = 64  # characters of a text that is one value
_NUMBER = re.compile(
    r"(?:[^\W\d_]{1,20}\.? ?[:#]? ?)?([-+\u2212]?) ?"
    r"((?:\d{1,3}(?:[.,'\u2019 \u00a0\u202f]\d{3})+|\d{1,9})(?:[.,]\d{1,6})?|[.,]\d{1,6})"
    r" ?(?:[%\u00b0\u2033\u2032\"]{1,2}[CF]?|[^\W\d_]{1,12}\.?(?:[\u00b2\u00b3/][^\W_]{0,4})?)?\.?"
)
_MONTH_YEAR = re.compile(r"([^\W\d_]{3,20})\.?,? {1,2}(?:de |del )?((?:19|20)\d\d)(?!\d)")
_SHORT_DATE = re.compile(r"(?<![\d/-])(\d{1,2})[/-](\d{1,2})[/-]((?:19|20)\d\d)(?!\d)")
_MONTH_NUMBER = re.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])[/.-]((?:19|20)\d\d)(?!\d)")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_DURATION = re.compile(r"P(?=[\dT])(?:\d{1,4}[YMWD]){0,4}(?:T(?:\d{1,4}(?:\.\d{1,3})?[HMS]){1,3})?", re.IGNORECASE)
_PART = re.compile(r"(\d{1,4}(?:[.,]\d{1,2})?) ?([^\W\d_]{1,9})\.?")
_BETWEEN = re.compile(r"[\s,&+]{0,3}(?:and|und|et|y|e)?\s{0,3}")
_UNITS = {
    "D": "d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen",
    "H": "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur tim timmar",
    "M": "m min mins minute minutes minuten minuto minutos minuti minuter",
    "S": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondi",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_TRUTHS = {
    **dict.fromkeys("yes true ja oui sí si sim ano да 是 ✓ ✔ ☑".split(), True),
    **dict.fromkeys("no false nein non não nej nie нет 否 ✗ ✘ ☐".split(), False),
}
_ADDRESS = re.compile(r"(?:https?:)?//\S+|/[^\s/]\S*", re.IGNORECASE)


def read_typed(text: str, kind: str, base: str | None = None) -> Typed:
    """Return a text as a value of a type, None where it is none.

    Money is an amount with its currency (ISO 4217, "" where nothing says it); dates and durations are ISO 8601, as
    precise as the text; relative addresses are joined with `base`.
    """
    text = " ".join(text.split())
    if kind == MONEY:
        price = read_price(text)
        return {"amount": float(price.amount), "currency": price.currency} if price is not None else None
    if kind == NUMBER:
        return _read_number(text)
    if kind in (DATE, MONTH_FIRST):
        return _read_date(text, is_month_first=kind == MONTH_FIRST) or None
    if kind == DURATION:
        return _read_duration(text) or None
    if kind == BOOLEAN:
        return _TRUTHS.get(text.lower().rstrip("."))
    if kind == URL:
        return absolute(text, base)
    return text


def type_of(values: Iterable[str]) -> str:
    """Return the type of a field by some of its values; TEXT where they have none in common."""
    texts = [text for text in dict.fromkeys(" ".join(value.split()) for value in values) if text]
    if not texts:
        return TEXT
    tests = {BOOLEAN: _is_truth, URL: _is_address, MONEY: _is_money, DURATION: _is_duration, DATE: _is_date}
    for kind, test in tests.items():
        if _agree([test(text) for text in texts]):
            return MONTH_FIRST if kind == DATE and _begins_with_months(texts) else kind
    return NUMBER if _agree([_is_number(text) for text in texts]) else TEXT


def _agree(found: Sequence[bool]) -> bool:
    return sum(found) >= _MOST_AGREE * len(found)


def _is_truth(text: str) -> bool:
    return text.lower().rstrip(".") in _TRUTHS


def _is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None


def _is_money(text: str) -> bool:
    return len(text) <= _SHORT and bool(find_prices(text))


def _is_duration(text: str) -> bool:
    return _read_duration(text) != ""


def _is_date(text: str) -> bool:
    is_code = text.isdecimal() and not _YEAR.fullmatch(text)
    return len(text) <= _SHORT and not is_code and _read_date(text, is_month_first=True) != ""


def _is_number(text: str) -> bool:
    """Say whether a text is a quantity: codes and telephone numbers begin with a zero or are long."""
    found = _NUMBER.fullmatch(text)
    return found is not None and not re.match(r"0\d", found[2]) and sum(map(str.isdigit, text)) <= 9


def _read_number(text: str) -> float | int | None:
    found = _NUMBER.fullmatch(text) or _NUMBER.match(text)
    if found is None:
        return None
    number = f"0{found[2]}" if found[2][0] in ".," else found[2]
    amount = plain_amount(number)
    if re.fullmatch(r"0[.,]\d+", number):  # of these a price has no more than two
        amount = number.replace(",", ".")
    value = float(amount) * (-1 if found[1] in ("-", "\u2212") else 1)
    return int(value) if value == int(value) and "." not in amount else value


def _read_date(text: str, *, is_month_first: bool) -> str:
    """Return a date as ISO 8601, as precise as it is: a year or a month, too."""
    if is_month_first:
        text = _SHORT_DATE.sub(r"\1/\2/\3", text)
    if days := find_days(text, is_month_first=is_month_first):
        return to_iso(text) or days[0][0].isoformat()
    if text.isdecimal() and len(text) != 8:
        return text if _YEAR.fullmatch(text) else ""
    if iso := to_iso(text):
        return iso
    if (found := _MONTH_YEAR.search(text)) is not None and (month := date_words().months.get(found[1].lower())):
        return f"{found[2]}-{month:02}"
    if (found := _MONTH_NUMBER.search(text)) is not None:
        return f"{found[2]}-{int(found[1]):02}"
    found = _YEAR.search(text)
    return found[1] if found is not None and len(text) <= len(found[1]) + 4 else ""


def _begins_with_months(texts: Iterable[str]) -> bool:
    """Say whether dates such as 3/4/2020 name the month first: then no other begins beyond 12, and days differ more."""
    pairs = [(int(found[1]), int(found[2])) for text in texts if (found := _SHORT_DATE.search(text))]
    firsts, seconds = {first for first, _ in pairs}, {second for _, second in pairs}
    if any(first > 12 for first in firsts):
        return False
    return any(second > 12 for second in seconds) or len(firsts) < len(seconds)


def _read_duration(text: str) -> str:
    """Return a duration such as "1 h 30 min" as ISO 8601."""
    if _DURATION.fullmatch(text):
        return text.upper()
    parts: dict[str, str] = {}
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        unit = _UNIT_OF.get(found[2].lower(), "") if found is not None else ""
        if found is None or not unit or unit in parts or (parts and unit < max(parts, key="DHMS".index)):
            return ""
        parts[unit] = found[1].replace(",", ".")
        between = _BETWEEN.match(text, found.end())
        at = between.end() if between is not None else found.end()
    time = "".join(f"{parts[unit]}{unit}" for unit in "HMS" if unit in parts)
    return f"P{parts['D'] + 'D' if 'D' in parts else ''}{'T' + time if time else ''}" if parts else ""
