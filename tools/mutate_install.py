"""Put changed code into a module that is imported already: what was changed is compiled, functions get their new code.

A change inside a function replaces the code of that function. For any other (a constant, a default, a class attribute)
the module is run once more, aside; what became different is put in place of the old values, wherever they were taken.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tools.mutate_changes import Change, find_changes, swap

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_Place = tuple[str, int]  # qualified name and first line


@dataclass
class Source:
    """A module under test."""

    module: ModuleType
    path: str
    tree: ast.Module
    changes: list[Change]
    at_import: frozenset[str]  # functions that the module calls when it is imported
    functions: dict[_Place, list[FunctionType]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, name: str) -> Source:
        """Read a module; it must be imported."""
        module = sys.modules[name]
        assert module.__file__ is not None
        with open(module.__file__, encoding="utf-8") as file:
            tree, changes = find_changes(file.read())
        return cls(module, module.__file__, tree, changes, _called(tree))


def _called(tree: ast.Module) -> frozenset[str]:
    """Return the names that statements of a module call outside of functions."""
    kept = [each for each in tree.body if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    calls = (each.func for statement in kept for each in ast.walk(statement) if isinstance(each, ast.Call))
    return frozenset(call.id for call in calls if isinstance(call, ast.Name))


def find_functions(sources: list[Source]) -> None:
    """Find the function objects of the modules, also those that are wrapped."""
    by_path = {source.path: source for source in sources}
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in by_path:
            code = thing.__code__
            by_path[code.co_filename].functions[code.co_qualname, code.co_firstlineno].append(thing)
    gc.freeze()


def install(source: Source, change: Change) -> Callable[[], None] | None:
    """Make a change take effect; return what takes it back, None where that cannot be done.

    Raises whatever the changed module raises when it is run.
    """
    old = swap(change, change.new)
    try:
        is_inside = change.function and change.function not in source.at_import
        take_back = _install_function(source, change) if is_inside else None
        if take_back is None:
            _install_module(source)
    finally:
        swap(change, old)
    return take_back


def _install_module(source: Source) -> None:
    aside: dict[str, Any] = {"__name__": source.module.__name__, "__file__": source.path}
    exec(compile(source.tree, source.path, "exec", dont_inherit=True), aside)
    old = vars(source.module)
    for name, value in aside.items():
        if not name.startswith("__"):
            _put(old.get(name), value, name, old)


def _install_function(source: Source, change: Change) -> Callable[[], None] | None:
    """Replace the code of the one function that was changed; None where that cannot be done."""
    around: ast.stmt = change.around[-1]
    for owner in reversed(change.around[:-1]):  # compiling the whole module would take longer than most tests
        around = ast.copy_location(ast.ClassDef(owner.name, [], [], [around], []), owner)
    pairs = _pair(source, around)
    if any("__class__" in function.__code__.co_freevars for function, _ in pairs):  # which super() needs
        body = change.around[-1].body
        body.insert(0, ast.copy_location(ast.Expr(ast.Name("__class__", ast.Load())), body[0]))
        pairs = _pair(source, around)
        del body[0]
    if not pairs or any(len(new.co_freevars) != len(function.__code__.co_freevars) for function, new in pairs):
        return None
    before = [(function, function.__code__) for function, _ in pairs]
    for function, new in pairs:
        function.__code__ = new

    def take_back() -> None:
        for function, old in before:
            function.__code__ = old

    return take_back


def _pair(source: Source, around: ast.stmt) -> list[tuple[FunctionType, CodeType]]:
    """Compile a statement; return the functions that are there, each with its new code."""
    later = [ast.ImportFrom("__future__", [ast.alias("annotations")], 0), around]
    tree = ast.fix_missing_locations(ast.Module(later, []))
    return [
        (function, each)
        for each in _codes(compile(tree, source.path, "exec", dont_inherit=True))
        for function in source.functions.get((each.co_qualname, each.co_firstlineno), ())
    ]


def _codes(code: CodeType) -> list[CodeType]:
    """Return the functions of a module and of its classes."""
    found = []
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found.append(each)
            found += _codes(each)
    return found


def _put(old: Any, new: Any, name: str, names: dict[str, Any]) -> None:
    """Put what became of a name in place of what it was."""
    plain_old, plain_new = getattr(old, "__wrapped__", old), getattr(new, "__wrapped__", new)
    if isinstance(plain_old, FunctionType) and isinstance(plain_new, FunctionType):
        _transplant(plain_old, plain_new)
    elif isinstance(old, type) and isinstance(new, type):
        if old.__module__ == names["__name__"]:
            for key, value in vars(new).items():
                _put_member(old, key, value)
    elif type(old) is not type(new) or _differ(old, new):
        _spread(old, new, name)


def _put_member(owner: type, key: str, new: Any) -> None:
    old = vars(owner).get(key)
    for wrapper in ("__func__", "fget", "func", "__wrapped__"):  # class methods, properties, cached ones
        old, new = getattr(old, wrapper, old), getattr(new, wrapper, new)
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        _transplant(old, new)
    elif isinstance(old, int | float | str | bytes | tuple | frozenset) and _differ(old, new) and key[:2] != "__":
        setattr(owner, key, new)


def _transplant(old: FunctionType, new: FunctionType) -> None:
    if len(old.__code__.co_freevars) == len(new.__code__.co_freevars):
        old.__code__ = new.__code__
        pairs = zip(old.__closure__ or (), new.__closure__ or (), new.__code__.co_freevars, strict=True)
        for cell, other, name in pairs:
            if name != "__class__" and _differ(cell.cell_contents, other.cell_contents):
                cell.cell_contents = other.cell_contents
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


def _differ(old: Any, new: Any) -> bool:
    """Say whether two values look different, wherever they lie in memory."""
    if isinstance(old, type | FunctionType) or old is new:
        return False
    return _ADDRESS.sub("", repr(old)) != _ADDRESS.sub("", repr(new))


def _spread(old: Any, new: Any, name: str) -> None:
    """Rebind a value in all modules that took it, also under a longer name."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for key in [key for key, value in names.items() if value is old and key.endswith(name)]:
            names[key] = new
