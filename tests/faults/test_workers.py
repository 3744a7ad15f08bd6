"""Workers that die: every page is answered once, whatever it did to its worker, and nothing is left behind."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest
from tests.crawling.pages import SITE, make_job

from scythe.engine.worker_pool import Pool, open_pool
from scythe.engine.worker_protocol import Caps, Job, WorkerAnswer
from scythe.errors import ScytheError

pytestmark = pytest.mark.fault
T = TypeVar("T")


def in_pool(work: Callable[[Pool], Awaitable[T]], caps: Caps | None = None) -> T:
    async def run() -> T:
        async with open_pool(1, caps) as pool:
            return await work(pool)

    return asyncio.run(run())


async def wait_until(is_so: Callable[[], object], within_s: float = 120.0) -> None:
    end = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that ended and that nobody asked after does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def huge_page(megabytes: int) -> bytes:
    part = b"<div class='row'><p>Some words of a <b>page</b> that never ends, and a <a href='/x'>link</a>.</p></div>"
    return b"<html><title>huge</title><body>" + part * (megabytes * 1_000_000 // len(part))


@pytest.mark.slow
def test_every_page_is_answered_once_while_workers_are_killed_at_random() -> None:
    pages = 300
    rng = random.Random(5)

    async def work(pool: Pool) -> tuple[list[WorkerAnswer], int]:
        killed = 0
        due = rng.randint(1, 40)  # answers before the next is killed
        places = asyncio.Semaphore(8)

        async def kill() -> None:
            nonlocal killed
            await asyncio.sleep(rng.uniform(0.0, 0.005))
            for pid in pool.pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, rng.choice((signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)))
                    killed += 1

        async def ask(number: int) -> WorkerAnswer:
            nonlocal due
            async with places:
                answer = await pool.work(make_job(number))
                due -= 1
                if due == 0:
                    due = rng.randint(1, 60)
                    await kill()
            return answer

        return list(await asyncio.gather(*(ask(number) for number in range(pages)))), killed

    answers, killed = in_pool(work)
    assert killed > 2
    assert len(answers) == pages
    died = [answer for answer in answers if answer.died]
    assert len(died) <= killed
    assert all(answer.extracted is None and "worker was ended by SIG" in answer.why for answer in died)
    for number, answer in enumerate(answers):
        if not answer.died:
            assert answer.extracted is not None, answer.why
            assert f"said miller {number}." in answer.extracted.text


def test_a_page_that_takes_too_much_cpu_is_answered_and_those_behind_it_are_extracted() -> None:
    async def work(pool: Pool) -> list[WorkerAnswer]:
        jobs = [make_job(1), make_job(2, body=huge_page(60)), make_job(3), make_job(4)]
        return list(await asyncio.gather(*map(pool.work, jobs)))

    answers = in_pool(work, Caps(cpu_s=1.0))
    assert answers[1].died
    assert answers[1].why == "took more than 1 s of CPU"
    assert [answer.extracted is not None for answer in answers] == [True, False, True, True]


@pytest.mark.slow
def test_a_page_that_takes_too_much_memory_is_answered_and_the_worker_replaced() -> None:
    async def work(pool: Pool) -> tuple[list[WorkerAnswer], list[int]]:
        first = await pool.work(make_job(1))
        pids = pool.pids
        huge = await pool.work(make_job(2, body=huge_page(20)))
        last = await pool.work(make_job(3))
        return [first, huge, last], [*pids, *pool.pids]

    answers, pids = in_pool(work, Caps(memory_bytes=400_000_000, cpu_s=60))
    assert answers[1].died
    assert "memory" in answers[1].why or answers[1].why.startswith("the worker")
    assert [answer.extracted is not None for answer in answers] == [True, False, True]
    assert len(set(pids)) == 2


def test_a_worker_that_stands_still_is_ended_by_the_clock() -> None:
    async def work(pool: Pool) -> list[WorkerAnswer]:
        await pool.work(make_job(1))
        os.kill(pool.pids[0], signal.SIGSTOP)
        return list(await asyncio.gather(*(pool.work(make_job(number)) for number in (2, 3))))

    stuck, after = in_pool(work, Caps(wall_s=5.0))  # a page takes a hundredth of that
    assert (stuck.died, stuck.why) == (True, "took more than 5 s")
    assert after.extracted is not None


def test_an_idle_worker_is_left_alone_by_the_clock() -> None:
    async def work(pool: Pool) -> tuple[list[int], list[int]]:
        await pool.work(make_job(1))
        before = pool.pids
        await asyncio.sleep(2.5)  # longer than a page may take
        await pool.work(make_job(2))
        return before, pool.pids

    before, after = in_pool(work, Caps(wall_s=2.0))
    assert before == after


def test_what_was_learned_survives_the_worker() -> None:
    async def work(pool: Pool) -> WorkerAnswer:
        await asyncio.gather(*(pool.work(make_job(number)) for number in range(20)))
        os.kill(pool.pids[0], signal.SIGKILL)
        await wait_until(lambda: not pool.pids)
        return await pool.work(make_job(50))

    answer = in_pool(work)
    assert answer.extracted is not None
    assert answer.extracted.how == "cut"


def test_a_worker_that_cannot_start_is_an_error_and_no_page_is_blamed() -> None:
    with pytest.raises(ScytheError, match=r"no worker for extraction starts: .*(emory|code|SIG)"):
        in_pool(lambda pool: pool.work(make_job(1)), Caps(memory_bytes=30_000_000))


def test_ctrl_c_in_the_terminal_does_not_end_workers() -> None:
    async def work(pool: Pool) -> WorkerAnswer:
        await pool.work(make_job(1))
        os.kill(pool.pids[0], signal.SIGINT)
        return await pool.work(make_job(2))

    assert in_pool(work).extracted is not None


def test_no_process_is_left_when_the_pool_closes_with_pages_under_way() -> None:
    async def run() -> tuple[int, asyncio.Task[WorkerAnswer]]:
        async with open_pool() as pool:
            await pool.work(make_job(1))
            pid = pool.pids[0]
            task = asyncio.create_task(pool.work(make_job(2, body=huge_page(20))))
            await asyncio.sleep(0.1)
        await asyncio.gather(task, return_exceptions=True)
        return pid, task

    pid, task = asyncio.run(run())
    assert task.cancelled()
    assert not is_alive(pid)


_PARENT = """
import asyncio, sys
from scythe.engine.worker_pool import open_pool
from tests.crawling.pages import make_job

