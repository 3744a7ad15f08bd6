"""What every estimator is: visits of one region are told to it, and it says when to come again."""

from __future__ import annotations

from typing import Any, Protocol

from scythe.watched import Goals, Plan, Seen


class Estimator(Protocol):
    """What knows one region. It survives in an archive as a JSON object."""

    def note(self, seen: Seen) -> None:
        """Learn from one visit."""

    def plan(self, now: float) -> Plan:
        """Say when to come again, from `now` on; nothing is learned by asking."""

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""


class Maker(Protocol):
    """What makes an estimator: the goals, and what was known of the region before, as `to_plain` gave it."""

    def __call__(self, goals: Goals, known: dict[str, Any] | None = None) -> Estimator: ...
