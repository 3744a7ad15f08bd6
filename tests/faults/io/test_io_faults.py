"""A sample, another one each day, of what `python -m tests.faults.io` and `tests.faults.io.cuts` try in full."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.faults.io.cuts import cut_everywhere
from tests.faults.io.shim import find_compiler

pytestmark = pytest.mark.fault

SEED = datetime.now(UTC).toordinal()


def run(root: Path, *said: object) -> dict[str, Any]:
    if find_compiler() is None:
        pytest.skip("no C compiler: the library that lets calls fail cannot be made")
    command = [sys.executable, "-m", "tests.faults.io", "--quiet", "--seed", str(SEED), *map(str, said)]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.stdout, ran.stderr[-2_000:]
    table: dict[str, Any] = json.loads(ran.stdout)
    return table


@pytest.mark.slow
def test_no_failing_call_and_no_power_cut_loses_doubles_or_damages_anything(root: Path) -> None:
    table = run(root, "--every", 997, "--power", 21)
    assert table["examples"] == []
    assert table["places"] > 300
    assert table["runs"] >= 25


@pytest.mark.soak
def test_no_failing_call_anywhere_loses_doubles_or_damages_anything(root: Path) -> None:
    table = run(root, "--every", 7, "--power", 400)
    assert table["examples"] == []
    assert table["ends: stopped with an error of ours"] > 500
    assert table["ends: struck"] > 500


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crawl", "watch"])
def test_a_connection_that_is_cut_loses_and_doubles_nothing(postgres_folder: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as beside:
        tried = list(cut_everywhere(postgres_folder, Path(beside), f"cut_{name}", name, 249, Random(SEED)))
    assert tried
    assert [(what, findings.all()) for what, findings in tried if findings.all()] == []


@pytest.mark.soak
@pytest.mark.parametrize("name", ["crawl", "watch"])
def test_a_connection_that_is_cut_anywhere_loses_and_doubles_nothing(postgres_folder: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as beside:
        tried = list(cut_everywhere(postgres_folder, Path(beside), f"cuts_{name}", name, 1, Random(SEED)))
    assert [(what, findings.all()) for what, findings in tried if findings.all()] == []
