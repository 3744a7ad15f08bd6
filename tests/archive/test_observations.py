from datetime import datetime

import pytest
from sqlalchemy import text
from tests.archive.visiting import HOST, NOW, SITE, found, later, list_tasks, listed, looked, region, watch

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.observations import (
    count_came,
    find_list,
    late_looks,
    lists_of_watch,
    read_looks,
    watched_lists,
)
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import ListRow
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.archive.watches import add_watch, end_watch, watch_rows, wind_watches
from scythe.crawl_model import Looked, Outcome
from scythe.watch_model import VisitPlan

HOUR = 3_600.0


def visit(archive: Archive, site: int, at: datetime, *regions: Looked) -> None:
    """Visit the only list of the site, which showed these regions."""
    (task,) = list_tasks(archive, site, at)
    store_outcomes(archive, [listed(task, at=at, looked=regions)])


def only(archive: Archive, watch: int) -> ListRow:
    (row,) = lists_of_watch(archive, watch)
    return row


def test_a_region_is_kept_as_the_last_visit_left_it(archive: Archive) -> None:
    site, task = watch(archive)
    plan = VisitPlan(60.0, 1.5, 0.01, 12.0, "forecast")
    first = looked(shown=10, new=10, name="Old name", plan=plan)
    last = looked(
        shown=9,
        new=2,
        plan=plan,
        name="News",
        kind="articles",
        pattern="<li>(<a>)",
        columns=("title", "a,b"),
        shapes=("/news/*",),
        rank=3,
        newest=("aa", "bb"),
        sticky=("cc",),
        has_gap=True,
        estimator='{"policy": "auto"}',
    )
    visit(archive, site, NOW, first)
    visit(archive, site, later(HOUR), last)
    row = only(archive, task.id)
    kept = {name: getattr(row, name) for name in Looked.__slots__ if hasattr(row, name) and name != "lost"}
    assert kept == {name: getattr(last, name) for name in kept}
    assert {"name", "pattern", "columns", "shapes", "newest", "sticky", "has_gap", "estimator", "plan"} <= set(kept)
    assert (row.watch, row.first_at, row.seen_at) == (task.id, NOW, later(HOUR))
    assert (row.looks, row.records, row.lost, row.missing, row.shown) == (2, 12, 0, 0, 9)


def test_a_region_that_is_not_there_is_missed_until_it_is_there_again(archive: Archive) -> None:
    site, task = watch(archive)
    visit(archive, site, NOW, looked(shown=5, new=5))
    for number in (1, 2):
        visit(archive, site, later(number * HOUR), looked(shown=None, name="kept"))
        row = only(archive, task.id)
        assert (row.missing, row.looks, row.seen_at, row.shown, row.plan) == (number, 1, NOW, 5, None)
    visit(archive, site, later(3 * HOUR), looked(shown=5, lost=4))
    row = only(archive, task.id)
    assert (row.missing, row.looks, row.lost, row.seen_at) == (0, 2, 4, later(3 * HOUR))
    assert [look.shown for look in read_looks(archive, row.id)] == [5, None, None, 5]


def test_the_journal_tells_every_visit_in_the_order_it_was_stored(archive: Archive) -> None:
    site, task = watch(archive)
    plan = VisitPlan(60.0, 1.5, 0.01, 12.0, "cap")
    visit(archive, site, later(9 * HOUR), looked(shown=3, new=3, is_full=True, lost=1, plan=plan))
    wind_watches(archive, NOW)  # that clock was ahead
    visit(archive, site, later(HOUR), looked(shown=4, since_s=HOUR, known=2, new=1, recovered=1, has_gap=True))
    region = only(archive, task.id).id
    first, second = read_looks(archive, region)
    assert (first.list_id, first.at, first.since_s, first.plan) == (region, later(9 * HOUR), None, plan)
    assert (first.shown, first.new, first.known, first.recovered, first.lost, first.requests) == (3, 3, 0, 0, 1, 1)
    assert (first.is_full, first.has_gap, second.is_full, second.has_gap) == (True, False, False, True)
    assert (second.at, second.since_s, second.shown, second.new) == (later(HOUR), HOUR, 4, 1)
    assert (second.known, second.recovered, second.plan) == (2, 1, None)
    assert list(read_looks(archive, region, since=later(2 * HOUR))) == [first]
    assert list(read_looks(archive, region + 1)) == []


