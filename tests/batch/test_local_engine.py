"""A worker process that dies, does not start, or is no longer wanted: what is told of its unit, and when."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.batch.scripted_worker import script_worker
from tests.batch.warcs import page, write

from scythe.batch import local_engine
from scythe.batch.batch import run_batch
from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import SCAN
from scythe.batch.local_engine import UnitWorker, run_units
from scythe.batch.units import Unit

OPTIONS = BatchOptions(learn=False, processes=1, cpu_s=7)
UNIT = Unit("none.warc.gz", "none")
T = TypeVar("T")


def ask(work: Callable[[UnitWorker], Awaitable[T]]) -> T:
    async def run() -> T:
        worker = UnitWorker(OPTIONS)
        try:
            return await work(worker)
        finally:
            await worker.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("line", "why", "tasks"),
    [
        ("die('SIGKILL')", "the worker was ended by SIGKILL", 3),
        ("die('SIGXCPU')", "took more than 7 s of CPU", 3),
        ("sys.exit('no such thing')", "the worker ended with code 1: no such thing", 3),
        ("send({'died': 'took too much memory'}, 'last answer'); break", "took too much memory", 3),
        ("note(count); die('SIGSEGV')", "the worker was ended by SIGSEGV", 4),  # each time of another page
    ],
    ids="killed slow words memory pages".split(),
)
def test_a_unit_whose_worker_dies_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, why: str, tasks: int
) -> None:
    monkeypatch.setattr(local_engine, "_DEATHS", 4)
    told = script_worker(tmp_path, monkeypatch, line)
    report = ask(lambda worker: worker.extract(UNIT, tmp_path))
    assert report.why == f"its worker died again and again, at last: {why}"
    assert len(told.read_text().splitlines()) == tasks


def test_a_page_that_two_processes_died_of_is_named_to_the_third(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = script_worker(
        tmp_path, monkeypatch, "if task['blamed']: send({'why': 'as you like'})", "else: note(5); die('SIGSEGV')"
    )
    assert ask(lambda worker: worker.extract(UNIT, tmp_path)).why == "as you like"
    tasks = [json.loads(line) for line in told.read_text().splitlines()]
    assert [task["blamed"] for task in tasks] == [{}, {}, {"5": "the worker was ended by SIGSEGV"}]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("send({'done': [1, 2]}) if count > 1 else die('SIGKILL')", ([1, 2], "")),
        ("die('SIGKILL')", (None, "the worker was ended by SIGKILL")),
        ("send({'why': 'no such file'})", (None, "no such file")),
    ],
    ids="again twice why".split(),
)
def test_another_task_is_tried_a_second_time_where_the_process_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, found: tuple[Any, str]
) -> None:
    script_worker(tmp_path, monkeypatch, line)
    assert ask(lambda worker: worker.do(SCAN, None)) == found


def test_whoever_leaves_a_run_ends_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = script_worker(tmp_path, monkeypatch, "send({'why': str(os.getpid())}) if count == 1 else signal.pause()")
    units = [Unit(name, name) for name in "abc"]
    with closing(run_units(units, tmp_path, OPTIONS)) as reports:  # type: ignore[type-var]
        pid = int(next(reports).why)
    assert not Path(f"/proc/{pid}").exists()
    assert len(told.read_text().splitlines()) <= 2


def test_where_no_process_can_be_started_every_unit_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(write(tmp_path / f"{name}.warc.gz", [page(1)])) for name in "ab"]
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    report = run_batch(paths, tmp_path / "out", OPTIONS)
    assert all("No such file or directory" in unit.why for unit in report.units)
    assert len(report.broken) == 2


def test_what_goes_wrong_in_the_list_of_tasks_is_raised_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_worker(tmp_path, monkeypatch, "send({'why': 'none'})")

    def units() -> Any:
        yield UNIT
        raise OSError("a list that cannot be read")

    with pytest.raises(OSError, match="a list that cannot be read"):
        list(run_units(units(), tmp_path, OPTIONS))
