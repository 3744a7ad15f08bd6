"""What the code says beside its fields: types come in, the meanings of the fields of their records go out.

Records say in a comment what each field means; the description of the interface says the same, without a second copy.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import inspect as kinds

# name: type = default  # what it means
_SAID = re.compile(r"    ([a-z_]+): [^#]*  # (.+)")


def add_meanings(schemas: dict[str, Any], types: Iterable[Any]) -> None:
    """Put into schemas, which are by the names of records, what the code says of their fields."""
    for name, record in records_in(types).items():
        said = meanings(record)
        for field, schema in schemas.get(name, {}).get("properties", {}).items():
            if field in said:
                schema.setdefault("description", said[field])


def records_in(types: Iterable[Any]) -> dict[str, type]:
    """Return the records that types are made of, by name."""
    found: dict[str, type] = {}
    waiting = list(kinds.multi_type_info(types))
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, kinds.StructType | kinds.DataclassType):
            if kind.cls.__name__ in found:
                continue
            found[kind.cls.__name__] = kind.cls
        waiting += _inner(kind)
    return found


def _inner(kind: kinds.Type) -> Iterator[kinds.Type]:
    if isinstance(kind, kinds.StructType | kinds.DataclassType):
        yield from (field.type for field in kind.fields)
    elif isinstance(kind, kinds.UnionType):
        yield from kind.types
    elif isinstance(kind, kinds.TupleType):
        yield from kind.item_types
    elif isinstance(kind, kinds.DictType):
        yield kind.value_type
    elif isinstance(kind, kinds.Metadata):
        yield kind.type
    elif isinstance(kind, kinds.CollectionType):
        yield kind.item_type


@cache
def meanings(record: type) -> dict[str, str]:
    """Return what is said beside the fields of a record and of those it builds on."""
    said: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if kind.__module__.startswith("scythe."):
            said |= dict(_read(kind))
    return said


def _read(kind: type) -> Iterator[tuple[str, str]]:
    try:
        lines = inspect.getsource(kind).splitlines()
    except OSError:
        return  # installed without its source
    for line in lines:
        found = _SAID.match(line)
        if found is not None and not found[2].startswith(("noqa", "type:", "fmt:")):
            text = found[2].split("  # ")[0]
            yield found[1], f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
