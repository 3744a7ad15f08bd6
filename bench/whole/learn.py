"""Learning sites in a whole run: pages of sites come in, what is cut, and how much of it is right, goes out."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from bench import learning as bench
from bench.cost_curve import draw_curve
from bench.cut_tables import Cell, Table
from bench.learning import LearningRun, make_tables
from bench.whole.parts import LESS, MORE, SCYTHE, Figure, Section, Tick, Wish, few, share
from scythe.demo.scoring import rate

NAME, FOLDER = "learn", "sites"
WHOLE = "whole/sites.jsonl.xz"  # sites of some hundred pages
_SAID = (
    "Ten pages of each site are learned, the others extracted. Values by example are those of the page sets; what is "
    "cut is compared with what the tree gives for the same rules."
)


def measure(wish: Wish, tick: Tick) -> Section:
    """Count what is cut and what is right."""
    done = bench.run(wish.place(FOLDER), site_limit=wish.limit, tick=tick)
    figures = tuple(_figures(done))
    tables = (_table(figures),)
    whole = wish.place(WHOLE)
    if whole.is_file():
        tables = (*tables, draw_curve(whole, wish.peers, limit=wish.limit))
    return Section(NAME, "Learned sites", _SAID, tables, tuple(make_tables(done)), figures)


def _shares(done: LearningRun, *, by_example: bool, manner: str) -> tuple[float, int] | None:
    """Return which share of the fields delivered was cut, and how many fields there were."""
    named = {category for category, _ in next(iter(done.shown.values()), {})}
    tallies = [
        tally
        for (category, own), tally in done.tallies.items()
        if own == manner and (category in named) == by_example and tally.hows.total()
    ]
    cut = sum(tally.hows["cut"] for tally in tallies)
    all_fields = sum(tally.hows.total() for tally in tallies)
    there = all_fields if by_example else sum(tally.hows["cut"] + tally.hows["tree"] for tally in tallies)
    return (cut / there, all_fields) if there else None


def _figures(done: LearningRun) -> Iterator[Figure]:
    for manner, words in (("spread", "ten pages spread over the site"), ("first", "the first ten")):
        example = _shares(done, by_example=True, manner=manner)
        if example is not None:
            yield Figure(f"learn/fields by example, cut ({words})", SCYTHE, 100 * example[0], "%", MORE)
        by_itself = _shares(done, by_example=False, manner=manner)
        if by_itself is not None:
            name = f"learn/title, text, date and author by themselves, cut of those delivered ({words})"
            yield Figure(name, SCYTHE, 100 * by_itself[0], "%", MORE)
    different = sum(tally.different for tally in done.tallies.values())
    yield Figure("learn/cuts that differ from what the tree gives", SCYTHE, float(different), "", LESS)
    yield Figure("learn/fields looked at", SCYTHE, float(sum(tally.hows.total() for tally in done.tallies.values())))
    for shots, counts in sorted(done.shown.items()):
        f1 = fmean(rate(each).f1 for each in counts.values())
        yield Figure(f"learn/values right, {shots} page{'s' * (shots > 1)} shown", SCYTHE, f1, "F1", MORE)


def _table(figures: tuple[Figure, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in figures:
        value = share(one.value) if one.unit == "F1" else few(one.value, "%") if one.unit else f"{one.value:.0f}"
        rows.append((one.name.removeprefix("learn/") + (", F1" if one.unit == "F1" else ""), value))
    return Table(NAME, "What is cut", ("", SCYTHE), tuple(rows))
