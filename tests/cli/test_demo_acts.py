import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from tests.cli.test_demo_stage import STEPS, stage

from scythe.archive.open import open_archive
from scythe.cli.demo_acts import ListDiary, kinds_table, sample_table, say_redesign
from scythe.crawling.crawl import Crawl
from scythe.demo.crawl_results import KindRow, SamplePages
from scythe.demo.crawl_steps import RedesignEffect
from scythe.demo.show import Show
from scythe.demo.watched_list import BEGIN, plan_growth
from scythe.watching.events import Event, GapEvent, ListEvent, RecordEvent, TroubleEvent, VisitEvent

AT = datetime.fromtimestamp(BEGIN, UTC)
HEAD = (AT, "site", "page")


def record(title: str) -> RecordEvent:
    return RecordEvent(*HEAD, 1, "list", {"title": title} if title else {}, "http://x/1", (), (), "", AT)


def told(*events: Event) -> list[str]:
    played, out = stage(width=80)
    diary = ListDiary(played)
    for event in events:
        diary.tell(event)
    return [line.strip() for line in out.getvalue().decode().splitlines()]


def test_what_was_there_is_counted_and_what_is_new_is_told_with_the_plan() -> None:
    first = VisitEvent(*HEAD, 12, 12, 0, next_at=AT, expected=4.4, why="cold start")
    assert told(first, record("Old")) == ["Mon 06:00  12 records there; next Mon 06:00, about 4 (learning its pace)"]
    later = VisitEvent(*HEAD, 2, 12, 10)
    lines = told(first, record("Old"), later, record("New \x1b[2J"), record(""))
    assert lines[1:] == ["Mon 06:00  2 new; no next visit", "+ New ␛[2J", "+ http://x/1"]


def test_redesigns_gaps_and_failures_of_a_list_are_told() -> None:
    assert told(
        ListEvent(*HEAD, "found", 1, "list"),
        ListEvent(*HEAD, "redesigned", 1, "list"),
        ListEvent(*HEAD, "gone", 1, "list"),
        GapEvent(*HEAD, 1, "list", 1, 0),
        GapEvent(*HEAD, 1, "list", 2, 3),
        TroubleEvent(*HEAD, "the server answered 503"),
    ) == [
        "Mon 06:00  the list got another design",
        "Mon 06:00  the list is gone",
        "Mon 06:00  all that the page shows is new, no more on the one before",
        "Mon 06:00  all that the page shows is new, 3 more on older pages",
        "Mon 06:00  no answer: the server answered 503",
    ]


def test_while_a_site_is_redesigned_one_sees_whether_it_was_noticed_and_healed() -> None:
    redesigns = [None, *(RedesignEffect(9, 5, 0.9, 0.1, 0.9, *found) for found in ((None, None), (1, None), (1, 4)))]
    show = cast(Show, SimpleNamespace(came=14, judge_redesign=lambda: redesigns.pop(0)))
    assert [say_redesign(show) for _ in range(4)] == [
        "14 pages; still the old design",
        "14 pages, 5 in the new design",
        "14 pages, 5 in the new design: noticed on page 1, not healed yet",
        "14 pages, 5 in the new design: healed after 4 pages",
    ]


async def until(said: Callable[[], bool], shown: Awaitable[None]) -> None:
    """Show until something is to be seen, then no longer."""
    showing = asyncio.ensure_future(shown)
    for _ in range(6_000):
        if said():
            break
        await asyncio.sleep(0.01)
    showing.cancel()
    await asyncio.gather(showing, return_exceptions=True)


def test_on_a_terminal_a_crawl_is_seen_page_by_page(tmp_path: Path) -> None:
    played, out = stage(terminal=True)
    with open_archive(tmp_path / "a.db") as archive:
        run = Crawl("http://127.0.0.1:9/", archive)
        follow = played.follow(lambda: STEPS, lambda run: f"{run.tally.pages} pages \x1b[2J")
        asyncio.run(until(lambda: b"0 pages" in out.getvalue(), follow(run)))
    assert "█" in out.getvalue().decode()
    assert b"\x1b[2J" not in out.getvalue()  # it is shown, not obeyed
    assert out.getvalue().count(b"\x1b[?25l") == out.getvalue().count(b"\x1b[?25h") == 1  # the cursor is back


def test_on_a_terminal_one_sees_what_time_it_is_at_a_list() -> None:
    played, out = stage(terminal=True, width=90)
    diary = ListDiary(played)
    show = played.follow_list(diary.status)
    site = plan_growth(1.0)

    async def look() -> None:
        await until(lambda: b"published" in out.getvalue(), show(site))

    asyncio.run(look())
    assert b"published since Monday morning; first visit" in out.getvalue()


def test_tables_show_what_was_found_and_leave_out_what_was_not() -> None:
    played, out = stage(width=80)
    rows = [KindRow("news", 3, 2, 2, 0.99, (1, 2), (0, 0)), KindRow("docs", 1, 0, 0, None, (0, 0), (0, 0))]
    played.show(kinds_table([*rows, KindRow("blog", 2, 2, 1, 0.5, (9, 9), (19, 20))]))
    played.show(
        sample_table(SamplePages("T", columns=("a", "b"), records=(("one", "two"), ("three", "four"), ("five", ""))))
    )
    text = out.getvalue().decode()
    assert "docs" not in text
    assert [line.split() for line in text.splitlines() if "news" in line] == [
        ["news", "2", "2", "of", "2", "0.99", "1", "of", "2", "-"]
    ]
    assert "three" in text
    assert "five" not in text
