"""When records were published, as lists say it in many ways."""

from datetime import UTC, datetime

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


def test_of_a_morning_half_is_over() -> None:
    record = Record(("Story", "15.05.2024"))
    six = at("2024-05-15T06:00")
    assert published_times(RecordList((record,), ("title", "date")), six) == (at("2024-05-15T03:00"),)


def test_day_and_time_in_two_columns_belong_together() -> None:
    record = Record(("Story", "14.05.2024", "08:30"))
    assert published_times(RecordList((record,), ("title", "date", "date_2")), NOW) == (at("2024-05-14T08:30"),)


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
