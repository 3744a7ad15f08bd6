"""The overview, as a person sees it."""

import threading
from pathlib import Path

import pytest
from tests.web.conftest import NARROW, WIDE, Look, apart, make_state

from scythe.archive.retrieval import newest_records
from scythe.demo.serve import DemoOptions, serve_demo, serve_live
from scythe.errors import BadInput
from scythe.web.app import make_templates
from scythe.web.auth import Auth
from scythe.web.home.home import SampleWanted, _take, show_home, take_pages
from scythe.web.state import BackgroundJob, NotNow, NotThere, State


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_overview_shows_the_site_at_hand(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/", size=size)
    assert eyes.tab.title() == "Overview · scythe"
    assert "pages at hand" in eyes.tab.inner_text("main")
    assert eyes.overflow() <= 0
    eyes.shoot("overview")


def test_new_records_next_visits_and_what_was_learned_are_on_the_overview(look: Look, state: State) -> None:
    from scythe import Site, watch

    Site.learn([(page.url, page.body) for page in state.pages()]).save(state.options.profile or "")
    with serve_live(every_s=5.0) as site:
        list(watch(site.urls, archive=state.options.archive, once=True, allow_private=True))
        newest = site.urls[0]
    eyes = look("/")
    shown = eyes.tab.inner_text("main")
    assert "pages annotated" in shown
    assert newest in shown
    assert "new expected" in shown
    eyes.tab.locator("#newest + a, #newest").first.wait_for()
    with state.archive() as archive:
        record = newest_records(archive, 1, watches=None)[0]
    assert record.fields[record.columns.index("title")] in shown
    eyes.shoot("overview-full")


def test_the_token_is_gone_from_the_address(look: Look) -> None:
    eyes = look("/")
    assert "token" not in eyes.tab.url


def test_dark_can_be_chosen_and_is_kept(look: Look) -> None:
    eyes = look("/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = eyes.tab.evaluate(paper)
    eyes.tab.click("#theme")
    assert eyes.tab.evaluate(paper) != light
    eyes.tab.reload()
    assert eyes.tab.evaluate(paper) != light
    eyes.shoot("overview-dark")


def test_so_much_work_of_one_kind_is_done_at_once_and_no_more(state: State) -> None:
    go_on = threading.Event()
    first = state.jobs.start("learn", "one", lambda job: go_on.wait(30), most=1)
    with pytest.raises(NotNow, match=f"job {first.number}"):
        state.jobs.start("learn", "two", lambda job: None, most=1)
    assert state.jobs.start("pages", "of another kind", lambda job: None, most=1).number
    go_on.set()
    assert first.ended.wait(30)
    assert state.jobs.start("learn", "three", lambda job: None, most=1).number


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it is for the terminal
def test_work_that_ends_by_a_bug_is_told_as_failed_and_not_for_ever_running(state: State) -> None:
    def work(job: BackgroundJob) -> object:
        raise ZeroDivisionError

    job = state.jobs.start("learn", "a bug", work)
    assert job.ended.wait(20)
    for thread in [one for one in threading.enumerate() if one.name == "scythe-learn"]:
        thread.join(20)  # what it says last is of this test, not of the next
    assert (job.state, job.error) == ("failed", "an error in scythe itself; the terminal shows where")
    assert job.ended_at is not None


def test_pages_of_a_site_that_is_not_there_are_not_taken(state: State) -> None:
    with pytest.raises(NotThere, match=r"no site 'nobody\.example'"):
        take_pages(state, SampleWanted(url="https://a.example/", site="nobody.example"))
    assert state.jobs.seen() == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/", "https://", ""])
def test_what_is_no_address_of_the_web_is_told_before_work_begins(state: State, url: str) -> None:
    with pytest.raises(BadInput, match="not an http or https address"):
        take_pages(state, SampleWanted(url=url))
    assert state.jobs.seen() == []


def test_taking_pages_ends_when_it_is_asked_to_and_keeps_what_came(tmp_path: Path) -> None:
    state = make_state(tmp_path, [])
    job = BackgroundJob(1, "pages", "asked to stop at once")
    job.stop()
    with serve_demo(DemoOptions(pages=24)) as served:
        taken = apart(lambda: _take(state, SampleWanted(url=served.url, pages=5), served.url, job))
    assert [page.number for page in state.pages()] == taken == [1]


def test_a_profile_that_cannot_be_read_keeps_nobody_from_the_overview(state: State) -> None:
    assert state.options.profile is not None
    state.options.profile.write_text("{}")
    shown = show_home(state)
    assert shown["learned"] is None
    assert [site.key for site in shown["sites"]] == ["profile"]
    assert "pages at hand" in make_templates(state, Auth())("home.html", {"area": "home", "wanted": None, **shown})
