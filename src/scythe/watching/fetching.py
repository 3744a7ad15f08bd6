"""Ask for one page of a list, following it where it moved: an address comes in, its answer or the reason goes out.

Every request waits for its turn in the lane; a redirect is asked like any other address, if robots.txt allows it and it
stays at the host whose lane is held.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from scythe.crawling.judge import is_cut_short
from scythe.crawling.lane import LaneWork
from scythe.crawling.manners import Getter, Manners
from scythe.crawling.scope import host_of
from scythe.errors import FetchFailed
from scythe.fetch.judge import header, retry_after_s
from scythe.fetch.redirects import REDIRECTS
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute

_FOR_GOOD = frozenset({301, 308})


class Means(Protocol):
    """What asking needs."""

    getter: Getter
    manners: Manners


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking."""

    response: Response | None
    why: str = ""  # it is no use: the reason
    retry_s: float | None = None  # what the server asks for
    moved_to: Url | None = None  # for good
    seconds: float = 0.0
    status: int | None = field(default=None)


class Asking:
    """Ask within a lane whose place is taken already."""

    def __init__(self, means: Means, work: LaneWork) -> None:
        self._means = means
        self._work = work

    async def ask(self, url: Url, etag: str = "", modified: str = "") -> Answered:
        """Fetch an address through its redirects; the place in the lane is free again afterwards."""
        began = monotonic()
        getter, manners = self._means.getter, self._means.manners
        is_for_good, here = True, url
        for _ in range(LIMITS.redirects + 1):
            try:
                response = await manners.get(getter, here, self._work, etag=etag, modified=modified)
            except FetchFailed as failure:
                return Answered(None, failure.why, seconds=monotonic() - began)
            target = _target(response)
            if target is None:
                return _judge(response, here if is_for_good and here != url else None, etag or modified)
            is_for_good = is_for_good and response.status in _FOR_GOOD
            if host_of(target) != host_of(url):
                moved = target if is_for_good else None
                return Answered(None, f"it leads to {target}", moved_to=moved, status=response.status)
            why = await self._take_turn(target)
            if why:
                return Answered(None, why, seconds=monotonic() - began)
            here, etag, modified = target, "", ""
        self._work.free_place()
        return Answered(None, f"more than {LIMITS.redirects} redirects", seconds=monotonic() - began)

    async def _take_turn(self, url: Url) -> str:
        """Wait for the turn of a redirect's target; return why it must not be asked, or an empty text."""
        robots = await self._means.manners.robots_for(url, self._work)
        if robots is None:
            return "its robots.txt cannot be read"
        if not robots.allows(url):
            return f"it leads to {url}, which robots.txt does not allow"
        return "" if await self._work.take_place() else "the run ended"


def _target(response: Response) -> Url | None:
    if response.status not in REDIRECTS:
        return None
    return absolute(header(response, "Location"), response.url)


def _judge(response: Response, moved_to: Url | None, asked_for_change: str) -> Answered:
    status = response.status
    if status == 304 and asked_for_change:
        return Answered(response, moved_to=moved_to, status=status)
    if not 200 <= status < 300:
        said_s = retry_after_s(response) if header(response, "Retry-After") else None
        return Answered(response, f"the server answered {status}", said_s, seconds=response.seconds, status=status)
    if is_cut_short(response):  # what a limit cut is taken: its first part is the newest of a list
        return Answered(response, f"the answer was cut: {response.why_cut}", seconds=response.seconds, status=status)
    return Answered(response, moved_to=moved_to, status=status)
