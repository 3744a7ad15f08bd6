"""Options of `scythe watch` and `scythe schedule`, and durations such as "6h"."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from scythe.cli.options import argument, option

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
WORDS = {"sec": "s", "min": "m", "hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w"}
LONGEST_S = 3_660 * 86_400.0  # ten years: nobody waits longer, and no date overflows
_EXAMPLES = "expected a duration such as 45s, 90m, 6h, 1.5d, 1w or 1h30m"


def parse_duration(text: str) -> float:
    """Return the seconds that `text` says; raise typer.BadParameter with examples where it says none."""
    rest = text.lower().replace(" ", "").strip()
    parts = re.findall(r"([0-9.]+)([a-z]+)", rest)
    try:
        total = sum(float(number) * UNITS_S[WORDS.get(unit, unit)] for number, unit in parts)
    except (ValueError, KeyError):  # no number; no unit
        parts = []
    if not parts or "".join(map("".join, parts)) != rest:  # a number without a unit could mean anything
        raise typer.BadParameter(f"{text!r}: {_EXAMPLES}" if rest else _EXAMPLES)
    if not 0 < total <= LONGEST_S:
        raise typer.BadParameter(f"{text!r} is not between 0 and ten years; {_EXAMPLES}")
    return total


def say_duration(seconds: float) -> str:
    """Write a length of time in the largest unit that it fills, with at most one decimal: 6 h, 1.5 d, 45 s."""
    size, unit = 1.0, "s"
    for name, unit_s in UNITS_S.items():
        if name != "w" and abs(seconds) >= 0.995 * unit_s:
            size, unit = unit_s, name
    said = f"{seconds / size:.1f}".removesuffix(".0")
    return f"{said} {'min' if unit == 'm' else unit}"


WatchedSites = Annotated[list[str] | None, argument("[SITE...]")]
Miss = Annotated[float, option(..., "Largest share of records that may be missed.", "SHARE", min=0.0001, max=0.5)]
MaxDelay = Annotated[
    float | None, option(..., "See every record within TIME: 6h, 90m, 1d.", "TIME", parser=parse_duration)
]
Within = Annotated[
    float | None,
    option(..., "See 95 % of records within TIME; may pause at night.", "--p95 TIME", parser=parse_duration),
]
