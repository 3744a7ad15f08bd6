"""Crawls and watches that people start, pause and follow on the page."""

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.cli.test_ui import ask, ui
from tests.web.conftest import NARROW, Look, make_state

from scythe.archive.frontier import add_urls
from scythe.archive.host_leases import host_rows
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery as Selection
from scythe.archive.retrieval import read_pages
from scythe.archive.stored_sites import add_site, site_rows
from scythe.archive.verify import verify_archive
from scythe.archive.watches import end_watch
from scythe.crawl_model import FoundUrl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo, serve_live
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.limits import LIMITS
from scythe.url import Url
from scythe.watching.watch import add_lists
from scythe.watching.watch_options import ListOptions
from scythe.web.runs import run_store
from scythe.web.runs.run_store import CrawlRun, Runs, RunView
from scythe.web.runs.runs import (
    CrawlWanted,
    WatchRunWanted,
    _name_watch,
    continue_run,
    list_runs,
    pause_run,
    see_run,
    show_runs,
    start_crawl,
    start_watch,
)
from scythe.web.server import Serving
from scythe.web.state import BackgroundJob, NotNow, NotThere, State


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=24, latency_s=0.02)) as served:
        yield served


def post(url: str, token: str, path: str, body: object) -> int:
    """Return the status of the answer."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, json.dumps(body).encode(), headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def archived(state: State) -> list[str]:
    with state.archive() as archive:
        return sorted(page.url for page in read_pages(archive, Selection()))


def until(state: State, number: int, *states: str, within_s: float = 60.0) -> RunView:
    """Wait until a run is in one of these states."""
    end = monotonic() + within_s
    while monotonic() < end:
        seen = see_run(state, number=number)
        if seen.state in states:
            return seen
        sleep(0.02)
    raise AssertionError(f"run {number} is {seen.state}: {seen.why}")


@pytest.mark.slow
def test_a_crawl_is_started_followed_paused_and_brought_to_its_end(look: Look, state: State, demo: DemoThread) -> None:
    from playwright.sync_api import expect

    eyes = look("/runs")
    tab = eyes.tab
    expect(tab.get_by_role("heading", name="Crawl a site")).to_be_visible()
    eyes.shoot("runs-empty")
    tab.get_by_label("Address", exact=True).fill(demo.url)
    tab.get_by_label("Pages, at most").fill("")
    tab.get_by_label("Seconds between requests").fill("0.03")
    tab.get_by_role("button", name="Start the crawl").click()
    card = tab.locator(".run")
    expect(card.locator(".latest li").nth(3)).to_be_visible()
    expect(card.locator("[data-state]")).to_have_text("running")
    eyes.shoot("runs-going")
    card.get_by_role("button", name="Pause").click()
    expect(card.locator("[data-state]")).to_have_text("paused")
    so_far = len(archived(state))
    assert 3 <= so_far < len(demo.world.paths)
    eyes.shoot("runs-paused")
    narrow = look("/runs", size=NARROW, dark=True)
    expect(narrow.tab.locator(".run [data-state]")).to_have_text("paused")
    narrow.tab.get_by_text("More choices").click()
    assert narrow.overflow() <= 0
    narrow.shoot("runs-paused-dark")
    card.get_by_role("button", name="Continue").click()
    expect(card.locator("[data-state]")).to_have_text("done", timeout=60_000)
    expect(card.locator("[data-why]")).to_have_text("Every address that was found has been visited.")
    (run,) = list_runs(state)
    assert run.crawl is not None
    assert run.crawl.pages == run.crawl.new == len(demo.world.paths)
    assert run.crawl.requests >= run.crawl.pages
    assert archived(state) == sorted(demo.world.base + path for path in demo.world.paths)
    assert eyes.overflow() <= 0
    eyes.shoot("runs-done")


@pytest.mark.slow
def test_new_records_of_a_live_list_are_shown_as_they_come(look: Look, state: State) -> None:
    from playwright.sync_api import expect

    with serve_live(0.7) as served:
        options = ListOptions.from_json(json.dumps({"goals": {"floor_s": 0.5, "max_delay_s": 1.0}}))
        with state.archive() as archive:
            add_lists(archive, [served.urls[0]], options)
        eyes = look("/runs", size=NARROW)
        eyes.tab.get_by_role("button", name="Watch all lists").click()
        card = eyes.tab.locator(".run")
        expect(card.locator(".latest .tag", has_text="record").nth(2)).to_be_visible()
        expect(card.locator("[data-figures] div", has_text="visits").locator("dd")).not_to_have_text("0")
        first = int(card.locator("[data-figures] div", has_text="new records").locator("dd").inner_text())
        eyes.tab.wait_for_function(
            "before => Number([...document.querySelectorAll('.run dd')][2].textContent) > before", arg=first
        )
        assert eyes.overflow() <= 0
        eyes.shoot("runs-watch")
        card.get_by_role("button", name="Pause").click()
        expect(card.locator("[data-state]")).to_have_text("paused")


def test_without_an_archive_the_page_says_how_to_begin(tmp_path: Path) -> None:
    state = make_state(tmp_path, [])
    assert show_runs(state)["left"] == []
    with pytest.raises(BadInput, match="--archive"):
        start_crawl(state, CrawlWanted(url="https://example.org/"))
    with pytest.raises(BadInput, match="--archive"):
        start_watch(state, WatchRunWanted())


def test_one_crawl_of_a_site_goes_on_at_a_time(state: State, demo: DemoThread) -> None:
    run = start_crawl(state, CrawlWanted(url=demo.url, delay=0.5))
    with pytest.raises(NotNow, match="running already"):
        start_crawl(state, CrawlWanted(url=demo.url + "about"))
    with pytest.raises(NotNow):
        continue_run(state, number=run.number)
    assert pause_run(state, number=run.number).state in ("pausing", "paused")
    assert until(state, run.number, "paused").ended_at is not None
    assert [seen.number for seen in list_runs(state)] == [run.number]


def test_no_more_runs_go_on_than_may(state: State, demo: DemoThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_store, "LIMITS", LIMITS._replace(runs=1))
    run = start_crawl(state, CrawlWanted(url=demo.url, delay=0.5))
    with pytest.raises(NotNow, match="pause one first"):
        start_crawl(state, CrawlWanted(url="https://example.org/"))
    pause_run(state, number=run.number)
    assert until(state, run.number, "paused").number == run.number


def test_a_crawl_that_was_paused_is_offered_after_a_restart(state: State, demo: DemoThread) -> None:
    run = start_crawl(state, CrawlWanted(url=demo.url, limit=5, delay=0.0))
    seen = until(state, run.number, "done")
    assert seen.crawl is not None
    assert seen.why == "page limit reached: 5"
    state.close()
    later = State(state.options)
    (left,) = show_runs(later)["left"]
    assert (left["start"], left["pages"]) == (demo.url, seen.crawl.pages)
    later.close()


def test_a_site_that_does_not_answer_fails_with_the_reason(state: State) -> None:
    run = start_crawl(state, CrawlWanted(url="http://127.0.0.1:9/", delay=0.0))
    seen = until(state, run.number, "failed")
    assert seen.why
    assert seen.crawl is not None


def test_private_addresses_are_refused_unless_the_server_was_started_for_them(state: State, demo: DemoThread) -> None:
    closed = State(replace(state.options, reach=FetchOptions(allow_private=False)))
    run = start_crawl(closed, CrawlWanted(url=demo.url, delay=0.0))
    seen = until(closed, run.number, "failed")
    closed.close()
    assert "not on the public internet" in seen.why
    assert archived(state) == []


def test_closing_the_state_ends_runs_in_good_order(state: State, demo: DemoThread) -> None:
    run = start_crawl(state, CrawlWanted(url=demo.url, delay=0.0))
    while not see_run(state, number=run.number).last:
        sleep(0.02)
    state.close()
    assert see_run(state, number=run.number).state == "paused"
    with open_archive(state.options.archive or "", create=False) as archive:
        assert verify_archive(archive) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_with_its_runs_and_their_workers(
    tmp_path: Path, demo: DemoThread, number: signal.Signals
) -> None:
    with ui(tmp_path, "--archive", "a.db", "--allow-private") as (process, url, token):
        post(url, token, "/api/runs/crawl", {"url": demo.url, "delay": 0.1})
        while not ask(f"{url}/api/runs/1", token)["last"]:
            sleep(0.05)
        workers = children(process.pid)
        assert workers
        process.send_signal(number)
        assert process.wait(20) == 0
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []
    with open_archive(tmp_path / "a.db", create=False) as archive:
        assert verify_archive(archive) == []
        (site,) = site_rows(archive)
        now = datetime.now(UTC)
        assert [host.owner for host in host_rows(archive, site.id, now=now)] == [""]  # the next run need not wait


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_runs_that_are_not_there_and_wishes_that_cannot_be_are_refused(serving: Serving) -> None:
    def answer_to(path: str, body: object) -> int:
        return post(serving.url.rstrip("/"), serving.auth.token, path, body)

    assert answer_to("/api/runs/9/pause", {}) == 404
    assert answer_to("/api/runs/9/continue", {}) == 404
    assert answer_to("/api/runs/crawl", {"url": "file:///etc/passwd"}) == 422
    assert answer_to("/api/runs/crawl", {"url": "https://example.org/", "limit": 0}) == 422
    assert answer_to("/api/runs/crawl", {"url": "https://example.org/", "output_path": "/tmp/x"}) == 422
    assert answer_to("/api/runs/watch", {}) == 422
    assert answer_to("/api/runs/watch", {"watches": [5]}) == 404


def test_a_watch_of_a_page_that_is_not_watched_is_refused(state: State) -> None:
    with pytest.raises(NotThere):
        start_watch(state, WatchRunWanted(watches=(7,)))


def test_a_watch_is_called_by_what_it_visits(state: State) -> None:
    with state.archive() as archive:
        one, other = add_lists(archive, ["https://a.example/", "https://b.example/"], ListOptions())
        titles = [_name_watch(archive, WatchRunWanted(watches=watches)) for watches in ((), (one,), (one, other))]
        assert titles == ["All lists of this archive", "https://a.example/", "2 watched pages"]
        end_watch(archive, other, "watched no longer")
        with pytest.raises(NotThere, match=f"page {other} is not watched"):
            _name_watch(archive, WatchRunWanted(watches=(one, other)))


def test_a_crawl_reads_by_the_method_that_was_asked_for(state: State, demo: DemoThread) -> None:
    wanted = CrawlWanted(url=demo.url, limit=3, delay=0, methods=("sentences:minimum=900",))
    assert until(state, start_crawl(state, wanted).number, "done").crawl
    with state.archive() as archive:
        texts = [page.text for page in read_pages(archive, Selection())]
    assert (len(texts), {*texts}) == (3, {""})
    with pytest.raises(BadInput, match="unknown text method 'sentencs'"):
        start_crawl(state, CrawlWanted(url=demo.url, methods=("sentencs",)))


class Short(CrawlRun):
    """A crawl with nothing to do."""

    def work(self, job: BackgroundJob, where: str) -> None:
        """Be done."""
        self.why = "nothing more is due"


def test_runs_that_ended_long_ago_are_forgotten(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_store, "_KEPT", 1)
    for number in range(3):
        run = Short(state.part(Runs)._next(), Url("https://a.example/"), f"site {number}", CrawlOptions())
        job = state.part(Runs)._begin(run).job
        assert job is not None
        assert job.ended.wait(60)
    assert [run.number for run in list_runs(state)] in ([3, 2], [3])  # the last may end before it is counted
    with pytest.raises(NotThere, match="there is no run 1"):
        see_run(state, number=1)
    state.close()


def test_of_many_sites_with_something_left_the_newest_are_offered(state: State) -> None:
    with state.archive() as archive:
        for number in range(15):
            url = Url(f"https://site{number}.example/")
            add_urls(archive, add_site(archive, f"site{number}.example", url), [FoundUrl(url, f"site{number}.example")])
    left = show_runs(state)["left"]
    assert [one["key"] for one in left] == [f"site{number}.example" for number in range(14, 2, -1)]
