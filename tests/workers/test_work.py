"""What becomes of an assignment by how an attempt at it ended, and when it is tried again."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from tests.workers.stations import QUICK, ask, states

from scythe.archive.archive import Archive
from scythe.archive.assignments import take_assignment
from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.archive.results import AssignmentRow
from scythe.archive.stored_sites import stored_profile
from scythe.engine.context import open_kit
from scythe.errors import ArchiveFailed, BadInput, FetchFailed
from scythe.watching.watch_options import ListOptions
from scythe.workers.orders import cancel_crawl, queue_crawl, queue_watch
from scythe.workers.worker import MOST_ATTEMPTS, Absence, AssignmentThread, EndedAssignment, Work, is_away

Attempt = Callable[[AssignmentRow], Coroutine[Any, Any, EndedAssignment]]


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


@dataclass
class Play:
    """One worker with one site in its hand."""

    archive: Archive
    row: AssignmentRow
    owner: Owner = field(default_factory=Owner.of_this_process)
    said: list[str] = field(default_factory=list)

    def run(self, play: Callable[[Work, AssignmentRow], Awaitable[None]]) -> None:
        async def inside() -> None:
            async with open_kit(self.archive) as kit:
                ledger = AssignmentThread(self.archive)
                work = Work(self.archive, kit, ledger, self.owner, lambda site, line: self.said.append(line))
                row = await ledger.note(take_assignment, self.owner.to_text())
                try:
                    await play(work, row or self.row)
                finally:
                    await ledger.close()

        asyncio.run(inside())

    def attempt(self, attempt: Attempt, *, meanwhile: str = "") -> None:
        """Let one attempt end in some way."""

        async def play(work: Work, row: AssignmentRow) -> None:
            work._crawl = attempt  # type: ignore[method-assign]
            if meanwhile:
                ask(self.archive, meanwhile)
            work.begin(row)
            await asyncio.gather(*work.attempts)
            assert work.attempts == {}

        self.run(play)

    @property
    def state(self) -> tuple[str, str, int]:
        (row,) = ask(self.archive, "SELECT state, why, attempts FROM assignments")
        return row.state, row.why, row.attempts

    @property
    def wait_s(self) -> float:
        """How long nobody takes it; it must be nobody's."""
        (row,) = ask(self.archive, "SELECT owner, due_at - extract(epoch FROM clock_timestamp()) FROM assignments")
        assert row[0] is None
        return float(row[1])


@pytest.fixture
def play(archive: Archive) -> Play:
    return Play(archive, queue_crawl(archive, "https://example.org/", QUICK))


def ends(state: str, why: str = "so it is", again_at: datetime | None = None) -> Attempt:
    async def attempt(row: AssignmentRow) -> EndedAssignment:
        return EndedAssignment(state, why, again_at)

    return attempt


def fails(error: Exception) -> Attempt:
    async def attempt(row: AssignmentRow) -> EndedAssignment:
        raise error

    return attempt


@pytest.mark.parametrize(
    ("error", "wait_s"), [(FetchFailed("https://example.org/", "no answer"), 15), (ArchiveFailed("locked"), 2)]
)
def test_an_attempt_that_failed_is_counted_and_tried_again_a_little_later(
    play: Play, error: Exception, wait_s: float
) -> None:
    play.attempt(fails(error))
    assert (play.state[0], play.state[2]) == ("open", 1)
    assert wait_s - 2 < play.wait_s <= wait_s
    assert "failed (1 of 12)" in play.said[-1]


def test_what_cannot_be_meant_is_not_tried_again(play: Play) -> None:
    play.attempt(fails(BadInput("there is no such part")))
    assert play.state == ("failed", "there is no such part", 0)


def test_a_site_that_a_bug_ends_is_tried_again_later_and_not_for_ever(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1, MOST_ATTEMPTS + 1):
        ask(play.archive, "UPDATE assignments SET due_at = 0")
        play.attempt(fails(KeyError("nobody thought of it")))
        assert play.state[2] == number
        assert play.wait_s > 10 or number == MOST_ATTEMPTS
    assert play.state[0] == "failed"
    assert "bug" in play.state[1]
    assert "nobody thought of it" in caplog.text


