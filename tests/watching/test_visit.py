"""What servers say about the freshness of their pages."""

from datetime import UTC, datetime

import pytest

from scythe.model import Response
from scythe.url import Url
from scythe.watch_model import VisitPlan
from scythe.watching.visit import keep_promise, read_fresh_s


def response(*headers: tuple[str, str], status: int = 200) -> Response:
    return Response(Url("https://example.org/"), status, headers, b"", datetime(2026, 5, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("headers", "fresh_s"),
    [
        ((("Cache-Control", "public, max-age=300"),), 300.0),
        ((("Cache-Control", "max-age=300"), ("Age", "100")), 200.0),
        ((("Cache-Control", "max-age=300"), ("Age", "1000")), 0.0),
        ((("Cache-Control", 'MAX-AGE="60"'),), 60.0),
        ((("Cache-Control", "no-cache, max-age=300"),), None),
        ((("Cache-Control", "max-age=-5"),), None),
        ((("Cache-Control", "max-age=9e99"),), None),
        ((("Cache-Control", "max-age=" + "9" * 400),), 999_999_999.0),
        ((("Date", "Fri, 01 May 2026 10:00:00 GMT"), ("Expires", "Fri, 01 May 2026 10:05:00 GMT")), 300.0),
        ((("Date", "Fri, 01 May 2026 10:00:00 GMT"), ("Expires", "0")), None),
        ((), None),
    ],
)
def test_what_a_header_promises_is_read(headers: tuple[tuple[str, str], ...], fresh_s: float | None) -> None:
    assert read_fresh_s(response(*headers)) == fresh_s


def test_a_visit_waits_for_what_was_promised() -> None:
    promised_s = read_fresh_s(response(("Cache-Control", "max-age=1800"))) or 0.0
    assert keep_promise(VisitPlan(600.0, 2.0, rate=48.0), promised_s, latest_s=None).wait_s == 1_800.0


def test_a_visit_that_comes_later_anyway_stays() -> None:
    promised_s = read_fresh_s(response(("Cache-Control", "max-age=1800"))) or 0.0
    assert keep_promise(VisitPlan(7_200.0), promised_s, latest_s=None).wait_s == 7_200.0


def test_no_promise_puts_a_visit_off_for_more_than_an_hour_or_beyond_the_longest_delay() -> None:
    promised_s = read_fresh_s(response(("Cache-Control", "max-age=31536000"))) or 0.0
    assert keep_promise(VisitPlan(600.0), promised_s, latest_s=None).wait_s == 3_600.0
    assert keep_promise(VisitPlan(600.0), promised_s, latest_s=900.0).wait_s == 900.0
