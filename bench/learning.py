"""Measure how well sites are learned: pages of sites come in, counts of right, doubtful and wrong fields go out.

Two questions: is what is cut what the tree gives for the same rules, and how much is cut; and, where the values are
known, how many are right when one, two or three pages were shown.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from bench.cut_tables import Cell, Table
from bench.learned import LEARN_PAGES, learn_site
from bench.sites import SitePages, load_sites
from scythe.demo.scoring import Counts, compare, cut_tokens, rate
from scythe.model import Document
from scythe.reader import read

SHOTS = (1, 2, 3)
_WORD = re.compile(r"\w+")

Tick = Callable[[str, int], None]


@dataclass(slots=True)
class Tally:
    """What became of the fields of some pages."""

    pages: int = 0
    hows: Counter[str] = field(default_factory=Counter)  # cut, tree, missing
    different: int = 0  # cut, and not what the tree gives
    texts: list[float] = field(default_factory=list)  # token F1 of the text against reading the page cold


@dataclass(slots=True)
class LearningRun:
    """All that was counted."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)  # (category, which pages were learned)
    shown: dict[int, dict[tuple[str, str], Counts]] = field(default_factory=dict)  # pages shown -> (category, field)


def run(data: Path, *, site_limit: int | None = None, tick: Tick | None = None) -> LearningRun:
    """Learn every site of the page sets at `data` in each manner and extract its other pages."""
    sites = load_sites(data, limit=site_limit)
    done = LearningRun()
    for site in sites:
        if tick is not None:
            tick(site.name, len(sites))
        for manner, chosen in choose_pages(len(site.bodies)).items():
            count_cuts(done.tallies.setdefault((site.category, manner), Tally()), site, chosen)
        for shots in SHOTS if any(site.gold) else ():
            count_shown(done.shown.setdefault(shots, defaultdict(lambda: Counts(0, 0, 0))), site, shots)
    return done


def choose_pages(pages: int) -> dict[str, list[int]]:
    """Return the pages to learn from: the first ones, and as many spread over the site; half of a small site."""
    count = max(1, min(LEARN_PAGES, pages // 2))
    return {"first": list(range(count)), "spread": sorted({i * (pages - 1) // max(1, count - 1) for i in range(count)})}


def count_cuts(tally: Tally, pages: SitePages, chosen: Sequence[int]) -> None:
    """Learn from the chosen pages and compare what is cut from the others with what the tree gives."""
    site = learn_site(pages, chosen)
    for i in set(range(len(pages.bodies))) - set(chosen):
        document = site.extract(pages.bodies[i], pages.urls[i])
        tally.pages += 1
        tally.hows.update(how_of(document, name) for name in document.fields if name != "images")
        if any(how_of(document, name) == "cut" for name in document.fields):
            tally.different += count_differences(document, site.extract(pages.bodies[i], pages.urls[i], via="tree"))
        if "text" in document.fields and "text" not in site.profile.named:
            cold = cut_tokens(read(pages.bodies[i], pages.urls[i]).text)
            tally.texts.append(rate(compare(cold, cut_tokens(document.text))).f1)


def count_differences(document: Document, by_tree: Document) -> int:
    """Return the number of fields that were cut and that the tree gives otherwise."""
    cut = (name for name in document.fields if name != "images" and how_of(document, name) == "cut")
    return sum(document.fields[name].values != by_tree.fields[name].values for name in cut)


def count_shown(counts: dict[tuple[str, str], Counts], pages: SitePages, shots: int) -> None:
    """Show the values of the first pages and count those of the others that are right."""
    site = learn_site(pages, range(min(shots, len(pages.bodies) - 1)))
    for i in range(shots, len(pages.bodies)):
        document = site.extract(pages.bodies[i], pages.urls[i])
        for name, accepted in pages.gold[i].items():
            values = document.fields[name].values if name in document.fields else ()
            counts[pages.category, name] = _add(counts[pages.category, name], values, accepted)


def how_of(document: Document, name: str) -> str:
    """Return how a field was got: cut, tree or missing."""
    return document.fields[name].how.partition(":")[0]


def make_tables(done: LearningRun) -> list[Table]:
    """Return the table of cuts and, where values are known, that of examples."""
    rows: list[tuple[Cell, ...]] = [_row(name, manner, tally) for (name, manner), tally in done.tallies.items()]
    for manner in dict.fromkeys(manner for _, manner in done.tallies):
        rows.append(_row("all", manner, _sum([t for (_, own), t in done.tallies.items() if own == manner])))
    columns = (
        "category",
        "learned",
        "pages",
        "fields",
        "cut %",
        "tree %",
        "missing %",
        "cut, not the tree's",
        "text F1",
    )
    note = "text F1: of the text with that of scythe.read; cut, not the tree's: via='tree' gives another value"
    tables = [Table("cuts", "What is cut, and whether the tree agrees", columns, tuple(rows), note)]
    if done.shown:
        shots: list[tuple[Cell, ...]] = [_shots_row(number, counts) for number, counts in sorted(done.shown.items())]
        title = "Fields by example, mean over fields of categories"
        tables.append(Table("examples", title, ("pages shown", "fields", "F1", "precision", "recall"), tuple(shots)))
    return tables


def _add(counts: Counts, values: Sequence[str], accepted: Sequence[str]) -> Counts:
    right = bool(values) and _words(values[0]) in {_words(value) for value in accepted}
    extra, missed = bool(values) and not right, bool(accepted) and not right
    return Counts(counts.hits + right, counts.extra + extra, counts.missed + missed)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _sum(tallies: Sequence[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.pages += tally.pages
        total.hows += tally.hows
        total.different += tally.different
        total.texts += tally.texts
    return total


def _row(category: str, manner: str, tally: Tally) -> tuple[Cell, ...]:
    fields = tally.hows.total()
    shares = [100 * tally.hows[how] / fields if fields else None for how in ("cut", "tree", "missing")]
    text = f"{fmean(tally.texts):.3f}" if tally.texts else None
    return (category, manner, tally.pages, fields, *shares, tally.different, text)


def _shots_row(shots: int, counts: Mapping[tuple[str, str], Counts]) -> tuple[Cell, ...]:
    rates = [rate(each) for each in counts.values()]
    means = [f"{fmean(getattr(each, name) for each in rates):.3f}" for name in ("f1", "precision", "recall")]
    return (shots, len(rates), *means)
