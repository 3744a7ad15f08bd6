import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner, this_machine
from scythe.archive.open import open_archive
from scythe.scrapy.request_store import HOSTS_AT_ONCE, Hold, NewRequest, Requests, Turn

LEASE_S = 60.0
PAUSE_S = 5.0


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def requests_of(
    archive: Archive, clock: Callable[[], datetime], owner: Owner | None = None, *, crawl: str = "c", holds: bool = True
) -> Requests:
    hold = Hold(LEASE_S, (lambda _lane: PAUSE_S) if holds else None)
    return Requests(archive, crawl, hold, owner or Owner.of_this_process(), clock)


def new(name: str, *, host: str = "a.example", priority: int = 0, key: bytes | None = b"") -> NewRequest:
    return NewRequest(name.encode() if key == b"" else key, host, f"http://{host}/{name}", priority, name)


def names(taken: object) -> list[str]:
    return [row.request for row in taken]  # type: ignore[attr-defined]


def ended() -> Owner:
    """Return an owner whose process has ended."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    return Owner(this_machine(), child.pid, "1", "abc")


def test_requests_come_by_priority_then_age_and_each_key_once(archive: Archive) -> None:
    mine = requests_of(archive, Clock())
    turned = mine.turn(Turn([new("a"), new("b", priority=2), new("c"), new("a")], want=10))
    assert names(turned.taken) == ["b", "a", "c"]
    again = mine.turn(Turn([new("a"), new("d")], want=10, in_hand={"a.example": 3}))
    assert (names(again.taken), again.known) == (["d"], 1)


def test_a_request_without_a_key_is_asked_each_time_and_leaves_nothing(archive: Archive) -> None:
    mine = requests_of(archive, Clock())
    taken = mine.turn(Turn([new("a", key=None), new("a", key=None)], want=10)).taken
    assert names(taken) == ["a", "a"]
    mine.turn(Turn(done=[row.id for row in taken]))
    assert mine.forget() == 0


def test_what_is_in_hand_waits_until_it_is_done_and_then_never_comes_again(archive: Archive) -> None:
    mine = requests_of(archive, Clock())
    (row,) = mine.turn(Turn([new("a")], want=1)).taken
    assert mine.has_waiting()
    assert mine.turn(Turn(want=1, in_hand={"a.example": 1})).taken == ()
    assert mine.turn(Turn(done=[row.id])).lost == 0
    assert not mine.has_waiting()
    assert mine.turn(Turn([new("a")], want=1)).taken == ()


def test_what_failed_is_asked_again_only_where_that_is_wanted(where: str) -> None:
    with open_archive(where) as archive:
        mine = requests_of(archive, Clock())
        (row,) = mine.turn(Turn([new("a")], want=1)).taken
        mine.turn(Turn(failed=[row.id], in_hand={"a.example": 1}))
        assert not mine.has_waiting()
        assert mine.ask_failed() == 1
        assert names(mine.turn(Turn(want=1)).taken) == ["a"]


def test_two_crawls_do_not_see_each_others_requests(archive: Archive) -> None:
    one, other = requests_of(archive, Clock(), crawl="one"), requests_of(archive, Clock(), crawl="other")
    one.turn(Turn([new("a")]))
    assert (one.count_waiting(), other.count_waiting()) == (1, 0)
    assert other.turn(Turn([new("a", host="b.example")], want=5)).known == 0


def test_a_dead_process_loses_its_requests_at_once_and_its_host_after_a_pause(archive: Archive) -> None:
    clock = Clock()
    dead, mine = requests_of(archive, clock, ended()), requests_of(archive, clock)
    assert names(dead.turn(Turn([new("a")], want=1)).taken) == ["a"]
    assert mine.reclaim() == 1
    assert mine.turn(Turn(want=1)).taken == ()
    clock.go(PAUSE_S - 0.1)
    assert mine.turn(Turn(want=1)).taken == ()
    clock.go(0.2)
    assert names(mine.turn(Turn(want=1)).taken) == ["a"]


def test_a_process_that_slept_beyond_its_lease_learns_what_it_lost_and_changes_nothing(archive: Archive) -> None:
    clock = Clock()
    asleep, mine = requests_of(archive, clock), requests_of(archive, clock)
    (row,) = asleep.turn(Turn([new("a")], want=1)).taken
    assert asleep.keep().ids == {row.id}
    assert mine.reclaim() == 0
    clock.go(LEASE_S + 1)
    assert mine.reclaim() == 1
    mine.turn(Turn(want=1))  # frees the host
    clock.go(PAUSE_S)
    assert names(mine.turn(Turn(want=1)).taken) == ["a"]
    assert asleep.keep().ids == frozenset()
    assert asleep.turn(Turn(done=[row.id])).lost == 1
    assert mine.turn(Turn(done=[row.id])).lost == 0


def test_a_host_is_asked_by_one_process_at_a_time_and_rests_in_between(archive: Archive) -> None:
    clock = Clock()
    one, other = requests_of(archive, clock), requests_of(archive, clock)
    (first,) = one.turn(Turn([new("a"), new("b")], want=1)).taken
    assert other.turn(Turn(want=1)).taken == ()
    one.turn(Turn(done=[first.id]))  # nothing of the host is in hand now: it is left
    assert other.turn(Turn(want=1)).taken == ()
    clock.go(PAUSE_S)
    assert names(other.turn(Turn(want=1)).taken) == ["b"]


def test_processes_that_hold_no_hosts_share_the_requests_of_one(archive: Archive) -> None:
    one, other = (requests_of(archive, Clock(), holds=False) for _ in range(2))
    assert names(one.turn(Turn([new("a"), new("b")], want=1)).taken) == ["a"]
    assert names(other.turn(Turn(want=1)).taken) == ["b"]


def test_who_has_two_hosts_gives_one_to_who_has_none(archive: Archive) -> None:
    clock = Clock()
    rich, poor = requests_of(archive, clock), requests_of(archive, clock)
    named = [new("a"), new("b", host="b.example")]
    taken = {row.host: row.id for row in rich.turn(Turn(named, want=10)).taken}
    assert len(taken) == 2
    poor.want_hosts()
    (promised,) = rich.keep().promised
    other = next(host for host in taken if host != promised)
    rich.turn(Turn(given_back=[taken[promised]], in_hand={other: 1}, want=10))
    clock.go(PAUSE_S)
    assert [row.host for row in poor.turn(Turn(want=10)).taken] == [promised]


def test_of_many_hosts_each_has_its_turn(archive: Archive) -> None:
    clock = Clock()
    mine = requests_of(archive, clock)
    hosts = [f"h{number:03}.example" for number in range(HOSTS_AT_ONCE + 40)]
    mine.turn(Turn([new(f"{host}{number}", host=host) for host in hosts for number in range(2)]))
    seen: list[str] = []
    for _ in range(11):
        taken = mine.turn(Turn(want=16)).taken
        seen += [row.host for row in taken]
        mine.turn(Turn(done=[row.id for row in taken]))
        clock.go(PAUSE_S)
    assert seen[: len(hosts)] == hosts


def test_one_host_never_fills_the_hand(archive: Archive) -> None:
    mine = requests_of(archive, Clock())
    taken = mine.turn(Turn([new(str(number)) for number in range(50)], want=40, per_host=16)).taken
    assert len(taken) == 16
    assert mine.turn(Turn(want=40, per_host=16, in_hand={"a.example": 16})).taken == ()
    assert len(mine.turn(Turn(want=40, per_host=16, in_hand={"a.example": 10})).taken) == 6


def test_requests_without_a_host_are_handed_out_too(archive: Archive) -> None:
    mine = requests_of(archive, Clock())
    assert names(mine.turn(Turn([new("a", host="")], want=1)).taken) == ["a"]


def test_what_is_given_back_comes_again(archive: Archive) -> None:
    mine = requests_of(archive, Clock(), holds=False)
    (row,) = mine.turn(Turn([new("a")], want=1)).taken
    mine.leave([row.id])
    assert names(mine.turn(Turn(want=1)).taken) == ["a"]
