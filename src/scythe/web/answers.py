"""Make what is answered from what is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from functools import cache
from inspect import signature
from typing import TypeVar

T = TypeVar("T")


def fill(kind: Callable[..., T], *sources: object, **given: object) -> T:
    """Return a record: of each field what is given, else what the first of the sources has under the same name."""
    for name in _names(kind):
        if name not in given:
            found = next((value for one in sources if (value := getattr(one, name, MISSING)) is not MISSING), MISSING)
            if found is not MISSING:
                given[name] = found
    return kind(**given)


@cache
def _names(kind: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(kind).parameters)
