"""Follow pages at hand through what was learned of their site: a key comes in, how each field was got goes out.

A page is followed once for each profile, which takes some milliseconds; what came of it is kept.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

from scythe.extracting.trace import FieldTrace, PageTrace, Tracer
from scythe.limits import LIMITS
from scythe.profiles.rule_words import LayoutTold, describe_layout
from scythe.rules import Profile
from scythe.web.learned import LearnedSites
from scythe.web.room import PageAtHand, Room

_TRACES = 8  # pages kept with all that was traced
_SITES = 4
CUT, TREE, COLD, MISSING = "cut", "tree", "cold", "missing"
OUTCOMES = (CUT, TREE, COLD, MISSING)


@dataclass(frozen=True, slots=True)
class FieldMeasured:
    """How one field of one page was got."""

    name: str
    outcome: str  # one of OUTCOMES
    differs: bool  # the tree gives something else than was delivered
    cut_us: float | None  # microseconds; None where nothing was cut
    chars: int  # of all its values


@dataclass(frozen=True, slots=True)
class PageMeasured:
    """What the rules make of one page."""

    page: int  # its number among the pages at hand
    name: str
    url: str | None
    layout: str  # "" where none fits
    fields: tuple[FieldMeasured, ...]
    records: str  # one of OUTCOMES, or "" where the layout has no rules for them

    @property
    def label(self) -> str:
        """Its address without the host, which is the same for all."""
        return urlsplit(self.url)._replace(scheme="", netloc="").geturl() or "/" if self.url else self.name

    @property
    def differing(self) -> tuple[str, ...]:
        """The fields of which the tree gives something else."""
        return tuple(field.name for field in self.fields if field.differs)

    def count(self, outcome: str) -> int:
        """Return how many fields were got in one way."""
        return sum(field.outcome == outcome for field in self.fields)


class Followed:
    """What was learned of one site, with the pages that were followed through it."""

    def __init__(self, stamp: object, profile: Profile) -> None:
        self.stamp = stamp
        self.profile = profile
        self.layouts: tuple[LayoutTold, ...] = tuple(describe_layout(layout) for layout in profile.layouts)
        self._tracer = Tracer(profile)
        self._lock = threading.Lock()
        self._measured: dict[int, tuple[PageAtHand, PageMeasured]] = {}
        self._traces: OrderedDict[int, tuple[PageAtHand, PageTrace]] = OrderedDict()

    def trace(self, page: PageAtHand) -> PageTrace:
        """Follow one page, or return what came of it before."""
        with self._lock:
            kept = self._traces.pop(page.number, None)
            if kept is None or kept[0] is not page:
                kept = (page, self._tracer.trace_page(page.body, page.url))
            self._traces[page.number] = kept
            while len(self._traces) > _TRACES:
                self._traces.popitem(last=False)
            self._measured[page.number] = (page, _measure(page, kept[1]))
        return kept[1]

    def measure(self, pages: list[PageAtHand], budget_s: float) -> tuple[list[PageMeasured], int]:
        """Return what came of pages, and how many are left to follow once the time is over."""
        until = time.monotonic() + budget_s
        found, left = [], 0
        for page in pages:
            if not is_followed(page):
                continue
            kept = self._measured.get(page.number)
            if kept is None or kept[0] is not page:
                if time.monotonic() > until:
                    left += 1
                    continue
                self.trace(page)
                kept = self._measured[page.number]
            found.append(kept[1])
        return found, left


class Measured:
    """The sites of a room whose rules were looked at last."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._sites: OrderedDict[str, Followed] = OrderedDict()

    def find(self, key: str) -> Followed | None:
        """Return what was learned of a site; None where nothing was."""
        stamp = self._room.part(LearnedSites).stamp(key)
        with self._lock:
            kept = self._sites.pop(key, None)
            if stamp is None:
                return None
            if kept is None or kept.stamp != stamp:
                site = self._room.load_site(key)
                if site is None:
                    return None
                kept = Followed(stamp, site.profile)
            self._sites[key] = kept
            while len(self._sites) > _SITES:
                self._sites.popitem(last=False)
            return kept


def is_followed(page: PageAtHand) -> bool:
    """Say whether a page is small enough to be followed in the time of a request."""
    return len(page.body) <= LIMITS.traced_bytes and page.body.count(b"<") <= LIMITS.traced_tags


def outcome_of(how: str) -> str:
    """Say in one word how a field was got."""
    if how.startswith("tree: read cold"):
        return COLD
    return next((word for word in (CUT, TREE) if how.startswith(word)), MISSING)


def differs(field: FieldTrace) -> bool:
    """Say whether the tree, by the same rules, gives something else than was delivered."""
    return outcome_of(field.how) != COLD and field.values != field.by_tree


def _measure(page: PageAtHand, trace: PageTrace) -> PageMeasured:
    fields = tuple(
        FieldMeasured(
            name=field.name,
            outcome=outcome_of(trace.hows.get(field.name, field.how)),
            differs=differs(field),
            cut_us=field.cut_us if field.how.startswith(CUT) else None,
            chars=sum(map(len, field.values)),
        )
        for field in trace.trace.fields
    )
    records = outcome_of(trace.hows["records"]) if trace.layout and "records" in trace.hows else ""
    return PageMeasured(page.number, page.name, page.url, trace.layout, fields, records)
