"""Sum up how images were judged: areas and judged pages come in, scores by kind, by address and by area go out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from scythe.learn.image_boxes import JudgedPage
from scythe.page.image_areas import AreaImage, see_area
from scythe.rules import ImageRules

_MANY_PAGES = 3  # that show an address, and the least share of all: such an image is the site's, not the page's
_SHARE = 0.1
_PRIOR = 1.0  # images of the wider kind that count into the mean of a closer one
_SAME = 20  # thousandths: a closer kind that is judged like the wider one is not kept
_UNLIKE = 0.2  # an image that is judged so differently from its kind is known by its address
_MOST_KINDS = 2_000
_MOST_SOURCES = 500

Places = Sequence[int | None]


def score_areas(rules: ImageRules, pages: Sequence[JudgedPage], places: Sequence[Places]) -> ImageRules:
    """Add scores to rules: `places` says of each area where it is on each page. Scores of what is not seen are kept."""
    by_area: list[list[float]] = [[] for _ in rules.areas]
    by_key: dict[str, list[float]] = defaultdict(list)
    wider: dict[str, str] = {}
    by_source: dict[str, dict[int, tuple[float, str]]] = defaultdict(dict)
    for number, area in enumerate(rules.areas):
        for at, (page, place) in enumerate(zip(pages, places[number], strict=True)):
            for seen, score in _images(page, place, area.path):
                by_area[number].append(score)
                for key in seen.keys:
                    by_key[key].append(score)
                wider.update(zip(seen.keys, seen.keys[1:], strict=False))
                by_source[seen.use.image.src][at] = (score, seen.keys[0])
    every = [score for scores in by_area for score in scores]
    usual = sum(every) / len(every) if every else 0.0
    areas = tuple(
        replace(area, score=_thousandths((sum(own) + _PRIOR * usual) / (len(own) + _PRIOR))) if own else area
        for area, own in zip(rules.areas, by_area, strict=True)
    )
    kinds = _score_kinds(by_key, wider, usual)
    old = {key: score for key, score in rules.scores if key not in by_key}
    addresses = dict(rules.sources) | _score_sources(by_source, by_key, max(_MANY_PAGES, _SHARE * len(pages)))
    return replace(
        rules,
        areas=areas,
        scores=tuple(sorted((old | kinds).items())),
        sources=tuple(sorted(list(addresses.items())[-_MOST_SOURCES:])),
    )


def _images(page: JudgedPage, place: int | None, path: Sequence[str]) -> list[tuple[AreaImage, float]]:
    opening = page.source.at(place) if place is not None else None
    if opening is None:
        return []
    scores: dict[int, float] = {}
    for use, score in zip(page.page.images, page.scores, strict=True):
        scores.update(dict.fromkeys((use.node_id, *use.twin_ids), score))
    seen = see_area(opening.node, path, page.page.base)
    return [(one, scores[one.use.node_id]) for one in seen if one.use.node_id in scores]


def _score_kinds(by_key: dict[str, list[float]], wider: dict[str, str], usual: float) -> dict[str, int]:
    """Return the mean score of each kind, drawn towards that of the wider kind where it was seen seldom."""
    means: dict[str, float] = {}
    kept: dict[str, int] = {}
    common = sorted(by_key, key=lambda key: (key.count("<"), -len(by_key[key])))  # the wider first
    for key in common:
        around = means.get(wider.get(key, ""), usual)
        means[key] = (sum(by_key[key]) + _PRIOR * around) / (len(by_key[key]) + _PRIOR)
        is_widest = wider.get(key, key) == key
        if (is_widest or abs(means[key] - around) * 1_000 > _SAME) and len(kept) < _MOST_KINDS:
            kept[key] = _thousandths(means[key])
    return kept


def _score_sources(
    by_source: dict[str, dict[int, tuple[float, str]]], by_key: dict[str, list[float]], least: float
) -> dict[str, int]:
    """Return the scores of images that many pages show and that are not judged like their kind.

    The others need none. The thumbnail of a story on many pages may be the picture of its own page.
    """
    found: dict[str, int] = {}
    for src, seen in by_source.items():
        if len(seen) >= least:
            score = sum(score for score, _ in seen.values()) / len(seen)
            kind = by_key[next(iter(seen.values()))[1]]
            if abs(score - sum(kind) / len(kind)) > _UNLIKE:
                found[src] = _thousandths(score)
    return found


def _thousandths(score: float) -> int:
    return min(1_000, max(0, round(1_000 * score)))
