"""Score main-text extractors: page sets with ground truth come in, one `Score` per set and extractor goes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from bench.folds import TEXT, Folds
from bench.pages import Case, PageSet, find_sets, load_set
from bench.peers import Extract, peer
from bench.scoring import aggregate, count, count_sentences, deviate, efficiency, pool
from scythe.demo.scoring import Counts, Rates, rate
from scythe.errors import BadInput
from scythe.model import TextOptions
from scythe.page import Page
from scythe.reader import read as read_page
from scythe.reading.text import TextMethod, method

DEFAULT = TextOptions().method
ERROR_CHARS = 160  # enough for the class and the first line of any message


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one extractor made of one page."""

    id: str
    url: str | None
    counts: Counts
    sentences: Counts | None
    deviation: float | None
    empty: bool
    error: str
    cpu_s: float

    @property
    def f1(self) -> float:
        return rate(self.counts).f1


@dataclass(frozen=True, slots=True)
class Score:
    """What one extractor reached on one page set; `ea` (per cent) and `sentences` are None without whole gold texts."""

    page_set: str
    extractor: str
    rates: Rates
    ea: float | None
    sentences: Rates | None
    pages: int
    empty: int
    errors: tuple[str, ...]
    cpu_ms: float  # per page, parsing included
    worst: tuple[Outcome, ...] = ()


def run(
    data: Path,
    *,
    methods: Sequence[str] = (DEFAULT,),
    peers: Sequence[str] = (),
    worst: int = 0,
    limit: int | None = None,
    folds: Folds | None = None,
    tick: Callable[[str, str, int], None] = lambda page_set, extractor, pages: None,
) -> Iterator[Score]:
    """Score every method and peer on every page set at `data`, each as soon as it is known.

    `methods` are names of text methods or `module:function`; `limit` reads the first pages of each set; `worst` keeps
    that many of the worst pages; with `folds` the default method reads each site by a network that has not seen it;
    `tick(set, extractor, pages)` is called after every page with the pages of the set.
    Raises BadInput before anything runs when a name or `data` is wrong.
    """
    paths = find_sets(data)
    if folds is not None:
        folds.need(TEXT)
    extractors = {name: extract_by(name) for name in methods} | {name: peer(name) for name in peers}
    for path in paths:
        page_set = load_set(path, limit=limit)
        for name, extract in extractors.items():
            outcomes = []
            for case in page_set.cases:
                own = folds.extractor(case.site) if folds is not None and name == DEFAULT else extract
                outcomes.append(try_page(own, case))
                tick(page_set.name, name, len(page_set.cases))
            yield score(page_set, name, outcomes, worst=worst)


def extract_by(name: str) -> Extract:
    """Return an extractor by the text method `name`.

    The default method runs as users run it, by `scythe.read`; published ones are scored as published: the blocks they
    keep, joined by line breaks, without what `scythe.read` does to titles and captions.
    """
    if name == DEFAULT:
        return lambda html, url: read_page(html, url).text
    read = _import(name) if ":" in name else method(name)
    options = TextOptions(method=name)

    def extract(html: str, url: str | None) -> str:
        page = Page.from_text(html, url=url)
        reading = read(page, options)
        return "\n".join(page.blocks.text[i] for i in reading.kept) if reading.text is None else reading.text

    return extract


def try_page(extract: Extract, case: Case) -> Outcome:
    """Extract one page and compare it; an extractor that raises loses the page, not the run."""
    error = ""
    start = time.process_time()
    try:
        text = extract(case.html, case.url) or ""
    except Exception as failure:  # noqa: BLE001  (peers raise anything on real pages)
        text, error = "", f"{case.id}: {failure!r}"[:ERROR_CHARS]
    cpu_s = time.process_time() - start
    return Outcome(
        id=case.id,
        url=case.url,
        counts=count(case.truth, text),
        sentences=count_sentences(case.truth, text),
        deviation=deviate(case.truth, text),
        empty=not text.strip(),
        error=error,
        cpu_s=cpu_s,
    )


def score(page_set: PageSet, extractor: str, outcomes: Sequence[Outcome], *, worst: int = 0) -> Score:
    """Sum up what one extractor did on one page set."""
    sentences = [outcome.sentences for outcome in outcomes if outcome.sentences is not None]
    deviations = [outcome.deviation for outcome in outcomes if outcome.deviation is not None]
    return Score(
        page_set=page_set.name,
        extractor=extractor,
        rates=aggregate(page_set.metric, [outcome.counts for outcome in outcomes]),
        ea=efficiency(deviations) if deviations else None,
        sentences=pool(sentences) if sentences else None,
        pages=len(outcomes),
        empty=sum(outcome.empty for outcome in outcomes),
        errors=tuple(outcome.error for outcome in outcomes if outcome.error),
        cpu_ms=1e3 * sum(outcome.cpu_s for outcome in outcomes) / len(outcomes),
        worst=tuple(sorted(outcomes, key=lambda outcome: outcome.f1)[:worst]),
    )


def _import(name: str) -> TextMethod:
    module, _, function = name.partition(":")
    try:
        found: TextMethod = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"text method {name!r} cannot be imported: {error}") from error
    return found
