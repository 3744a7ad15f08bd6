"""Watching a real server: what is archived, what is asked for, what is told."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from tests.watching.board import HOUR_S, Stand, next_visit_s, open_stand

from scythe.archive.observations import lists_of_watch, read_looks, watched_lists
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages, read_records
from scythe.archive.watches import hasten_watch, watch_rows
from scythe.errors import BadInput
from scythe.watch_model import Goals
from scythe.watching.events import Event, GapEvent, ListEvent, LostEvent, RecordEvent, TroubleEvent, VisitEvent
from scythe.watching.watch import Watch, add_lists, forget_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

pytestmark = pytest.mark.fault


def test_a_visit_archives_only_what_is_new(stand: Stand) -> None:
    first = stand.visit()
    assert (first.visits, first.records, stand.stories()) == (1, 10, list(range(101, 111)))
    stand.board.add(4)
    assert stand.visit(after_s=48 * HOUR_S).records == 4
    assert stand.stories() == list(range(101, 115))
    assert stand.asked == ["/news", "/news"]


def test_nothing_is_asked_for_before_it_is_due(stand: Stand) -> None:
    stand.visit()
    assert next_visit_s(stand) > 300
    stand.visit(after_s=60.0)
    assert stand.asked == ["/news"]


def test_a_late_visit_follows_older_pages_until_it_knows_a_record_again(stand: Stand) -> None:
    stand.visit()
    stand.board.add(34)
    stand.visit(after_s=48 * HOUR_S)
    assert stand.stories() == list(range(101, 145))
    assert stand.asked == ["/news", "/news", "/news?page=2", "/news?page=3", "/news?page=4"]
    (gap,) = [event for event in stand.events if isinstance(event, GapEvent)]
    assert (gap.pages, gap.recovered, gap.is_closed) == (3, 24, True)


def test_without_older_pages_what_fell_off_is_told_as_lost(stand: Stand) -> None:
    stand.board.has_pager = False
    stand.visit()
    stand.board.add(15)
    stand.visit(after_s=48 * HOUR_S)
    assert stand.stories() == [*range(101, 111), *range(116, 126)]
    assert [type(event) for event in stand.events if event.kind in ("gap", "lost")] == [LostEvent]


def test_older_pages_are_followed_no_further_than_asked_for(stand: Stand) -> None:
    options = ListOptions(older_pages=2)
    stand.visit(options)
    stand.board.add(90)
    stand.visit(options, after_s=48 * HOUR_S)
    assert len(stand.stories()) == 10 + 30
    assert any(isinstance(event, LostEvent) for event in stand.events)


def test_a_gap_that_could_not_be_closed_is_closed_by_the_next_visit(stand: Stand) -> None:
    stand.visit()
    stand.board.add(34)
    stand.board.fails_at_page = 3
    stand.visit(after_s=48 * HOUR_S)
    half = stand.stories()
    stand.board.fails_at_page = 0
    stand.board.add(2)
    stand.visit(after_s=48 * HOUR_S)
    closed = [event.is_closed for event in stand.events if isinstance(event, GapEvent)]
    assert half == [*range(101, 111), *range(125, 145)]
    assert stand.stories() == list(range(101, 147))
    assert closed == [False, True]


def test_a_redesign_archives_nothing_twice(stand: Stand) -> None:
    stand.visit()
    stand.board.add(3)
    stand.board.is_new_design = True
    stand.visit(after_s=48 * HOUR_S)
    assert stand.stories() == list(range(101, 114))
    assert [event.what for event in stand.events if isinstance(event, ListEvent)] == ["found", "redesigned"]


def test_a_redesign_after_which_nothing_known_is_left_loses_nothing_of_the_list(stand: Stand) -> None:
    stand.visit()
    stand.board.add(25)
    stand.board.is_new_design = True
    stand.visit(after_s=48 * HOUR_S)
    assert stand.stories() == list(range(101, 136))
    (watch,) = watch_rows(stand.archive)
    (region,) = lists_of_watch(stand.archive, watch.id)
    assert (region.looks, region.records) == (2, 35)


def test_a_box_whose_records_go_on_into_a_longer_list_asks_for_no_visits(stand: Stand) -> None:
    stand.board.has_front, stand.board.has_pager = True, False
    stand.board.add(14)
    for _ in range(4):
        stand.visit(ListOptions(goals=Goals(max_delay_s=6 * HOUR_S)), after_s=7 * HOUR_S)
        stand.board.add(3)
    plans = {listed.shown: listed.plan for listed in watched_lists(stand.archive)}
    assert set(plans) == {4, 10}
    assert plans[4] is None
    assert plans[10] is not None
    assert not [event for event in stand.events if event.kind == "lost"]
    assert len(stand.stories()) == len(set(stand.stories())) == 14 + 9


def test_a_page_that_did_not_change_is_not_read_again(stand: Stand) -> None:
    stand.board.headers = ('ETag: "one"',)
    stand.visit()
    stand.board.status, stand.board.headers = 304, ()
    totals = stand.visit(after_s=48 * HOUR_S)
    (visit,) = [event for event in stand.events if isinstance(event, VisitEvent) and event.is_unchanged]
    assert stand.server.seen("If-None-Match")[-1] == '"one"'
    assert (visit.shown, visit.new, totals.visits) == (10, 0, 1)
    assert next_visit_s(stand) > 300


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_a_page_that_fails_is_tried_again_and_nothing_is_forgotten(stand: Stand, status: int) -> None:
    stand.visit()
    stand.board.status = status
    stand.visit(after_s=48 * HOUR_S)
    first_s = next_visit_s(stand)
    stand.visit(after_s=first_s + 1)
    (_, trouble) = [event for event in stand.events if isinstance(event, TroubleEvent)]
    assert (trouble.status, trouble.attempts) == (status, 2)
    assert 50 < first_s < next_visit_s(stand) < HOUR_S
    stand.board.status = 200
    stand.board.add(2)
    stand.visit(after_s=HOUR_S)
    assert stand.stories() == list(range(101, 113))


def test_a_server_that_asks_for_time_is_given_it(stand: Stand) -> None:
    stand.visit()
    stand.board.status, stand.board.headers = 503, ("Retry-After: 7200",)
    stand.visit(after_s=48 * HOUR_S)
    assert 7_000 < next_visit_s(stand) <= 7_200


def test_a_page_that_suddenly_shows_no_list_is_trouble_and_no_news(stand: Stand) -> None:
    stand.visit()
    kept, stand.board.stories = stand.board.stories, []
    stand.visit(after_s=48 * HOUR_S)
    stand.board.stories = kept
    stand.board.add(1)
    stand.visit(after_s=HOUR_S)
    (trouble,) = [event for event in stand.events if isinstance(event, TroubleEvent)]
    assert "no list" in trouble.why
    assert stand.stories() == list(range(101, 112))


def test_robots_txt_is_heeded(stand: Stand) -> None:
    stand.board.robots = "User-agent: *\nDisallow: /news"
    stand.visit()
    assert stand.asked == []
    assert [event.why for event in stand.events if isinstance(event, TroubleEvent)] == ["robots.txt does not allow it"]
    assert next_visit_s(stand) > 20 * HOUR_S


def test_records_are_told_with_what_they_say(stand: Stand) -> None:
    stand.visit()
    told = [event for event in stand.events if isinstance(event, RecordEvent)]
    assert told[-1].fields["title"] == "The harbour beside the council opens again after 110 days of work"
    assert [event.link for event in (told[0], told[-1])] == [
        stand.server.url(path) for path in ("/story/101-council", "/story/110-harbour")
    ]


def test_followed_records_are_archived_as_documents(stand: Stand) -> None:
    stand.visit(ListOptions(follow=True))
    stand.board.add(2)
    stand.visit(ListOptions(follow=True), after_s=48 * HOUR_S)
    pages = {page.url: page for page in read_pages(stand.archive, PageQuery()) if "/story/" in page.url}
    assert len(pages) == 12
    assert "Sentence 3 says" in pages[stand.server.url("/story/112-orchard")].text  # type: ignore[index]
    assert len([path for path in stand.asked if path.startswith("/story/")]) == 12


def test_what_is_promised_to_stay_the_same_is_not_asked_for_before(stand: Stand) -> None:
    stand.board.headers = ("Cache-Control: max-age=3000",)
    stand.visit(ListOptions("fixed", Goals(max_delay_s=600.0)))
    (row,) = watch_rows(stand.archive)
    hurried = next_visit_s(stand)
    stand.visit(ListOptions("adaptive"), after_s=HOUR_S)
    assert hurried <= 600.0
    assert next_visit_s(stand) > 2_900
    assert row.state == "retry"


def test_the_longest_delay_is_kept(stand: Stand) -> None:
    stand.visit(ListOptions(goals=Goals(max_delay_s=1_200.0)))
    assert 590 < next_visit_s(stand) <= 1_200


def test_a_list_that_is_forgotten_is_not_visited_and_can_be_watched_again(stand: Stand) -> None:
    stand.visit()
    assert forget_lists(stand.archive, [stand.url]) == [stand.url]
    stand.ahead_s += 48 * HOUR_S
    stand.go_on()
    before = len(stand.asked)
    stand.board.add(1)
    stand.visit()
    assert (before, len(stand.asked)) == (1, 2)
    assert stand.stories() == list(range(101, 112))
    with pytest.raises(BadInput, match="is not watched"):
        forget_lists(stand.archive, ["https://elsewhere.example/"])


def test_an_address_that_is_none_is_refused(stand: Stand) -> None:
    with pytest.raises(BadInput, match="not an address"):
        add_lists(stand.archive, ["ftp://example.org/"], ListOptions())


def test_the_journal_tells_what_every_visit_saw(stand: Stand) -> None:
    stand.visit()
    stand.board.add(4)
    stand.visit(after_s=48 * HOUR_S)
    (watch,) = watch_rows(stand.archive)
    (region,) = lists_of_watch(stand.archive, watch.id)
    looks = list(read_looks(stand.archive, region.id))
    assert [(look.new, look.shown, look.is_full) for look in looks] == [(10, 10, False), (4, 10, False)]
    assert looks[1].since_s == pytest.approx(48 * HOUR_S, abs=60)
    assert (region.records, region.lost, region.looks) == (14, 0, 2)
    assert json.loads(region.estimator)["policy"] == "auto"


def test_a_clock_that_is_set_back_delays_no_visit_by_more_than_planned(stand: Stand) -> None:
    stand.visit()
    planned_s = next_visit_s(stand)
    stand.ahead_s -= 86_400.0
    stand.go_on()
    assert next_visit_s(stand) <= planned_s + 120  # the first visit itself took a moment
    stand.board.add(3)
    stand.visit(after_s=planned_s + 120)
    assert stand.stories() == list(range(101, 114))


def test_a_clock_that_is_set_ahead_by_a_year_makes_one_visit_and_no_storm(stand: Stand) -> None:
    stand.visit()
    stand.board.add(3)
    stand.visit(after_s=366 * 86_400.0)
    stand.go_on()
    assert len(stand.asked) == 2
    assert 300 < next_visit_s(stand) <= 8 * 86_400


def test_a_feed_is_watched_like_a_page(tmp_path: Path) -> None:
    from tests.fetch.server import page, serve

    now = datetime.now(UTC)
    entries = [(number, now - timedelta(hours=number)) for number in range(12)]

    async def answer(target: str):  # type: ignore[no-untyped-def]
        items = "".join(
            f"<item><title>Entry {n}</title><link>/e/{n}</link><pubDate>{format_datetime(at)}</pubDate></item>"
            for n, at in entries
        )
        body = f"<rss version='2.0'><channel><title>All</title><ttl>30</ttl>{items}</channel></rss>".encode()
        yield page(b"", status="404 No") if target == "/robots.txt" else page(body, "Content-Type: application/rss+xml")

    with serve(answer) as server, open_stand(tmp_path) as stand:
        watched = replace(stand, server=server)
        add_lists(watched.archive, [server.url("/feed.xml")], ListOptions())
        watched.go_on()
        (listed,) = watched_lists(watched.archive)
        assert listed.kind == "feed"
        assert len(list(read_records(watched.archive, PageQuery()))) == 12
        assert 10 < (listed.plan.rate if listed.plan else 0) < 60  # its dates say 24 a day


def test_a_page_that_is_hastened_is_visited_at_once_by_a_run_that_is_told_to_look(stand: Stand) -> None:
    (number,) = add_lists(stand.archive, [stand.url], ListOptions())
    visits: list[Event] = []

    async def take(event: Event) -> None:
        if event.kind != "visit":
            return
        visits.append(event)
        if len(visits) == 2:
            run.stop()
            return
        asyncio.get_running_loop().call_later(0.2, hasten)  # by then the visit has ended

    def hasten() -> None:
        hasten_watch(stand.archive, number)
        run.look_soon()

    run = Watch(stand.archive, WatchOptions(delay=0.0, allow_private=True), listener=take)
    asyncio.run(asyncio.wait_for(run.run(), 20))
    assert len(visits) == 2


def test_once_visits_a_page_at_most_once_however_soon_it_is_due_again(stand: Stand) -> None:
    add_lists(stand.archive, [stand.url], ListOptions(follow=True), stand.clock())
    visits: list[Event] = []

    async def take(event: Event) -> None:
        if event.kind != "visit":
            return
        visits.append(event)
        stand.ahead_s += 48 * HOUR_S  # by the end of this visit the page is due again
        if len(visits) == 3:
            run.stop()

    run = Watch(
        stand.archive,
        WatchOptions(delay=0.0, allow_private=True, once=True),
        listener=take,
        clock=stand.clock(),
    )
    asyncio.run(asyncio.wait_for(run.run(), 60))
    assert (len(visits), next_visit_s(stand) < 0) == (1, True)
    assert stand.asked.count("/news") == 1
    assert len(set(stand.asked)) == len(stand.asked) == 11  # and the pages behind its records, each once
    stand.go_on()
    assert stand.asked.count("/news") == 2
