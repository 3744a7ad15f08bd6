"""What a replay shows: traces of arrivals and a pace come in, the stories that exist at a moment go out.

A replay is a news site whose past is known: every list grows by the arrivals of a trace, so many times faster than they
came. It is redesigned and fails at given times. What it showed, and what a watch should have found, can be counted.
"""

from __future__ import annotations

import bisect
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TypeVar

from scythe.demo.plan import Plan, slugify
from scythe.demo.prose import Voice
from scythe.errors import BadInput

T = TypeVar("T")
FAILURES = ("503", "refused", "hang")
FIRST_NUMBER = 100_000  # of stories, as sites that are not new have them
MOST_PAGES = 60  # of a list that can be turned; older stories are reached by other ways


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a replay runs. Its times are seconds since 1970 at which things happened; `epoch` is a time of today."""

    start: float  # what the site's clock shows at `epoch`
    epoch: float = 0.0
    speed: float = 1_000.0

    def moment(self, real: float) -> float:
        """Return what the site's clock shows at a time of today."""
        return self.start + (real - self.epoch) * self.speed

    def real(self, moment: float) -> float:
        """Return the time of today at which the site's clock shows `moment`."""
        return self.epoch + (moment - self.start) / self.speed

    def now(self) -> float:
        """Return what the site's clock shows now."""
        return self.moment(time.time())


@dataclass(frozen=True, slots=True)
class Story:
    """One record of a list, the same whenever it is asked for."""

    number: int
    at: float  # when it arrived
    shelf: str
    plan: Plan


@dataclass(frozen=True)
class Shelf:
    """One list: its newest `length` stories are shown."""

    name: str  # a folder of the site
    title: str
    arrivals: tuple[float, ...]  # ascending
    length: int = 30
    language: str = "en"


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page with one list or several. Where there are several, they are turned together."""

    path: str
    shelves: tuple[str, ...]
    host: int = 0
    has_pager: bool = True
    max_age_s: int | None = None  # what Cache-Control says
    has_tag: bool = False  # ETag; such a page stays the same as long as nothing arrives


@dataclass(frozen=True, slots=True)
class Redesign:
    """From `at` on a host wears another dress."""

    at: float
    dress: int
    host: int = 0


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which a host does not answer as it should."""

    since: float
    until: float
    how: str = "503"  # one of FAILURES
    host: int = 0


