"""Options of `scythe watch` and `scythe schedule`, and durations such as "6h"."""

from __future__ import annotations

from typing import Annotated

import typer

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
WORDS = {"sec": "s", "min": "m", "hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w"}
LONGEST_S = 3_660 * 86_400.0  # ten years: nobody waits longer, and no date overflows
_EXAMPLES = "expected a duration such as 45s, 90m, 6h, 1.5d, 1w or 1h30m"


def parse_duration(text: str) -> float:
    """Return the seconds that `text` says; raise typer.BadParameter with examples where it says none."""
    rest, total = text.strip().lower().replace(" ", ""), 0.0
    if not rest:
        raise typer.BadParameter(_EXAMPLES)
    while rest:
        number = _leading(rest, "0123456789.")
        unit = _leading(rest[len(number) :], "abcdefghijklmnopqrstuvwxyz")
        total += _number(number, text) * _unit_s(unit, text)
        rest = rest[len(number) + len(unit) :]
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


def _leading(text: str, letters: str) -> str:
    """Return the beginning of `text` that consists of `letters`."""
    return text[: len(text) - len(text.lstrip(letters))]


def _number(written: str, text: str) -> float:
    try:
        return float(written)
    except ValueError:
        raise typer.BadParameter(f"{text!r}: {_EXAMPLES}") from None


def _unit_s(written: str, text: str) -> float:
    """Return the seconds of a unit; a number without one could mean anything, so that it is refused."""
    unit = WORDS.get(written, written)
    if unit not in UNITS_S:
        raise typer.BadParameter(f"{text!r}: {_EXAMPLES}")
    return UNITS_S[unit]


WatchedSites = Annotated[list[str] | None, typer.Argument(metavar="[SITE...]", show_default=False)]
Miss = Annotated[
    float, typer.Option(min=0.0001, max=0.5, metavar="SHARE", help="Largest share of records that may be missed.")
]
MaxDelay = Annotated[
    float | None,
    typer.Option(parser=parse_duration, metavar="TIME", help="See every record within TIME: 6h, 90m, 1d."),
]
Within = Annotated[
    float | None,
    typer.Option(
        "--p95",
        parser=parse_duration,
        metavar="TIME",
        help="See 95 % of records within TIME; may pause at night.",
    ),
]
