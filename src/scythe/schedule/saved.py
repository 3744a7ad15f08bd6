"""Numbers of a saved state: plain values come in, finite numbers go out, or ValueError."""

from __future__ import annotations

LARGEST = 1e15  # of a number in a state of ours


def read_numbers(values: object, count: int | None, *, is_signed: bool = False) -> list[float]:
    """Return a list of so many finite numbers; raise ValueError where it is none."""
    if not isinstance(values, list) or (count is not None and len(values) != count):
        raise ValueError(f"a list of {count} numbers is missing")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise ValueError("a number is none")
        if value < 0 and not is_signed:
            raise ValueError("a number is below 0")
    return [float(value) for value in values]