def test_a_long_journal_is_read_in_parts(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.archive._BATCH", 2)
    site, task = watch(archive)
    for number in range(5):
        visit(archive, site, later(number * HOUR), looked(new=number))
    assert [look.new for look in read_looks(archive, only(archive, task.id).id)] == [0, 1, 2, 3, 4]


def test_a_page_that_did_not_change_leaves_its_looks(archive: Archive) -> None:
    site, task = watch(archive)
    visit(archive, site, NOW, looked(shown=5, new=5))
    (task,) = list_tasks(archive, site, later(HOUR))
    seen = (looked(shown=5, since_s=HOUR),)
    unchanged = Outcome(
        task, "retry", later(HOUR), status=304, is_unchanged=True, retry_at=later(2 * HOUR), looked=seen
    )
    store_outcomes(archive, [unchanged])
    row = only(archive, task.id)
    assert (row.looks, row.records, row.seen_at) == (2, 5, later(HOUR))
    assert [look.new for look in read_looks(archive, row.id)] == [5, 0]


def test_several_lists_are_stored_in_one_batch_each_with_its_own_regions(archive: Archive) -> None:
    tasks = [watch(archive, path)[1] for path in ("one", "two")]
    both = (looked(2, shown=2, new=2), looked(1, shown=1, new=1))
    store_outcomes(archive, [listed(task, looked=both, notes=f"of {task.id}") for task in reversed(tasks)])
    for task in tasks:
        assert [(row.number, row.records) for row in lists_of_watch(archive, task.id)] == [(1, 1), (2, 2)]
    assert [row.notes for row in watch_rows(archive)] == [f"of {task.id}" for task in tasks]
    assert verify_archive(archive) == []


def test_notes_stay_where_a_visit_says_nothing(where: str) -> None:
    with open_archive(where) as archive:
        site, task = watch(archive)
        store_outcomes(archive, [listed(task, notes="first")])
        visit(archive, site, later(HOUR))
        assert [row.notes for row in watch_rows(archive)] == ["first"]


def test_lists_of_every_page_that_is_watched_are_those_of_the_last_visits(archive: Archive) -> None:
    _, task = watch(archive)
    store_outcomes(archive, [listed(task, looked=(looked(1, new=1), looked(2, shown=None, plan=None)))])
    other = add_site(archive, "other", SITE)
    ended = add_watch(archive, other, found("news"), "{}", now=NOW)
    (of_other,) = next_tasks(archive, other, HOST, 9, now=NOW, kinds=("list",))
    store_outcomes(archive, [listed(of_other)])
    own, others = lists_of_watch(archive, task.id), lists_of_watch(archive, of_other.id)
    assert watched_lists(archive) == [*own, *others]
    end_watch(archive, ended, "enough")
    assert watched_lists(archive) == own


def test_texts_that_no_database_takes_are_kept_as_far_as_they_go(archive: Archive) -> None:
    site, task = watch(archive, options="a\x00b")
    visit(archive, site, NOW, looked(name="a\x00", columns=("\ud800",), pattern="\x00"))
    row = only(archive, task.id)
    assert (row.name, row.columns, row.pattern) == ("a\ufffd", ("\ufffd" * 3,), "\ufffd")


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE lists SET looks = 7", "has not the looks it counts"),
        ("UPDATE lists SET records = 7", "has not the looks it counts"),
        ("DELETE FROM looks", "has not the looks it counts"),
        ("UPDATE urls SET kind = 'page' WHERE kind = 'list'", "is of an address that is no list"),
        ("UPDATE watches SET ended_at = 1", "is ended and waits for a visit"),
    ],
)
def test_regions_and_their_journal_must_agree(archive: Archive, damage: str, complaint: str) -> None:
    _, task = watch(archive)
    store_outcomes(archive, [listed(task, region(("a", "A")), looked=(looked(new=1),))])
    assert verify_archive(archive) == []
    with archive.writing() as connection:
        connection.execute(text(damage))
    (said,) = verify_archive(archive)
    assert complaint in said


def test_the_journal_can_be_turned_from_its_end(archive: Archive) -> None:
    site, task = watch(archive)
    for hour in range(5):
        visit(archive, site, later(hour * HOUR), looked(shown=3, new=hour, since_s=HOUR if hour else None))
    region = only(archive, task.id).id
    last = late_looks(archive, region, count=2)
    assert [look.new for look in last] == [4, 3]
    assert [look.new for look in late_looks(archive, region, before=last[-1].id)] == [2, 1, 0]
    assert find_list(archive, region) == only(archive, task.id)
    assert watched_lists(archive) == lists_of_watch(archive, task.id)
    assert find_list(archive, region + 1) is None


def test_what_came_is_counted_in_steps_of_time_without_the_first_visit(archive: Archive) -> None:
    site, task = watch(archive)
    visit(archive, site, NOW, looked(shown=9, new=9))
    visit(archive, site, later(HOUR), looked(shown=9, new=2, lost=1, since_s=HOUR))
    visit(archive, site, later(2 * HOUR), looked(shown=9, new=1, since_s=HOUR))
    visit(archive, site, later(3 * HOUR), looked(shown=9, new=0, since_s=HOUR))
    region = only(archive, task.id).id
    assert count_came(archive, [region, region + 1], since=NOW, step_s=1.5 * HOUR) == {region: {0: 3, 1: 1}}
    assert count_came(archive, [], since=NOW, step_s=HOUR) == {}
