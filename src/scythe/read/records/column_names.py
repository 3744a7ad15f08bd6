"""Guess names for columns: described columns come in, one name for each goes out."""

from __future__ import annotations

from scythe.read.records.portrait import Column


def name_columns(columns: list[Column], records: int) -> tuple[str, ...]:
    """Return a unique name for each column."""
    return tuple(f"text_{n + 1}" if n else "text" for n in range(len(columns)))
