"""Read schema.org objects out of JSON-LD scripts: script texts in, flat objects and a count of skipped scripts out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from scythe.limits import LIMITS

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_WRAPPERS = ("<!--", "-->", "//<![CDATA[", "//]]>", "/*<![CDATA[*/", "/*]]>*/", "<![CDATA[", "]]>")
_TRAILING_COMMA = re.compile(r",(?=\s{0,200}[\]}])")
_LONGEST_INTEGER = 300  # digits; int() of more would be refused or slow


@dataclass(frozen=True, slots=True)
class LinkedData:
    """Objects with a type, outer before inner, and how many scripts could not be read."""

    objects: tuple[dict[str, Json], ...] = ()
    skipped: int = 0


def read_json_ld(scripts: Iterable[str]) -> LinkedData:
    """Parse and flatten scripts; what cannot be parsed within the limits is counted, never raised."""
    objects: list[dict[str, Json]] = []
    skipped = 0
    for script in scripts:
        if not script or script.isspace():
            continue
        parsed, value = _load(script)
        if not parsed:
            skipped += 1
            continue
        _flatten(value, objects)
    return LinkedData(tuple(objects), skipped)


def types_of(item: dict[str, Json]) -> tuple[str, ...]:
    """Return the type names of an object in lower case, without their address."""
    kinds = item.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return tuple(name.rpartition("/")[2].lower()[:100] for name in names if isinstance(name, str))


def _load(script: str) -> tuple[bool, Json]:
    if len(script) > LIMITS.json_ld_bytes:
        return False, None
    for read in (str, _repair):
        try:
            value = json.loads(read(script), strict=False, parse_int=_integer)
            return True, _without_surrogates(value) if "\\ud" in script or "\\uD" in script else value
        except (ValueError, RecursionError):
            continue
    return False, None


def _without_surrogates(value: Json) -> Json:
    """Return a value whose escapes made no lone surrogates, which no output could carry."""
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-8", "replace").decode()
    return value if whole == text else json.loads(whole)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float("inf")


def _repair(script: str) -> str:
    text = script.strip().lstrip("\ufeff").rstrip(";").strip()
    for wrapper in _WRAPPERS:
        text = text.removeprefix(wrapper).removesuffix(wrapper).strip()
    return _TRAILING_COMMA.sub("", text.rstrip(";"))


def _flatten(value: Json, objects: list[dict[str, Json]]) -> None:
    pending: list[tuple[Json, int]] = [(value, 0)]
    while pending and len(objects) < LIMITS.json_ld_objects:
        item, depth = pending.pop()
        if isinstance(item, dict):
            if "@type" in item:
                objects.append(item)
            inner: Iterable[Json] = item.values()
        elif isinstance(item, list):
            inner = item
        else:
            continue
        if depth < LIMITS.json_ld_depth:
            pending.extend((child, depth + 1) for child in reversed(list(inner)) if isinstance(child, (dict, list)))
