"""Score relevant images: sets of labelled images, addresses or pages come in, tables of the paper's shape go out.

Three kinds of set, told apart by their rows: labelled images (`img_text`, `relevant`), addresses of sites (`url` alone)
and pages with the addresses of their relevant images (`html`, `relevant_images`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

from bench.cut_tables import Cell, Table
from bench.folds import IMAGES, TEXT, Folds
from bench.image_clusters import measure_clusters
from bench.image_rows import LabelledRows, RowsPage, load_rows, page_of
from bench.image_trials import LEAST_PAGES, SELECTIONS, Plan, Trial, fit_relevance, methods, try_sites
from bench.pages import find_sets, read_rows, set_name
from bench.site_names import site_of
from scythe.demo.scoring import Counts, rate
from scythe.errors import BadInput
from scythe.model import PUBLISHED, RELEVANCE, RELEVANT, PageImages
from scythe.reader import read
from scythe.reading.images.image_methods import METHODS as IMAGE_METHODS
from scythe.url import absolute

LABELLED, ADDRESSES, PAGES = "labelled", "addresses", "pages"
SIX = 6  # pages a site is learned of in the paper's comparison of methods
_POOLS = (10, 20, 30)  # addresses to choose from; half of a site has up to 30 here, the paper had 100
Tick = Callable[[str, str], None]
Sites = Mapping[str, Sequence[LabelledRows]]


@dataclass(frozen=True, slots=True)
class _Run:
    """What all tables of a run share."""

    seeds: int
    folds: Folds | None
    tick: Tick

    def try_sites(self, name: str, sites: Sites, plan: Plan, what: str) -> list[Trial]:
        return try_sites(sites, plan, self.seeds, lambda: self.tick(name, what), self.folds)


class Relevance:
    """The default method as `bench_images.py` wants it: `--adapters bench.images:Relevance`."""

    name = "scythe"

    def __init__(self) -> None:
        self._seen: dict[int, PageImages] = {}
        self._score = fit_relevance((), ())
        self._cold = self._score

    def fit(self, train: Sequence[RowsPage], unlabelled: Sequence[RowsPage] = ()) -> None:
        """Take what is known of one site: annotated pages, and others of it without labels."""
        known = [self._page(page) for page in unlabelled]
        rows = [LabelledRows(page.site, self._page(page), tuple(map(bool, page.labels))) for page in train]
        self._cold = fit_relevance((), known)
        self._score = fit_relevance(rows, known) if rows else self._cold

    def predict_proba(self, page: RowsPage) -> list[float]:
        """Return how likely each image of a page is relevant."""
        return self._score(self._page(page))

    def predict(self, page: RowsPage) -> list[bool]:
        """Return which images of a page are relevant."""
        return [score >= RELEVANT for score in self.predict_proba(page)]

    def predict_many(self, pages: Sequence[RowsPage]) -> list[float]:
        """Return the scores of all images of several pages."""
        return [score for page in pages for score in self.predict_proba(page)]

    def _z(self, page: RowsPage) -> list[float]:
        """Return the scores without labels, by which the pages to annotate are chosen."""
        return self._cold(self._page(page))

    def _page(self, page: RowsPage) -> PageImages:
        made = self._seen.get(id(page.images))
        if made is None:
            made = self._seen[id(page.images)] = page_of(page)
        return made


def run(
    data: Path,
    *,
    method: Sequence[str] = (),
    pages: Sequence[int] = (1, 2, 3, SIX, 10),
    seeds: int = 3,
    limit: int | None = None,
    folds: Folds | None = None,
    tick: Tick | None = None,
) -> list[Table]:
    """Score the methods on every set at `data`. Raises BadInput when a name or `data` is wrong.

    With `folds` the default method judges each site by models that have not seen it.
    """
    known = {*methods(), *IMAGE_METHODS}
    if unknown := set(method) - known:
        raise BadInput(f"no method is called {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    run = _Run(seeds, folds, tick or (lambda page_set, what: None))
    tables: list[Table] = []
    kinds = {path: _kind(path) for path in _sets(data)}
    if folds is not None:
        folds.need(IMAGES, *([TEXT] if PAGES in kinds.values() else []))
    for path, kind in kinds.items():
        if kind == LABELLED:
            sites = dict(islice(load_rows(path).items(), limit))
            tables += _labelled_tables(set_name(path), sites, method, pages, run)
        elif kind == ADDRESSES:
            run.tick(set_name(path), "clusters")
            tables.append(_cluster_table(set_name(path), path))
        elif kind == PAGES:
            tables.append(_page_table(set_name(path), path, method, limit, run))
    if not tables:
        raise BadInput(f"{data} holds no sets of images")
    return tables


def _sets(data: Path) -> list[Path]:
    """Return the sets of images and, of a folder of all sets, those of pages that name their relevant images."""
    found = find_sets(data, "images")
    if (data / "images").is_dir() and (data / "text").is_dir():
        found += [path for path in find_sets(data, "text") if _kind(path) == PAGES]
    return found


def _kind(path: Path) -> str:
    for row in islice(read_rows(path, lambda row, place: row), 20):
        if "img_text" in row:
            return LABELLED
        if "relevant_images" in row:
            return PAGES
        if "html" not in row and "url" in row:
            return ADDRESSES
    return ""


def _labelled_tables(
    name: str, sites: Sites, wanted: Sequence[str], pages: Sequence[int], run: _Run
) -> Iterator[Table]:
    chosen = [one for one in methods() if not wanted or one in wanted]
    large = {site: rows for site, rows in sites.items() if len(rows) >= LEAST_PAGES}
    cold = [one for one in chosen if one not in PUBLISHED]
    yield _method_table(name, "no page of a site labelled", sites, [Plan(one) for one in cold], replace(run, seeds=1))
    if not large:
        return
    plans = [Plan(one, SIX, "cover" if one == RELEVANCE else "algorithm1") for one in chosen]
    plans = [plan for plan in plans if plan.method in (RELEVANCE, *PUBLISHED)]
    title = f"{SIX} pages of a site labelled, chosen by Algorithm 1, for {RELEVANCE} by cover"
    yield _method_table(name, title, large, plans, run)
    for one in (RELEVANCE, "adaboost"):
        if one in chosen:
            yield _selection_table(name, one, large, pages, run)
            yield _pool_table(name, one, large, run)


def _method_table(name: str, title: str, sites: Sites, plans: Sequence[Plan], run: _Run) -> Table:
    """Make the shape of the paper's Table 5: one row per method."""
    rows: list[tuple[Cell, ...]] = []
    for plan in plans:
        trials = run.try_sites(name, sites, plan, plan.method)
        if trials:
            rows.append((plan.method, *_figures(trials)))
    columns = ("method", "acc", "R", "P", "f", "std", "micro f", "log loss", "no model", "fit ms", "page ms", "sites")
    note = "f: mean over sites; no model counts as 0; fit: per site, page: all images of one page, ms of CPU"
    return Table(name, title, columns, tuple(rows), note)


