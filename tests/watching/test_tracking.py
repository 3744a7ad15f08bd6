"""The lists of one page through one visit: what is new of each, what was missed, which of them ask for visits."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import pytest

from scythe.archive.results import ListRow, RecordKey, WatchRow
from scythe.crawl_model import Looked, Outcome, Receipt, Task
from scythe.model import Record, RecordList
from scythe.url import Url
from scythe.watching.events import ListEvent
from scythe.watching.list_choice import Notes
from scythe.watching.tracking import GONE_AFTER, TrackedLists
from scythe.watching.visit import tell_visit
from scythe.watching.watch_options import ListOptions

NOW = 1_780_000_000.0
HOUR_S = 3_600.0
ADDRESS = Url("https://example.org/")
TASK = Task(1, 1, ADDRESS, "example.org", "list")
PAGE = WatchRow(
    1, 1, "example.org", ADDRESS, "example.org", "{}", "", "retry", "", 0, None, None, datetime.now(UTC), None
)


def region(keys: Iterable[str], kind: str = "articles", pattern: str = "li(a(h2))") -> RecordList:
    records = tuple(Record((f"Title {key}",), (f"https://example.org/{kind}/{key}",), (), "") for key in keys)
    return RecordList(records, ("title",), kind, 0.9, pattern)


def known(keys: Iterable[str], archive: Iterable[str]) -> list[RecordKey]:
    there = set(archive)
    return [RecordKey(key, key in there) for key in keys]


class World:
    """A page with lists that are visited, and the archive's part in it."""

    def __init__(self, notes: Notes | None = None) -> None:
        self.rows: list[ListRow] = []
        self.notes = notes or Notes()
        self.archive: set[str] = set()
        self.at = NOW

    def begin(self, *lists: Sequence[str], kinds: Sequence[str] = (), pattern: str = "li(a(h2))") -> TrackedLists:
        visit = TrackedLists(self.rows, self.notes, ListOptions())
        names = kinds or ["articles"] * len(lists)
        regions = [region(keys, kind, pattern) for keys, kind in zip(lists, names, strict=True)]
        visit.begin(regions, [known(keys, self.archive) for keys in lists])
        return visit

    def add_older(self, visit: TrackedLists, *lists: Sequence[str]) -> None:
        visit.add_older([region(keys) for keys in lists], [known(keys, self.archive) for keys in lists])

    def end(self, visit: TrackedLists, after_s: float = HOUR_S) -> dict[int, Looked]:
        """Settle a visit and keep what it says, as an archive does."""
        looked = visit.settle(self.at)
        before = {row.number: row for row in self.rows}
        self.rows = [_row(one, before.get(one.number), self.at) for one in looked]
        self.archive.update(key for track in visit.tracks for key in track.keys)
        self.at += after_s
        return {one.number: one for one in looked}

    def visit(self, *lists: Sequence[str]) -> dict[int, Looked]:
        return self.end(self.begin(*lists))


def _row(one: Looked, before: ListRow | None, at: float) -> ListRow:
    moment = datetime.fromtimestamp(at, UTC)
    return ListRow(
        id=one.number,
        watch=1,
        number=one.number,
        name=one.name,
        kind=one.kind,
        pattern=one.pattern,
        columns=one.columns,
        shapes=one.shapes,
        newest=one.newest,
        sticky=one.sticky,
        rank=one.rank,
        shown=one.seen.shown if one.seen is not None else before.shown if before is not None else 0,
        has_gap=one.has_gap,
        estimator=one.estimator,
        plan=one.plan,
        first_at=moment if before is None else before.first_at,
        seen_at=moment if one.seen is not None or before is None else before.seen_at,
        missing=0 if one.seen is not None else 1 + (before.missing if before is not None else 0),
        looks=1,
        records=0,
        lost=0,
    )


def names(first: int, last: int) -> list[str]:
    """Return keys, the newest first."""
    return [f"k{number}" for number in range(last, first - 1, -1)]


def new_of(looked: Looked) -> int:
    assert looked.seen is not None
    return looked.seen.new


def test_what_came_since_the_last_visit_is_new() -> None:
    world = World()
    world.visit(names(1, 10))
    looked = world.visit(names(4, 13))[1]
    assert (new_of(looked), looked.known, looked.has_gap) == (3, 7, False)
    assert looked.seen is not None
    assert looked.seen.since_s == HOUR_S


def test_a_record_in_two_lists_counts_for_the_longer_one() -> None:
    world = World()
    world.visit(names(1, 10), ["m1", "m2", "m3"])
    looked = world.visit(names(3, 12), ["k12", "m1", "m2"])
    assert {number: new_of(one) for number, one in looked.items()} == {1: 2, 2: 0}


@pytest.mark.parametrize(
    ("after_s", "is_told"),
    [(24 * HOUR_S, True), (10 * 24 * HOUR_S, True), (20 * 24 * HOUR_S, False), (366 * 24 * HOUR_S, False)],
)
def test_what_was_lost_is_guessed_unless_the_clock_jumped(after_s: float, is_told: bool) -> None:
    world = World()
    for turn in range(60):
        visit = world.begin(names(1 + 2 * turn, 10 + 2 * turn))
        world.end(visit, after_s if turn == 59 else HOUR_S)
    looked = world.visit(names(5_001, 5_010))[1]
    assert (looked.lost > 0) == is_told
    world.at -= after_s  # and the clock is put right again
    assert world.visit(names(6_001, 6_010))[1].lost == 0


