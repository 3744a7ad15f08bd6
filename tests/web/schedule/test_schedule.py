"""The schedule, and the page of one watched list."""

import json
import re
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.web.conftest import NARROW, Look, make_state
from tests.web.runs.test_runs import post as post_to
from tests.web.runs.test_runs import until

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.observations import lists_of_watch
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch, watch_rows
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome
from scythe.demo.serve import serve_live
from scythe.errors import BadInput
from scythe.schedule.policies import make_policy
from scythe.schedule.simulate import Rhythm, make_arrivals
from scythe.url import Url
from scythe.watch_model import DAY_S, Goals, Observation
from scythe.watching.watch import add_lists
from scythe.watching.watch_options import ListOptions
from scythe.web.runs.run_store import Runs
from scythe.web.runs.runs import WatchRunWanted, pause_run, see_run, start_watch
from scythe.web.schedule.schedule import (
    GoalsWanted,
    WatchedListWanted,
    change_goals,
    draw_watched_list,
    end_watching,
    say_goals,
    see_schedule,
    see_watched_list,
    show_schedule,
    visit_now,
)
from scythe.web.server import Serving
from scythe.web.state import NotNow, NotThere, State

SHOWN = 20


def watch_since(archive: Archive, page: str, days: float, rate_day: float = 60.0, seed: int = 1) -> int:
    """Watch a list for so many days until now, as its plans say; return the number of its page."""
    now = datetime.now(UTC)
    host = page.split("/")[2]
    site = add_site(archive, host, Url(page))
    begin = now - timedelta(days=days)
    number = add_watch(archive, site, FoundUrl(Url(page), host), ListOptions().to_json(), now=begin)
    arrivals = make_arrivals(seed, Rhythm(rate_day, days + 2, start=begin.timestamp() - DAY_S))
    estimator, at, last = make_policy("auto", Goals()), begin, None
    while at < now:
        new = bisect_right(arrivals, at.timestamp()) - (0 if last is None else bisect_right(arrivals, last.timestamp()))
        seen_new, lost = (SHOWN, 0) if last is None else (min(new, SHOWN), max(new - SHOWN, 0))
        since_s = None if last is None else (at - last).total_seconds()
        seen = Observation(at.timestamp(), SHOWN, seen_new, is_full=bool(lost), since_s=since_s)
        estimator.note(seen)
        plan = estimator.plan(at.timestamp())
        kept = json.dumps(estimator.to_plain())
        known = SHOWN - seen_new
        looked = Looked(1, seen, plan, "Latest news", columns=("title", "date"), known=known, lost=lost, estimator=kept)
        next_at = at + timedelta(seconds=plan.wait_s)
        (task,) = next_tasks(archive, site, host, 1, now=at + timedelta(days=400), kinds=("list",))
        store_outcomes(
            archive, [Outcome(task, "retry", at, status=200, retry_at=next_at, extracted=Extracted(), looked=(looked,))]
        )
        last, at = at, next_at
    return number


@pytest.fixture
def watched(state: State) -> int:
    """The number of a page that was watched for three weeks."""
    with state.archive() as archive:
        return watch_since(archive, "https://news.example/latest", 21)


def list_of(state: State, watch: int) -> int:
    with state.archive() as archive:
        return lists_of_watch(archive, watch)[0].id


def width_of(image: Any) -> int:
    """Return how wide an image is that the browser was able to draw."""
    wide: int = image.evaluate("async img => { await img.decode(); return img.naturalWidth }")
    return wide


def post(serving: Serving, path: str, body: object) -> int:
    return post_to(serving.url, serving.auth.token, path, body)