def _figures(trials: Sequence[Trial]) -> tuple[Cell, ...]:
    rates = [rate(trial.counts) for trial in trials]
    fs = [trial.f for trial in trials]
    pooled = rate(sum((trial.counts for trial in trials), Counts()))
    return (
        fmean(trial.accuracy for trial in trials),
        fmean(one.recall if trial.counts.hits else 0.0 for one, trial in zip(rates, trials, strict=True)),
        fmean(one.precision if trial.counts.hits else 0.0 for one, trial in zip(rates, trials, strict=True)),
        fmean(fs),
        pstdev(fs),
        pooled.f1,
        fmean(trial.log_loss for trial in trials),
        fmean(not trial.has_model for trial in trials),
        1e3 * fmean(trial.fit_s for trial in trials),
        1e3 * sum(trial.predict_s for trial in trials) / sum(trial.pages for trial in trials),
        len({trial.site for trial in trials}),
    )


def _selection_table(name: str, method: str, sites: Sites, pages: Sequence[int], run: _Run) -> Table:
    """Make the shape of the paper's Table 6: ways of choosing pages against their number, one test half for all."""
    rows: list[tuple[Cell, ...]] = []
    for count in pages:
        cells: list[Cell] = [count]
        for selection in SELECTIONS:
            plan = Plan(method, count, selection)
            trials = run.try_sites(name, sites, plan, f"{method}, choosing pages")
            cells += (
                [fmean(trial.f for trial in trials), pstdev([trial.f for trial in trials])] if trials else [None] * 2
            )
        rows.append(tuple(cells))
    columns = ("pages", *(column for selection in SELECTIONS for column in (selection, "std")))
    return Table(name, f"{method}: f by pages labelled and how they are chosen", columns, tuple(rows))


