"""Learn where the relevant images of a layout are.

Most are in the main text; other areas, such as a lead picture, are learned like a field. A layout gets rules for nearly
all of its relevant images or none, so that nothing is missing silently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.model import RELEVANT, PageImages, SiteImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.page.source import MARK, Source, read_source
from scythe.site.cut.cutter import Dispatcher
from scythe.site.follow.follow_fields import lead_to, span_of
from scythe.site.follow.follow_images import AreaImage, find_named, is_outside, labels_around, see_area, shows_image
from scythe.site.judge_images import ImageJudge
from scythe.site.labels.annotators import agreed_marks
from scythe.site.learn.main_text import name_element
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import FLOW, FieldRules, ImageArea, ImageRules, Layout, Profile, Way

_IMAGES = 1_000  # of a page that are looked at
_CLIMBED = 60  # elements around an image
_WHOLE = Way(FLOW, ())
_NO_AREA = frozenset({"a", "picture", "noscript"})  # what is looked at to read or judge an image stays inside its area


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """One page of a layout: its bytes tied to its tree, and how likely each of its images is relevant."""

    source: Source
    page: Page  # shares the tree of the source
    scores: Sequence[float]  # of `page.images`


@dataclass(slots=True)
class Box:
    """An element with images inside, the relevant ones by number, and the names it may have on other pages."""

    offset: int
    keys: tuple[str, ...]
    relevant: set[int] = field(default_factory=set)
    others: int = 0


class PageBoxes:
    """The elements around the images of one page."""

    def __init__(self, judged: JudgedPage) -> None:
        self.judged = judged
        self.boxes: dict[int, Box] = {}
        self._named: dict[str, dict[int, tuple[str, ...]]] = {}  # tag -> names of all its elements, by offset
        self._sizes: dict[int, float] = {}
        nodes = {node.mem_id: node for node in judged.page.tree.css("img,amp-img")}
        for number, use in enumerate(judged.page.images[:_IMAGES]):
            node = nodes.get(use.node_id)
            if node is not None:
                self._climb(node, number, judged.scores[number] >= RELEVANT)

    @property
    def relevant(self) -> set[int]:
        """Numbers of the images that are rather relevant than not."""
        scores = self.judged.scores[: min(_IMAGES, len(self.judged.page.images))]
        return {number for number, score in enumerate(scores) if score >= RELEVANT}

    @cached_property
    def by_key(self) -> dict[str, Box]:
        """Of each name, the box that holds most relevant images."""
        best: dict[str, Box] = {}
        for box in self.boxes.values():
            for key in box.keys if box.relevant else ():
                if key not in best or len(best[key].relevant) < len(box.relevant):
                    best[key] = box
        return best

    def find(self, key: str) -> list[int]:
        """Return where elements of a name begin, whatever they hold."""
        tag = _tag_of(key)
        if tag not in self._named:
            source = self.judged.source
            found = (one for one in source.openings if one.shown and one.name == tag)
            self._named[tag] = {one.offset: _keys(one.node) for one in found}
        return [offset for offset, keys in self._named[tag].items() if key in keys]

    def size(self, offset: int) -> float:
        """Return the share of the page's bytes that an element takes."""
        if offset not in self._sizes:
            source = self.judged.source
            opening = source.at(offset)
            start, end = span_of(source, opening, _WHOLE) if opening is not None else (0, 0)
            self._sizes[offset] = (end - start) / max(1, len(source.body))
        return self._sizes[offset]

    def _climb(self, node: LexborNode, number: int, is_relevant: bool) -> None:
        above = node.parent
        for _ in range(_CLIMBED):
            if above is None or above.tag in ("html", "body"):
                return
            box = self._box(above)
            if box is not None:
                if is_relevant:
                    box.relevant.add(number)
                else:
                    box.others += 1
            above = above.parent

    def _box(self, node: LexborNode) -> Box | None:
        mark = node.attributes.get(MARK) or ""
        if not mark.isdecimal() or node.tag in _NO_AREA:
            return None
        offset = int(mark)
        if offset not in self.boxes:
            opening = self.judged.source.at(offset)
            if opening is None or not opening.shown:
                return None
            self.boxes[offset] = Box(offset, _keys(node))
        return self.boxes[offset]


