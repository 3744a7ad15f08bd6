"""A demo site with a list that grows by a clock, and may get another design on the way."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from random import Random

from scythe.demo.answers import Answer, ServedSite, answer_page
from scythe.demo.page_parts import MenuEntry
from scythe.demo.plan import PagePlan, Voice, slugify
from scythe.demo.world import DemoList, World
from scythe.watching.clock import Clock

SHOWN = 12  # records on a page of the list
FIRST_NUMBER = 100_000  # of stories, as sites that are not new have them
_BEFORE = 60  # stories that are there at the start
_BEFORE_S = 1_200.0  # between two of them
_LONGEST_S = 12 * 3_600.0


@dataclass(frozen=True)
class LiveSite(ServedSite):
    """A site with one more list, whose stories are published when its clock shows their time.

    Times are seconds since 1970 as the clock shows them.
    """

    arrivals: tuple[float, ...] = ()  # ascending
    clock: Clock = field(default_factory=Clock)
    redesigned_at: float | None = None
    asked: list[float] = field(default_factory=list)  # when the first page of the list was
    path: str = "/latest/"

    def published(self, since: float, until: float) -> dict[str, float]:
        """Return the addresses of the stories that were published in a time, with when they were."""
        places = range(bisect_right(self.arrivals, since), bisect_right(self.arrivals, until))
        return {self.world.base + self._story(at).path: self.arrivals[at] for at in places}

    def answer(self, target: str, design: int, visits: int = 0) -> Answer:
        """Answer a request for a path with its query."""
        moment = self.clock.seconds()
        if self.redesigned_at is not None and moment >= self.redesigned_at:
            design = 1
        there = bisect_right(self.arrivals, moment)
        path = target.partition("?")[0]
        if path.startswith(self.path):
            paths = tuple(self.path + (f"page/{n}/" if n > 1 else "") for n in range(1, -(-there // SHOWN) + 1))
            if path in paths:
                return self._answer_list(paths, paths.index(path), there, design, moment)
        number = path.removeprefix("/news/").partition("-")[0]
        at = int(number) - FIRST_NUMBER if number.isdecimal() and len(number) < 12 else -1
        if 0 <= at < there and (plan := self._story(at)).path == path:
            return answer_page(self.world.write(plan, design), is_kept=False)
        return super().answer(target, design, visits)

    def _answer_list(self, paths: tuple[str, ...], at: int, there: int, design: int, moment: float) -> Answer:
        if not at:
            self.asked.append(moment)
        shown = range(there - 1 - at * SHOWN, max(there - 1 - (at + 1) * SHOWN, -1), -1)
        title = "Latest news" if not at else f"Latest news, {at + 1}"
        listing = DemoList(paths[at], title, tuple(map(self._story, shown)), at + 1, paths)
        return answer_page(self.world.write_list(listing, design), is_kept=False)

    def _story(self, at: int) -> PagePlan:
        return plan_story(self.world.seed, FIRST_NUMBER + at, self.arrivals[at])


@lru_cache(4_096)
def plan_story(seed: int, number: int, moment: float, language: str = "en") -> PagePlan:
    """Plan the article of one story; its address stays, whatever the site looks like."""
    key = f"{seed}/replay/{number}"
    voice = Voice(language, Random(key))
    topic = voice.choose_topic()
    title = f"{voice['neighbour']}: {voice.headline(topic)}" if number % 3 else voice.headline(topic)
    # Headlines of a small vocabulary repeat; real ones hardly ever do.
    title = f"{title} ({voice['person']})" if number % 2 else f"{title}, {voice['month']} {voice['recentyear']}"
    teaser = voice.say(voice.words["topics"][topic]["sentences"][number % 3])
    day = datetime.fromtimestamp(moment, UTC).date()
    path = f"/news/{number}-{slugify(title)}"
    return PagePlan(number, "news", language, path, title, voice.author, day, topic, teaser, key)


def grow(every_s: float, seed: int = 1) -> Callable[[World], LiveSite]:
    """Return what makes a site of a world whose list gets a story every so many seconds, for half a day."""
    begin, random = time.time(), Random(seed)
    arrivals = [begin - _BEFORE_S * number for number in range(_BEFORE, 0, -1)]
    while arrivals[-1] < begin + _LONGEST_S:
        arrivals.append(max(arrivals[-1], begin) + random.uniform(0.5, 1.5) * every_s)
    return lambda world: LiveSite(add_to_menu(world), arrivals=tuple(arrivals))


def add_to_menu(world: World) -> World:
    """Return a world whose menu leads to the list."""
    return World(world.seed, world.pages, world.design, world.base, more=(MenuEntry("Latest", LiveSite.path),))
