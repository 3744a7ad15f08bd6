"""The page about reliability tells the truth: each test that it names exists, and no test of an advisory is missing."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
FILES = re.compile(r"`((?:tests|tools|docs)/[\w/.-]+)`")


@pytest.fixture(scope="module")
def said(root: Path) -> str:
    return (root / "docs" / "why" / "reliability.md").read_text(encoding="utf-8")


def names_in(files: Iterable[Path]) -> set[str]:
    """Return the names of the tests in these files, without importing them."""
    return {name for path in files for name in DEFINED.findall(path.read_text(encoding="utf-8"))}


def test_every_test_that_is_named_exists(root: Path, said: str) -> None:
    named = set(NAMED.findall(said))
    assert len(named) > 130
    assert sorted(named - names_in((root / "tests").rglob("*.py"))) == []


def test_every_folder_and_tool_that_is_named_exists(root: Path, said: str) -> None:
    assert [path for path in sorted(set(FILES.findall(said))) if not (root / path).exists()] == []


def test_every_test_of_an_advisory_is_on_the_page(root: Path, said: str) -> None:
    written = names_in((root / "tests").rglob("test_advisories_*.py"))
    assert len(written) > 30
    assert sorted(written - set(NAMED.findall(said))) == []


def test_every_row_proves_something_or_says_why_not(said: str) -> None:
    rows = [line for line in said.splitlines() if line.startswith("| ") and "---" not in line]
    for row in rows:
        assert row.endswith("| proof |") or "`" in row or "does not apply" in row or "not yet" in row, row
