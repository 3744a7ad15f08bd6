"""Lists that live: records come, are deleted, are pinned; what a visit claims is compared with what happened."""

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.watching.tracking import judge_overlap, merge_pages, next_newest, next_sticky


@dataclass
class World:
    """A list that shows the newest first, below what is pinned, so many on a page."""

    size: int
    live: list[str] = field(default_factory=list)  # newest first
    pins: list[str] = field(default_factory=list)
    made: int = 0

    def arrive(self, count: int) -> None:
        for _ in range(count):
            self.made += 1
            self.live.insert(0, f"r{self.made}")

    def page(self, number: int) -> list[str]:
        rest = [key for key in self.live if key not in self.pins]
        return [*self.pins, *rest[number * self.size : (number + 1) * self.size]]


@dataclass
class Watcher:
    """What is kept of a list between visits."""

    known: set[str] = field(default_factory=set)
    newest: tuple[str, ...] = ()
    sticky: tuple[str, ...] = ()

    def keep(self, keys: list[str], first: list[str]) -> None:
        self.sticky = next_sticky(first, self.known, self.newest, self.sticky)
        self.newest = next_newest(first, self.newest)
        self.known.update(keys)


@dataclass(frozen=True)
class Step:
    """What happens between two visits."""

    arrivals: int
    deletions: int
    elsewhere: int  # records of the list that another list of the site has shown already
    pin: bool
    unpin: bool
    pages: int  # that the visit reads at most
    seed: int


STEPS = st.builds(
    Step,
    arrivals=st.integers(0, 40),
    deletions=st.integers(0, 3),
    elsewhere=st.integers(0, 30),
    pin=st.booleans(),
    unpin=st.booleans(),
    pages=st.integers(1, 4),
    seed=st.integers(0, 999),
)


def happen(world: World, watcher: Watcher, step: Step) -> None:
    random = Random(step.seed)
    world.arrive(step.arrivals)
    for key in random.sample(world.live, min(step.deletions, len(world.live))):
        world.live.remove(key)
        world.pins = [pin for pin in world.pins if pin != key]
    if step.unpin and world.pins:
        world.pins.pop()
    if step.pin and len(world.pins) < 2 and world.live:
        world.pins.insert(0, random.choice(world.live[: 2 * world.size]))
        world.pins = list(dict.fromkeys(world.pins))
    watcher.known.update(random.sample(world.live, min(step.elsewhere, len(world.live))))


def read(world: World, watcher: Watcher, pages: int) -> tuple[list[str], bool]:
    """Read page after page until nothing can be missing."""
    keys: list[str] = []
    for number in range(pages):
        keys = merge_pages([keys, world.page(number)])
        if judge_overlap(keys, watcher.known, watcher.newest, watcher.sticky).is_proven:
            return keys, True
    return keys, False


@settings(max_examples=400, deadline=None)
@given(st.integers(3, 12), st.integers(0, 30), st.lists(STEPS, min_size=1, max_size=8))
def test_what_is_called_complete_is_complete(size: int, begun: int, steps: list[Step]) -> None:
    world, watcher = World(size), Watcher()
    world.arrive(begun)
    watcher.keep(world.page(0), world.page(0))
    before = set(world.live)
    for step in steps:
        happen(world, watcher, step)
        keys, is_proven = read(world, watcher, step.pages)
        missed = set(world.live) - before - set(keys)
        assert not (is_proven and watcher.newest and missed), (watcher, world.page(0))
        watcher.keep(keys, world.page(0))
        before |= set(world.live)


@settings(max_examples=400, deadline=None)
@given(st.integers(3, 12), st.lists(STEPS, min_size=1, max_size=8))
def test_an_overlap_at_the_end_of_the_page_is_seen(size: int, steps: list[Step]) -> None:
    world, watcher = World(size), Watcher()
    world.arrive(2 * size)
    watcher.keep(world.page(0), world.page(0))
    for step in steps:
        shown = [key for key in world.page(0) if key not in world.pins]
        happen(world, watcher, step)
        keys, is_proven = read(world, watcher, step.pages)
        if keys[-1] in shown and keys[-1] not in world.pins:
            assert is_proven
        watcher.keep(keys, world.page(0))


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5))
def test_pages_that_moved_while_they_were_read_give_every_record_once(pages: list[list[str]]) -> None:
    merged = merge_pages(pages)
    assert sorted(merged) == sorted({key for page in pages for key in page})
    firsts = [key for page in pages for key in page]
    assert [firsts.index(key) for key in merged] == sorted(firsts.index(key) for key in merged)


def live_randomly(seed: int) -> tuple[int, int, int]:
    """Visit one random list eight times; return false claims, honest overlaps, and those that were not claimed."""
    random = Random(seed)
    size = random.randint(3, 30)
    world, watcher = World(size), Watcher()
    world.arrive(random.randint(1, 3 * size))
    watcher.keep(world.page(0), world.page(0))
    rate, deleted, elsewhere = random.choice([0.2, 1.0, 3.0]), random.choice([0, 3, 6]), random.choice([0, 30])
    before, counts = set(world.live), [0, 0, 0]
    for _ in range(8):
        shown = world.page(0)
        step = Step(
            arrivals=int(random.expovariate(1 / (rate * size))),
            deletions=random.randint(0, deleted),
            elsewhere=random.randint(0, elsewhere),
            pin=random.random() < 0.3,
            unpin=random.random() < 0.3,
            pages=random.randint(1, 4),
            seed=random.randrange(10**6),
        )
        happen(world, watcher, step)
        keys, is_proven = read(world, watcher, step.pages)
        counts[0] += is_proven and bool(set(world.live) - before - set(keys))
        if any(key in shown and key not in world.pins for key in keys):
            counts[1] += 1
            counts[2] += not is_proven
        watcher.keep(keys, world.page(0))
        before |= set(world.live)
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("worlds", [400, pytest.param(40_000, marks=pytest.mark.soak)])
def test_of_many_lists_none_is_called_complete_wrongly_and_few_are_not(worlds: int) -> None:
    false, honest, unclaimed = map(sum, zip(*map(live_randomly, range(worlds)), strict=True))
    print(f"{8 * worlds} visits: {false} wrong, {unclaimed} of {honest} overlaps not claimed")
    assert false == 0
    assert unclaimed < 0.01 * honest
