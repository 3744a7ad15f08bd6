"""What an archive hands out about itself: sites, lanes, robots.txt as it was fetched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scythe.url import Url


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site of an archive."""

    id: int
    key: str
    start: Url
    added_at: datetime


@dataclass(frozen=True, slots=True)
class LaneState:
    """What a holder learns when it renews its hold."""

    is_held: bool  # False: another process has it now; ask nothing more
    is_wanted: bool = False  # somebody waits for it


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One lane of a site that has addresses waiting."""

    name: str
    waiting: int
    owner: str  # empty: nobody holds it
    free_at: datetime
    slow: float


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """A robots.txt as it was last fetched from an origin."""

    origin: str
    status: int | None  # None: no answer
    body: bytes
    fetched_at: datetime
