"""Guess names for columns: their texts and elements come in, one name for each goes out."""

from __future__ import annotations

from scythe.page.elements import Elements
from scythe.read.records.columns import Column


def name_columns(elements: Elements, columns: list[Column], texts: list[list[str]], records: int) -> tuple[str, ...]:
    """Return a unique name for each column."""
    return tuple(f"text_{n + 1}" if n else "text" for n in range(len(columns)))
