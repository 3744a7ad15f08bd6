"""The promises of SECURITY.md: the document comes in, each promise with the tests it names goes out."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_HEADING = re.compile(r"^\*\*P(\d+)\.\s+(.+?)\*\*", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
# A test that is skipped for want of something (skipif) fails on CI: tests/conftest.py.
_NOT_RUN = ("skip", "xfail", "soak")


@dataclass(frozen=True)
class Promise:
    """One promise."""

    number: int
    said: str
    tests: tuple[tuple[str, str], ...]  # file and name


def read_promises(text: str) -> list[Promise]:
    """Return the promises in the order of the document."""
    found = list(_HEADING.finditer(text))
    ends = [one.start() for one in found[1:]] + [text.find("\n## ", found[-1].start()) if found else 0]
    return [
        Promise(int(one[1]), one[2], tuple(_TEST.findall(text[one.start() : end])))
        for one, end in zip(found, ends, strict=True)
    ]


def why_not_run(file: str, name: str, root: Path = ROOT) -> str:
    """Say why a test proves nothing on every change: it is not there, or skipped, or only for soaks."""
    path = root / file
    if not path.exists():
        return "there is no such file"
    tree = _tree(path)
    found = [
        one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name
    ]
    if not found:
        return "there is no such test"
    whole = [
        one.value for one in tree.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "pytestmark"
    ]
    listed = [mark for one in whole for mark in (one.elts if isinstance(one, ast.List | ast.Tuple) else [one])]
    marks = [ast.unparse(mark).removeprefix("pytest.mark.").partition("(")[0] for mark in listed]
    marks += [ast.unparse(mark).removeprefix("pytest.mark.").partition("(")[0] for mark in found[0].decorator_list]
    return next((f"it is marked {mark}" for mark in _NOT_RUN if mark in marks), "")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
