"""Gather images to learn from: a folder of page sets comes in, rows of features with labels and weights go out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.folds import FOLDS
from bench.image_rows import load_rows
from bench.site_names import fold_of, site_of
from silver import SILVER_SETS, Silver, is_advert, read_silver, registered, silver_file

from scythe.model import PageImages
from scythe.reading.images.image_features import SiteImageCounts, image_features, is_nothing, site_counts
from scythe.site.labels.site_relevance import count_images

GOLD_SETS = ("fundus", "wpstatic")
CONTEXT = 20  # pages of a site that are counted, as many as the benchmark hands over
COUNTED = 3  # pages of a silver site from which they are counted
SILVER_SHARE = 0.3  # weight of all silver images against all labelled ones
SITE_POWER = 0.5  # a site with four times as many pages counts twice


@dataclass(frozen=True)
class Rows:
    """Images as the model learns of them, one a row."""

    counted: np.ndarray  # features with the counts of the site
    alone: np.ndarray  # features of the page alone
    labels: np.ndarray
    weights: np.ndarray
    sites: np.ndarray
    sets: np.ndarray
    pages: np.ndarray  # number of the page
    nothing: np.ndarray  # images that can show nothing: a rule judges them
    folds: np.ndarray  # of their sites, as `python -m bench --folds` shares them out

    def where(self, chosen: np.ndarray) -> Rows:
        return Rows(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class _Page:
    name: str  # of the set
    site: str
    images: PageImages
    labels: np.ndarray
    trust: np.ndarray  # 0..1, how much each label is worth
    counts: SiteImageCounts | None = None


def gold_rows(data: Path) -> Rows:
    """Return the images that people or rules labelled, weighed so that a site counts by the root of its pages."""
    return _rows(list(_gold(data)))


def silver_rows(data: Path, gold: Rows) -> Rows:
    """Return images labelled by where they stand to the main text, of sites that `gold` does not have."""
    known = {registered(site) for site in gold.sites} | set(_hosts(data))
    pages = []
    for name in SILVER_SETS:
        read = [page for page in read_silver(data, name) if page.site not in known]
        counts = _counts(read)
        pages += [_Page(name, one.site, one.images, one.labels, one.trust, counts.get(one.template)) for one in read]
    rows = _rows(pages)
    share = SILVER_SHARE * gold.weights.sum() / rows.weights.sum()
    return Rows(**{**vars(rows), "weights": rows.weights * share})


def _counts(pages: list[Silver]) -> dict[str, SiteImageCounts]:
    """Return the counts of each site that has enough pages."""
    of_template: dict[str, list[PageImages]] = {}
    for page in pages:
        of_template.setdefault(page.template, []).append(page.images)
    enough = {name: own for name, own in of_template.items() if len(own) >= COUNTED}
    return {name: site_counts(count_images(own[:CONTEXT])) for name, own in enough.items()}


def sources(data: Path) -> list[Path]:
    """Return the files that are learned from."""
    gold = [data / "images" / f"{name}.jsonl.xz" for name in GOLD_SETS]
    return [*gold, *(silver_file(data, name) for name in SILVER_SETS)]


def _hosts(data: Path) -> Iterator[str]:
    for name in GOLD_SETS:
        for pages in load_rows(data / "images" / f"{name}.jsonl.xz").values():
            yield from {registered(labelled.page.url) for labelled in pages}


def _gold(data: Path) -> Iterator[_Page]:
    chooser = random.Random(0)
    for name in GOLD_SETS:
        for site, pages in load_rows(data / "images" / f"{name}.jsonl.xz").items():
            sample = chooser.sample(pages, min(CONTEXT, len(pages)))
            counts = site_counts(count_images([one.page for one in sample]))
            for one in pages:
                labels = np.array(one.relevant, dtype=np.float64)
                paid = np.array([is_advert(image) for image in one.page.images], dtype=bool)
                # the rule behind wpstatic takes adverts in the text for images of it
                trust = np.where(paid & (labels > 0) & (name == "wpstatic"), 0.0, 1.0)
                yield _Page(name, site, one.page, labels, trust, counts)


def _rows(pages: list[_Page]) -> Rows:
    pages = [page for page in pages if page.images.images]
    sites = np.array([page.site for page in pages])
    _, of_site, sizes = np.unique(sites, return_inverse=True, return_counts=True)
    alone = [image_features(page.images) for page in pages]
    counted = [
        rows if page.counts is None else image_features(page.images, page.counts)
        for page, rows in zip(pages, alone, strict=True)
    ]
    lengths = [len(page.labels) for page in pages]
    weights = sizes[of_site].astype(np.float64) ** (SITE_POWER - 1)
    nothing = np.array([is_nothing(image) for page in pages for image in page.images.images])
    trust = np.concatenate([page.trust for page in pages])
    return Rows(
        counted=np.vstack(counted),
        alone=np.vstack(alone),
        labels=np.concatenate([page.labels for page in pages]),
        weights=np.where(nothing, 0.0, np.repeat(weights, lengths) * trust),
        sites=np.repeat(sites, lengths),
        sets=np.repeat([page.name for page in pages], lengths),
        pages=np.repeat(np.arange(len(pages)), lengths),
        nothing=nothing,
        folds=np.repeat([fold_of(site_of(page.images.url, page.site), FOLDS) for page in pages], lengths),
    )
