import json
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.visiting import NOW, SITE
from tests.watching.listing import record

from scythe.cli.console import neutralise
from scythe.limits import LIMITS
from scythe.url import Url
from scythe.watching.events import KINDS, Event, HookEvent, TroubleEvent, VisitEvent, record_events, to_json, to_plain


def test_a_line_begins_with_what_happened_when_and_where() -> None:
    line = to_json(VisitEvent(NOW, "site.example", "http://site.example/news", new=3, shown=20, known=17))
    assert line.startswith(
        '{"kind": "visit", "at": "2026-05-04T12:00:00.000Z", "site": "site.example", "page": "http://site.example/news"'
    )
    assert json.loads(line)["new"] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_keys_of_a_line_are_the_fields_of_the_record(kind: str) -> None:
    made = {
        "int": 1,
        "str": "x",
        "datetime": NOW,
        "dict[str, str]": {"a": "b"},
        "tuple[str, ...]": ("x",),
        "float": 1.0,
    }
    wanted = [one for one in fields(KINDS[kind]) if one.default is MISSING]
    values: dict[str, Any] = {one.name: made[str(one.type)] for one in wanted}
    event = KINDS[kind](**values)
    plain = json.loads(to_json(event))
    assert list(plain) == ["kind", *(one.name for one in fields(KINDS[kind]))]
    assert plain["kind"] == kind


def test_times_are_told_in_utc_whatever_zone_they_are_in() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5, minutes=45)))
    plain = to_plain(TroubleEvent(there, "s", "p", "why", next_at=datetime(2026, 1, 1, tzinfo=UTC)))
    assert (plain["at"], plain["next_at"]) == ("2026-05-04T12:00:00.000Z", "2026-01-01T00:00:00.000Z")


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_of_a_page_moves_a_cursor_or_breaks_a_line(text: str) -> None:
    line = to_json(HookEvent(NOW, text, text, "failed", text, text))
    assert len(line.splitlines()) == 1
    assert line.encode()
    assert neutralise(line) == line
    assert not any(mark in line for mark in "\u2028\u2029\u202e\u2066\u200f\ufeff\x7f\x85\x9b")


def test_what_is_escaped_is_read_back_as_it_was() -> None:
    text = 'a\x1b[31m\u2028\x9b\u202eb\x00\n"é漢😀'
    assert json.loads(to_json(TroubleEvent(NOW, "s", "p", text)))["why"] == text


def test_half_a_character_does_not_stop_a_strict_reader() -> None:
    assert json.loads(to_json(TroubleEvent(NOW, "s", "p", "a\ud83db")))["why"] == "a\ufffdb"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_null(value: float) -> None:
    assert json.loads(to_json(VisitEvent(NOW, "s", "p", 0, 0, 0, risk=value)))["risk"] is None


def test_a_record_is_told_with_its_fields_and_addresses() -> None:
    given = record(7, fields={"title": "Rain", "text": "", "date": "4 May 2026"}, images=(Url(f"{SITE}a.png"),))
    (event,) = record_events([given])
    assert event.fields == {"title": "Rain", "date": "4 May 2026"}
    assert (event.number, event.link, event.links) == (7, f"{SITE}story/7", (f"{SITE}story/7",))
    assert (event.published, event.images, event.is_cut) == ("2026-05-04", (f"{SITE}a.png",), False)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-05-02", "2026-05-02"),
        ("2 May 2026, 08:30", "2026-05-02T08:30:00"),
        ("2026-05-02T08:30:00+02:00", "2026-05-02T06:30:00Z"),
        ("3 hours ago", "2026-05-04T08:30:00Z"),  # three and something
        ("soon", ""),
        ("", ""),
    ],
)
def test_when_a_record_was_published_is_told_as_precisely_as_it_says(text: str, iso: str) -> None:
    (event,) = record_events([record(1, fields={"title": "Rain", "date": text}, first_seen=NOW)])
    assert event.published == iso


def test_the_own_link_of_a_record_is_told_by_the_others_of_its_list() -> None:
    def links(number: int, name: str) -> tuple[Url, ...]:
        return (Url(f"{SITE}author/ann"), Url(f"{SITE}2026/{name}"), Url(f"{SITE}tag/weather"))

    names = ["rain-falls-on-hills", "snow-falls-on-lakes", "wind-blows-over-fields"]
    ones = [
        record(n, links=links(n, name), fields={"title": name.replace("-", " ")}) for n, name in enumerate(names, 1)
    ]
    (event,) = record_events(ones[2:], ones[:2])
    assert event.link == f"{SITE}2026/wind-blows-over-fields"


def test_a_record_without_links_has_no_own_one() -> None:
    (event,) = record_events([record(1, links=())])
    assert (event.link, event.links) == ("", ())


def test_a_record_longer_than_a_message_may_be_is_cut_and_says_so() -> None:
    texts = {f"column {number}": "x" * 100_000 for number in range(200)}
    given = record(1, fields=texts, links=tuple(Url(f"{SITE}{number}") for number in range(1_000)))
    (event,) = record_events([given])
    assert event.is_cut
    assert len(event.links) == LIMITS.told_addresses
    assert len(to_json(event)) < 2 * LIMITS.told_texts_chars


def test_an_event_knows_its_kind() -> None:
    assert {kind: one.kind for kind, one in KINDS.items()} == {kind: kind for kind in KINDS}
    assert all(issubclass(one, Event) for one in KINDS.values())