def test_lists_are_shown_with_their_next_visit_and_each_has_a_page(look: Look, state: State, watched: int) -> None:
    from playwright.sync_api import expect

    with state.archive() as archive:
        watch_since(archive, "https://jobs.example/open-positions-in-every-department-of-the-county", 9, 8.0, seed=2)
        add_lists(archive, ["https://shop.example/new"], ListOptions())
    eyes = look("/schedule")
    rows = eyes.tab.locator(".lists tbody tr")
    expect(rows).to_have_count(3)
    assert eyes.overflow() <= 0
    eyes.shoot("schedule")
    eyes.tab.get_by_placeholder("Site, address or name").fill("news.example")
    eyes.tab.get_by_role("button", name="Filter").click()
    expect(rows).to_have_count(1)
    eyes.tab.get_by_role("link", name="Latest news").click()
    expect(eyes.tab.get_by_role("heading", name="Against a fixed interval")).to_be_visible()
    for plot in eyes.tab.locator("img.plot").all():
        plot.scroll_into_view_if_needed()
        assert width_of(plot) == 960
    expect(eyes.tab.locator("tr.own")).to_contain_text("what happened")
    assert eyes.overflow() <= 0
    eyes.shoot("schedule-list")
    narrow = look(f"/schedule/list/{list_of(state, watched)}", size=NARROW, dark=True)
    assert narrow.overflow() <= 0
    narrow.shoot("schedule-list-dark")
    narrow.tab.goto(narrow.own + "/schedule")
    assert narrow.overflow() <= 0
    narrow.shoot("schedule")


def test_plots_turn_dark_with_the_page(look: Look, state: State, watched: int) -> None:
    eyes = look(f"/schedule/list/{list_of(state, watched)}")
    plot = eyes.tab.locator("img.plot").first

    def corner() -> bytes:
        plot.evaluate("img => img.decode()")
        shot: bytes = plot.screenshot(type="png")
        return shot

    light = corner()
    eyes.tab.click("#theme")
    assert corner() != light
    eyes.shoot("schedule-list-dark")


def test_wishes_can_be_changed_and_a_watch_ended(look: Look, state: State, watched: int) -> None:
    from playwright.sync_api import expect

    eyes = look(f"/schedule/list/{list_of(state, watched)}", size=NARROW)
    tab = eyes.tab
    tab.get_by_text("Change it").click()
    tab.get_by_label("No record is seen later than").select_option("21600.0")
    tab.get_by_label("archive the page of each new record, too").check()
    eyes.shoot("schedule-goals")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator(".goals").first).to_contain_text("No record is seen later than 6 h after it came.")
    with state.archive() as archive:
        options = ListOptions.from_json(watch_rows(archive)[0].options)
        assert (options.goals.max_delay_s, options.follow, options.goals.miss) == (21_600.0, True, 0.01)
    tab.get_by_text("Watch it no longer").click()
    tab.get_by_role("button", name="End the watch").click()
    expect(tab.get_by_role("heading", name="Nothing is watched yet")).to_be_visible()
    eyes.shoot("schedule-empty")


@pytest.mark.slow
def test_a_page_is_visited_when_somebody_asks_for_it(look: Look, state: State) -> None:
    from playwright.sync_api import expect

    with serve_live(60.0) as served, state.archive() as archive:
        (number,) = add_lists(archive, [served.urls[0]], ListOptions())
        eyes = look(f"/schedule/page/{number}")
        eyes.shoot("schedule-page")
        eyes.tab.get_by_role("button", name="Visit now").click()
        expect(eyes.tab.get_by_role("heading", name="Lists")).to_be_visible()
        eyes.tab.locator(".cards a").first.click()
        expect(eyes.tab.get_by_role("heading", name="What came, and what is expected")).to_be_visible()
        assert (
            eyes.tab.locator("img.plot").evaluate("async img => { await img.decode(); return img.naturalWidth }") == 960
        )
        expect(eyes.tab.get_by_text("There is too little to compare yet")).to_be_visible()
        eyes.shoot("schedule-region-new")
        assert count_archive(archive).records >= 12


def test_without_an_archive_nothing_is_watched(tmp_path: Path) -> None:
    seen = see_schedule(make_state(tmp_path, []))
    assert (seen.lists, seen.watched) == ([], 0)
    shown = show_schedule(make_state(tmp_path, []))
    assert (shown["seen"], shown["sparks"], shown["is_watching"]) == (seen, {}, False)


def test_many_lists_are_shown_by_the_hundred(tmp_path: Path) -> None:
    state = make_state(tmp_path, [], archive=str(tmp_path / "many.db"))
    with state.archive() as archive:
        add_lists(archive, [f"https://site{number}.example/list" for number in range(210)], ListOptions())
    seen = show_schedule(state, page=3)["seen"]
    assert (seen.total, seen.pages, seen.page, len(seen.lists)) == (210, 3, 3, 10)
    assert see_schedule(state, page=9).page == 3
    assert see_schedule(state, site="site209.example").total == 1
    state.close()


