"""One home for each concept: a change that sounds like one thing concerns at most four modules.

Each row names a change and a sign by which a module shows that it would have to change with it.
"""

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parent.parent / "src" / "scythe"
MODULES = sorted(path for path in HOME.rglob("*.py") if "demo" not in path.parts)
FORMATS = {"jsonl", "csv", "parquet", "sqlite", ".jsonl", ".csv", ".parquet", ".sqlite"}
SEPARATORS = "|»·–"
MOST = 4


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def texts(path: Path) -> frozenset[str]:
    """Return the strings of a module that are not documentation."""
    every = nodes(path)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    notes = {id(node.body[0].value) for node in every if isinstance(node, documented) and _is_note(node.body)}  # type: ignore[attr-defined]
    constants = (node for node in every if isinstance(node, ast.Constant) and id(node) not in notes)
    return frozenset(node.value for node in constants if isinstance(node.value, str))


def _is_note(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


@cache
def names(path: Path) -> frozenset[str]:
    """Return every identifier of a module: variables, attributes, parameters, what it imports."""
    found = set()
    for node in nodes(path):
        for part in ("id", "attr", "arg", "name"):
            value = getattr(node, part, None)
            if isinstance(value, str):
                found.add(value)
    return frozenset(found)


def lists_some_of(path: Path, wanted: set[str], least: int) -> bool:
    """Say whether one list, tuple, set or table of a module has so many of these texts."""
    for node in nodes(path):
        items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else getattr(node, "keys", [])
        if not isinstance(items, list):
            continue
        held = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
        if len(held & wanted) >= least:
            return True
    return False


def has_title_separators(path: Path) -> bool:
    lists = any(sum(mark in text for mark in SEPARATORS) >= 3 for text in texts(path) if len(text) < 100)
    return lists and any(isinstance(node, ast.FunctionDef) and "title" in node.name for node in nodes(path))


REQUESTS: dict[str, Callable[[Path], bool]] = {
    "a field that is learned by itself": lambda path: lists_some_of(path, {"title", "text", "date", "author"}, 4),
    "an output format": lambda path: lists_some_of(path, FORMATS, 2),
    "a way to search bytes": lambda path: not names(path).isdisjoint({"stringzilla", "ByteSearch"}),
    "cookies for crawls": lambda path: "cookies" in names(path) and "web" not in path.parts,
    "another title": has_title_separators,
    "a column of the archive": lambda path: "simhash" in names(path) | texts(path),
    "a kind of list": lambda path: "definitions" in texts(path),
    "an option of read": lambda path: any("captions of figures" in text for text in texts(path)),
    "an index of PostgreSQL only": lambda path: any("USING gin" in text for text in texts(path)),
    "a feature of images": lambda path: "same page" in texts(path),
    "a page that is decoded wrongly": lambda path: not names(path).isdisjoint({"declared_codec", "header_codec"}),
    "a page of the local interface": lambda path: not texts(path).isdisjoint({"/schedule", "/schedule/"}),
}


@pytest.mark.parametrize("request_for", REQUESTS)
def test_a_change_concerns_at_most_four_modules(request_for: str) -> None:
    concerned = [str(path.relative_to(HOME)) for path in MODULES if REQUESTS[request_for](path)]
    assert 1 <= len(concerned) <= MOST, concerned
