"""Small pages, each written for one sentence, give what was accepted: `cases` has a table for each of their readers.

A row is the sentence, what is given, and what comes of it; `pytest --accept` takes what comes of it now. A new case is
a row with null for what comes of it.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.image_rows import split_tags
from tests.reading.lists.filling import fill
from tests.tables import rows

import scythe
from scythe.fetch.page_check import sniff_bytes, sniff_text
from scythe.model import Record, RecordList
from scythe.page import Page
from scythe.page.authors import read_names
from scythe.page.content import PageContent
from scythe.page.encoding import declared_codec, header_codec
from scythe.page.feeds import read_feed
from scythe.page.sitemaps import read_sitemap
from scythe.page.tag_attributes import read_attributes as read_tag
from scythe.reading.attributes.dictionary import concept_of, is_attribute_name, shipped
from scythe.reading.attributes.structured_data import read_microdata, read_rdfa, read_structured
from scythe.reading.attributes.subject_attributes import read_attributes
from scythe.reading.attributes.typed_values import read_typed, type_of
from scythe.reading.attributes.values import (
    amount_of,
    count_of,
    currency_of,
    find_prices,
    gtin_of,
    isbn_of,
    rating_of,
    read_price,
    state_of,
    typed_name,
)
from scythe.reading.attributes.visible_pairs import cut_lines, find_pairs
from scythe.reading.lists.candidates import find_candidates
from scythe.reading.lists.paging import read_paging
from scythe.reading.lists.value_kinds import is_number, is_price, is_rating, kind_of
from scythe.reading.papers.label_pairs import find_labels, pair_labels
from scythe.reading.papers.main_block import find_entities
from scythe.reading.papers.tc import tokenise
from scythe.reading.text import method as text_method
from scythe.reading.text.roles import roles
from scythe.url import fold, hide_users, identity, is_session, is_tracking, normalise, without_tracking
from scythe.watching.relative_dates import published_times

WEDNESDAY = datetime(2024, 5, 15, 12, 0, tzinfo=UTC)
FOLDER = Path(__file__).with_name("cases")


def plain(one: Any) -> dict[str, Any]:
    """Return what a record says, without what it does not say."""
    said = {field.name: getattr(one, field.name) for field in fields(one)}
    return {name: value for name, value in said.items() if value not in (None, "", (), {}, False)}


def told(one: Any) -> Any:
    """Return what JSON takes in place of something else."""
    return plain(one) if is_dataclass(one) else str(one)


def losses(page: Page) -> list[Any]:
    return [[loss.what, loss.count] for loss in page.losses]


def render(page: Page) -> list[Any]:
    content = PageContent(page, tuple(range(len(page.blocks))))
    return [content.text(), content.markdown(), content.html(), losses(page)]


def list_images(page: Page) -> list[Any]:
    return [[plain(use.image), use.loaded, len(use.twin_ids)] for use in page.images]


def tell_lists(lists: Iterable[RecordList]) -> list[Any]:
    return [
        [one.kind, one.columns, one.pattern, [[row.fields, row.links, row.images, row.html] for row in one.records]]
        for one in lists
    ]


def read_whole(html: str, url: str | None) -> list[Any]:
    document = scythe.read(html, url=url)
    return [plain(document.metadata), document.text, tell_lists(document.lists)]


def list_candidates(page: Page) -> list[list[str]]:
    texts = page.elements.text
    return sorted([" ".join(texts[start:end]) for start, end in one.leaves] for one in find_candidates(page.elements))


def tell_feed(body: str, *more: str) -> list[Any]:
    feed = read_feed(body.encode("latin-1"), *more)
    return [plain(feed) | {"entries": [plain(entry) for entry in feed.entries]}, feed.losses]


def tell_sitemap(body: str, url: str) -> list[Any]:
    sitemap = read_sitemap(body.encode("latin-1"), url)
    return [[plain(entry) for entry in sitemap.urls], sitemap.sitemaps, sitemap.why, sitemap.losses]


def tell_days(texts: list[str], column: str, html: str) -> list[str | None]:
    """Return the days and times that records say they are of, read at noon of a Wednesday."""
    records = tuple(Record((f"Story {n}", text), html=html) for n, text in enumerate(texts))
    moments = published_times(RecordList(records, ("title", column)), WEDNESDAY.timestamp())
    return [None if at is None else datetime.fromtimestamp(at, UTC).isoformat(" ")[:16] for at in moments]


def on_page(read: Callable[[Page], Any]) -> Callable[..., Any]:
    return lambda html, url: read(Page.from_text(html, url=url))


def choose_text(method: str) -> Callable[[Page], Any]:
    def choose(page: Page) -> list[Any]:
        reading = text_method(method)(page, scythe.TextOptions())
        return [[page.blocks.text[row] for row in reading.kept], reading.why, reading.images]

    return choose


def read_items(page: Page) -> list[Any]:
    return [read_structured(page).pairs, read_microdata(page), read_rdfa(page)]


def find_visible(page: Page) -> list[Any]:
    return [[pair.label, pair.value] for pair in find_pairs(page.elements, cut_lines(page.elements))]


def find_labelled(page: Page) -> Any:
    elements = page.elements
    return pair_labels(elements, find_labels(elements, 0, len(elements.text), shipped()), shipped())


VALUES = (amount_of, concept_of, count_of, currency_of, find_prices, gtin_of, is_attribute_name, is_number, is_price)
VALUES += (is_rating, isbn_of, kind_of, rating_of, read_names, read_price, read_typed, state_of, type_of, typed_name)
BYTES = (sniff_bytes, declared_codec)
ADDRESSES = (fold, hide_users, identity, is_session, is_tracking, normalise, without_tracking)


def by_name(functions: Iterable[Callable[..., Any]]) -> Callable[..., Any]:
    """Return what calls one of these functions by its name."""
    named = {one.__name__: one for one in functions}
    return lambda name, *given: named[name](*given)


READERS: dict[str, Callable[..., Any]] = {
    "rendered": on_page(render),
    "images": on_page(list_images),
    "metadata": on_page(lambda page: [plain(page.metadata), losses(page)]),
    "links": on_page(lambda page: [[[link.url, link.text, link.rel] for link in page.links], losses(page)]),
    "feeds": tell_feed,
    "sitemaps": tell_sitemap,
    "read": read_whole,
    "records": lambda html, tag: tell_lists([fill(html, tag)]),
    "paging": on_page(lambda page: plain(read_paging(page))),
    "attributes": on_page(read_attributes),
    "structured": on_page(read_items),
    "visible pairs": on_page(find_visible),
    "label pairs": on_page(find_labelled),
    "candidates": on_page(list_candidates),
    "text by characters": on_page(choose_text("characters")),
    "text by sentences": on_page(choose_text("sentences")),
    "text by vsse": on_page(choose_text("vsse")),
    "roles": on_page(lambda page: list(zip(page.blocks.text, roles(page), strict=True))),
    "names": find_entities,
    "values": by_name(VALUES),
    "addresses": by_name(ADDRESSES),
    "first bytes": lambda name, head, *more: by_name((sniff_bytes, declared_codec))(
        name, head.encode("latin-1"), *more
    ),
    "first words": by_name((sniff_text, header_codec)),
    "days": tell_days,
    "tokens": lambda tag, *is_printed: tokenise(tag, as_printed=bool(is_printed)),
    "attributes of a tag": lambda tag: dict(read_tag(tag)),
    "three tags": split_tags,
}
TABLES = {name: {says: (given, known) for says, given, known in rows(FOLDER / f"{name}.jsonl")} for name in READERS}


@pytest.mark.parametrize(("table", "says"), [(table, says) for table, cases in TABLES.items() for says in cases])
def test_a_case_gives_what_was_accepted(table: str, says: str, accept: bool) -> None:
    given, known = TABLES[table][says]
    got = json.loads(json.dumps(READERS[table](*given), default=told))
    if accept and got != known:
        TABLES[table][says] = given, known = given, got
        lines = [json.dumps([says, *case], ensure_ascii=False) for says, case in TABLES[table].items()]
        (FOLDER / f"{table}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert got == known
