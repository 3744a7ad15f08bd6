"""The types of the public interface, seen by a type checker as a user's would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def test_right_uses_pass_and_every_mistake_is_found() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, sorted(HERE.glob("[bg]*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    found = {(name, int(line)) for name, line in re.findall(r"(\w+)\.py:(\d+): error", done.stdout)}
    lines = (HERE / "bad.py").read_text(encoding="utf-8").splitlines()
    expected = {("bad", number) for number, line in enumerate(lines, start=1) if line.endswith("# wrong")}
    assert found == expected, done.stdout + done.stderr
