"""Read the gold prices and dates of SWDE and of shops as typed values, and compare with an independent reader.

A field's type is told by three of its values; all others are hidden. Prices are compared with their digits and sign by
a plain expression, those of shops with the gold amount and currency; dates with dateutil.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from dateutil import parser

from bench.trials.harness import print_table
from scythe.reader import read
from scythe.reading.attributes.typed_values import read_typed, type_of
from scythe.reading.attributes.values import currency_of

_SHOWN = 3
_FIELDS = {"price": "money", "publication_date": "date", "date_posted": "date"}
_PLAIN = re.compile(r"\$\s*([\d,]+(?:\.\d+)?)")
_DATE_TEXT = re.compile(r"[^\W_].*[^\W_]")


def run(data: Path = Path("../shared/data")) -> int:
    """Print a row for each field of each site; counts the kinds of value that fall below 97 %."""
    rows, below = [], 0
    for what, cases in (("SWDE price", _prices(data)), ("SWDE date", _dates(data)), ("shop price", _shops(data))):
        found = list(cases)
        right = sum(found)
        below += right < 0.97 * len(found)
        rows.append((what, len(found), right, f"{100 * right / max(1, len(found)):.2f}"))
    print_table(("what", "values", "right", "%"), rows)
    return below


def _by_site(data: Path, wanted: str) -> Iterator[tuple[str, list[str]]]:
    """Yield type and hidden values of the fields of a type, site by site."""
    values: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for name in ("records", "sites"):
        with lzma.open(data / name / "swde.jsonl.xz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                for field, own in row["gold"].items():
                    if _FIELDS.get(field) == wanted:
                        values[row["id"].rpartition("/")[0], field].update(dict.fromkeys(own))
    for own in values.values():
        shown = list(own)
        yield type_of(shown[:_SHOWN]), shown[_SHOWN:]


def _prices(data: Path) -> Iterator[bool]:
    for kind, values in _by_site(data, "money"):
        for text in values:
            if (plain := _PLAIN.search(text)) is not None:
                wanted = {"amount": float(plain[1].replace(",", "")), "currency": "USD"}
                yield kind == "money" and read_typed(text, kind) == wanted


def _dates(data: Path) -> Iterator[bool]:
    for kind, values in _by_site(data, "date"):
        for text in values:
            bare = _DATE_TEXT.search(text)
            try:
                day = parser.parse(bare[0] if bare else text).date().isoformat()
            except (ValueError, OverflowError):
                continue
            got = read_typed(text, kind)
            yield isinstance(got, str) and "date" in kind and day.startswith(got[:10]) and bool(got)


def _shops(data: Path) -> Iterator[bool]:
    with lzma.open(data / "records" / "products.jsonl.xz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not row["gold"].get("price") or not row["gold"].get("currency"):
                continue
            said = dict(reversed(read(row["html"], row["url"]).attributes))
            got = read_typed(f"{said.get('price', '')} {said.get('currency', '')}", "money")
            sign = row["gold"]["currency"][0]
            codes = {currency_of(sign), sign}
            amount = {float(price) for price in row["gold"]["price"]}
            yield isinstance(got, dict) and got["amount"] in amount and (got["currency"] in codes or sign in "$¥kr")
