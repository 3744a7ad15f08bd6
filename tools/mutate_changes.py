"""Small defects for a module: its source comes in, changes of its syntax tree go out, one at a time.

Not changed: docstrings, annotations, decorators, imports, assertions, `__all__`, the words of errors and of f-strings,
and lines that say `pragma: no cover`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

_TINY = 1e-5  # a number below only keeps another from being 0: it becomes 0
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_PASSED_OVER = (ast.Import, ast.ImportFrom, ast.Assert, ast.JoinedStr, ast.Global, ast.Nonlocal, ast.Pass)
_UNREAD = ("annotation", "returns", "decorator_list", "type_comment", "ctx", "op", "ops")


@dataclass(frozen=True)
class Change:
    """One change: what to put into which field of a node."""

    holder: ast.AST
    field: str
    index: int | None  # where the field is a list
    new: ast.AST | None  # None: nothing
    line: int
    around: tuple[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, ...]  # classes, and a function
    before: str
    after: str
    number: int = 0  # of those in the function that read alike

    @property
    def function(self) -> str:
        """The qualified name of the outermost function around it; "" at the level of a module or class."""
        is_inside = self.around and not isinstance(self.around[-1], ast.ClassDef)
        return ".".join(each.name for each in self.around) if is_inside else ""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What stays the same when lines move."""
        return self.function, self.before, self.after, self.number


def find_changes(source: str) -> tuple[ast.Module, list[Change]]:
    """Return the tree of a source and all changes of it, in the order of lines."""
    tree = ast.parse(source)
    untold = {number for number, line in enumerate(source.splitlines(), 1) if "pragma: no cover" in line}
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for change in _Finder().walk(tree):
        if change.line in untold:
            continue
        alike = change.function, change.before, change.after
        found.append(replace(change, number=seen[alike]))
        seen[alike] += 1
    return tree, sorted(found, key=lambda change: change.line)


def swap(change: Change, new: ast.AST | None) -> ast.AST | None:
    """Put something in the place of a change in its tree; return what stood there."""
    if change.index is None:
        old: ast.AST | None = getattr(change.holder, change.field)
        setattr(change.holder, change.field, new)
    else:
        place = getattr(change.holder, change.field)
        old, place[change.index] = place[change.index], new
    ast.fix_missing_locations(change.holder)
    return old