def test_a_list_is_told_with_its_journal_and_a_comparison(state: State, watched: int) -> None:
    region = list_of(state, watched)
    seen = see_watched_list(state, WatchedListWanted(list_id=region, days=7))
    assert seen.compared is not None
    assert [row.name for row in seen.compared.rows] == [
        "what happened",
        "every hour",
        "every day",
        "as often, evenly",
        "adaptive",
    ]
    assert [look.at for look in seen.journal] == sorted((look.at for look in seen.journal), reverse=True)
    older = see_watched_list(state, WatchedListWanted(list_id=region, before=seen.before))
    assert seen.before is not None
    assert max(look.id for look in older.journal) < min(look.id for look in seen.journal)


def test_plots_are_drawings_that_can_do_nothing(state: State, watched: int) -> None:
    sent = draw_watched_list(state, WatchedListWanted(list_id=list_of(state, watched)))
    assert sent.content_type == "image/svg+xml"
    assert "default-src 'none'" in sent.policy
    assert not re.search(rb"<script|href|\bon[a-z]+=", sent.body)


def test_what_is_not_there_is_not_found(state: State, serving: Serving, watched: int) -> None:
    for wrong in (see_watched_list, draw_watched_list):
        with pytest.raises(NotThere):
            wrong(state, WatchedListWanted(list_id=999))
    assert post(serving, "api/schedule/now", {"watch": 999}) == 404
    assert post(serving, "api/schedule/goals", {"watch": watched, "policy": "none such"}) == 422
    assert post(serving, "api/schedule/goals", {"watch": watched, "miss": 2}) == 422
    assert post(serving, "api/schedule/goals", {"watch": watched, "miss": 0.05}) == 200
    end_watching(state, watch=watched)
    with pytest.raises(NotNow):
        visit_now(state, watch=watched)
    with pytest.raises(NotNow):
        change_goals(state, GoalsWanted(watch=watched, miss=0.1))


def test_what_is_not_named_stays_as_it_was(state: State, watched: int) -> None:
    change_goals(state, GoalsWanted(watch=watched, max_delay_s=3_600.0, older_pages=3))
    seen = change_goals(state, GoalsWanted(watch=watched, max_delay_s=None))
    assert (seen.max_delay_s, seen.older_pages, seen.policy) == (None, 3, "auto")
    with pytest.raises(BadInput):
        change_goals(state, GoalsWanted(watch=watched, policy="none such"))


def test_wishes_are_put_into_words() -> None:
    options = ListOptions(goals=Goals(delay_s=3_600.0), follow=True, older_pages=0)
    assert list(say_goals(options)) == [
        "At most 1 % of the records may be missed.",
        "95 % of the records are seen within 1 h.",
        "Between two visits pass 10 min at least.",
        "The page that each new record leads to is archived, too.",
        "Visits are planned by auto: as few visits as keep these wishes, by a forecast with its uncertainty.",
    ]


def test_a_page_that_is_due_now_is_so_in_the_plan(state: State, watched: int) -> None:
    assert not visit_now(state, watch=watched).is_watching
    (planned,) = see_schedule(state).lists
    assert planned.next_at is not None
    assert planned.next_at <= datetime.now(UTC)
    assert state.part(Runs).all() == []


def test_a_watch_that_goes_on_visits_at_once_what_somebody_asks_for(state: State) -> None:
    def wait_for(visits: int) -> None:
        deadline = monotonic() + 60
        while monotonic() < deadline:
            figures = see_run(state, number=run).watch
            if figures is not None and figures.visits >= visits:
                return
            sleep(0.02)
        raise AssertionError(f"fewer than {visits} visits")

    with serve_live(60.0) as served:
        with state.archive() as archive:
            (number,) = add_lists(archive, [served.urls[0]], ListOptions())
        run = start_watch(state, WatchRunWanted(delay=0.0)).number
        wait_for(1)
        assert visit_now(state, watch=number).is_watching
        wait_for(2)
    pause_run(state, number=run)
    assert until(state, run, "paused").number == run
    assert pause_run(state, number=run).state == "paused"
    state.close()
