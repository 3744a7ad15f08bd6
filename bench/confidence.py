"""Compare `doc.confidence` with the F1 that texts really have, on pages of sites that the text network has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.folds import Folds
from bench.pages import find_sets, load_set
from bench.scoring import count
from bench.site_names import fold_of
from scythe.demo.scoring import rate
from scythe.model import TextOptions
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.reading.text import choose_text
from scythe.reading.text.confidence import describe_choice

BINS = 10
LEAST = 0.1  # of the pages are the least trusted


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What is known of the choice made on one page, and how good it is."""

    page_set: str
    fold: int
    facts: NDArray[np.float64]
    f1: float


@dataclass(frozen=True, slots=True)
class Trust:
    """What was expected of one page, and what it got."""

    page_set: str
    expected: float
    f1: float


def judge_pages(data: Path, folds: Folds) -> Iterator[JudgedPage]:
    """Read every page that has a whole gold text by a network that has not seen its site."""
    for path in find_sets(data):
        page_set = load_set(path)
        for case in page_set.cases if page_set.metric != "chunks" else ():
            page = Page.from_text(case.html, url=case.url)
            reading = choose_text.read(page, TextOptions(), folds.network(case.site))
            if reading.kept:
                text = PageContent(page, reading.kept, TextOptions()).text()
                f1 = rate(count(case.truth, text)).f1
                fold = fold_of(case.site, len(folds.text))
                yield JudgedPage(page_set.name, fold, describe_choice(page.blocks, reading), f1)


def calibration_error(pages: Sequence[Trust]) -> float:
    """Return how far the mean F1 of ten groups, equally large and by what was expected, is from it on average."""
    return sum(abs(expected - got) * share for expected, got, share in reliability(pages))


def reliability(pages: Sequence[Trust]) -> list[tuple[float, float, float]]:
    """Return for groups of pages, by what was expected: the mean of that, the mean F1, and the group's share."""
    expected, f1 = (np.array([getattr(page, name) for page in pages]) for name in ("expected", "f1"))
    groups = np.array_split(np.argsort(expected, kind="stable"), BINS)
    return [(float(expected[g].mean()), float(f1[g].mean()), len(g) / len(pages)) for g in groups]


def lost_by_least(pages: Sequence[Trust]) -> float:
    """Return which share of the lost F1 the least trusted pages hold."""
    ranked = sorted(pages, key=lambda page: page.expected)
    least = ranked[: int(len(ranked) * LEAST)]
    return sum(1 - page.f1 for page in least) / sum(1 - page.f1 for page in pages)


def report(pages: Sequence[Trust]) -> str:
    """Return all of it as text."""
    lines = [
        f"{len(pages)} pages, calibration error {calibration_error(pages):.4f}, the {LEAST:.0%} least trusted hold"
    ]
    lines[0] += f" {lost_by_least(pages):.1%} of the lost F1"
    lines += [f"expected {expected:.3f}  got {got:.3f}" for expected, got, _ in reliability(pages)]
    for name in sorted({page.page_set for page in pages}):
        own = [page for page in pages if page.page_set == name]
        lines.append(f"{name:<14}{calibration_error(own):.4f}{lost_by_least(own):9.1%}{len(own):6d}")
    return "\n".join(lines)


def draw_reliability(pages: Sequence[Trust]) -> str:
    """Return the diagram as SVG: the mean F1 of ten groups of pages against what was expected of them."""
    side, edge, least = 420.0, 50.0, 0.3  # no group of pages is below

    def at(value: float) -> float:
        return edge + (value - least) / (1 - least) * side

    high = side + 2 * edge
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {high:g} {high:g}" font-family="sans-serif">']
    parts.append(f'<rect width="{high:g}" height="{high:g}" fill="#fff"/>')
    for tick in range(3, 11):
        x, label = at(tick / 10), f"{tick / 10:.1f}"
        parts.append(f'<path d="M{x:.1f} {edge}V{edge + side}M{edge} {high - x:.1f}H{edge + side}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{high - 30:g}" font-size="13" text-anchor="middle">{label}</text>')
        parts.append(f'<text x="{edge - 8:g}" y="{high - x + 4:.1f}" font-size="13" text-anchor="end">{label}</text>')
    parts.append(f'<path d="M{edge} {edge + side}L{edge + side} {edge}" stroke="#999" stroke-dasharray="4"/>')
    points = [(at(max(expected, least)), high - at(max(got, least))) for expected, got, _ in reliability(pages)]
    parts.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}" fill="none" stroke="#1b6"/>')
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#1b6"/>' for x, y in points]
    parts.append(f'<text x="{high / 2:g}" y="{high - 10:g}" font-size="14" text-anchor="middle">expected F1</text>')
    parts.append(f'<text x="{edge}" y="{edge - 14:g}" font-size="14">F1, mean of groups of a tenth of the pages</text>')
    return "\n".join((*parts, "</svg>\n"))
