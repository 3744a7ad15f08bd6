"""Jobs of workers that vanished, jobs that were lost: what is wanted is worked on all the same, by one at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from procrastinate.jobs import Job, Status
from tests.workers.stations import QUICK, ask

from scythe.archive.archive import Archive
from scythe.archive.assignments import end_assignment, keep_worker, load_assignment
from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.workers.job_queue import QUEUE, Engine, connected, make_app
from scythe.workers.orders import queue_crawl
from scythe.workers.work import MOST_ATTEMPTS, AssignmentThread, is_left, tend

JOBS = "SELECT status::text, worker_id, scheduled_at > now() AS is_later FROM procrastinate_jobs ORDER BY id"
NOW = datetime.now(UTC)


@dataclass
class Desk:
    """One worker's view of the jobs."""

    engine: Engine
    ledger: AssignmentThread
    owner: Owner

    async def take(self) -> Job:
        """Take the job that waits."""
        assert self.engine.number is not None
        job = await self.engine.fetch_job([QUEUE], self.engine.number)
        assert job is not None
        return job

    async def sign(self, heartbeat_s: float = 30.0) -> None:
        """Say that this worker is there."""
        row = WorkerRow(
            self.owner.to_text(), "here", "1.0", heartbeat_s, 8, ("example.org",), self.engine.number, NOW, NOW
        )
        await self.ledger.note(keep_worker, row)


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


@pytest.fixture
def row(archive: Archive) -> AssignmentRow:
    return queue_crawl(archive, "https://example.org/", QUICK)


@asynccontextmanager
async def desk(archive: Archive) -> AsyncIterator[Desk]:
    async with connected(make_app(archive)) as engine:
        ledger = AssignmentThread(archive)
        await engine.register_worker()
        try:
            yield Desk(engine, ledger, Owner.of_this_process())
        finally:
            await ledger.close()


def with_two(archive: Archive, play: Callable[[Desk, Desk], Awaitable[None]]) -> None:
    """Let two workers play."""

    async def run() -> None:
        async with desk(archive) as first, desk(archive) as second:
            await play(first, second)

    asyncio.run(run())


def statuses(archive: Archive) -> list[str]:
    return [job.status for job in ask(archive, JOBS)]


def test_a_job_is_ended_only_by_who_holds_it(archive: Archive, row: AssignmentRow) -> None:
    async def play(slept: Desk, other: Desk) -> None:
        old = await slept.take()
        await other.engine.unregister_worker(slept.engine.number or 0)
        assert await tend(other.engine, other.ledger) == 1
        taken = await other.take()
        assert taken.id == old.id
        await slept.engine.finish_job(old, Status.SUCCEEDED, delete_job=True)
        await slept.engine.retry_job(old)
        assert [(job.status, job.worker_id) for job in ask(archive, JOBS)] == [("doing", other.engine.number)]
        assert await slept.engine.held() is None
        assert await other.engine.held() == {taken.id: True}
        await other.engine.finish_job(taken, Status.SUCCEEDED, delete_job=True)
        assert statuses(archive) == []

    with_two(archive, play)


def test_a_worker_that_was_silent_for_half_its_heartbeat_is_given_up(archive: Archive, row: AssignmentRow) -> None:
    async def play(silent: Desk, other: Desk) -> None:
        await silent.take()
        await silent.sign(heartbeat_s=30.0)
        assert await tend(other.engine, other.ledger) == 0
        ask(archive, "UPDATE workers SET seen_at = seen_at - 14")
        assert await tend(other.engine, other.ledger) == 0
        ask(archive, "UPDATE workers SET seen_at = seen_at - 2")
        assert await tend(other.engine, other.ledger) == 1
        assert statuses(archive) == ["todo"]

    with_two(archive, play)


def test_one_that_died_on_this_machine_is_given_up_at_once(archive: Archive, row: AssignmentRow) -> None:
    async def play(dead: Desk, other: Desk) -> None:
        await dead.take()
        dead.owner = replace(dead.owner, started="1")
        await dead.sign()
        assert await tend(other.engine, other.ledger) == 1
        assert statuses(archive) == ["todo"]
        assert await tend(other.engine, other.ledger) == 0

    with_two(archive, play)


def test_one_that_dies_with_the_first_job_in_its_hand_is_given_up_at_once(archive: Archive, row: AssignmentRow) -> None:
    async def play(dead: Desk, other: Desk) -> None:
        async def introduce(number: int) -> None:
            signed = WorkerRow(dead.owner.to_text(), "there", "1.0", 30.0, 8, (), number, NOW, NOW)
            await dead.ledger.note(keep_worker, signed)

        dead.owner = replace(dead.owner, started="1")
        dead.engine.introduce = introduce
        await dead.engine.register_worker()
        await dead.take()  # and nothing else: it never came to say that it is there
        assert await tend(other.engine, other.ledger) == 1
        assert statuses(archive) == ["todo"]

    with_two(archive, play)


