"""The public surface as text: one line for each name, field, method and signature that programs may rely on."""

import dataclasses
import inspect
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

import scythe

# besides `scythe` itself: what docs/reference/api.md names of other modules
SUBMODULES = {
    "scythe.aio": ["crawl", "get", "watch"],
    "scythe.output.document_writers": ["Exporter", "dump", "export", "safe_name"],
    "scythe.testing": (
        "CannedFetcher MemoryStore check_fetcher check_record_characteristic check_store "
        "check_text_characteristic check_text_method"
    ).split(),
    "scythe.watch_model": ["Goals"],
    "scythe.watching.events": ["to_json"],
    "scythe.watching.hooks": ["HookOptions"],
}


def surface() -> str:
    """Return the whole surface, sorted as it is documented."""
    lines = [line for name in scythe.__all__ for line in describe(f"scythe.{name}", getattr(scythe, name))]
    for module, names in SUBMODULES.items():
        for name in names:
            lines += describe(f"{module}.{name}", getattr(import_module(module), name))
    return "\n".join(lines) + "\n"


def describe(name: str, thing: Any) -> Iterator[str]:
    """Yield the lines of one public name."""
    if not inspect.isclass(thing):
        yield f"def {name}{signature(thing)}"
        return
    bases = [base.__name__ for base in thing.__bases__ if base is not object]
    yield f"class {name}" + (f"({', '.join(bases)})" if bases else "")
    if dataclasses.is_dataclass(thing):
        yield from (f"    {line}" for field in dataclasses.fields(thing) if (line := field_line(field)))
    elif "__init__" in vars(thing):
        yield f"    def __init__{signature(thing.__init__)}"
    yield from (f"    {line}" for line in members(thing))


def field_line(field: dataclasses.Field[Any]) -> str:
    """Return a field with its type and default; nothing for one of our own."""
    if field.name.startswith("_"):
        return ""
    default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
    made = " = ..." if field.default_factory is not dataclasses.MISSING else default
    return f"{field.name}: {type_name(field.type)}{made}" + (" (keyword only)" if field.kw_only else "")


def members(thing: type) -> Iterator[str]:
    """Yield methods and properties, those of bases that are not public included."""
    fields = {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
    for name in sorted(dir(thing)):
        value = inspect.getattr_static(thing, name)
        if name.startswith("_") or name in fields or not belongs_to_scythe(thing, name):
            continue
        if isinstance(value, classmethod | staticmethod):
            yield f"{type(value).__name__} def {name}{signature(value.__func__)}"
        elif isinstance(value, property | cached_property):
            getter = value.fget if isinstance(value, property) else value.func
            yield f"{name}: {type_name(inspect.signature(getter).return_annotation)} (property)"
        elif inspect.isfunction(value):
            yield f"{'async ' if inspect.iscoroutinefunction(value) else ''}def {name}{signature(value)}"


def belongs_to_scythe(thing: type, name: str) -> bool:
    """Tell whether a member is ours, and not one that every class or exception has."""
    home = next(base for base in thing.__mro__ if name in vars(base))
    return home.__module__.split(".")[0] == "scythe"


def signature(function: Any) -> str:
    """Return the parameters and what comes back, with types as they are written."""
    found = inspect.signature(function)
    parts, starred = [], False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        starred = starred or one.kind is one.VAR_POSITIONAL
        said = "" if one.annotation is one.empty else f": {type_name(one.annotation)}"
        parts.append(f"{mark}{one.name}{said}" + ("" if one.default is one.empty else f" = {one.default!r}"))
    back = "" if found.return_annotation is found.empty else f" -> {type_name(found.return_annotation)}"
    return f"({', '.join(parts)}){back}"


def type_name(annotation: Any) -> str:
    """Return a type as it is written in the source."""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
