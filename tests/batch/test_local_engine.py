"""A worker process that dies, does not start, or is no longer wanted: what is told of its unit, and when."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.batch.warcs import page, write

from scythe.batch import local_engine as hands
from scythe.batch.batch import run_batch
from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import SCAN
from scythe.batch.local_engine import UnitWorker, our_hand
from scythe.batch.ray_engine import _do, _extract
from scythe.batch.units import Unit, UnitReport

OPTIONS = BatchOptions(learn=False, processes=1, cpu_s=7)
UNIT = Unit("none.warc.gz", "none")
READY = "echo '{}'; read task"
AT = 'printf "%b\\0\\0\\0\\0\\0\\0\\0" "\\0{}" | dd of="$3" conv=notrunc 2>/dev/null'  # the capture it says it is at


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], UnitWorker]]:
    """Has a shell script in place of Python as the worker's process."""
    made: list[UnitWorker] = []

    def make(script: str) -> UnitWorker:
        path = tmp_path / "worker"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(path))
        made.append(UnitWorker(OPTIONS))
        return made[-1]

    yield make
    for hand in made:
        hand.close()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo first >&2; echo no such module >&2; exit 3", "ended its process with code 3: no such module"),
        ("exit 3", "ended its process with code 3: no word"),
        (f"{READY}; kill -KILL $$", "ended its process by SIGKILL"),
        (f"{READY}; kill -XCPU $$", "took more than 7 s"),
        (f"{READY}; exit 77", "took too much memory"),
        (f"{READY}; echo no answer; sleep 0; exit 4", "ended its process with code 4: no word"),
    ],
    ids="words silent killed slow memory garbage".split(),
)
def test_a_worker_that_dies_without_a_page_at_hand_is_given_up_after_three_times(
    worker: Callable[[str], UnitWorker], tmp_path: Path, script: str, why: str
) -> None:
    hand = worker(script)
    report = hand.extract(UNIT, tmp_path)
    assert report.why == f"its worker died again and again, at last: {why}"
    assert hand.deaths == 3


def test_a_unit_whose_pages_all_end_the_process_is_given_up_at_last(
    worker: Callable[[str], UnitWorker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "_DEATHS", 4)
    hand = worker(f"{READY}; {AT.format('$(wc -l <$0.at)')}; echo >>$0.at; kill -SEGV $$")
    (tmp_path / "worker.at").write_text("")
    report = hand.extract(UNIT, tmp_path)
    assert report.why == "its worker died again and again, at last: ended its process by SIGSEGV"
    assert hand.deaths == 4


def test_a_page_that_two_processes_died_of_is_named_to_the_third(
    worker: Callable[[str], UnitWorker], tmp_path: Path
) -> None:
    said = json.dumps({"why": "as you like"})
    hand = worker(
        f"{READY}; echo \"$task\" >>$0.tasks; grep -q SEGV $0.tasks && echo '{said}'; {AT.format(5)}; kill -SEGV $$"
    )
    assert hand.extract(UNIT, tmp_path).why == "as you like"
    tasks = [json.loads(line) for line in (tmp_path / "worker.tasks").read_text().splitlines()]
    assert [task["blamed"] for task in tasks] == [{}, {}, {"5": "ended its process by SIGSEGV"}]


def test_another_task_is_tried_a_second_time_where_the_process_died(worker: Callable[[str], UnitWorker]) -> None:
    hand = worker(f"{READY}; test -e $0.again && echo '{{\"done\": [1, 2]}}'; touch $0.again; exit 9")
    assert hand.do({"do": SCAN}) == ([1, 2], "")
    assert hand.deaths == 1


def test_another_task_that_two_processes_died_of_is_told_as_failed(worker: Callable[[str], UnitWorker]) -> None:
    hand = worker(f"{READY}; kill -KILL $$")
    assert hand.do({"do": SCAN}) == (None, "ended its process by SIGKILL")
    assert hand.deaths == 2


def test_a_hand_that_was_closed_starts_nothing_and_says_interrupted(
    worker: Callable[[str], UnitWorker], tmp_path: Path
) -> None:
    hand = worker("touch $0.started; exit 1")
    hand.close()
    assert hand.do({"do": SCAN}) == (None, "interrupted")
    assert hand.extract(UNIT, tmp_path).why == "interrupted"
    assert hand.pages == hand.deaths == 0
    assert not (tmp_path / "worker.started").exists()


def test_where_no_process_can_be_started_every_unit_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(write(tmp_path / f"{name}.warc.gz", [page(1)])) for name in "ab"]
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    report = run_batch(paths, tmp_path / "out", OPTIONS)
    assert [unit.why for unit in report.units] == [
        "its worker died again and again, at last: it does not start: No such file or directory"
    ] * 2


def test_what_a_task_of_a_cluster_does_is_done_by_one_hand_of_its_process(
    worker: Callable[[str], UnitWorker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "_ours", {})
    report, told = UnitReport(UNIT, documents=2), json.dumps(OPTIONS.to_dict())
    answers = [{"done": report.to_dict()}, {"done": [2, 0.5]}, {"why": "No such file"}]
    worker("echo '{}'; while read task; do echo \"$task\" >>$0.tasks; sed -n $(wc -l <$0.tasks)p $0.answers; done")
    (tmp_path / "worker.answers").write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    try:
        row = _extract({"task": json.dumps({"unit": UNIT.to_dict(), "out": str(tmp_path)}), "options": told})
        task = {"task": json.dumps({"do": SCAN, "number": "4", "unit": UNIT.to_dict()}), "options": told}
        found, gone = _do(task), _do(task)
    finally:
        our_hand(OPTIONS).close()
    assert UnitReport.from_dict(json.loads(row["report"])) == report
    assert found == {"number": "4", "found": "[2, 0.5]", "why": ""}
    assert gone == {"number": "4", "found": "null", "why": "No such file"}
    assert len(hands._ours) == 1