def shared_keys(pages: Sequence[PageBoxes], least: int) -> list[str]:
    """Return the names of boxes with relevant images that so many pages have."""
    counts: dict[str, int] = defaultdict(int)
    for page in pages:
        for key in page.by_key:
            counts[key] += 1
    return [key for key, count in counts.items() if count >= least]


def _keys(node: LexborNode) -> tuple[str, ...]:
    path: list[str] = []
    above: LexborNode | None = node
    while above is not None and len(path) < _CLIMBED and above.tag not in ("html", "body"):
        path.append(above.tag or "")
        above = above.parent
    return (*name_element(node.tag or "", node.attributes), "/".join(path))


def _tag_of(key: str) -> str:
    for at, char in enumerate(key):
        if char in "#.[/":
            return key[:at]
    return key


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


_PAGES = 40  # of a layout whose images are looked at: more say nothing new


@dataclass(frozen=True, slots=True)
class ImageLesson:
    """One page to learn images from: its bytes tied to its tree, and what is around its images."""

    source: Source
    page: Page  # shares the tree of the source
    images: PageImages  # one to one with those of the page


def make_image_page(source: Source, page: Page) -> ImageLesson:
    """Look around the images of a page."""
    plain = Page.from_bytes(source.body, url=page.url)  # whose tags are written without marks
    same = len(plain.images) == len(page.images)
    return ImageLesson(source, page, read_image_contexts(plain if same else page))


class ImageAreaLearner:
    """Learns areas of images by what is known of the images of a site, people's labels among it."""

    def __init__(self, known: SiteImages) -> None:
        self._judge = ImageJudge(known)
        self._labelled = {_version(each.page): each for each in known.labelled if each.page.url}

    def learn(
        self, lessons: Sequence[ImageLesson], fields: Sequence[FieldRules], old: ImageRules | None = None
    ) -> LearnedAreas:
        """Learn where relevant images stand on pages of one layout with these fields; `old` rules are added to."""
        judged = [JudgedPage(one.source, one.page, self._score(one)) for one in lessons[:_PAGES]]
        text = next((rules for rules in fields if rules.name == "text"), None)
        if text is not None and any(way.take != FLOW or way.repeats for way in text.ways):
            text = None  # it was shown by example and may be less than the element
        return learn_areas(judged, text, old or ImageRules())

    def _score(self, lesson: ImageLesson) -> list[float]:
        """Judge the images of a page; what people agreed on is so."""
        scores = self._judge.score_page(lesson.page, lesson.images)
        labelled = self._labelled.get(_version(lesson.images))
        if labelled is not None:
            for row, is_relevant in agreed_marks(labelled).items():
                scores[row] = float(is_relevant)
        return scores


def _version(page: PageImages) -> tuple[str, tuple[str, ...]]:
    """Tell a page from others, and from itself with other images."""
    return page.url, tuple(image.src for image in page.images)


def relearn_images(profile: Profile, pages: Iterable[tuple[str | None, bytes]]) -> Profile:
    """Learn areas and scores of images again on pages at hand, as after people marked images on them.

    Areas known before are kept. What the pages show is judged anew; of the rest the profile keeps what it knew.
    """
    dispatcher = Dispatcher(profile.layouts)
    teacher = ImageAreaLearner(profile.images)
    own: dict[int, list[ImageLesson]] = defaultdict(list)
    for url, body in pages:
        number = dispatcher.pick(body, url)
        if number is not None:
            source = read_source(body)
            own[number].append(make_image_page(source, Page.from_bytes(body, url=url).with_tree(source.tree)))
    layouts = [_relearn(layout, own[i], teacher) if i in own else layout for i, layout in enumerate(profile.layouts)]
    return replace(profile, layouts=tuple(layouts))


def _relearn(layout: Layout, lessons: Sequence[ImageLesson], teacher: ImageAreaLearner) -> Layout:
    learned = teacher.learn(lessons, layout.fields, layout.images)
    return layout if learned.why else replace(layout, images=learned.rules)
