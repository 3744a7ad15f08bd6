"""The clock of a watch: real time, or a faster one for replays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic, time

JUMP_S = 60.0  # a wall clock that differs by more from what must have passed was set


@dataclass(slots=True)
class Clock:
    """Tell the time. One with a `speed` shows `start` at the wall's `began`, and runs so many times faster."""

    speed: float = 1.0
    start: float = 0.0
    began: float = 0.0
    wall: Callable[[], float] = time
    steady: Callable[[], float] = monotonic  # never jumps
    _mark: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._mark = (self.wall(), self.steady())

    def seconds(self) -> float:
        """Return the time in seconds since 1970."""
        if self.speed == 1.0 and not self.start:
            return self.wall()
        return self.start + (self.wall() - self.began) * self.speed

    def now(self) -> datetime:
        """Return the time, UTC."""
        return datetime.fromtimestamp(self.seconds(), UTC)

    def at(self, moment: float) -> datetime:
        """Return the time at a past moment of the steady clock."""
        ago_s = max(self.steady() - moment, 0.0) if moment > 0.0 else 0.0
        return datetime.fromtimestamp(self.seconds() - ago_s * self.speed, UTC)

    def real_s(self, seconds: float) -> float:
        """Return how long to wait for so many seconds of this clock."""
        return seconds / self.speed

    def jumped_s(self) -> float:
        """Return by how much the wall clock was set since this was last asked; 0: it was not."""
        wall, steady = self.wall(), self.steady()
        jump_s = (wall - self._mark[0]) - (steady - self._mark[1])
        if abs(jump_s) <= JUMP_S:  # kept, so that a clock that is slewed little by little never seems to jump
            if steady - self._mark[1] > JUMP_S:
                self._mark = (wall, steady)
            return 0.0
        self._mark = (wall, steady)
        return jump_s
