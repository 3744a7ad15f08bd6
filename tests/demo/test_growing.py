from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.demo.test_report import RESULTS

from scythe.demo.growing import BEGIN, SHOWN, Diary, compare, plan_growth, watch_growth
from scythe.demo.replay_serve import ReplayRequest, ReplayThread, serve_replay
from scythe.demo.wording import describe_watch, plan_words
from scythe.watch_model import HOUR_S
from scythe.watching.events import Event, ListEvent, RecordEvent, VisitEvent

END = BEGIN + 30 * HOUR_S


@pytest.fixture
def served() -> Iterator[ReplayThread]:
    with serve_replay(plan_growth(10.0), now=lambda: END) as site:
        site.asked.append(ReplayRequest(END, 0, "/latest/", 200))
        yield site


def visit(new: int, at: float = END) -> VisitEvent:
    return VisitEvent(datetime.fromtimestamp(at, UTC), "s", "p", new, SHOWN, 0)


def record(link: str, number: int = 1) -> RecordEvent:
    at = datetime.fromtimestamp(END, UTC)
    return RecordEvent(at, "s", "p", number, "list", {"title": link}, link, (link,), (), "", at)


def fill(diary: Diary, *events: Event) -> Diary:
    async def take() -> None:
        for event in events:
            await diary.take(event)

    asyncio.run(take())
    return diary


def diary() -> Diary:
    return Diary(END, tell=lambda event: None)


def test_what_was_published_and_not_seen_is_lost_and_what_came_twice_is_counted(served: ReplayThread) -> None:
    due = list(served.stories("/latest/", BEGIN, END))
    old = next(iter(served.stories("/latest/", 0.0, BEGIN)))
    assert len(due) > 5
    seen = [record(link, number) for number, link in enumerate([old, *due])]
    whole = compare(served, fill(diary(), visit(len(seen)), *seen))
    assert (whole.lost, whole.doubled, whole.strange, whole.before) == (0, 0, 0, 1)
    assert len(whole.sightings) == len(whole.published) == len(due)
    others = [*seen[:-1], record(due[0], 99), record("http://elsewhere/", 100)]
    found = compare(served, fill(diary(), visit(len(others)), *others))
    assert (found.lost, found.doubled, found.strange) == (1, 1, 1)


def test_a_visit_that_was_broken_off_counts_for_nothing(served: ReplayThread) -> None:
    found = compare(served, fill(diary(), visit(2), record("http://elsewhere/")))
    assert (found.looks, found.published, found.lost) == ((), (), 0)


def test_it_ends_with_the_last_record_of_the_first_visit_after_its_time() -> None:
    ended = []
    taken = diary()
    taken.stop = lambda: ended.append(len(taken.records))
    fill(taken, visit(1, END - 1), record("a"), visit(2), record("b"), record("c"))
    assert ended == [3]


def test_a_list_that_is_found_anew_after_its_redesign_was_not_known_again(served: ReplayThread) -> None:
    regions = [
        ListEvent(datetime.fromtimestamp(END, UTC), "s", "p", what, 1, "list") for what in ("redesigned", "found")
    ]
    known = compare(served, fill(diary(), visit(0), regions[0]))
    assert known.redesigned_at is not None
    assert known.is_known_again
    assert not compare(served, fill(diary(), visit(0), *regions)).is_known_again


def test_a_fixed_pace_is_safe_as_long_as_no_page_turns_over_in_between() -> None:
    watched = RESULTS.watched
    assert watched is not None
    even = replace(watched, published=tuple(BEGIN + HOUR_S * n for n in range(40)), end=BEGIN + 40 * HOUR_S)
    assert even.safe_s == SHOWN * HOUR_S
    assert even.visits_every(even.safe_s) == 4
    assert even.visits_every(HOUR_S) == 41
    assert replace(watched, published=(BEGIN,)).safe_s is None
    told = " ".join(describe_watch(even))
    assert "every 12 h 00 min" in told
    assert "would have been 41" in told
    assert [plan_words(look) for look in watched.looks] == [
        "next Tue 07:00, about 5 (learning its pace)",
        "no next visit",
    ]


def test_days_pass_in_seconds_and_every_record_is_seen_once(tmp_path: Path) -> None:
    events: list[Event] = []
    watched = watch_growth(tmp_path, 2.0, tell=events.append)
    assert watched.looks
    assert (watched.lost, watched.doubled, watched.strange) == (0, 0, 0)
    assert len(watched.sightings) == len(watched.published)
    assert watched.before > 0
    assert sum(event.kind == "record" for event in events) == watched.before + len(watched.sightings)
    assert all(each.published <= each.seen for each in watched.sightings)
    assert watched.published[-1] <= watched.end
