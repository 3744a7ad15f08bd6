"""The page about reliability tells the truth: each test that it names exists, and no test of an advisory is missing."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
FILES = re.compile(r"`((?:tests|tools|docs)/[\w/.-]+)`")


@pytest.fixture(scope="module")
def said(root: Path) -> str:
    return (root / "docs" / "why" / "reliability.md").read_text(encoding="utf-8")


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the tests in a file, without importing it."""
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_test_that_is_named_exists(root: Path, said: str) -> None:
    named = set(NAMED.findall(said))
    assert len(named) > 150
    assert [f"{path}::{name}" for path, name in sorted(named) if name not in names_in(root / path)] == []


def test_every_folder_and_tool_that_is_named_exists(root: Path, said: str) -> None:
    assert [path for path in sorted(set(FILES.findall(said))) if not (root / path).exists()] == []


def test_every_test_of_an_advisory_is_on_the_page(root: Path, said: str) -> None:
    named = {name for _, name in NAMED.findall(said)}
    files = sorted((root / "tests" / "faults").glob("test_advisories_*.py"))
    written = {name for path in files for name in names_in(path) if name.startswith("test_")}
    assert len(written) > 60
    assert sorted(written - named) == []


def test_every_row_proves_something_or_says_why_not(said: str) -> None:
    rows = [line for line in said.splitlines() if line.startswith("| ") and "---" not in line]
    heads = {"| where | advisory | here | proof |", "| thread | here | proof |", "| goal | where it stands |"}
    heads.add("| threat or fault | promise | proof |")
    for row in rows:
        assert row in heads or "`" in row or "does not apply" in row or "not yet" in row, row
