"""Find room for names beside points: points, names and lines come in, a place for each name goes out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scythe.schedule.drawing import wide_of

_HIGH = 14.0
_AWAY = (15.0, 22.0, 34.0, 48.0, 64.0, 82.0, 102.0)  # from the point to the name
_TURNS = (0, -45, 45, 180, -135, 135, -90, 90)  # degrees: to the right first
_FAR = 30.0  # names further away are tied to their points by a line


@dataclass(frozen=True, slots=True)
class Label:
    """Where a name is written: its left end and its base line."""

    x: float
    y: float
    wide: float
    is_far: bool  # from its point

    def covers(self, x: float, y: float, around: float) -> bool:
        """Say whether a spot lies on the name, or so near."""
        return self.x - around < x < self.x + self.wide + around and self.y - 11 - around < y < self.y + 3 + around

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the spot of the name's edge that lies nearest."""
        return min(max(x, self.x), self.x + self.wide), min(max(y, self.y - 11), self.y + 3)

    def meets(self, other: Label) -> bool:
        """Say whether two names touch."""
        apart = self.x > other.x + other.wide + 4 or other.x > self.x + self.wide + 4
        return not apart and abs(self.y - other.y) < _HIGH


def place_labels(
    named: Sequence[tuple[str, float, float]],
    spots: Sequence[tuple[float, float]],
    field: tuple[float, float, float, float],
) -> list[Label]:
    """Return a place for each name near its point that keeps off other names and, where it can, off `spots`.

    `field` is what names must lie in: left, top, right, bottom.
    """
    placed: list[Label] = []
    for text, x, y in named:
        wide = wide_of(text)
        tried = [_beside(x, y, away, turn, wide) for away in _AWAY for turn in _TURNS]
        inside = [label for label in tried if _lies_in(label, field)] or tried[:1]
        placed.append(min(inside, key=lambda label: _cost(label, placed, spots, x, y)))
    return placed


def _beside(x: float, y: float, away: float, turn: int, wide: float) -> Label:
    across, down = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    left = x + away * across - (wide if across < -0.1 else 0.0 if across > 0.1 else wide / 2)
    return Label(left, y + away * down + 4 + 3 * down, wide, is_far=away > _FAR)


def _lies_in(label: Label, field: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = field
    return left <= label.x and label.x + label.wide <= right and top + _HIGH <= label.y <= bottom - 4


def _cost(label: Label, placed: Sequence[Label], spots: Sequence[tuple[float, float]], x: float, y: float) -> float:
    names = sum(label.meets(other) for other in placed)
    covered = sum(label.covers(*spot, 8.0) for spot in spots)
    return 1000 * names + 60 * covered + math.hypot(max(label.x - x, 0, x - label.x - label.wide), label.y - 4 - y)
