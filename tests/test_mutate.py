"""The mutation tool finds a defect that no test sees, and leaves words for people alone."""

import json
import subprocess
import sys
from pathlib import Path

from tools.mutate_changes import find_changes

MODULE = """\
MOST = 10


def is_long(text: str) -> bool:
    return len(text) > 3


def count_down(number: int) -> int:
    while number > 0:
        number -= 1
    return number


def unseen() -> int:
    return 7
"""
TESTS = """\
from planted import MOST, count_down, is_long


def test_all():
    assert is_long("reaper") and not is_long("")
    assert count_down(3) == 0
    assert MOST == 10
"""


def test_what_no_test_tries_survives_and_what_tests_see_is_killed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(MODULE)
    (tmp_path / "test_planted.py").write_text(TESTS)
    command = [sys.executable, "-m", "tools.mutate", "planted", "--tests", tmp_path, "--out", tmp_path / "out"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    states = {(row["function"], f"{row['before']} -> {row['after']}"): row["state"] for row in rows}
    assert states["", "10 -> 11"] == "killed"
    assert states["is_long", "return len(text) > 3 -> return True"] == "killed"
    assert states["is_long", "len(text) > 3 -> len(text) >= 3"] == "survived"
    assert states["count_down", "number -= 1 -> pass"] == "timed out"
    assert {state for (function, _), state in states.items() if function == "unseen"} == {"unreached"}


def test_words_for_people_are_left_alone() -> None:
    source = '"""Text."""\n__all__ = ["f"]\n\ndef f(x: "int" = None):\n    assert x, "words"\n    return f"{x}"'
    assert [(change.before, change.after) for change in find_changes(source)[1]] == [("return f'{x}'", "return None")]
