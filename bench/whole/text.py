"""Main text in a whole run: page sets come in, F1 and CPU time of scythe and of the other tools go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import text as bench
from bench.cut_tables import Cell, Table
from bench.peers import release
from bench.text import DEFAULT, Score
from bench.whole.parts import LESS, MORE, SCYTHE, SEEN, SPEED, UNSEEN, Figure, Section, Tick, Wish, boldest, few, share

NAME = "text"
WORDS = {  # what is known of the sets
    "articles": "articles in many languages",
    "big9": "six news sites over the years",
    "chaos": "messy pages of 2017",
    "cleaneval": "all kinds of 2006",
    "dragnet": "news and blogs of 2012",
    "forums": "forum threads",
    "fundus": "news, 20 languages",
    "newsgold": "news of 2008",
    "portals": "one portal",
    "readability": "Readability's own fixtures",
    "trafilatura": "mostly German and English",
}


def measure(wish: Wish, tick: Tick) -> Section:
    """Score scythe and the peers on every set of main texts."""
    scores = list(
        bench.run(
            wish.place(NAME),
            peers=wish.peers,
            limit=wish.limit,
            folds=wish.folds,
            tick=lambda page_set, name, pages: tick(f"{page_set}: {_who(name)}", pages),
        )
    )
    who = list(dict.fromkeys(score.extractor for score in scores))
    pages = sum(score.pages for score in scores if score.extractor == DEFAULT)
    said = (
        f"F1 of the main text of {pages} pages in {len(scores) // len(who)} sets, and CPU per page, parsing included."
    )
    return Section(
        NAME,
        "Main text",
        f"{said} {UNSEEN if wish.folds else SEEN}",
        (_table(scores, who, is_held_out=wish.folds is not None),),
        (_details(scores),),
        tuple(_figures(scores, who)),
    )


def _who(extractor: str) -> str:
    return SCYTHE if extractor == DEFAULT else extractor


def _table(scores: Sequence[Score], who: Sequence[str], *, is_held_out: bool) -> Table:
    """Make one row a set, one column a tool."""
    rows: list[tuple[Cell, ...]] = []
    for page_set in dict.fromkeys(score.page_set for score in scores):
        f1 = [_only(scores, page_set, name).rates.f1 for name in who]
        rows.append((f"{describe(page_set)} ({_only(scores, page_set, who[0]).pages})", *boldest(map(share, f1), f1)))
    means = [_mean_ms(scores, name) for name in who]
    rows.append(("CPU per page, all pages", *boldest([few(mean, "ms") for mean in means], means, LESS)))
    columns = ("page set (pages)", *(_column(name, is_held_out=is_held_out) for name in who))
    return Table(NAME, "F1 of the main text", columns, tuple(rows))


def _column(extractor: str, *, is_held_out: bool) -> str:
    if extractor == DEFAULT:
        return f"{SCYTHE}, sites unseen" if is_held_out else f"{SCYTHE} (has seen these sites)"
    return f"{extractor} {'.'.join(release(extractor).split('.')[:2])}"


def describe(page_set: str) -> str:
    """Return what is known of a set, with its name."""
    return f"{WORDS[page_set]} ({page_set})" if page_set in WORDS else page_set


def _only(scores: Sequence[Score], page_set: str, extractor: str) -> Score:
    return next(score for score in scores if (score.page_set, score.extractor) == (page_set, extractor))


def _mean_ms(scores: Sequence[Score], extractor: str) -> float:
    own = [score for score in scores if score.extractor == extractor]
    return sum(score.cpu_ms * score.pages for score in own) / sum(score.pages for score in own)


def _details(scores: Sequence[Score]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in scores:
        sentences = one.sentences.f1 if one.sentences else None
        rates = (one.rates.f1, one.rates.precision, one.rates.recall)
        counts = (one.pages, one.empty, len(one.errors))
        rows.append((one.page_set, _who(one.extractor), *rates, one.ea, sentences, *counts, one.cpu_ms))
    columns = ("set", "extractor", "F1", "P", "R", "Ea", "sentF1", "pages", "empty", "errors", "cpu-ms")
    return Table(NAME, "all sets", columns, tuple(rows))


def _figures(scores: Sequence[Score], who: Sequence[str]) -> Iterator[Figure]:
    for one in scores:
        yield Figure(f"text/{one.page_set}/F1", _who(one.extractor), one.rates.f1, "F1", MORE)
        yield Figure(f"text/{one.page_set}/CPU", _who(one.extractor), one.cpu_ms, "ms", kind=SPEED)
    own = _mean_ms(scores, DEFAULT)
    for name in who:
        yield Figure("text/all/CPU", _who(name), _mean_ms(scores, name), "ms", kind=SPEED)
        if name != DEFAULT:
            times = _mean_ms(scores, name) / max(own, 1e-9)
            yield Figure(f"text/all/times as fast as {name}", SCYTHE, times, "x", MORE, SPEED, name)
