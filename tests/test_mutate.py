"""The mutation tool: it finds a defect that no test sees, and tells those apart that a test does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.mutate_changes import find_changes

MODULE = '''\
"""Texts and numbers."""

MOST = 10


def is_long(text: str) -> bool:
    """Say whether a text is long."""
    return len(text) > 3


def clip(number: int, step: int = 2) -> int:
    if number > MOST:
        return MOST
    return number + step


def count_down(number: int) -> int:
    while number > 0:
        number -= 1
    return number


def unseen() -> int:
    return 7
'''
TESTS = """\
from planted import clip, count_down, is_long


def test_long():
    assert is_long("reaper")
    assert not is_long("")


def test_clip():
    assert clip(99) == 10
    assert clip(1) == 3


def test_count():
    assert count_down(3) == 0
"""


@pytest.fixture(scope="module")
def rows(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.py").write_text(MODULE)
    (folder / "test_planted.py").write_text(TESTS)
    command = [sys.executable, "-m", "tools.mutate", "planted", "--tests", str(folder), "--out", str(folder / "out")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in (folder / "out").read_text().splitlines()]


def states(rows: list[dict[str, Any]], function: str) -> dict[str, str]:
    return {f"{row['before']} -> {row['after']}": row["state"] for row in rows if row["function"] == function}


def test_a_boundary_that_no_test_tries_survives_and_what_tests_see_is_killed(rows: list[dict[str, Any]]) -> None:
    assert states(rows, "is_long") == {
        "return len(text) > 3 -> return True": "killed",
        "return len(text) > 3 -> return False": "killed",
        "len(text) > 3 -> len(text) >= 3": "survived",
        "3 -> 4": "survived",
        "3 -> 2": "survived",
    }


def test_constants_and_defaults_are_changed_too(rows: list[dict[str, Any]]) -> None:
    assert states(rows, "") == {"10 -> 11": "killed", "2 -> 3": "killed"}


def test_what_never_ends_is_ended_and_what_is_never_run_is_told(rows: list[dict[str, Any]]) -> None:
    assert states(rows, "count_down")["number -= 1 -> pass"] == "timed out"
    assert set(states(rows, "unseen").values()) == {"unreached"}


def test_words_for_people_are_left_alone() -> None:
    source = '''\
"""Text."""

__all__ = ["f"]
Pair = tuple[int, "int"]


@cache(3)
def f(x: "int" = None) -> "str":
    """Text."""
    assert x, "words"
    if x:
        raise ValueError(f"no {x} above {3}")
    return f"{x} times"
'''
    changes = find_changes(source)[1]
    assert [(change.before, change.after) for change in changes] == [
        ("if x", "False"),
        ("if x", "True"),
        ("raise ValueError(f'no {x} above {3}')", "pass"),
        ("return f'{x} times'", "return None"),
    ]
