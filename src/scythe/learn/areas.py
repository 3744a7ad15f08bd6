"""Learn where the relevant images of a layout stand: judged pages come in, rules for elements that hold them go out.

The element of the main text holds most of them and is known; others, such as a lead picture above it, are learned like
any field. A layout gets rules for nearly all of its relevant images or none at all: then its pages are read by the
tree, so that nothing is missing without a sign.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from scythe.learn.image_boxes import JudgedPage, PageBoxes, shared_keys
from scythe.learn.image_scores import score_areas
from scythe.learn.markers import learn_way
from scythe.page.follow import lead_to, span_of
from scythe.page.image_areas import labels_around, shows_image
from scythe.page.image_named import find_named, is_outside
from scythe.page.source import Source
from scythe.rules import FLOW, FieldRules, ImageArea, ImageRules, Way

__all__ = ["JudgedPage", "LearnedAreas", "learn_areas"]

_LEAST_PAGES = 2
_MISSED = 0.1  # of the relevant images may stand in no area
_ONE_OF = 5  # relevant images of which one may: reading slips now and then
_ENOUGH = 0.98  # of them: no further area is looked for
_STRAY = 0.1  # of the pages may have a relevant image by mistake, on a layout that has none
_AREAS = 5
_TRIED = 6  # candidates for one area that rules are learned for
_AREA_COST = 0.15  # of one more area, in shares of a page
_EXTRA_COST = 0.05  # of an irrelevant image inside
_FULFILLED = 0.9  # of what a candidate promises its rules must find

_NOTHING = ImageRules()

Wanted = frozenset[tuple[int, int]]  # pages and images, by number


class LearnedAreas(NamedTuple):
    """Rules for the images of a layout; without, why."""

    rules: ImageRules = ImageRules()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """Ways to an element, where they lead on each page (None: nowhere), and the relevant images inside."""

    ways: tuple[Way, ...]  # () for the element of the text
    places: tuple[int | None, ...]
    covered: Wanted


def learn_areas(pages: Sequence[JudgedPage], text: FieldRules | None, old: ImageRules = _NOTHING) -> LearnedAreas:
    """Learn the areas of pages of one layout; `text` are the rules for its main text, if it has any.

    Areas of `old` rules are kept and tried first, and what they say of kinds of images that the pages do not show.
    """
    if len(pages) < _LEAST_PAGES and not old.pages:
        return LearnedAreas(why=f"{len(pages)} page: learning needs {_LEAST_PAGES} of one layout")
    boxes = [PageBoxes(page) for page in pages]
    wanted = frozenset((i, image) for i, page in enumerate(boxes) for image in page.relevant)
    present = len({page for page, _ in wanted})
    if present <= _STRAY * len(pages) and not old.areas:
        named = old.named + _count_named(boxes, (), {page for page, _ in wanted})
        return LearnedAreas(ImageRules(pages=old.pages + len(pages), present=old.present + present, named=named))
    known = [_follow_known(boxes, area, text) for area in old.areas if area.ways or text is not None]
    chosen = choose_areas(boxes, wanted, text, known)
    found: Wanted = frozenset().union(*(area.covered for area in chosen))
    if not chosen or len(wanted) - len(found) > max(_MISSED * len(wanted), len(wanted) >= _ONE_OF):
        return LearnedAreas(why=f"{len(found)} of {len(wanted)} relevant images stand in an element that rules lead to")
    rules = _rules(pages, chosen, old, present)
    elsewhere = {page for page, _ in wanted - found}
    return LearnedAreas(replace(rules, named=old.named + _count_named(boxes, chosen, elsewhere)))


def choose_areas(
    boxes: Sequence[PageBoxes], wanted: Wanted, text: FieldRules | None, known: Sequence[Area] = ()
) -> list[Area]:
    """Choose the element of the text, where it holds any, then those that hold most of the others for their size."""
    chosen = list(known)
    if text is not None and all(area.ways for area in known):
        own = _follow_text(boxes, text)
        chosen += [own] if own.covered else []
    left = wanted.difference(*(area.covered for area in chosen))
    while len(left) > (1 - _ENOUGH) * len(wanted) and len(chosen) < len(known) + _AREAS:
        best = next(_candidates(boxes, left), None)
        if best is None:
            break
        chosen.append(best)
        left -= best.covered
    return _drop_nested(boxes, chosen, len(known))


def _candidates(boxes: Sequence[PageBoxes], left: Wanted) -> Iterator[Area]:
    """Yield areas that rules lead to, the best first."""
    drafts: list[tuple[float, str]] = []
    least = max(_LEAST_PAGES, round(_STRAY * len({page for page, _ in left}))) if len(boxes) > 1 else 1
    for key in shared_keys(boxes, least):
        targets = _targets(boxes, key)
        gain = _inside(boxes, targets) & left
        if len({page for page, _ in gain}) >= least:
            drafts.append((len(gain) / _cost(boxes, targets), key))
    drafts.sort(key=lambda draft: (-draft[0], len(draft[1]), draft[1]))
    seen: set[tuple[int | None, ...]] = set()
    for _, key in drafts:
        targets = _targets(boxes, key)
        if targets in seen or len(seen) >= _TRIED:
            continue
        seen.add(targets)
        area = _learn_area(boxes, key, targets)
        if area is not None and len(area.covered & left) >= _FULFILLED * len(_inside(boxes, targets) & left):
            yield area


def _targets(boxes: Sequence[PageBoxes], key: str) -> tuple[int | None, ...]:
    return tuple(page.by_key[key].offset if key in page.by_key else None for page in boxes)


def _learn_area(boxes: Sequence[PageBoxes], key: str, targets: Sequence[int | None]) -> Area | None:
    """Learn rules to the element of a name; pages on which it is not clear which one is meant are left out."""
    sources: list[Source] = []
    places: list[int | None] = []
    for page, target in zip(boxes, targets, strict=True):
        others = page.find(key) if target is None else []
        if len(others) <= 1:
            sources.append(page.judged.source)
            places.append(target if target is not None else next(iter(others), None))
    way = learn_way(sources, places, FLOW)
    if way is None:
        return None
    astray = (lead_to(source, (way,)) for source, place in zip(sources, places, strict=True) if place is None)
    return None if any(astray) else _follow_area(boxes, (way,))


def _follow_known(boxes: Sequence[PageBoxes], area: ImageArea, text: FieldRules | None) -> Area:
    return _follow_text(boxes, text) if not area.ways and text is not None else _follow_area(boxes, area.ways)


def _follow_text(boxes: Sequence[PageBoxes], text: FieldRules) -> Area:
    return replace(_follow_area(boxes, text.ways), ways=())


def _follow_area(boxes: Sequence[PageBoxes], ways: tuple[Way, ...]) -> Area:
    openings = [lead_to(page.judged.source, ways) for page in boxes]
    places = tuple(opening.offset if opening is not None else None for opening in openings)
    return Area(ways, places, _inside(boxes, places))


def _inside(boxes: Sequence[PageBoxes], places: Sequence[int | None]) -> Wanted:
    found: set[tuple[int, int]] = set()
    for number, (page, place) in enumerate(zip(boxes, places, strict=True)):
        box = page.boxes.get(place) if place is not None else None
        if box is not None:
            found.update((number, image) for image in box.relevant)
    return frozenset(found)


def _cost(boxes: Sequence[PageBoxes], places: Sequence[int | None]) -> float:
    """Return what an area costs a page: small and pure ones are read faster and judged better."""
    pairs = [(page, place) for page, place in zip(boxes, places, strict=True) if place is not None]
    extra = sum(page.boxes[place].others for page, place in pairs if place in page.boxes)
    size = sum(page.size(place) for page, place in pairs)
    return _AREA_COST + (size + _EXTRA_COST * extra) / max(1, len(pairs))


def _drop_nested(boxes: Sequence[PageBoxes], areas: Sequence[Area], known: int) -> list[Area]:
    """Leave out areas that are inside another wherever they are, but for the first `known`."""
    spans = [[_span(page, place) for page, place in zip(boxes, area.places, strict=True)] for area in areas]
    kept = list(areas[:known])
    for i in range(known, len(areas)):
        present = [at for at, span in enumerate(spans[i]) if span is not None]
        around = [other for j, other in enumerate(spans) if j != i and not (j > i and other == spans[i])]
        if not any(all(_is_inside(spans[i][at], other[at]) for at in present) for other in around):
            kept.append(areas[i])
    return kept


def _span(page: PageBoxes, place: int | None) -> tuple[int, int] | None:
    opening = page.judged.source.at(place) if place is not None else None
    return span_of(page.judged.source, opening, Way(FLOW, ())) if opening is not None else None


def _is_inside(inner: tuple[int, int] | None, outer: tuple[int, int] | None) -> bool:
    return inner is not None and outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def _count_named(boxes: Sequence[PageBoxes], areas: Sequence[Area], without: Collection[int]) -> int:
    """Count the pages that show an image outside of all areas which they name as their own, some left out."""
    count = 0
    for number, page in enumerate(boxes):
        if number in without:
            continue
        spans = [span for area in areas if (span := _span(page, area.places[number])) is not None]
        count += is_outside(find_named(page.judged.source.body), spans)
    return count


def _rules(pages: Sequence[JudgedPage], chosen: Sequence[Area], old: ImageRules, present: int) -> ImageRules:
    before = {area.ways: area for area in old.areas}
    areas: list[ImageArea] = []
    for area in chosen:
        known = before.get(area.ways, ImageArea(pages=old.pages))
        here = sum(_has_area(page, place, area) for page, place in zip(pages, area.places, strict=True))
        path = known.path or _path(pages, area)
        areas.append(ImageArea(area.ways, path, 0, known.pages + len(pages), known.present + here))
    rules = replace(old, areas=tuple(areas), pages=old.pages + len(pages), present=old.present + present)
    return score_areas(rules, pages, [area.places for area in chosen])


def _has_area(page: JudgedPage, place: int | None, area: Area) -> bool:
    opening = page.source.at(place) if place is not None else None
    return opening is not None and (not area.ways or shows_image(opening.node))


def _path(pages: Sequence[JudgedPage], area: Area) -> tuple[str, ...]:
    """Return the labels of an area and of what is around it, as most pages have them."""
    seen: dict[tuple[str, ...], int] = {}
    for page, place in zip(pages, area.places, strict=True):
        opening = page.source.at(place) if place is not None else None
        if opening is not None:
            path = labels_around(opening.node)
            seen[path] = seen.get(path, 0) + 1
    return max(seen, key=lambda path: seen[path], default=())
