"""Small texts of pages: JSON-LD, srcset, dates, prices, durations, queries."""

import json
from datetime import datetime

import typer
from tests.fuzz.groups.page import require_clean
from tests.fuzz.registry import STRUCTURED, Wrong, target

from scythe.archive.search_index import find_marks, fold, list_words, read_query
from scythe.cli.options import parse_duration
from scythe.limits import LIMITS
from scythe.page.dates import to_iso
from scythe.page.head import read_json_ld, types_of
from scythe.page.tag_attributes import read_srcset
from scythe.reading.attributes.values import amount_of, find_prices, read_price
from scythe.watching.relative_dates import read_moment, read_stamp

NOW = 1_800_000_000.0
ARTICLE = (
    b'{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "A", "datePublished": "2026-01-02", '
    b'"author": {"@type": "Person", "name": "B"}, "image": ["https://example.org/1.jpg"]}'
)
JSON_LD = (
    ARTICLE,
    b'<!-- {"@graph": [{"@type": ["Product", "Thing"], "offers": {"price": 12.5, "priceCurrency": "EUR"}},]} -->;',
    b'//<![CDATA[\n{"@type": "x", "n": 1e999, "s": "\\ud800\\u0000"}\n//]]>',
)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@target(
    "text.jsonld",
    seeds=lambda: JSON_LD,
    tokens=(b"{", b"}", b"[", b"]", b'"@type":', b"\\ud800", b"1e999", b"9" * 400, b",", b"NaN"),
)
@target("text.jsonld-values", seeds=lambda: JSON_LD, shape="json", kind=STRUCTURED)
def read_linked(data: bytes) -> None:
    """Any script gives objects that can be written, or is counted."""
    found = read_json_ld([_text(data)])
    if found.skipped not in (0, 1) or len(found.objects) > LIMITS.json_ld_objects:
        raise Wrong(f"{found.skipped} skipped, {len(found.objects)} objects")
    for one in found.objects:
        types_of(one)
    require_clean(json.dumps(found.objects, ensure_ascii=False), "linked data")


@target(
    "text.srcset",
    seeds=lambda: (b"/a.jpg 1x, /b.jpg 2x", b"a,b.jpg 300w,c.jpg 1.5x , d", b"data:image/png;base64,AA== 2w"),
    tokens=(b",", b" ", b"1x", b"2w", b"1e9x", b"(", b")", b"\t", b"999999999w", "٣x".encode()),
)
def read_candidates(data: bytes) -> None:
    """Any srcset gives candidates, none without an address and no more than the bound."""
    found = read_srcset(_text(data))
    if len(found) > LIMITS.srcset_items or any(not address or not 0 <= size < 1e13 for address, size in found):
        raise Wrong(f"candidates: {found!r:.300}")


DATES = (
    *(
        b"2026-01-02T10:11:12+01:00",
        b"20260102",
        b"1767348672",
        b"Fri, 02 Jan 2026 10:00:00 GMT",
        b"2. 1. 2026",
        b"January 2nd, 2026",
    ),
    *(
        b"2026/01/02",
        b"2 hours ago",
        b"vor 3 Tagen",
        "2026年1月2日".encode(),
        "вчера".encode(),
        b"12:30",
        b"Monday",
    ),
)
DATE_TOKENS = (
    b"0000",
    b"9999",
    b"-",
    b":",
    b"Z",
    b"+99:99",
    b"Jan",
    b"GMT",
    b"T24:00",
    b"31",
    b"\xc2\xb2",
    "٣".encode(),
    b"ago",
    b"99999999999",
)


@target("text.dates", seeds=lambda: DATES, tokens=DATE_TOKENS, most_bytes=2_000)
def read_dates(data: bytes) -> None:
    """Any text is a date that can be read again, or none."""
    text = _text(data)
    iso = to_iso(text)
    if iso:
        datetime.fromisoformat(iso)
        if to_iso(iso) != iso:
            raise Wrong(f"{text!r} is {iso!r}, which is {to_iso(iso)!r}")
    for moment in (read_moment(text, NOW), read_stamp(text)):
        require_clean(repr(moment), "a moment")


@target(
    "text.values",
    seeds=lambda: (
        b"$ 1,234.50",
        "12,50 €".encode(),
        b"EUR 9",
        b"1h 30m",
        b"90 s",
        b'"exact words" -not pre*',
        "今年 収穫".encode(),
    ),
    tokens=(
        b"$",
        "€".encode(),
        b",",
        b".",
        b"USD",
        b"9" * 60,
        b"h",
        b"m",
        b"1e9",
        b'"',
        b"*",
        b"-",
        "٣".encode(),
        "²".encode(),
    ),
    most_bytes=5_000,
)
def read_values(data: bytes) -> None:
    """Prices, durations and queries of any text are read or refused."""
    text = _text(data)
    for start, end, _ in find_prices(text):
        if not 0 <= start < end <= len(text):
            raise Wrong(f"a price at {start} to {end} of {len(text)}")
    read_price(text)
    amount_of(text)
    try:
        parse_duration(text)
    except typer.BadParameter:
        pass
    query = read_query(text)
    for start, end in find_marks(text, query):
        if not 0 <= start <= end <= len(text):
            raise Wrong(f"a mark at {start} to {end} of {len(text)}")
    list_words(fold(text))
