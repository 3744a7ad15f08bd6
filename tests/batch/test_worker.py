"""The worker of a batch: every task gets an answer, also where it cannot be done."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.batch.warcs import page, write

from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import EXTRACT, LEARN, NOTE, SCAN, BatchWorker, spare_pandas
from scythe.batch.units import Unit
from scythe.engine.worker_protocol import read_frame, write_frame

OPTIONS = BatchOptions(learn=False).to_dict()


@pytest.fixture(autouse=True)
def _no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of CPU time would be that of the whole test run."""
    for module in ("batch.batch_worker", "engine.worker_protocol"):
        monkeypatch.setattr(f"scythe.{module}.allow_cpu", lambda seconds: None)


def answers(*tasks: dict[str, Any]) -> list[dict[str, Any]]:
    frames = b"".join(piece for task in tasks for piece in write_frame({"options": OPTIONS, **task}))
    out = io.BytesIO()
    BatchWorker(io.BytesIO(frames), out, 30.0).run()
    out.seek(0)
    ready, *said = (message.head for message in iter(lambda: read_frame(out), None))
    assert "ready" in ready
    return said


def test_every_task_is_answered_in_its_turn(tmp_path: Path) -> None:
    unit = Unit(str(write(tmp_path / "a.warc.gz", [page(number) for number in range(10)])), "a")
    folders = {"scans": str(tmp_path), "profiles": str(tmp_path / "profiles")}
    extract = {"do": EXTRACT, "unit": unit.to_dict(), "out": str(tmp_path / "out"), "blamed": {"3": "took too long"}}
    note = tmp_path / "note"
    note.write_bytes(b"")
    extract["note"] = str(note)
    extracted, scanned = answers(extract, {"do": SCAN, "unit": unit.to_dict(), **folders})
    assert (extracted["done"]["documents"], extracted["done"]["failed"]) == (9, 1)
    assert [failure["why"] for failure in extracted["done"]["failures"]] == ["took too long"]
    assert NOTE.unpack(note.read_bytes()) == (-1, 9)
    assert scanned["done"][0] == 10
    site, kinds = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[1])
    spots = [spot for _, found in kinds.values() for spot in found]
    (learned,) = answers({"do": LEARN, "site": site, "spots": spots, "samples": 8, **folders})
    assert learned["done"][0] == ""
    assert (tmp_path / "profiles").is_dir()


def test_a_task_that_cannot_be_done_is_answered_with_why_and_the_next_is_done(tmp_path: Path) -> None:
    gone = Unit(str(tmp_path / "gone.warc.gz"), "gone").to_dict()
    there = Unit(str(write(tmp_path / "a.warc.gz", [page(1)])), "a").to_dict()
    (note := tmp_path / "note").write_bytes(b"")
    failed, done = answers(
        *(
            {"do": EXTRACT, "unit": unit, "out": str(tmp_path), "blamed": {}, "note": str(note)}
            for unit in (gone, there)
        )
    )
    assert "No such file" in failed["why"]
    assert "done" not in failed
    assert done["done"]["documents"] == 1


def test_where_pandas_is_imported_already_nothing_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", sys)
    before = list(sys.meta_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # it would be asked for
    spare_pandas()
    assert sys.meta_path == before