def test_an_attempt_whose_site_is_another_workers_by_now_counts_nothing(play: Play) -> None:
    closed = fails(ArchiveFailed("the connection was closed"))
    play.attempt(closed, meanwhile="UPDATE assignments SET owner = 'another|1|1|1'")
    assert (play.state[0], play.state[2]) == ("open", 0)
    assert play.said[-1] == "left to others"
    assert ask(play.archive, "SELECT owner FROM assignments") == [("another|1|1|1",)]


def test_what_has_more_to_do_later_rests_until_then(play: Play) -> None:
    play.attempt(ends("open", "what is left waits", datetime.now(UTC) + timedelta(hours=3)))
    assert play.state == ("open", "what is left waits", 0)
    assert 10_790 < play.wait_s <= 10_800


def test_what_ended_with_more_to_do_now_is_a_failure(play: Play) -> None:
    play.attempt(ends("open", "its host was closed"))
    assert play.state == ("open", "its host was closed", 1)


def test_what_is_handed_over_again_while_it_is_worked_on_is_worked_on_again(play: Play) -> None:
    async def attempt(row: AssignmentRow) -> EndedAssignment:
        queue_crawl(play.archive, "https://example.org/", QUICK)
        return EndedAssignment("done", "complete")

    play.attempt(attempt)
    assert play.state == ("open", "", 0)
    assert play.wait_s <= 0


def test_what_nobody_wants_any_more_stays_as_it_is(play: Play) -> None:
    async def attempt(row: AssignmentRow) -> EndedAssignment:
        cancel_crawl(play.archive, "https://example.org/", QUICK)
        return EndedAssignment("done", "complete")

    play.attempt(attempt)
    assert play.state[0] == "cancelled"


def test_a_watch_of_which_nothing_is_left_is_done(archive: Archive) -> None:
    (row,) = queue_watch(archive, ["https://example.org/news"], ListOptions())
    ask(archive, "UPDATE watches SET ended_at = 1")
    ask(archive, "UPDATE urls SET state = 'refused', due_at = NULL")
    watched = Play(archive, row)
    watched.run(lambda work, row: work.attempt(row))
    assert watched.state == ("done", "nothing of it is watched any more", 0)


# what is handed over ------------------------------------------------------------------------------------------------


def test_a_profile_given_with_a_site_is_what_its_crawl_begins_with(archive: Archive) -> None:
    row = queue_crawl(archive, "https://example.org/", QUICK, profile='{"made": "by hand"}')
    assert stored_profile(archive, row.site) == '{"made": "by hand"}'


def test_only_the_site_that_is_named_is_cancelled(archive: Archive) -> None:
    for name in ("a", "b", "c"):
        queue_crawl(archive, f"https://{name}.example/", QUICK)
    cancel_crawl(archive, "https://b.example/", QUICK)
    assert states(archive) == {"a.example": "open", "b.example": "cancelled", "c.example": "open"}


# a database that refuses, and one that is away ----------------------------------------------------------------------


def caused(cause: BaseException) -> ArchiveFailed:
    error = ArchiveFailed("it did not work")
    error.__cause__ = cause
    return error


def test_what_a_database_refuses_is_told_and_is_no_absence() -> None:
    told: list[str] = []
    absence = Absence(0.0, told.append, clock=lambda: 1e9)
    absence.note(caused(psycopg.errors.InsufficientPrivilege("permission\n denied")))
    assert told == ["the archive refused: permission denied"]
    assert not absence.is_too_long


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (caused(psycopg.OperationalError("the connection is lost")), True),
        (caused(psycopg.errors.AdminShutdown("it is being shut down")), True),
        (caused(psycopg.errors.LockNotAvailable("another has it")), False),
        (caused(psycopg.errors.UndefinedTable("there is no such table")), False),
        (TimeoutError(), True),
        (ArchiveFailed("the disk is full"), False),
    ],
)
def test_only_a_database_that_cannot_be_reached_is_away(error: BaseException, away: bool) -> None:
    assert is_away(error) is away
