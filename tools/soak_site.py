"""What a soak is run against: hours come in, a news site to watch and sites to crawl go out, all changes planned.

The watched site has two hosts with lists that grow, are redesigned and fail now and then. Of the crawled sites the
first is large: one crawl goes through it as long as the soak lasts. The others are small, one for each short crawl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.sites.replay import MOST_PAGES, ListPage, Outage, Replay, ReplayClock, ReplayList, ReplayRedesign

_STORY_S = 15.0  # between two stories of a watched list, more or less
_BEFORE = 60  # stories of it that are there at the beginning
_SHOWN = 20
_REDESIGN_S = 600.0
_OUTAGE_S = 420.0
_OUTAGES = (("503", 30.0), ("refused", 20.0), ("hang", 15.0))
_DRESSES = 3
_LONG_SHOWN = 30
_ROUND_STORIES = 150
_ROUND_LATE = 10  # stories that come before a small site is crawled again
AGAIN_AFTER = 3  # rounds


@dataclass(frozen=True, slots=True)
class Plan:
    """How long, and how often a small site is crawled."""

    seconds: float
    round_s: float = 60.0
    delay_s: float = 0.1  # between two pages of the large site
    seed: int = 1

    @property
    def rounds(self) -> int:
        """How many short crawls begin."""
        return max(1, int(self.seconds // self.round_s))


def watched_site(plan: Plan, begin: float) -> Replay:
    """Plan the site that is watched: four lists on three pages of two hosts."""
    names = ("latest", "politics", "wire", "sport")
    shelves = tuple(
        ReplayList(name, name.title(), tuple(_arrivals(begin, plan, number)), _SHOWN)
        for number, name in enumerate(names)
    )
    pages = (
        ListPage("/latest/", ("latest",)),
        ListPage("/politics/", ("politics", "wire"), has_tag=True),
        ListPage("/sport/", ("sport",), host=1),
    )
    return Replay(
        ReplayClock(begin, begin, 1.0),
        shelves,
        pages,
        tuple(_redesigns(begin, plan)),
        tuple(_outages(begin, plan)),
        plan.seed,
    )


def _arrivals(begin: float, plan: Plan, number: int) -> Iterator[float]:
    random = Random(f"{plan.seed}/{number}")
    yield from (begin - _STORY_S * back for back in range(_BEFORE, 0, -1))
    moment = begin
    while moment < begin + plan.seconds + 600.0:
        moment += random.uniform(0.5, 1.5) * _STORY_S
        yield moment


def _redesigns(begin: float, plan: Plan) -> Iterator[ReplayRedesign]:
    for number in range(1, int(plan.seconds // _REDESIGN_S) + 1):
        yield ReplayRedesign(begin + number * _REDESIGN_S, number // 2 % _DRESSES, number % 2)


def _outages(begin: float, plan: Plan) -> Iterator[Outage]:
    for number in range(1, int(plan.seconds // _OUTAGE_S) + 1):
        how, length_s = _OUTAGES[number % len(_OUTAGES)]
        since = begin + number * _OUTAGE_S
        yield Outage(since, since + length_s, how, number % 2)


def crawled_sites(plan: Plan, begin: float) -> Replay:
    """Plan the sites that are crawled: host 0 is the large one, host n that of round n."""
    lists = 1 + int(plan.seconds / plan.delay_s / (MOST_PAGES * _LONG_SHOWN))
    shelves = [
        ReplayList(f"part-{n}", f"Part {n}", _past(begin, MOST_PAGES * _LONG_SHOWN), _LONG_SHOWN) for n in range(lists)
    ]
    pages = [ListPage(f"/part-{n}/", (f"part-{n}",)) for n in range(lists)]
    changes, outages = [], []
    for number in range(1, plan.rounds + 1):
        starts = begin + (number - 1) * plan.round_s
        again = starts + AGAIN_AFTER * plan.round_s - 1.0
        late = tuple(again - 10.0 + n for n in range(_ROUND_LATE))
        shelves.append(ReplayList(f"town-{number}", f"Town {number}", _past(begin, _ROUND_STORIES) + late, _SHOWN))
        pages.append(ListPage(f"/town-{number}/", (f"town-{number}",), host=number))
        changes.append(ReplayRedesign(again, 1, number))
        if number % 5 == 0:
            outages.append(Outage(starts + 8.0, starts + 12.0, "503", number))
    return Replay(
        ReplayClock(begin, begin, 1.0), tuple(shelves), tuple(pages), tuple(changes), tuple(outages), plan.seed + 1
    )


def _past(begin: float, count: int) -> tuple[float, ...]:
    return tuple(begin - 600.0 * back for back in range(count, 0, -1))