def test_where_nothing_known_is_left_older_pages_are_wanted_until_something_is() -> None:
    world = World()
    world.visit(names(1, 10))
    visit = world.begin(names(26, 35))
    wanted = [visit.wants_older]
    world.add_older(visit, names(16, 25))
    wanted.append(visit.wants_older)
    world.add_older(visit, names(6, 15))
    wanted.append(visit.wants_older)
    looked = world.end(visit)[1]
    assert wanted == [True, True, False]
    assert (new_of(looked), looked.recovered, looked.lost, looked.has_gap) == (25, 15, 0, False)
    assert looked.seen is not None
    assert (looked.seen.is_full, looked.seen.shown, looked.seen.requests) == (False, 10, 3)
    assert 1 in world.notes.paged


def test_what_older_pages_do_not_have_is_missed() -> None:
    world = World()
    world.visit(names(1, 10))
    visit = world.begin(names(26, 35))
    world.add_older(visit, names(26, 35))
    looked = world.end(visit)[1]
    assert not visit.wants_older
    assert looked.seen is not None
    assert (looked.seen.is_full, looked.has_gap) == (True, False)
    assert looked.newest[:10] == tuple(names(26, 35))


def test_a_gap_stays_open_with_its_proof_while_older_pages_fail_and_is_given_up_in_the_end() -> None:
    world = World()
    world.visit(names(1, 10))
    proof = world.rows[0].newest
    opened = []
    for turn in range(7):
        visit = world.begin(names(26, 35 + turn))
        visit.is_broken_off = True
        opened.append(world.end(visit)[1].has_gap)
        if turn == 0:
            assert world.rows[0].newest == proof
    assert opened == [True] * 5 + [False] * 2


def test_a_list_that_is_not_there_is_kept_as_it_was() -> None:
    world = World()
    first = world.visit(names(1, 10))[1]
    looked = world.end(world.begin([f"t{n}" for n in range(5)], kinds=["table"], pattern="tr(td td)"))
    assert looked[1].seen is None
    assert looked[1].newest == first.newest
    assert {row.number: row.missing for row in world.rows} == {1: 1, 2: 0}


def test_the_answer_that_nothing_changed_counts_for_what_was_there() -> None:
    world = World()
    world.visit(names(1, 10), ["m1", "m2", "m3"])
    world.end(world.begin(names(1, 10)))
    visit = TrackedLists(world.rows, world.notes, ListOptions())
    looked = visit.unchanged(world.at)
    assert [(one.number, one.known) for one in looked] == [(1, 10)]
    assert looked[0].seen is not None
    assert (looked[0].seen.shown, looked[0].seen.new) == (10, 0)


def test_one_or_two_records_beside_a_list_ask_for_no_visits_but_alone_they_do() -> None:
    world = World()
    beside = world.visit(names(1, 10), ["m1", "m2"])
    alone = World().visit(["m1", "m2"])
    assert [one.plan is None for one in beside.values()] == [False, True]
    assert alone[1].plan is not None


def test_a_box_that_drains_into_a_longer_list_asks_for_no_visits() -> None:
    world = World()
    plans = []
    for turn in range(6):
        last = 14 + 3 * turn
        looked = world.visit(names(last - 13, last - 4), names(last - 3, last))
        plans.append([one.plan is None for one in looked.values()])
    assert plans[0] == [False, False]
    assert plans[-1] == [False, True]


def test_two_lists_that_show_the_same_never_wait_for_each_other() -> None:
    world = World()
    for turn in range(6):
        looked = world.visit(names(1 + 4 * turn, 10 + 4 * turn), names(1 + 4 * turn, 10 + 4 * turn))
    assert any(one.plan is not None for one in looked.values())


def test_a_redesigned_list_that_older_pages_prove_goes_on_as_the_one_it_was() -> None:
    world = World()
    world.visit(names(1, 10))
    visit = world.begin(names(26, 35), kinds=["list"], pattern="div(section(p) ul(li))")
    visit.add_older([region(names(8, 25), "list")], [known(names(8, 25), world.archive)])
    looked = world.end(visit)
    assert list(looked) == [1]
    assert new_of(looked[1]) == 25


def test_a_list_that_stays_away_is_told_as_gone_once_and_as_back_when_it_is() -> None:
    world, told = World(), []
    both = names(1, 10), [f"m{number}" for number in range(6)]
    for shown in [both, *[both[:1]] * (GONE_AFTER + 2), both, both]:
        visit = world.begin(*shown)
        looked = visit.settle(world.at)
        outcome = Outcome(TASK, "retry", datetime.fromtimestamp(world.at, UTC), looked=tuple(looked))
        events = tell_visit(PAGE, outcome, Receipt(TASK), visit, [])
        told.append([(event.what, event.number) for event in events if isinstance(event, ListEvent)])
        world.end(visit)
    quiet: list[list[tuple[str, int]]] = [[]]
    assert told == [
        [("found", 1), ("found", 2)],
        *quiet * (GONE_AFTER - 1),
        [("gone", 2)],
        *quiet * 2,
        [("back", 2)],
        [],
    ]


def test_two_lists_that_were_taken_for_each_other_trade_places_when_older_pages_show_it() -> None:
    world = World()
    news, sport = names(1, 10), [f"s{number}" for number in range(10, 0, -1)]
    world.visit(news, sport)
    later = names(31, 40), [f"s{number}" for number in range(40, 30, -1)]
    visit = world.begin(later[1], later[0], pattern="div(p(a))")  # redesigned, in another order, all of it new
    taken = {track.number: track.keys[0] for track in visit.tracks}
    for first in (21, 11, 5):
        older = [f"s{number}" for number in range(first + 9, first - 1, -1)], names(first, first + 9)
        world.add_older(visit, *older)
    now = {track.number: track.keys[0] for track in visit.tracks}
    assert taken == {1: "s40", 2: "k40"}
    assert now == {1: "k40", 2: "s40"}
    assert not any(track.has_gap for track in visit.tracks)
