"""The worker of a batch: every task gets an answer, also where it cannot be done."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.batch.warcs import page, write

from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import (
    EXTRACT,
    LEARN,
    NOTE,
    SCAN,
    BatchWorker,
    ExtractTask,
    TaskAnswer,
    spare_pandas,
)
from scythe.batch.learn_sites import LearnTask, ScanTask, SiteSample
from scythe.batch.units import Unit
from scythe.engine.worker_protocol import read_frame, write_frame

OPTIONS = BatchOptions(learn=False)


@pytest.fixture(autouse=True)
def _no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of CPU time would be that of the whole test run."""
    for module in ("batch.batch_worker", "engine.worker_protocol"):
        monkeypatch.setattr(f"scythe.{module}.allow_cpu", lambda seconds: None)


def answers(*tasks: tuple[str, object]) -> list[Any]:
    out = io.BytesIO()
    BatchWorker(io.BytesIO(b"".join(write_frame(*task) for task in tasks)), out, 30.0).run()
    out.seek(0)
    ready, *said = iter(lambda: read_frame(out), None)
    assert ready.kind == "ready"
    return [message.read(TaskAnswer) for message in said]


def test_every_task_is_answered_in_its_turn(tmp_path: Path) -> None:
    unit = Unit(str(write(tmp_path / "a.warc.gz", [page(number) for number in range(10)])), "a")
    (note := tmp_path / "note").write_bytes(b"")
    extract = ExtractTask(unit, str(tmp_path / "out"), OPTIONS, str(note), {3: "took too long"})
    look = ScanTask(unit, OPTIONS, str(tmp_path), str(tmp_path / "profiles"))
    extracted, scanned = answers((EXTRACT, extract), (SCAN, look))
    assert (extracted.done["documents"], extracted.done["failed"]) == (9, 1)
    assert [failure["why"] for failure in extracted.done["failures"]] == ["took too long"]
    assert NOTE.unpack(note.read_bytes()) == (-1, 9)
    assert scanned.done[0] == 10
    sample = SiteSample.from_line((tmp_path / "a.jsonl").read_text().splitlines()[1])
    spots = tuple(spot for found in sample.kinds.values() for spot in found.spots)
    (learned,) = answers((LEARN, LearnTask(sample.site, spots, 8, OPTIONS, str(tmp_path / "profiles"))))
    assert learned.done[0] == ""
    assert (tmp_path / "profiles").is_dir()


def test_a_task_that_cannot_be_done_is_answered_with_why_and_the_next_is_done(tmp_path: Path) -> None:
    gone = Unit(str(tmp_path / "gone.warc.gz"), "gone")
    there = Unit(str(write(tmp_path / "a.warc.gz", [page(1)])), "a")
    (note := tmp_path / "note").write_bytes(b"")
    tasks = [(EXTRACT, ExtractTask(unit, str(tmp_path), OPTIONS, str(note), {})) for unit in (gone, there)]
    failed, done = answers(*tasks)
    assert "No such file" in failed.why
    assert failed.done is None
    assert done.done["documents"] == 1


def test_where_pandas_is_imported_already_nothing_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", sys)
    before = list(sys.meta_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # it would be asked for
    spare_pandas()
    assert sys.meta_path == before