@dataclass(frozen=True)
class Replay:
    """Everything that happens, all of it known before."""

    pace: Pace
    shelves: tuple[Shelf, ...]
    pages: tuple[ListPage, ...]
    redesigns: tuple[Redesign, ...] = ()
    outages: tuple[Outage, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise BadInput where something is asked for that cannot be shown."""
        missing = {name for page in self.pages for name in page.shelves} - {shelf.name for shelf in self.shelves}
        if missing or not self.pages:
            raise BadInput(f"pages of a replay show lists it has, not {sorted(missing)}")
        if bad := {outage.how for outage in self.outages} - set(FAILURES):
            raise BadInput(f"a server fails by {', '.join(FAILURES)}, not by {sorted(bad)}")

    @property
    def hosts(self) -> int:
        """How many hosts there are; each is a port of its own."""
        return 1 + max(page.host for page in self.pages)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The number of every story, by list, ascending over all lists as they arrived."""
        order = sorted((at, n, i) for n, shelf in enumerate(self.shelves) for i, at in enumerate(shelf.arrivals))
        numbers: dict[str, list[int]] = {shelf.name: [] for shelf in self.shelves}
        for number, (_, n, _) in enumerate(order, start=FIRST_NUMBER):
            numbers[self.shelves[n].name].append(number)
        return numbers

    @cached_property
    def _places(self) -> dict[int, tuple[str, int]]:
        return {number: (name, at) for name, numbers in self._numbers.items() for at, number in enumerate(numbers)}

    @cached_property
    def _by_name(self) -> dict[str, Shelf]:
        return {shelf.name: shelf for shelf in self.shelves}

    @cached_property
    def _written(self) -> dict[int, Story]:
        return {}

    def shelf(self, name: str) -> Shelf:
        """Return a list by its name."""
        return self._by_name[name]

    def count(self, shelf: Shelf, moment: float) -> int:
        """Return how many stories a list has had by then."""
        return bisect.bisect_right(shelf.arrivals, moment)

    def newest(self, shelf: Shelf, moment: float, page: int = 1) -> list[Story]:
        """Return what page `page` of a list shows at a moment, newest first."""
        end = self.count(shelf, moment) - (page - 1) * shelf.length
        return [self.story(shelf, at) for at in range(end - 1, max(0, end - shelf.length) - 1, -1)]

    def story(self, shelf: Shelf, at: int) -> Story:
        """Return the story at a place of a list, oldest first."""
        number = self._numbers[shelf.name][at]
        if number not in self._written:
            moment = shelf.arrivals[at]
            self._written[number] = Story(number, moment, shelf.name, plan_story(self.seed, number, moment, shelf))
        return self._written[number]

    def find(self, number: int, moment: float) -> Story | None:
        """Return a story by its number, if it has arrived by then."""
        if number not in self._places:
            return None
        name, at = self._places[number]
        story = self.story(self._by_name[name], at)
        return story if story.at <= moment else None

    def dress(self, host: int, moment: float) -> int:
        """Return what a host wears at a moment."""
        worn = [change for change in self.redesigns if change.host == host and change.at <= moment]
        return max(worn, key=lambda change: change.at).dress if worn else 0

    def failure(self, host: int, moment: float) -> str | None:
        """Return how a host fails at a moment, None where it does not."""
        ours = (outage for outage in self.outages if outage.host == host and outage.since <= moment < outage.until)
        return next((outage.how for outage in ours), None)

    def started(self, epoch: float) -> Replay:
        """Return the same replay begun at a time of today."""
        return replace(self, pace=replace(self.pace, epoch=epoch))


def plan_story(seed: int, number: int, moment: float, shelf: Shelf) -> Plan:
    """Plan the article of one story; its address stays, whatever the site looks like."""
    key = f"{seed}/replay/{number}"
    voice = Voice(shelf.language, Random(key))
    topic = voice.choose_topic()
    title = f"{voice['neighbour']}: {voice.headline(topic)}" if number % 3 else voice.headline(topic)
    # Headlines of a small vocabulary repeat; real ones hardly ever do.
    title = f"{title} ({voice['person']})" if number % 2 else f"{title}, {voice['month']} {voice['recentyear']}"
    teaser = voice.say(voice.words["topics"][topic]["sentences"][number % 3])
    day = datetime.fromtimestamp(moment, UTC).date()
    path = f"/news/{number}-{slugify(title)}"
    return Plan(number, "news", shelf.language, path, title, voice.author, day, topic, teaser, key)


def split_trace(arrivals: Sequence[float], parts: int, seed: int = 1) -> tuple[tuple[float, ...], ...]:
    """Deal the arrivals of one trace out over several lists, as sections of one paper share what is written."""
    random = Random(seed)
    dealt: tuple[list[float], ...] = tuple([] for _ in range(parts))
    for moment in arrivals:
        dealt[random.randrange(parts)].append(float(moment))
    return tuple(map(tuple, dealt))


def dump(replay: Replay, path: Path) -> None:
    """Write a replay to a file."""
    path.write_text(json.dumps(asdict(replay)), encoding="utf-8")


def load(path: Path) -> Replay:
    """Read a replay that `dump` wrote."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    return Replay(
        pace=Pace(**plain["pace"]),
        shelves=_records(lambda **row: Shelf(**row | {"arrivals": tuple(row["arrivals"])}), plain["shelves"]),
        pages=_records(lambda **row: ListPage(**row | {"shelves": tuple(row["shelves"])}), plain["pages"]),
        redesigns=_records(Redesign, plain["redesigns"]),
        outages=_records(Outage, plain["outages"]),
        seed=plain["seed"],
    )


def _records(make: Callable[..., T], rows: Iterable[dict[str, object]]) -> tuple[T, ...]:
    return tuple(make(**row) for row in rows)
