"""Watched pages that lead elsewhere, answer by halves or forbid what they name: what is asked, moved and told."""

import pytest
from tests.watching.board import HOUR_S, Stand, next_visit_s

from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.watches import watch_rows
from scythe.limits import LIMITS
from scythe.watch_model import DAY_S, Goals
from scythe.watching.events import DocumentEvent, Event, GapEvent, LostEvent, MovedEvent, TroubleEvent
from scythe.watching.visit import retry_s, soonest
from scythe.watching.watch_options import ListOptions

pytestmark = pytest.mark.fault
FOLLOW = ListOptions(follow=True)


def troubles(stand: Stand) -> list[str]:
    return [event.why for event in stand.events if isinstance(event, TroubleEvent)]


def moves(stand: Stand) -> list[Event]:
    return [event for event in stand.events if isinstance(event, MovedEvent)]


def test_a_page_that_moved_for_good_is_asked_where_it_is_from_then_on(stand: Stand) -> None:
    stand.board.moves = {"/news": (301, "/board"), "/board": (308, "/news?page=1")}
    stand.visit()
    assert stand.stories() == list(range(101, 111))
    (row,) = watch_rows(stand.archive)
    assert row.url == stand.server.url("/news?page=1")
    (moved,) = moves(stand)
    assert isinstance(moved, MovedEvent)
    assert (moved.page, moved.to) == (stand.url, row.url)
    assert stand.asked == ["/news", "/board", "/news?page=1"]


def test_a_page_that_leads_on_for_now_is_read_there_and_keeps_its_address(stand: Stand) -> None:
    stand.board.moves = {"/news": (302, "/board"), "/board": (301, "/news?page=1")}
    stand.visit()
    assert stand.stories() == list(range(101, 111))
    assert watch_rows(stand.archive)[0].url == stand.url
    assert moves(stand) == troubles(stand) == []


def test_a_page_that_moved_to_another_host_is_asked_there_at_once(stand: Stand) -> None:
    there = stand.server.url("/news?page=1").replace("127.0.0.1", "localhost")
    stand.board.moves = {"/news": (301, there)}
    stand.visit()
    assert troubles(stand) == [f"it leads to {there}"]
    assert watch_rows(stand.archive)[0].url == there
    assert next_visit_s(stand) <= 0
    stand.go_on()
    assert stand.stories() == list(range(101, 111))


def test_a_page_that_leads_to_another_host_for_now_is_trouble(stand: Stand) -> None:
    there = stand.server.url("/news?page=1").replace("127.0.0.1", "localhost")
    stand.board.moves = {"/news": (302, there)}
    stand.visit()
    assert troubles(stand) == [f"it leads to {there}"]
    assert stand.asked == ["/news"]
    assert watch_rows(stand.archive)[0].url == stand.url
    assert 30 < next_visit_s(stand) <= 60


def test_redirects_in_a_circle_end(stand: Stand) -> None:
    stand.board.moves = {"/news": (302, "/board"), "/board": (302, "/news")}
    stand.visit()
    assert troubles(stand) == [f"more than {LIMITS.redirects} redirects"]
    assert len(stand.asked) == LIMITS.redirects + 1


def test_a_redirect_to_what_robots_txt_forbids_is_not_followed(stand: Stand) -> None:
    stand.board.moves = {"/news": (301, "/private")}
    stand.board.robots = "User-agent: *\nDisallow: /private"
    stand.visit()
    assert troubles(stand) == [f"it leads to {stand.server.url('/private')}, which robots.txt does not allow"]
    assert stand.asked == ["/news"]


def test_a_redirect_that_leads_nowhere_is_told_by_its_status(stand: Stand) -> None:
    stand.board.moves = {"/news": (302, "mailto:news@mill.example")}
    stand.visit()
    assert troubles(stand) == ["the server answered 302"]


def test_half_a_page_is_trouble_and_no_news(stand: Stand) -> None:
    stand.board.is_cut = True
    stand.visit()
    (why,) = troubles(stand)
    assert why.startswith("the answer was cut: ")
    assert stand.stories() == []


def test_older_pages_that_robots_txt_forbids_are_not_asked_for(stand: Stand) -> None:
    stand.board.robots = "User-agent: *\nDisallow: /news?page="
    stand.visit()
    stand.board.add(34)
    stand.visit(after_s=48 * HOUR_S)
    assert stand.asked == ["/news", "/news"]
    assert [event.is_closed for event in stand.events if isinstance(event, GapEvent)] == [False]
    assert not [event for event in stand.events if isinstance(event, LostEvent)]  # another visit may still find them


def test_pages_of_records_that_robots_txt_forbids_are_not_asked_for(stand: Stand) -> None:
    stand.board.robots = "User-agent: *\nDisallow: /story/"
    stand.visit(FOLLOW)
    assert stand.asked == ["/news"]
    assert troubles(stand) == []  # the list itself was read
    assert [page for page in read_pages(stand.archive, PageQuery()) if "/story/" in page.url] == []


def test_a_page_of_a_record_that_is_gone_is_told_and_the_list_is_read(stand: Stand) -> None:
    stand.board.stories, stand.board.story_status = stand.board.stories[:6], 404
    stand.visit(FOLLOW)
    told = [event for event in stand.events if isinstance(event, DocumentEvent)]
    assert [event.why for event in told] == ["the server answered 404"] * 6
    assert stand.stories() == list(range(105, 111))
    assert troubles(stand) == []


@pytest.mark.parametrize(
    ("attempts", "wait_s"), [(0, 60), (1, 120), (9, HOUR_S), (23, HOUR_S), (24, 6 * HOUR_S), (60, DAY_S)]
)
def test_a_page_that_goes_on_failing_is_asked_for_ever_less_often(attempts: int, wait_s: float) -> None:
    assert retry_s(attempts, ListOptions()) == wait_s


def test_a_page_without_lists_is_visited_once_a_day_or_as_often_as_promised() -> None:
    assert soonest([], ListOptions()).wait_s == DAY_S
    assert soonest([], ListOptions(goals=Goals(max_delay_s=7_200.0))).wait_s == 7_200.0
    assert "no list" in soonest([], ListOptions()).why
