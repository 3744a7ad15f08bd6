"""Try methods on the labelled images of sites: pages with labels come in, one trial per site, method and seed goes out.

Pages to learn from come from one half of a site and are judged on the other, which is the same for every method and
every way of choosing: a choice of pages must not choose the test as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from bench.folds import Folds
from bench.image_rows import LabelledRows
from bench.site_names import site_of
from scythe.demo.scoring import Counts
from scythe.model import PUBLISHED, RELEVANCE, RELEVANT, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.reading.forest import Forest
from scythe.reading.papers.image_sizes import SIZE_RULES, declared_sizes
from scythe.reading.papers.tc import TcModel, text_of
from scythe.site.judge_images import ImageJudge
from scythe.site.labels.site_relevance import count_images
from scythe.site.labels.suggest_pages import choose_pages, select_algorithm1, select_clusters, select_random
from scythe.site.papers.fit_tc import fit_tc

Score = Callable[[PageImages], list[float]]
Fit = Callable[[Sequence[LabelledRows], Sequence[PageImages]], Score | None]  # None: these pages make no model

SELECTIONS = ("random", "clusters", "algorithm1", "kinds", "cover")  # kinds: cover where no model knows any image
LEAST_PAGES = 20  # of a site that pages are learned of
LEAST_RELEVANT = 5
_CONTEXT = 20  # pages of a site that are looked at without labels
_HALF = 0.5  # of the pages of a site may be learned of, the others judge
_WRONG = 36.04  # log loss of a hard answer that is wrong: what clipping at 1e-15, as is usual, makes of it


@dataclass(frozen=True, slots=True)
class Trial:
    """How one method did on one site."""

    site: str
    counts: Counts
    images: int
    fit_s: float
    predict_s: float  # of CPU, all test pages together
    pages: int  # that judged
    has_model: bool = True

    @property
    def f(self) -> float:
        """The f-measure of the relevant images; 0 without a model."""
        counts = self.counts
        return 2 * counts.hits / (2 * counts.hits + counts.extra + counts.missed) if counts.hits else 0.0

    @property
    def log_loss(self) -> float:
        """The log loss of yes and no answers, as the paper has it."""
        return _WRONG * (self.counts.extra + self.counts.missed) / self.images

    @property
    def accuracy(self) -> float:
        """The share of images that were judged right."""
        return 1 - (self.counts.extra + self.counts.missed) / self.images


@dataclass(frozen=True, slots=True)
class Plan:
    """What to try: how many pages are learned of, how they are chosen, out of how many."""

    method: str
    pages: int = 0
    selection: str = "random"
    of: int | None = None  # pages that are looked at for choosing; None: all of the half


def methods() -> tuple[str, ...]:
    """Return the names of all methods that can be tried."""
    return (RELEVANCE, *PUBLISHED, *SIZE_RULES)


def fit_relevance(
    train: Sequence[LabelledRows], unlabelled: Sequence[PageImages], forest: Forest | None = None
) -> Score:
    """Return the default: the shared model, `forest` in its place, with what the labels of the site teach."""
    judge = ImageJudge(know(train, unlabelled), forest)
    judge.prepare()
    return judge.score


def know(train: Sequence[LabelledRows], unlabelled: Sequence[PageImages]) -> SiteImages:
    """Return what a profile would hold of the site."""
    labelled = tuple(LabelledPage(rows.page, (_marks(rows),)) for rows in train)
    return replace(count_images(unlabelled), labelled=labelled)


def _marks(rows: LabelledRows) -> ImageMarks:
    said: dict[bool, list[int]] = {True: [], False: []}
    for row, relevant in enumerate(rows.relevant):
        said[relevant].append(row)
    return ImageMarks("", tuple(said[True]), tuple(said[False]))


def _fit_published(method: str) -> Fit:
    def fit(train: Sequence[LabelledRows], unlabelled: Sequence[PageImages]) -> Score | None:
        model = TcModel(fit_tc([pair for rows in train for pair in _examples(rows)], method))
        return None if model.why else model.score

    return fit


def _fit_size(name: str) -> Fit:
    rule = SIZE_RULES[name]
    return lambda train, unlabelled: lambda page: rule(page, declared_sizes(page))


def fit_of(method: str, forest: Forest | None = None) -> Fit:
    """Return how a method is made ready for a site; `forest` replaces the shared model."""
    if method == RELEVANCE:
        return partial(fit_relevance, forest=forest)
    return _fit_published(method) if method in PUBLISHED else _fit_size(method)


def try_sites(
    sites: Mapping[str, Sequence[LabelledRows]],
    plan: Plan,
    seeds: int,
    tick: Callable[[], None] = lambda: None,
    folds: Folds | None = None,
) -> list[Trial]:
    """Try one plan on every site that is large enough for it, once per seed; `folds` replace the shared model."""
    trials = []
    for site, pages in sorted(sites.items()):
        shown = [page for page in pages if page.page.images]
        if not _is_enough(shown, plan):
            continue
        forest = folds.image_forest(site_of(shown[0].page.url, site)) if folds is not None else None
        for seed in range(seeds):
            trial = try_site(site, shown, plan, seed, forest)
            tick()
            if trial is not None:
                trials.append(trial)
    return trials


def _is_enough(pages: Sequence[LabelledRows], plan: Plan) -> bool:
    relevant = sum(sum(page.relevant) for page in pages)
    return relevant > 0 if not plan.pages else len(pages) >= LEAST_PAGES and relevant >= LEAST_RELEVANT


def try_site(
    site: str, pages: Sequence[LabelledRows], plan: Plan, seed: int, forest: Forest | None = None
) -> Trial | None:
    """Learn of some pages of a site and judge the others; None where these have no relevant image."""
    shuffled = list(pages)
    Random(500 + seed).shuffle(shuffled)
    half = int(len(shuffled) * _HALF) if plan.pages else 0
    pool, test = shuffled[:half] or list(pages), shuffled[half:]
    if not any(any(page.relevant) for page in test):
        return None
    pool = pool[: plan.of]
    unlabelled = [page.page for page in Random(seed).sample(pool, min(_CONTEXT, len(pool)))]
    train = choose(pool, unlabelled, plan, seed, forest) if plan.pages else []
    began = time.process_time()
    score = fit_of(plan.method, forest)(train, unlabelled)
    fitted = time.process_time()
    scores = [score(page.page) if score is not None else [0.0] * len(page.relevant) for page in test]
    ended = time.process_time()
    counts, images = _count(scores, test), sum(len(page.relevant) for page in test)
    return Trial(site, counts, images, fitted - began, ended - fitted, len(test), score is not None)


def choose(
    pool: Sequence[LabelledRows],
    unlabelled: Sequence[PageImages],
    plan: Plan,
    seed: int,
    forest: Forest | None = None,
) -> list[LabelledRows]:
    """Return the pages that a person would be asked to label."""
    urls = [page.page.url for page in pool]
    if plan.selection in ("cover", "kinds"):
        score = fit_relevance((), unlabelled, forest) if plan.selection == "cover" else _doubt_all
        chosen = choose_pages([page.page for page in pool], [score(page.page) for page in pool], plan.pages, seed=seed)
    else:
        by = {"random": select_random, "clusters": select_clusters, "algorithm1": select_algorithm1}
        chosen = by[plan.selection](urls, plan.pages, seed)
    return [pool[at] for at in chosen]


def _doubt_all(page: PageImages) -> list[float]:
    return [0.5] * len(page.images)


def _count(scores: Sequence[Sequence[float]], test: Sequence[LabelledRows]) -> Counts:
    hits = extra = missed = 0
    for found, page in zip(scores, test, strict=True):
        for score, relevant in zip(found, page.relevant, strict=True):
            said = score >= RELEVANT
            hits += said and relevant
            extra += said and not relevant
            missed += relevant and not said
    return Counts(hits, extra, missed)


def _examples(rows: LabelledRows) -> Iterator[tuple[str, bool]]:
    return zip(map(text_of, rows.page.images), rows.relevant, strict=True)
