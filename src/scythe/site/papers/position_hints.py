"""Learn where searches may start from the pages cut so far: Algorithm 3 of UzunExt.

The prediction step of UzunExt (Uzun 2020, Algorithm 3): the search begins at the lowest position seen that is not an
outlier by Grubbs' test; tag counts and end markers are trusted after ten pages. Memory is bounded.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from scythe.errors import BadInput

SIGNIFICANCE = 0.05
STEPS = 60  # halvings of the angle: beyond double precision


@cache
def critical_value(size: int, significance: float = SIGNIFICANCE) -> float:
    """Return how many sample standard deviations below the mean the least of `size` values may lie.

    G = (n - 1) / sqrt(n) * sqrt(t^2 / (n - 2 + t^2)), where Student's t of n - 2 degrees of freedom exceeds t with
    probability significance / n. With t = sqrt(n - 2) tan(angle) the second root is the sine of the angle.
    """
    if size < 3:
        return math.inf
    low, high = 0.0, math.pi / 2
    for _ in range(STEPS):
        angle = (low + high) / 2
        if _upper_tail(angle, size - 2) > significance / size:
            low = angle
        else:
            high = angle
    return (size - 1) / math.sqrt(size) * math.sin(high)


def _upper_tail(angle: float, freedom: int) -> float:
    """Return how likely Student's t exceeds sqrt(freedom) * tan(angle): Abramowitz and Stegun 26.7.3 and 26.7.4."""
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= square * k / (k + 1)
    inside = (angle + sine * total) * 2 / math.pi if odd else sine * total
    return (1 - inside) / 2


UNKNOWN = -1  # inner tag count: it varies, or not enough pages agreed
RATIO_UNIT = 1 << 20  # positions as shares of the page are kept as whole numbers, so that sums stay exact
MOST_AGREEING = 10_000  # pages asked for at most after contradictions
MOST_POSITION = 1 << 40  # far beyond any page, far below where floats lose whole numbers
STATE_NUMBERS = ("inner", "inner_run", "inner_needed", "single_run", "single_needed", "repeated", "unchecked")


class CutHints(NamedTuple):
    """What helps to cut one rule from the next page."""

    starting_position: int = 0  # byte offset
    inner_tag_count: int = UNKNOWN
    repetition: bool = True


@dataclass(frozen=True, slots=True)
class HintOptions:
    """How hints are learned; the defaults are the paper's where it names a number."""

    decide_after: int = 10  # pages that must agree on the inner tags and on having one element
    recheck_every: int = 100  # pages between two that are cut without these two hints, to see whether they still hold
    window: int = 100  # positions remembered
    margin: float = 0.0  # share of the position by which to begin earlier; .05 spares most second searches
    as_ratio: bool = False  # positions as shares of the page length, for sites whose pages differ much in length


