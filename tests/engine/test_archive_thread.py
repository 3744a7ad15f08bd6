"""The clerk of an archive: outcomes that come together are written together, and none is taken for stored too soon."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from scythe.crawl_model import Outcome, Receipt, Task
from scythe.engine import archive_thread as clerks
from scythe.engine.archive_thread import ArchiveThread
from scythe.url import Url


class SlowArchive:
    """Writes when it is let."""

    def __init__(self) -> None:
        self.may_write = threading.Event()
        self.batches: list[int] = []

    def store(self, archive: object, outcomes: Sequence[Outcome]) -> list[Receipt]:
        assert self.may_write.wait(30.0)
        self.batches.append(len(outcomes))
        return [Receipt(outcome.task, "new") for outcome in outcomes]


def outcome(number: int) -> Outcome:
    return Outcome(Task(number, 1, Url(f"https://mill.example/{number}"), "mill.example"), "done", datetime.now(UTC))


def test_one_more_page_waits_while_much_is_being_written_and_each_gets_its_own_receipt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    archive = SlowArchive()
    monkeypatch.setattr(clerks, "store_outcomes", archive.store)

    async def work() -> tuple[list[Receipt], bool, bool]:
        clerk = ArchiveThread(archive)  # type: ignore[arg-type]
        await clerk.until_free()  # nothing is being written
        storing = [asyncio.ensure_future(clerk.store(outcome(number))) for number in range(clerks._BATCH + 10)]
        free = asyncio.ensure_future(clerk.until_free())
        await asyncio.sleep(0.05)
        was_free = free.done()
        archive.may_write.set()
        receipts = await asyncio.gather(*storing)
        async with asyncio.timeout(30.0):
            await free
        await clerk.close()
        return list(receipts), was_free, free.done()

    receipts, was_free, is_free = asyncio.run(work())
    assert (was_free, is_free) == (False, True)
    assert [receipt.task.id for receipt in receipts] == list(range(clerks._BATCH + 10))
    assert archive.batches == [clerks._BATCH, 10]


def test_a_clerk_is_let_go_though_the_last_batch_was_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = SlowArchive()
    monkeypatch.setattr(clerks, "store_outcomes", archive.store)

    async def work() -> bool:
        clerk = ArchiveThread(archive)  # type: ignore[arg-type]
        storing = asyncio.ensure_future(clerk.store(outcome(1)))
        await asyncio.sleep(0)
        assert clerk._last is not None
        clerk._last.cancel()
        await asyncio.gather(storing, return_exceptions=True)
        await clerk.close()
        return storing.cancelled()

    assert asyncio.run(work())
