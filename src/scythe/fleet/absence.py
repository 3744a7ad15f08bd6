"""A database that is away: errors come in, who looks is told at once and then ever less often, until it is too long."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from scythe.fleet.engine import is_away, reason

_FIRST_S = 5.0  # until it is said again; then twice as long each time
_LONGEST_S = 300.0


class Absence:
    """How long the database has been away, as one worker sees it."""

    def __init__(self, patience_s: float, tell: Callable[[str], None], clock: Callable[[], float] = monotonic) -> None:
        self._patience_s, self._tell, self._clock = patience_s, tell, clock
        self._since: float | None = None
        self._next_at, self._pause_s = 0.0, _FIRST_S
        self._why = ""

    @property
    def is_too_long(self) -> bool:
        """Whether there is no point in waiting any longer."""
        return self._since is not None and self._clock() - self._since > self._patience_s

    def note(self, error: BaseException) -> None:
        """Take note of what went wrong; what the database itself refused is told, and is no absence."""
        if not is_away(error):
            self._tell(f"the archive refused: {reason(error)}")
            return
        now = self._clock()
        if self._since is None:
            self._since, self._next_at, self._pause_s = now, now, _FIRST_S
        self._why = reason(error) or "it does not answer"
        if now >= self._next_at:
            self._tell(f"the database is away for {now - self._since:.0f} s: {self._why}; waits {self._patience_s:g} s")
            self._next_at, self._pause_s = now + self._pause_s, min(2 * self._pause_s, _LONGEST_S)

    def end(self) -> None:
        """Take note that the database answers."""
        if self._since is not None:
            self._tell(f"the database is back after {self._clock() - self._since:.0f} s")
            self._since = None

    def describe(self, where: str) -> str:
        """Say why a worker ends."""
        return (
            f"{where}: the database was away for more than {self._patience_s:g} s ({self._why}); nothing is lost, "
            "start the worker again when it is back, or let it wait longer with --patience"
        )
