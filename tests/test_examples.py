"""Every program in examples/ runs and prints what it says at its end."""

import ast
import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
MARK = "\n# Prints:\n"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != "story_spider.py")  # run by the docs
MOST_LINES = 50


def promised(program: str) -> str:
    text = (EXAMPLES / program).read_text(encoding="utf-8")
    assert MARK in text, f"{program} does not say what it prints"
    return "".join(line.removeprefix("# ") + "\n" for line in text.partition(MARK)[2].splitlines())


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_prints_what_it_says(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / program)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    fits = doctest.OutputChecker().check_output(promised(program), done.stdout, doctest.ELLIPSIS)
    assert fits, done.stdout
    assert list(tmp_path.iterdir()) == []  # what it writes, it removes


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_is_short_and_says_what_it_shows(program: str) -> None:
    text = (EXAMPLES / program).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text))


def test_the_list_of_examples_is_whole() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(PROGRAMS) >= 5
    assert [name for name in PROGRAMS if f"[{name}]({name})" not in listed] == []
