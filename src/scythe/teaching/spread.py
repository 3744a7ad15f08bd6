"""Choose some of many: pages or other items come in, those that are evenly spread over them go out."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

FROM_FILES = 40  # pages that a site is learned from where more are at hand: docs/why/learning.md


def spread(items: list[T], most: int | None) -> list[T]:
    """Return at most so many items, evenly spread, first and last included."""
    if most is None or len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // max(most - 1, 1)] for i in range(most)]
