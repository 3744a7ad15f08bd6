"""The plan of a watch: what it says of lists in every state, and what their plots show."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome
from scythe.schedule.plots import History
from scythe.schedule.policies import make_policy
from scythe.url import Url
from scythe.watch_model import Goals, Observation, VisitPlan
from scythe.watching.plan_report import Planned, draw_plan, read_plan
from scythe.watching.watch_options import ListOptions

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
PAGE = Url("https://news.example/latest")
WAIT = VisitPlan(wait_s=7_200, expected=3.0, risk=0.001, rate=36.0, why="forecast")
OPTIONS = ListOptions(policy="poisson")


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(tmp_path / "watch.db")


def watch(archive: Archive, page: Url = PAGE) -> int:
    site = add_site(archive, page.split("/")[2], page)
    add_watch(archive, site, FoundUrl(page, page.split("/")[2]), OPTIONS.to_json(), now=NOW)
    return site


def visit(archive: Archive, site: int, hours: float, *looked: Looked, why: str = "forecast") -> None:
    """Visit the list page of a site so many hours from now; without regions the visit fails."""
    at = NOW + timedelta(hours=hours)
    (task,) = next_tasks(archive, site, "news.example", 1, now=at + timedelta(days=30), kinds=("list",))
    extracted = Extracted() if looked else None
    retry_at = at + timedelta(hours=2)
    store_outcomes(
        archive, [Outcome(task, "retry", at, why=why, retry_at=retry_at, extracted=extracted, looked=looked)]
    )


def seen(hours: float, new: int = 2, since_h: float | None = 2.0) -> Observation:
    at = (NOW + timedelta(hours=hours)).timestamp()
    return Observation(at, shown=10, new=new, since_s=None if since_h is None else since_h * 3_600)


def plan_of(archive: Archive) -> list[Planned]:
    return [planned for planned, _, _ in read_plan(archive, (), NOW)]


def drawn(archive: Archive, days: float = 14) -> list[History]:
    return draw_plan(archive, read_plan(archive, (), NOW), NOW, days * 86_400)


def test_a_page_is_due_until_it_was_visited_and_then_when_its_plan_says(archive: Archive) -> None:
    site = watch(archive)
    (first,) = plan_of(archive)
    assert (first.next_at, first.last_at, first.region, first.why) == (NOW, None, "", "first visit")
    visit(archive, site, -1, Looked(1, seen(-1), WAIT, "Latest"))
    (then,) = plan_of(archive)
    assert then.next_at == NOW + timedelta(hours=1)
    assert (then.region, then.rate_day, then.expected, then.risk, then.why) == ("Latest", 36.0, 3.0, 0.001, "forecast")


def test_the_next_visit_comes_first(archive: Archive) -> None:
    site = watch(archive)
    visit(archive, site, -1, Looked(1, seen(-1), WAIT, "Latest"))
    watch(archive, Url("https://jobs.example/"))
    assert [planned.site for planned in plan_of(archive)] == ["jobs.example", "news.example"]


def test_trouble_is_said_instead_of_the_plan(archive: Archive) -> None:
    site = watch(archive)
    visit(archive, site, -3, Looked(1, seen(-3), WAIT, "Latest"))
    visit(archive, site, -1, why="the server answered 503")
    (planned,) = plan_of(archive)
    assert planned.why == "the server answered 503"


def test_gaps_and_lists_that_are_gone_are_said(archive: Archive) -> None:
    site = watch(archive)
    visit(archive, site, -3, Looked(1, seen(-3), WAIT, "Latest"), Looked(2, seen(-3), WAIT, "Jobs"))
    visit(archive, site, -1, Looked(1, seen(-1), WAIT, "Latest", has_gap=True), Looked(2, None, None, "Jobs"))
    assert [planned.why for planned in plan_of(archive)] == ["forecast, gap", "not there at present"]


def test_a_plot_has_the_visits_what_came_between_them_and_what_is_expected(archive: Archive) -> None:
    site = watch(archive)
    estimator = make_policy("poisson", Goals())
    for hours, since_h in ((-7, None), (-5, 2.0), (-3, 2.0)):
        estimator.note(seen(hours, 4, since_h))
        state = json.dumps(estimator.to_plain())
        visit(archive, site, hours, Looked(1, seen(hours, 4, since_h), WAIT, "Latest", estimator=state, lost=1))
    (history,) = drawn(archive)
    assert history.title == f"{PAGE}: Latest"
    assert len(history.lanes[0].visits) == 3
    assert [(span.end - span.start, span.count, span.lost) for span in history.spans] == [(7_200, 5, 1)] * 2
    assert history.forecast[0] == (NOW.timestamp(), pytest.approx(2, abs=1))
    assert history.lanes[0].planned == [NOW.timestamp()]  # it was due an hour ago
    assert drawn(archive, days=0.25)[0].lanes[0].visits == history.lanes[0].visits[1:]


@pytest.mark.parametrize("state", ["{}", "{", "[]", '{"policy": "ses", "version": 1}'])
def test_a_state_that_nobody_knows_gives_no_forecast(archive: Archive, state: str) -> None:
    site = watch(archive)
    visit(archive, site, -1, Looked(1, seen(-1), WAIT, "Latest", estimator=state))
    (history,) = drawn(archive)
    assert history.forecast == []
