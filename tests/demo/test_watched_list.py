import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.demo.test_report import RESULTS

from scythe.demo.live_list import SHOWN, LiveSite
from scythe.demo.watched_list import BEGIN, Diary, compare, plan_growth, watch_growth
from scythe.demo.wording import describe_watch, plan_words
from scythe.watch_model import HOUR_S
from scythe.watching.events import Event, ListEvent, RecordEvent, VisitEvent

END = BEGIN + 30 * HOUR_S


@pytest.fixture
def site() -> LiveSite:
    planned = plan_growth(10.0)
    planned.asked.append(END)
    return planned


def visit(new: int, at: float = END) -> VisitEvent:
    return VisitEvent(datetime.fromtimestamp(at, UTC), "s", "p", new, SHOWN, 0)


def record(link: str, number: int = 1) -> RecordEvent:
    at = datetime.fromtimestamp(END, UTC)
    return RecordEvent(at, "s", "p", number, "list", {"title": link}, link, (link,), (), "", at)


def filled(*events: Event, taken: Diary | None = None) -> Diary:
    diary = taken or Diary(END, tell=lambda event: None)

    async def take() -> None:
        for event in events:
            await diary.take(event)

    asyncio.run(take())
    return diary


def test_what_was_published_and_not_seen_is_lost_and_what_came_twice_is_counted(site: LiveSite) -> None:
    due = list(site.published(BEGIN, END))
    old = next(iter(site.published(0.0, BEGIN)))
    assert len(due) > 5
    seen = [record(link, number) for number, link in enumerate([old, *due])]
    whole = compare(site, filled(visit(len(seen)), *seen))
    assert (whole.lost, whole.doubled, whole.strange) == (0, 0, 0)
    assert len(whole.seen) == len(whole.published) == len(due)
    others = [*seen[:-1], record(due[0], 99), record("http://elsewhere/", 100)]
    found = compare(site, filled(visit(len(others)), *others))
    assert (found.lost, found.doubled, found.strange) == (1, 1, 1)


def test_a_visit_that_was_broken_off_counts_for_nothing(site: LiveSite) -> None:
    found = compare(site, filled(visit(2), record("http://elsewhere/")))
    assert (found.visits, found.published, found.lost) == ((), (), 0)


def test_it_ends_with_the_last_record_of_the_first_visit_after_its_time() -> None:
    ended = []
    taken = Diary(END, tell=lambda event: None)
    taken.stop = lambda: ended.append(len(taken.records))
    filled(visit(1, END - 1), record("a"), visit(2), record("b"), record("c"), taken=taken)
    assert ended == [3]


def test_a_list_that_is_found_anew_after_its_redesign_was_not_known_again(site: LiveSite) -> None:
    changes = [
        ListEvent(datetime.fromtimestamp(END, UTC), "s", "p", what, 1, "list") for what in ("redesigned", "found")
    ]
    known = compare(site, filled(visit(0), changes[0]))
    assert known.redesigned_at is not None
    assert known.is_known_again
    assert not compare(site, filled(visit(0), *changes)).is_known_again


def test_a_watch_is_told_with_the_visits_that_a_fixed_pace_would_have_taken() -> None:
    watched = RESULTS.watched
    assert watched is not None
    assert "would have been 41" in " ".join(describe_watch(replace(watched, end=BEGIN + 40 * HOUR_S)))
    assert [plan_words(each) for each in watched.visits] == [
        "next Tue 07:00, about 5 (learning its pace)",
        "no next visit",
    ]


def test_days_pass_in_seconds_and_every_record_is_seen_once(tmp_path: Path) -> None:
    events: list[Event] = []
    watched = watch_growth(tmp_path, 2.0, tell=events.append)
    assert watched.visits
    assert (watched.lost, watched.doubled, watched.strange) == (0, 0, 0)
    assert len(watched.seen) == len(watched.published)
    assert sum(event.kind == "record" for event in events) > len(watched.seen)
    assert all(published <= seen for published, seen in watched.seen)
    assert watched.published[-1] <= watched.end