class HintLearner:
    """Hints for one rule of one layout, kept up to date page by page in constant memory."""

    __slots__ = (
        "_inner", "_inner_needed", "_inner_run", "_next", "_ordered", "_repeated", "_ring", "_single_needed",
        "_single_run", "_squares", "_total", "_unchecked", "options",
    )  # fmt: skip

    def __init__(self, options: HintOptions = HintOptions()) -> None:
        self.options = options
        self._ring: list[int] = []
        self._ordered: list[int] = []
        self._next = 0  # where the ring is written next, once it is full
        self._total = self._squares = 0
        self._inner = UNKNOWN
        self._inner_run = self._single_run = 0  # pages that agreed, one after the other
        self._inner_needed = self._single_needed = options.decide_after
        self._repeated = 0  # 1 after a page with several elements, until enough pages have one
        self._unchecked = 0  # pages since both were last counted

    def observe(self, position: int, inner_tags: int | None, repetitions: int | None, length: int = 0) -> None:
        """Take in what one page showed; None for what was not counted, position -1 for a page without the element.

        `length` is that of the page, needed where positions are kept as ratios.
        """
        if position < 0:
            return
        self._remember(position * RATIO_UNIT // max(length, 1) if self.options.as_ratio else position)
        self._unchecked += 1
        if inner_tags is not None:
            self._observe_inner(inner_tags)
        if repetitions is not None:
            self._observe_repetitions(repetitions)
            if inner_tags is not None:
                self._unchecked = 0

    def predict(self, length: int = 0) -> CutHints:
        """Return the hints for the next page; `length` is that page's, needed where positions are kept as ratios."""
        # of a tag that repeats, a search from a learned position could lose the first
        start = 0 if self._repeated else self.least
        if self.options.as_ratio:
            start = start * length // RATIO_UNIT
        if self.options.margin:
            start -= int(start * self.options.margin)
        if self._unchecked >= self.options.recheck_every:
            return CutHints(start)
        inner = self._inner if self._inner_run >= self._inner_needed else UNKNOWN
        return CutHints(start, inner, self._single_run < self._single_needed)

    @property
    def least(self) -> int:
        """The least position (or ratio) that is no outlier, 0 where none is known: Algorithm 3."""
        ordered = self._ordered
        size = len(ordered)
        if size < 3:
            return ordered[0] if ordered else 0
        # whole numbers: n^2 times the variance is exact, however many positions have come and gone
        spread = size * self._squares - self._total * self._total
        deviation = math.sqrt(spread / (size * (size - 1)))
        bound = self._total / size - critical_value(size) * deviation
        return ordered[0] if ordered[0] >= bound else ordered[bisect_right(ordered, bound)]

    def _remember(self, value: int) -> None:
        ring, ordered = self._ring, self._ordered
        if len(ring) < self.options.window:
            ring.append(value)
        else:
            old, ring[self._next] = ring[self._next], value
            self._next = (self._next + 1) % len(ring)
            del ordered[bisect_left(ordered, old)]
            self._total -= old
            self._squares -= old * old
        insort(ordered, value)
        self._total += value
        self._squares += value * value

    def _observe_inner(self, inner_tags: int) -> None:
        if inner_tags == self._inner and inner_tags != UNKNOWN:
            self._inner_run += 1
            return
        if self._inner_run >= self._inner_needed:  # a hint was wrong: be twice as sure the next time
            self._inner_needed = min(2 * self._inner_needed, MOST_AGREEING)
        self._inner, self._inner_run = inner_tags, int(inner_tags != UNKNOWN)

    def _observe_repetitions(self, repetitions: int) -> None:
        if repetitions <= 1:
            self._single_run += 1
            if self._single_run >= self._single_needed:
                self._repeated = 0
            return
        if self._single_run >= self._single_needed:
            self._single_needed = min(2 * self._single_needed, MOST_AGREEING)
        self._single_run, self._repeated = 0, 1

    def dump(self) -> list[int]:
        """Return the state as whole numbers: those of `STATE_NUMBERS`, then the positions from the oldest on."""
        numbers = [getattr(self, f"_{name}") for name in STATE_NUMBERS]
        return numbers + self._ring[self._next :] + self._ring[: self._next]

    @classmethod
    def load(cls, state: Sequence[object], options: HintOptions = HintOptions()) -> HintLearner:
        """Take up a dumped state. Raises BadInput for anything else."""
        numbers = [number for number in state if type(number) is int]
        known, positions = numbers[: len(STATE_NUMBERS)], numbers[len(STATE_NUMBERS) :]
        if len(numbers) < max(len(state), len(STATE_NUMBERS)) or min(known) < UNKNOWN:
            raise BadInput(f"hints: expected whole numbers for {', '.join(STATE_NUMBERS)} and positions")
        if not all(0 <= position < MOST_POSITION for position in positions):
            raise BadInput("hints: expected a list of positions")
        learner = cls(options)
        for position in positions[-options.window :]:
            learner._remember(position)
        for name, number in zip(STATE_NUMBERS, known, strict=True):
            setattr(learner, f"_{name}", number)
        return learner