class _Finder:
    """Walks over a module and knows in which function it is."""

    def __init__(self) -> None:
        self._around: list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._is_inside = False  # of a function
        self._names: Counter[str] = Counter()  # assigned in the function at hand
        self._yes_or_no = False  # the function at hand returns a bool
        self._held: set[ast.AST] = set()  # operands whose reverse is no news: they are left out, or the whole is

    def walk(self, node: ast.AST) -> Iterator[Change]:
        """Yield the changes below a node."""
        for field, value in ast.iter_fields(node):
            if field in _UNREAD:
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST) and not isinstance(child, _PASSED_OVER):
                    yield from self._enter(node, field, index, child)

    def _enter(self, holder: ast.AST, field: str, index: int | None, child: ast.AST) -> Iterator[Change]:
        if _is_docstring(child) or _is_alias(child) or (isinstance(holder, ast.Raise) and _is_words(child)):
            return
        for new, before, after in self._replace(holder, field, child):
            line = getattr(child, "lineno", getattr(holder, "lineno", 0))
            made = ast.copy_location(new, child) if new is not None else None
            yield Change(holder, field, index, made, line, tuple(self._around), before, after)
        if isinstance(child, ast.ClassDef) and not self._is_inside:
            self._around.append(child)
            yield from self.walk(child)
            self._around.pop()
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not self._is_inside:
            yield from self._walk_function(child)
        elif not isinstance(holder, ast.Raise):  # which error it is, is a matter of words; whether, is not
            yield from self.walk(child)

    def _walk_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Change]:
        yield from self.walk(function.args)  # defaults belong to what is around the function
        self._around.append(function)
        self._is_inside = True
        names = (each for each in ast.walk(function) if isinstance(each, ast.Name))
        self._names = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
        self._yes_or_no = isinstance(function.returns, ast.Name) and function.returns.id == "bool"
        for index, statement in enumerate(function.body):
            if not isinstance(statement, _PASSED_OVER):
                yield from self._enter(function, "body", index, statement)
        self._is_inside = False
        self._around.pop()

    def _replace(self, holder: ast.AST, field: str, node: ast.AST) -> Iterator[tuple[ast.AST | None, str, str]]:
        """Yield what may stand in place of a node, with words for both."""
        if isinstance(node, ast.expr):
            if field == "test" and isinstance(holder, ast.If | ast.IfExp | ast.While):
                self._held.add(node)
                for value in (False,) if isinstance(holder, ast.While) else (False, True):
                    yield ast.Constant(value), f"{_kind(holder)} {_tell(node)}", str(value)
            if field == "ifs":
                self._held.add(node)
                yield ast.Constant(True), f"for ... if {_tell(node)}", "True"
            for new in self._replace_expression(holder, field, node):
                yield new, _tell(node), _tell(new)
        elif isinstance(node, ast.stmt):
            for statement in self._replace_statement(node):
                yield statement, _tell(node), _tell(statement)

    def _replace_expression(self, holder: ast.AST, field: str, node: ast.expr) -> Iterator[ast.expr]:
        if isinstance(node, ast.BoolOp):
            self._held.update(node.values)
            for index in range(len(node.values)):
                left = [*node.values[:index], *node.values[index + 1 :]]
                yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
        elif isinstance(node, ast.Compare):
            yield from self._replace_comparison(node)
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub) and node not in self._held:
            yield node.operand
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            yield ast.Call(ast.Name(_CALLS[node.func.id], ast.Load()), node.args, node.keywords)
        elif isinstance(node, ast.Slice):
            if node.lower is not None:
                yield ast.Slice(None, node.upper, node.step)
            if node.upper is not None:
                yield ast.Slice(node.lower, None, node.step)
        elif isinstance(node, ast.Constant):
            yield from _replace_constant(holder, field, node)

    def _replace_comparison(self, node: ast.Compare) -> Iterator[ast.expr]:
        for index, op in enumerate(node.ops):
            other = _BOUNDARY.get(type(op)) or (None if node in self._held else _OPPOSITE.get(type(op)))
            if other is not None:
                yield ast.Compare(node.left, [*node.ops[:index], other(), *node.ops[index + 1 :]], node.comparators)

    def _replace_statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(node, ast.Break):
            yield ast.Continue()
        elif isinstance(node, ast.Continue):
            yield ast.Break()
        elif isinstance(node, ast.Return):
            if self._yes_or_no and not isinstance(node.value, ast.Constant):
                yield ast.Return(ast.Constant(True))
                yield ast.Return(ast.Constant(False))
            elif node.value is not None and not _is_none(node.value):
                yield ast.Return(ast.Constant(None))
        elif isinstance(node, ast.Expr | ast.Raise | ast.Delete | ast.AugAssign):
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom)):
                yield ast.Pass()
        elif isinstance(node, ast.Assign) and self._is_inside and self._may_go(node):
            yield ast.Pass()

    def _may_go(self, node: ast.Assign) -> bool:
        """Say whether an assignment can be left out without a name lacking at once."""
        return not any(isinstance(target, ast.Name) and self._names[target.id] < 2 for target in node.targets)


def _replace_constant(holder: ast.AST, field: str, node: ast.Constant) -> Iterator[ast.expr]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if isinstance(holder, ast.Compare | ast.Slice) or field == "slice":
            yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(1.0 if value == 0 else 0.0 if abs(value) < _TINY else value * 1.5)
    elif isinstance(value, bytes):
        yield ast.Constant(value + b"X")
    elif isinstance(value, str):
        yield ast.Constant(value + "X")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_alias(node: ast.AST) -> bool:
    """Say whether a statement names a type, or the public names."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name = node.targets[0].id.lstrip("_")
    is_type = name[:1].isupper() and not name.isupper()
    return node.targets[0].id == "__all__" or (is_type and isinstance(node.value, ast.Subscript | ast.BinOp))


def _is_words(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _kind(node: ast.AST) -> str:
    return {ast.If: "if", ast.IfExp: "... if", ast.While: "while"}[type(node)]


def _tell(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 120 else f"{text[:117]}..."