def _pool_table(name: str, method: str, sites: Sites, run: _Run) -> Table:
    """Make the shape of the paper's Table 7: f by the number of addresses that six pages are chosen from."""
    selection = "cover" if method == RELEVANCE else "algorithm1"
    rows: list[tuple[Cell, ...]] = []
    for of in _POOLS:
        enough = {site: pages for site, pages in sites.items() if len(pages) // 2 >= of}
        trials = run.try_sites(name, enough, Plan(method, SIX, selection, of), f"{method}, pool")
        if trials:
            fs = [trial.f for trial in trials]
            rows.append((of, fmean(fs), pstdev(fs), len(enough)))
    title = f"{method}: f by how many pages {SIX} are chosen from ({selection})"
    return Table(name, title, ("of", "f", "std", "sites"), tuple(rows))


def _cluster_table(name: str, path: Path) -> Table:
    found = measure_clusters(path)
    row = ("clusters of a site", found.mean, found.std, found.sites)
    return Table(name, "clusters of addresses; the paper has 2.607, std 1.615", ("", "mean", "std", "sites"), (row,))


def _page_table(name: str, path: Path, wanted: Sequence[str], limit: int | None, run: _Run) -> Table:
    """Score images end to end: an image counts as right when one of its addresses is a true one."""
    chosen = [one for one in IMAGE_METHODS if one in (wanted or (RELEVANCE, "nearby", "og", "entities"))]
    pages = [row for row in read_rows(path, lambda row, place: row) if row.get("relevant_images")][:limit]
    rows: list[tuple[Cell, ...]] = []
    for method in chosen:
        fs, times, pooled = [], [], Counts()
        for row in pages:
            counts, took_s = judge_page(row, method, run.folds)
            fs.append(rate(counts).f1 if counts.hits else 0.0)
            times.append(took_s)
            pooled += counts
            run.tick(name, f"{method}, end to end")
        rates = rate(pooled)
        rows.append((method, fmean(fs), rates.precision, rates.recall, rates.f1, 1e3 * median(times), len(pages)))
    columns = ("method", "f", "pooled P", "pooled R", "pooled f", "images ms", "pages")
    return Table(name, "images from HTML, mean f over pages", columns, tuple(rows), "ms: after the text was read")


def judge_page(row: Mapping[str, Any], method: str, folds: Folds | None = None) -> tuple[Counts, float]:
    """Read one page and count its relevant images: found, wrong, missed; also return the seconds of CPU for images."""
    html, url = str(row["html"]), row.get("url")
    if folds is not None and method == RELEVANCE:
        document = folds.read_document(html, url, site_of(url, row.get("site"), row.get("id")))
    else:
        document = read(html, url=url, image_method=method)
    began = time.process_time()
    images = [image for image in document.images if image.relevant]
    took_s = time.process_time() - began
    true = {absolute(address, url) or address for address in row["relevant_images"]}
    found = [true.intersection((image.src, *image.sources)) for image in images]
    hits = set().union(*found) if found else set()
    return Counts(len(hits), sum(not one for one in found), len(true - hits)), took_s
