"""The engine for clusters: the same rows as on one machine, from Ray as it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.batch.warcs import page, record, write

from scythe.batch.options import BatchOptions
from scythe.batch.ray_engine import run_units
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


def test_without_ray_the_line_that_installs_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    with pytest.raises(MissingExtra, match=r"pip install 'scythe\[ray\]'"):
        list(run_units([], tmp_path, BatchOptions(engine="ray")))
