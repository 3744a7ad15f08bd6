"""The engine for clusters: the same rows as on one machine, from Ray as it is installed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.batch.scripted_worker import script_worker
from tests.batch.warcs import page, record, write

from scythe.batch import ray_engine
from scythe.batch.batch import run_batch
from scythe.batch.batch_options import BatchOptions
from scythe.batch.learn_sites import ScanTask, scan
from scythe.batch.ray_engine import run_units
from scythe.batch.units import Unit, UnitReport, plan_units
from scythe.errors import MissingExtra

TABLES = ("documents", "images", "records")


def run(folder: Path, out: Path, *more: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "scythe", "batch", str(folder), "-o", str(out), "--json", *more]
    settings = {"RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | settings, timeout=900)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "Traceback" not in done.stderr
    counts: dict[str, Any] = json.loads(done.stdout)
    return counts


@pytest.mark.soak
def test_ray_learns_and_gives_the_rows_of_the_local_engine(tmp_path: Path) -> None:
    from pyarrow import parquet

    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        own = [page(place) for place in range(number * 4, number * 4 + 4)]
        write(pages / f"{number}.warc.gz", [*own, record("https://mill.example/x", b"no response")])
    here, there = tmp_path / "here", tmp_path / "there"
    local, on_ray = run(pages, here, "--processes", "1"), run(pages, there, "--engine", "ray", "--processes", "1")
    assert local["documents"] == on_ray["documents"] == 12
    assert local["learned"] == on_ray["learned"] == 1
    assert local["how"] == on_ray["how"]
    assert local["failed"] == on_ray["failed"] == 3
    for table in TABLES:
        mine, theirs = sorted((here / table).glob("*.parquet")), sorted((there / table).glob("*.parquet"))
        assert [path.name for path in mine] == [path.name for path in theirs]
        for one, other in zip(mine, theirs, strict=True):
            assert parquet.read_table(one).equals(parquet.read_table(other))


class OneProcess:
    """A cluster of this process alone, with what our driver asks of Ray; Ray itself does the work in the test above."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.is_up = False
        self.context = SimpleNamespace(enable_progress_bars=True)
        self.DataContext = SimpleNamespace(get_current=lambda: self.context)

    def is_initialized(self) -> bool:
        return self.is_up

    def init(self, **settings: Any) -> None:
        self.is_up = True
        self.told.append(f"up with {settings['num_cpus']} cores")

    def shutdown(self) -> None:
        self.is_up = False
        self.told.append("down")

    def from_items(self, items: list[dict[str, str]], *, override_num_blocks: int) -> Any:
        assert override_num_blocks == len(items)
        assert not self.context.enable_progress_bars
        self.told.append(f"{len(items)} tasks")
        return SimpleNamespace(map=lambda work, *, num_cpus: SimpleNamespace(iter_rows=lambda: map(work, items)))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> OneProcess:
    cluster = OneProcess()
    module = ModuleType("ray")
    for name in ("is_initialized", "init", "shutdown"):
        setattr(module, name, getattr(cluster, name))
    module.data = cluster  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", module)
    monkeypatch.setitem(sys.modules, "ray.data", cluster)  # type: ignore[misc]
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return cluster


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A script in place of a worker: it cannot look through units, and extracts what its file says."""
    report = tmp_path / "report.json"
    line = f"send({{'why': 'no page of it'}} if kind == 'scan' else json.loads(Path({str(report)!r}).read_text()))"
    script_worker(tmp_path, monkeypatch, line)
    monkeypatch.setattr(ray_engine, "_workers", {})
    yield report
    with ray_engine._runner() as runner:
        for each in ray_engine._workers.values():
            runner.run(each.close())
    ray_engine._runner.cache_clear()


def test_tasks_are_handed_over_in_sets_and_each_comes_back_with_what_it_was(
    one_process: OneProcess, worker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_engine, "_AT_A_TIME", 2)
    options = BatchOptions(engine="ray", processes=3)
    tasks = [ScanTask(Unit(name, name), options, "scans", "profiles") for name in "abc"]
    found = list(ray_engine.spread(options)(scan, tasks))
    assert found == [(task, None, "no page of it") for task in tasks]
    assert one_process.told == ["up with 3 cores", "2 tasks", "1 tasks", "down"]
    assert one_process.context.enable_progress_bars


def test_a_cluster_that_somebody_else_opened_is_left_open(one_process: OneProcess, tmp_path: Path) -> None:
    one_process.is_up = True
    assert list(run_units([], tmp_path, BatchOptions(engine="ray"))) == []
    assert one_process.is_up
    assert one_process.told == []


def test_a_cluster_that_is_named_brings_its_own_cores(
    one_process: OneProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "cluster.example:6379")
    list(run_units([], tmp_path, BatchOptions(engine="ray", processes=3)))
    assert one_process.told == ["up with None cores", "down"]


def test_a_whole_batch_opens_one_cluster_to_learn_and_to_extract(
    one_process: OneProcess, worker: Path, tmp_path: Path
) -> None:
    path = str(write(tmp_path / "a.warc.gz", [page(1)]))
    (unit,) = plan_units([path])
    worker.write_text(json.dumps({"done": msgspec.to_builtins(UnitReport(unit, documents=1))}))
    report = run_batch([path], tmp_path / "out", BatchOptions(engine="ray", processes=1))
    assert (report.total("documents"), report.learned is not None) == (1, True)
    assert one_process.told == ["up with 1 cores", "1 tasks", "1 tasks", "down"]


def test_without_ray_the_line_that_installs_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    with pytest.raises(MissingExtra, match=r"pip install 'webscythe\[ray\]'"):
        list(run_units([], tmp_path, BatchOptions(engine="ray")))
