"""What becomes of an assignment by how an attempt at it ended, and when its job is tried again."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.testing import InMemoryConnector
from tests.workers.stations import QUICK, ask, states
from tests.workers.test_tending import Desk, desk

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import AssignmentRow
from scythe.archive.stored_sites import stored_profile
from scythe.engine.context import open_kit
from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra
from scythe.watching.watch_options import ListOptions
from scythe.workers import orders
from scythe.workers.job_queue import engine_of, is_away
from scythe.workers.orders import cancel_crawl, queue_crawl, queue_watch
from scythe.workers.work import Again, EndedAssignment, TryAgain, Work
from scythe.workers.worker import Absence

JOB = Job(id=1, queue="scythe", lock=None, queueing_lock=None, task_name="crawl_site")
Attempt = Callable[[AssignmentRow, int], Coroutine[Any, Any, EndedAssignment]]


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


@dataclass
class Play:
    """One worker with the job of one site in its hand."""

    archive: Archive
    row: AssignmentRow
    said: list[str] = field(default_factory=list)

    def run(self, play: Callable[[Work, Desk, int], Awaitable[None]]) -> None:
        async def inside() -> None:
            async with desk(self.archive) as here, open_kit(self.archive) as kit:
                work = Work(self.archive, kit, here.engine, here.ledger, lambda site, line: self.said.append(line))
                job = await here.take()
                assert job.id is not None
                await play(work, here, job.id)

        asyncio.run(inside())

    def attempt(self, attempt: Attempt, *, is_lost: bool = False) -> BaseException | None:
        """Let one attempt end in some way; return what was raised for the engine of the jobs."""
        raised: list[BaseException] = []

        async def play(work: Work, here: Desk, job: int) -> None:
            if is_lost:
                await here.engine.unregister_worker(here.engine.number or 0)
            try:
                await work._do(attempt, job, self.row.id)
            except TryAgain as error:
                raised.append(error)
            assert work.busy == set()

        self.run(play)
        return raised[0] if raised else None

    @property
    def state(self) -> tuple[str, str, int]:
        (row,) = ask(self.archive, "SELECT state, why, attempts FROM assignments")
        return row.state, row.why, row.attempts


@pytest.fixture
def play(archive: Archive) -> Play:
    return Play(archive, queue_crawl(archive, "https://example.org/", QUICK))


def ends(state: str, why: str = "so it is", again_at: datetime | None = None) -> Attempt:
    async def attempt(row: AssignmentRow, job: int) -> EndedAssignment:
        return EndedAssignment(state, why, again_at)

    return attempt


def fails(error: Exception) -> Attempt:
    async def attempt(row: AssignmentRow, job: int) -> EndedAssignment:
        raise error

    return attempt


def test_an_attempt_that_failed_is_counted_and_tried_again_a_little_later(play: Play) -> None:
    error = play.attempt(fails(FetchFailed("https://example.org/", "no answer")))
    assert play.state[0] == "open"
    assert play.state[2] == 1
    assert isinstance(error, TryAgain)
    decision = Again().get_retry_decision(exception=error, job=JOB)
    assert decision is not None
    assert decision.retry_at == error.at > datetime.now(UTC) + timedelta(seconds=5)
    assert "failed (1 of 12)" in play.said[-1]


def test_what_cannot_be_meant_is_not_tried_again(play: Play) -> None:
    assert play.attempt(fails(BadInput("there is no such part"))) is None
    assert play.state == ("failed", "there is no such part", 0)


def test_an_attempt_whose_job_is_another_workers_by_now_counts_nothing(play: Play) -> None:
    assert play.attempt(fails(ArchiveFailed("the connection was closed")), is_lost=True) is None
    assert play.state[0] == "open"
    assert play.state[2] == 0
    assert play.said[-1] == "left to others"


def test_what_has_more_to_do_later_rests_until_then(play: Play) -> None:
    later = datetime.now(UTC) + timedelta(hours=3)
    assert play.attempt(ends("open", "what is left waits", later)) is None
    assert play.state == ("open", "what is left waits", 0)
    assert [
        job[0] for job in ask(play.archive, "SELECT scheduled_at FROM procrastinate_jobs WHERE status = 'todo'")
    ] == [later]


def test_what_ended_with_more_to_do_now_is_a_failure(play: Play) -> None:
    assert isinstance(play.attempt(ends("open", "its host was closed")), TryAgain)
    assert play.state == ("open", "its host was closed", 1)


def test_the_job_of_a_site_that_nobody_wants_any_more_does_nothing(play: Play) -> None:
    cancel_crawl(play.archive, "https://example.org/", QUICK)
    begun: list[int] = []

    async def attempt(row: AssignmentRow, job: int) -> EndedAssignment:
        begun.append(job)
        return EndedAssignment("done", "")

    async def left_behind(work: Work, here: Desk, job: int) -> None:
        await work._do(attempt, job, play.row.id)
        await work._do(attempt, job, 987_654)

    ask(
        play.archive,
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('scythe', 'crawl_site', '{}')",
    )
    play.run(left_behind)
    assert begun == []
    assert play.said == []
    assert play.state[0] == "cancelled"


def test_a_watch_of_which_nothing_is_left_is_done(archive: Archive) -> None:
    (row,) = queue_watch(archive, ["https://example.org/news"], ListOptions())
    ask(archive, "UPDATE watches SET ended_at = 1")
    ask(archive, "UPDATE urls SET state = 'refused', due_at = NULL")
    watched = Play(archive, row)

    async def visit(work: Work, here: Desk, job: int) -> None:
        await work._do(work._watch, job, row.id)

    watched.run(visit)
    assert watched.state == ("done", "nothing of it is watched any more", 0)


def test_a_job_that_ended_by_a_bug_is_left_to_who_tends() -> None:
    assert Again().get_retry_decision(exception=KeyError("a bug"), job=JOB) is None


def test_a_job_that_was_interrupted_is_put_back_at_once() -> None:
    decision = Again().get_retry_decision(exception=asyncio.CancelledError(), job=JOB)
    assert decision is not None
    assert decision.retry_at is None


# what is handed over ------------------------------------------------------------------------------------------------


def test_a_profile_given_with_a_site_is_what_its_crawl_begins_with(archive: Archive) -> None:
    row = queue_crawl(archive, "https://example.org/", QUICK, profile='{"made": "by hand"}')
    assert stored_profile(archive, row.site) == '{"made": "by hand"}'


def test_only_the_site_that_is_named_is_cancelled(archive: Archive) -> None:
    for name in ("a", "b", "c"):
        queue_crawl(archive, f"https://{name}.example/", QUICK)
    cancel_crawl(archive, "https://b.example/", QUICK)
    assert states(archive) == {"a.example": "open", "b.example": "cancelled", "c.example": "open"}


def test_without_the_job_engine_the_line_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'webscythe\[workers\]'"):
        orders.check_shared("postgresql://example.org/archive")


# a database that refuses, and one that is away ----------------------------------------------------------------------


def caused(cause: BaseException) -> ConnectorException:
    error = ConnectorException("it did not work")
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


def test_what_the_database_refuses_of_a_job_is_logged_and_given_up_in_the_end(
    archive: Archive, play: Play, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scythe.workers.job_queue._WAITS_S", (0.0, 0.0))

    async def refuse(work: Work, here: Desk, job: int) -> None:
        ask(archive, "ALTER TABLE procrastinate_jobs ADD CHECK (status <> 'todo' OR id < 0) NOT VALID")
        (held,) = await here.engine.list_jobs_async(id=job)
        await here.engine.retry_job(held)
        await here.engine.finish_job(held, Status.SUCCEEDED, delete_job=True)  # the next one is told all the same

    play.run(refuse)
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "violates check constraint" in caplog.records[0].message
    assert ask(archive, "SELECT * FROM procrastinate_jobs") == []


def test_an_engine_of_another_make_is_refused() -> None:
    with pytest.raises(TypeError, match="make_app"):
        engine_of(App(connector=InMemoryConnector()))