async def run():
    async with open_pool() as pool:
        for number in range(100_000):
            await pool.work(make_job(number % 500))
            if number == 20:
                print(pool.pids[0], flush=True)

asyncio.run(run())
"""


def test_no_worker_outlives_a_crawl_that_was_killed() -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    asyncio.run(wait_until(lambda: not is_alive(pid)))


def test_what_a_worker_prints_does_not_get_between_the_answers() -> None:
    code = (
        "from scythe.engine.worker_process import ExtractionWorker; print('noise', flush=True); "
        "ExtractionWorker.main(['30', '2000000000'])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out, _ = process.communicate()
    assert out.startswith(b"noise")  # what was printed before; the worker itself has moved standard output away
    assert b"ready" in out


@pytest.mark.parametrize("body", [b"", b"\0" * 1_000, b"<" * 100_000, b"\xff\xfe<\0", b"<html>" + b"<div>" * 50_000])
def test_hostile_bodies_are_answered_and_the_worker_lives(body: bytes) -> None:
    async def work(pool: Pool) -> tuple[WorkerAnswer, WorkerAnswer, int]:
        first = await pool.work(Job(SITE, "https://mill.example/x", body, content_type="text/html"))
        return first, await pool.work(make_job(1)), pool.deaths

    first, second, deaths = in_pool(work)
    assert first.extracted is not None
    assert second.extracted is not None
    assert deaths == 0


def test_signals_that_end_a_worker_are_named() -> None:
    async def work(pool: Pool) -> list[str]:
        reasons = []
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT):
            await pool.work(make_job(1))
            os.kill(pool.pids[0], signal.SIGSTOP)
            asked = asyncio.create_task(pool.work(make_job(2)))
            await asyncio.sleep(0.05)
            os.kill(pool.pids[0], number)
            os.kill(pool.pids[0], signal.SIGCONT)
            reasons.append((await asked).why)
        return reasons

    names = Counter(why.removeprefix("the worker was ended by ").split(":")[0] for why in in_pool(work))
    assert names == {"SIGSEGV": 1, "SIGKILL": 1, "SIGABRT": 1}
