"""Read the promises of SECURITY.md, each with the names of its tests, and find those tests."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_HEADING = re.compile(r"^\*\*P(\d+)\.\s+(.+?)\*\*", re.MULTILINE)
_TEST = re.compile(r"`(test_\w+)`")
# A test that is skipped for want of something (skipif) fails on CI: tests/conftest.py.
_NOT_RUN = ("skip", "xfail", "soak")


@dataclass(frozen=True)
class Promise:
    """One promise."""

    number: int
    said: str
    tests: tuple[str, ...]  # names; the folders may move


def read_promises(text: str) -> list[Promise]:
    """Return the promises in the order of the document."""
    found = list(_HEADING.finditer(text))
    ends = [one.start() for one in found[1:]] + [text.find("\n## ", found[-1].start()) if found else 0]
    return [
        Promise(int(one[1]), one[2], tuple(_TEST.findall(text[one.start() : end])))
        for one, end in zip(found, ends, strict=True)
    ]


def why_not_run(name: str, folder: Path = ROOT / "tests") -> str:
    """Say why a test proves nothing on every change: it does not exist, is skipped, or only runs in soaks."""
    files = [path for path in sorted(folder.rglob("*.py")) if f"def {name}(" in _text(path)]
    reasons = [_why_marked(ast.parse(_text(path)), name) for path in files]
    return next(filter(None, reasons), "") if files else "there is no such test"


def _why_marked(tree: ast.Module, name: str) -> str:
    whole = [
        one.value for one in tree.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "pytestmark"
    ]
    listed = [mark for one in whole for mark in (one.elts if isinstance(one, ast.List | ast.Tuple) else [one])]
    for one in ast.walk(tree):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name:
            listed += one.decorator_list
    marks = [ast.unparse(mark).removeprefix("pytest.mark.").partition("(")[0] for mark in listed]
    return next((f"it is marked {mark}" for mark in _NOT_RUN if mark in marks), "")


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
