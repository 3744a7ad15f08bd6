"""Relevant images in a whole run: labelled images and pages come in, f of scythe and of published rules goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import images as bench
from bench.cut_tables import Cell, Table
from bench.whole.parts import MORE, SCYTHE, SEEN, UNSEEN, Figure, Section, Tick, Wish, boldest, number_of, share
from scythe.model import RELEVANCE

NAME = "images"
PAGES = (3, 6)  # of a site that are labelled
TC = "adaboost"
NAMES = {RELEVANCE: SCYTHE, TC: "TC, AdaBoost", "og": "og:image", "largest-width": "largest width"}
NAMES |= {"nearby": "nearby", "entities": "names in common"}
TOLD = (RELEVANCE, TC, "og", "largest-width", "400x400", "nearby", "entities")
SUGGESTED, AT_RANDOM = "chosen by scythe suggest", "chosen at random"
COLD, HTML = "no page of a site labelled", "images from HTML, mean f over pages"
WORDS = {"fundus": "news sites", "wpstatic": "WordPress sites", "dailysabah": "one site"}
_LEAST_SITES = 2  # one alone tells nothing
_SEEDS = 3
_SAID = "Mean f over sites (of pages from HTML: over pages); no image is requested."


def measure(wish: Wish, tick: Tick) -> Section:
    """Score images with and without labelled pages, and from HTML."""
    assert wish.data is not None
    tables = bench.run(
        wish.data,
        method=() if wish.compares else (RELEVANCE,),
        pages=PAGES,
        seeds=_SEEDS,
        limit=wish.limit,
        folds=wish.folds,
        tick=lambda page_set, what: tick(f"{page_set}: {what}", 0),
    )
    figures = tuple(figures_of(tables))
    said = f"{_SAID} {UNSEEN if wish.folds else SEEN}"
    return Section(NAME, "Relevant images", said, (_table(figures),), tuple(tables), figures)


def figures_of(tables: Sequence[Table]) -> Iterator[Figure]:
    """Yield what the tables of the image benchmark say, in numbers."""
    for table in tables:
        if table.title in (COLD, HTML):
            words, what = ("from HTML", "pages") if table.title == HTML else ("no page labelled", "sites")
            sizes = [row[table.columns.index(what)] for row in table.rows]
            if what == "sites" and (not sizes or sizes[0] is None or float(sizes[0]) < _LEAST_SITES):
                continue
            for row in table.rows:
                method, f = str(row[0]), number_of(table, str(row[0]), "f")
                if method in TOLD and f is not None:
                    yield Figure(f"images/{table.name}/{words}, {sizes[0]} {what}", _name(method), f, "f", MORE)
        elif " pages labelled and how they are chosen" in table.title:
            yield from _chosen_figures(table)


def _chosen_figures(table: Table) -> Iterator[Figure]:
    """Yield what came of pages that we choose and of random ones; of TC also of those that its paper chooses."""
    who = _name(table.title.partition(":")[0])
    columns = {"cover": (SUGGESTED, who), "random": (AT_RANDOM, who)}
    if who == NAMES[TC]:
        columns["algorithm1"] = (SUGGESTED, f"{who}, its own choice")
    for row in table.rows:
        for column, (words, name) in columns.items():
            f = row[table.columns.index(column)]
            if isinstance(f, float):
                yield Figure(f"images/{table.name}/{row[0]} pages labelled, {words}", name, f, "f", MORE)


def _name(method: str) -> str:
    return NAMES.get(method, method)


def _table(figures: Sequence[Figure]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(figure.name for figure in figures):
        own = [figure for figure in figures if figure.name == name]
        ours = next((figure.value for figure in own if figure.who == SCYTHE), None)
        others = [figure for figure in own if figure.who != SCYTHE]
        _, page_set, what = name.split("/", 2)
        best = boldest(map(share, (ours, *(one.value for one in others))), (ours, *(one.value for one in others)))[0]
        told = ", ".join(f"{share(one.value)} ({one.who})" for one in others)
        rows.append((f"{WORDS.get(page_set, page_set)}, {what}", best, told))
    return Table(NAME, "Relevant images", ("f", SCYTHE, "published"), tuple(rows))
