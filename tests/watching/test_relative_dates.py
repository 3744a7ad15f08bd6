"""When records were published, as lists say it in many ways."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.model import Record, RecordList
from scythe.watching.relative_dates import CLOCK_ERROR_S, EARLIEST, published_times, read_moment

NOW = datetime(2024, 5, 15, 12, 0, tzinfo=UTC).timestamp()
HOUR, DAY = 3_600.0, 86_400.0


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def times(*texts: str, column: str = "date", html: str = "") -> list[float | None]:
    records = tuple(Record((f"Story {n}", text), html=html) for n, text in enumerate(texts))
    return list(published_times(RecordList(records, ("title", column)), NOW))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2024-05-14T08:30:00Z", "2024-05-14T08:30"),
        ("2024-05-14T08:30:00+02:00", "2024-05-14T06:30"),
        ("2024-05-14 08:30", "2024-05-14T08:30"),
        ("14.05.2024, 08:30 Uhr", "2024-05-14T08:30"),
        ("1. Mai 2024, 03.01 Uhr", "2024-05-01T03:01"),
        ("- 14.05.2024, 08:30", "2024-05-14T08:30"),
        ("14-05-2024 08:30 PM", "2024-05-14T20:30"),
        ("May 14, 2024, 7:14 am", "2024-05-14T07:14"),
        ("14th May 2024 at 12:05 AM", "2024-05-14T00:05"),
        ("Posted on May 14, 2024 at 9 pm by Ann", "2024-05-14T21:00"),
        ("» Mar 14 Mai 2024 15:36", "2024-05-14T15:36"),
        ("14 de mayo de 2024 15:36", "2024-05-14T15:36"),
        ("maggio 14, 2024 - 5:47 pm", "2024-05-14T17:47"),
        ("14 мая 2024 15:36", "2024-05-14T15:36"),
        ("2024年05月14日 23時5分", "2024-05-14T23:05"),
        ("Gestern, 13:41 Uhr", "2024-05-14T13:41"),
        ("hoje 08:10", "2024-05-15T08:10"),
        ("Tue, 14 May 2024 08:30:00 GMT", "2024-05-14T08:30"),
        ("3 May 10:00", "2024-05-03T10:00"),
        ("24 December 10:00", "2023-12-24T10:00"),
        ("5/14/2024 10:00", "2024-05-14T10:00"),
        ("14/5/2024 10:00", "2024-05-14T10:00"),
    ],
)
def test_dates_with_a_time_are_read(text: str, said: str) -> None:
    assert times(text) == [at(said)]


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("3 hours ago", 3.5),
        ("10 Minutes Ago", 10.5 / 60),
        ("vor 3 Stunden", 3.5),
        ("vor einer Stunde", 1.5),
        ("il y a 3 heures", 3.5),
        ("hace 3 horas", 3.5),
        ("há 3 horas", 3.5),
        ("3 ore fa", 3.5),
        ("3 uur geleden", 3.5),
        ("3 часа назад", 3.5),
        ("3 saat önce", 3.5),
        ("3小时前", 3.5),
        ("3 時間前", 3.5),
        ("1 hari, 7 jam yang lalu", 31.5),
        ("an hour ago", 1.5),
        ("5h", 5.5),
        ("15 min", 15.5 / 60),
        ("just now", 0.0),
        ("2 days ago", 60.0),
    ],
)
def test_times_that_count_back_from_now_are_read(text: str, hours: float) -> None:
    assert times(text) == [pytest.approx(NOW - hours * HOUR)]


def test_a_day_without_a_time_is_its_noon() -> None:
    assert times("13.05.2024", "May 12, 2024") == [at("2024-05-13T12:00"), at("2024-05-12T12:00")]


def test_today_is_half_of_what_is_over_of_it() -> None:
    (today,) = times("15.05.2024")
    assert today is not None
    assert at("2024-05-15T00:00") <= today <= NOW


def test_of_a_morning_half_is_over() -> None:
    record = Record(("Story", "15.05.2024"))
    six = at("2024-05-15T06:00")
    assert published_times(RecordList((record,), ("title", "date")), six) == (at("2024-05-15T03:00"),)


def test_day_and_time_in_two_columns_belong_together() -> None:
    record = Record(("Story", "14.05.2024", "08:30"))
    assert published_times(RecordList((record,), ("title", "date", "date_2")), NOW) == (at("2024-05-14T08:30"),)


def test_a_time_of_day_below_a_whole_date_is_no_later() -> None:
    said = times("11:30", "14.05.2024 22:00", "13.05.2024", "no date", "09:00", "21:00")
    assert [said[0], said[4], said[5]] == [at("2024-05-15T11:30"), at("2024-05-14T09:00"), at("2024-05-13T21:00")]
    assert said[3] is None


def test_only_the_first_marks_of_a_record_are_looked_at() -> None:
    marks = '<time datetime="soon">' * 3
    stamp = '<time datetime="2024-05-13T07:00Z">'
    assert times("14.05.2024 08:30", html=marks + stamp) == [at("2024-05-13T07:00")]
    assert times("14.05.2024 08:30", html=marks + "<time datetime=now>" + stamp) == [at("2024-05-14T08:30")]


def test_times_of_day_alone_go_back_through_the_days() -> None:
    assert times("11:30", "09:00", "23:10", "20:00", "22:00") == [
        at("2024-05-15T11:30"),
        at("2024-05-15T09:00"),
        at("2024-05-14T23:10"),
        at("2024-05-14T20:00"),
        at("2024-05-13T22:00"),
    ]


def test_times_at_which_things_begin_are_not_taken() -> None:
    assert times("08:00", "09:00", "10:00", "11:00") == [None] * 4


def test_what_a_machine_wrote_counts_before_what_people_read() -> None:
    html = '<li><time datetime="2024-05-14T08:30:00+02:00">yesterday</time></li>'
    assert times("14.05.2024", html=html) == [at("2024-05-14T06:30")]
    assert times("13.05.2024", html="<time datetime='P3D'>") == [at("2024-05-13T12:00")]


def test_a_list_in_a_zone_ahead_moves_back_as_a_whole() -> None:
    assert times("15.05.2024 20:30", "15.05.2024 18:30", "14.05.2024 20:30") == [
        at("2024-05-15T12:00"),
        at("2024-05-15T10:00"),
        at("2024-05-14T12:00"),
    ]


def test_what_lies_in_the_future_or_long_ago_is_left_out() -> None:
    assert times("20.06.2024 10:00", "01.01.1999 10:00", "2024-05-15T15:00:00Z") == [None, None, None]


def test_a_clock_a_little_ahead_says_now() -> None:
    assert times("2024-05-15T12:03:00Z") == [NOW]


@pytest.mark.parametrize(
    "text", ["", "Jetzt bestellen", "3 comments", "12 euros", "03/04/2024 10:00", "31.31.2024", "Room 12:75"]
)
def test_what_is_no_date_or_not_a_sure_one_is_none(text: str) -> None:
    assert times(text) == [None]


def test_a_column_without_a_telling_name_counts_where_it_mostly_says_when() -> None:
    assert times("14.05.2024", "13.05.2024", "x", column="text_2")[:2] == [
        at("2024-05-14T12:00"),
        at("2024-05-13T12:00"),
    ]
    assert times("about 14.05.2024 " + "x" * 80, "y" * 90, column="text_2") == [None, None]


@given(st.lists(st.text(max_size=150), max_size=4), st.text(max_size=200))
def test_any_text_gives_moments_of_the_past_or_none(texts: list[str], html: str) -> None:
    for column in ("date", "text"):
        found = times(*texts, column=column, html=html)
        assert all(moment is None or EARLIEST <= moment <= NOW for moment in found)


PIECES = st.sampled_from(
    "14 31 2024 99 may mar. de vor ago 3 stunden 08:30 25:99 , . / - : 年 月 日 前 yesterday am pm +02:00".split()
)


@given(st.lists(PIECES, max_size=12), st.booleans())
def test_pieces_of_dates_in_any_order_do_no_harm(pieces: list[str], spaced: bool) -> None:
    moment = read_moment((" " if spaced else "").join(pieces), NOW)
    assert moment is None or moment.at is None or moment.at < NOW + 100 * 366 * DAY
    assert CLOCK_ERROR_S < HOUR
