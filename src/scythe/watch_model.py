"""The records of a watch: what a visit observed of a list, the goals for it, and when to visit it again.

visit -> Observation -> estimator -> VisitPlan -> next visit

Times are seconds since 1970, UTC.
"""

from __future__ import annotations

from dataclasses import dataclass

from scythe.errors import BadInput

HOUR_S, DAY_S, WEEK_S = 3_600.0, 86_400.0, 604_800.0


@dataclass(frozen=True, slots=True)
class Goals:
    """What the one who watches wants. Where two wishes contradict, the sooner visit wins; `floor_s` holds always."""

    miss: float = 0.01  # share of records that may be gone before they are seen
    max_delay_s: float | None = None  # no record waits longer to be seen; None: the estimator's own cap
    delay_s: float | None = None  # `delay_share` of the records are to be seen within so long
    delay_share: float = 0.95
    recovers: bool = False  # older pages can be followed back: a late visit costs requests, not records
    floor_s: float = 600.0  # between two visits, at least
    ceiling_s: float = WEEK_S  # and at most

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        if not 0 < self.miss < 1:
            raise BadInput(f"a share of records to miss lies between 0 and 1, not {self.miss}")
        if not 0 < self.delay_share < 1:
            raise BadInput(f"a share of records to be seen in time lies between 0 and 1, not {self.delay_share}")
        if not 0 < self.floor_s <= self.ceiling_s < float("inf"):
            raise BadInput(f"visits between {self.floor_s} s and {self.ceiling_s} s apart are not possible")
        for name in ("max_delay_s", "delay_s"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise BadInput(f"{name} must be a number of seconds above 0, not {value}")


@dataclass(frozen=True, slots=True)
class Observation:
    """What one visit told about one region."""

    at: float
    shown: int  # records the region shows now
    new: int = 0  # records never seen before, those found behind it on older pages included
    is_full: bool = False  # nothing known was among them: there may have been more, which are lost
    since_s: float | None = None  # since the visit before; None: the first, or nobody knows
    published: tuple[float, ...] = ()  # when the new ones say they were published, where they say so
    requests: int = 1  # that the visit took, older pages included


@dataclass(frozen=True, slots=True)
class VisitPlan:
    """The next visit of a region, and what is expected of it."""

    wait_s: float  # from `now` on
    expected: float = 0.0  # new records by then
    risk: float = 0.0  # 0..1, share of the records until then that will be missed
    rate: float = 0.0  # records a day, at present
    why: str = ""  # what set it: forecast, cap, delay, floor, cold start, outage ...