def test_a_worker_that_begins_anew_gives_back_what_it_had_under_its_old_number(
    archive: Archive, row: AssignmentRow
) -> None:
    async def play(again: Desk, other: Desk) -> None:
        await again.take()
        await again.engine.register_worker()  # the database was away: nobody could say that the old one is over
        assert await tend(other.engine, other.ledger) == 1
        assert statuses(archive) == ["todo"]

    with_two(archive, play)


def test_jobs_of_a_dead_worker_are_put_back_though_another_one_waits_behind_one(
    archive: Archive, row: AssignmentRow
) -> None:
    async def play(dead: Desk, other: Desk) -> None:
        await dead.take()
        queue_crawl(archive, "https://example.org/", QUICK)
        queue_crawl(archive, "https://example.com/", QUICK)
        await dead.take()
        dead.owner = replace(dead.owner, started="1")
        await dead.sign()
        await tend(other.engine, other.ledger)
        assert statuses(archive) == ["todo", "todo"]

    with_two(archive, play)


def test_several_who_tend_put_a_job_back_once(archive: Archive, row: AssignmentRow) -> None:
    async def play(first: Desk, second: Desk) -> None:
        job = await first.take()
        await second.engine.unregister_worker(first.engine.number or 0)
        stalled = list(await second.engine.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=60))
        await asyncio.gather(tend(second.engine, second.ledger), tend(second.engine, second.ledger))
        taken = await second.take()
        await first.engine.take_back(stalled[0])  # as one who looked before, and acts after
        assert (taken.id, statuses(archive)) == (job.id, ["doing"])

    with_two(archive, play)


def test_what_is_wanted_gets_a_job_again_when_all_jobs_are_lost(archive: Archive, row: AssignmentRow) -> None:
    async def play(first: Desk, _: Desk) -> None:
        ask(archive, "TRUNCATE procrastinate_jobs CASCADE")
        assert await is_left(first.engine)
        assert await tend(first.engine, first.ledger) == 1
        assert await tend(first.engine, first.ledger) == 0
        assert statuses(archive) == ["todo"]
        await first.ledger.note(end_assignment, row, "done", "complete", NOW)
        ask(archive, "TRUNCATE procrastinate_jobs CASCADE")
        assert await tend(first.engine, first.ledger) == 0
        assert not await is_left(first.engine)

    with_two(archive, play)


def test_a_job_that_ended_by_a_bug_is_tried_again_later_and_not_for_ever(archive: Archive, row: AssignmentRow) -> None:
    async def play(first: Desk, _: Desk) -> None:
        for attempt in range(1, MOST_ATTEMPTS + 1):
            ask(archive, "UPDATE procrastinate_jobs SET status = 'failed', scheduled_at = NULL")
            await tend(first.engine, first.ledger)
            found = await first.ledger.read(load_assignment, row.id)
            assert found is not None
            assert found.attempts == attempt
            if attempt < MOST_ATTEMPTS:
                assert [(job.status, job.is_later) for job in ask(archive, JOBS)] == [("todo", True)]
        assert (found.state, statuses(archive)) == ("failed", [])
        assert "bug" in found.why

    with_two(archive, play)


def test_a_job_that_another_one_waits_behind_is_ended_when_it_is_put_back(archive: Archive, row: AssignmentRow) -> None:
    async def play(first: Desk, _: Desk) -> None:
        job = await first.take()
        queue_crawl(archive, "https://example.org/", QUICK)
        await first.engine.retry_job(job)
        assert statuses(archive) == ["todo"]

    with_two(archive, play)


def test_a_job_that_a_worker_holds_and_does_not_work_on_is_given_back(archive: Archive, row: AssignmentRow) -> None:
    async def play(first: Desk, _: Desk) -> None:
        job = await first.take()
        await first.engine.give_back(job.id or 0)
        assert statuses(archive) == ["todo"]

    with_two(archive, play)


def test_a_worker_that_was_stopped_inside_a_transaction_keeps_nobody_from_others(
    archive: Archive, row: AssignmentRow
) -> None:
    async def play(stopped: Desk, other: Desk) -> None:
        await stopped.take()
        await stopped.sign()
        ask(archive, "UPDATE workers SET seen_at = 0")
        with archive.engine.connect() as connection:
            connection.exec_driver_sql("SELECT * FROM procrastinate_workers, procrastinate_jobs, workers FOR UPDATE")
            assert await tend(other.engine, other.ledger) == 0
        assert await tend(other.engine, other.ledger) == 1
        assert statuses(archive) == ["todo"]

    with_two(archive, play)
