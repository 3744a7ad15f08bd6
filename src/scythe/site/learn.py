"""Learn the layouts of a site page by page, from pages that are read anyway.

Four pages of a layout settle a rule that is sure, six any other. A page that the rule of its layout does not fit begins
a child layout with evidence of its own; a layout whose pages show no rule rests for a while before it is tried again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scythe.limits import LIMITS
from scythe.model import PageKind
from scythe.site.drift import usual_of
from scythe.site.evidence import PageEvidence, evidence_of, stack
from scythe.site.extract import cut_place, cut_text
from scythe.site.layout_marks import KnownLayout, LayoutIndex, LayoutMarks, MappedPage
from scythe.site.page_fields import ColdValues, PlaceLearner
from scythe.site.rules import FieldRules, Layout, TextRule
from scythe.site.run_labels import label_runs
from scythe.site.select import Selector, with_name
from scythe.site.text_rules import EMPTY_WORDS, TextLearner

# pages of a layout that are read: for a rule that is sure, for any other, to give up
SURE_PAGES, SETTLED_PAGES, LAST_PAGES = 4, 6, 12
_SCORES = {SURE_PAGES: 0.95, SETTLED_PAGES: 0.5, LAST_PAGES: 0.35}  # expected F1 that a rule needs by then
_FEW_SCORE = 0.6  # ... where no more pages come
_EMPTY_PAGES = 0.8
_STRAY = 0.25  # share of the pages on which reading may think to see a field that they do not have
_PAUSES = (12, 24, 48)  # pages of a fruitless layout before it is tried again
_DEEPEST = 3  # children of children
PLACED = ("title", "author", "date")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page that was read cold."""

    page: MappedPage
    texts: Sequence[str]  # of its blocks
    kept: tuple[int, ...]  # of these
    values: ColdValues
    kind: PageKind


@dataclass(slots=True)
class Lesson:
    """What has been seen of a layout that is being learned."""

    evidence: list[PageEvidence] = field(default_factory=list)
    pages: list[ReadPage] = field(default_factory=list)
    rest: int = 0  # pages to come before it is tried again
    failures: int = 0


class LayoutLearner:
    """Learns the layouts of an index. `names` are the fields wanted, of text, title, author and date."""

    def __init__(self, index: LayoutIndex, names: Sequence[str]) -> None:
        self._index = index
        self._names = names
        self._lessons: dict[int, Lesson] = {}
        self._count = 0

    def meet(self, known: KnownLayout | None, page: MappedPage) -> KnownLayout | None:
        """Count a page of a layout, or of a new one, without learning from it; None where there are too many."""
        known = known or self._begin(None)
        if known is not None:
            self._index.observe(known, page)
        return known

    def finish(self) -> None:
        """Learn as well as possible from what there is: no more pages may come."""
        for known in list(self._index):
            lesson = self._lessons.get(id(known))
            if lesson is not None and len(lesson.pages) > 1 and len(lesson.pages) != known.layout.pages:
                self._learn(known, lesson, min(_SCORES.get(len(lesson.pages), 1.0), _FEW_SCORE))

    def take(self, known: KnownLayout | None, read: ReadPage, *, fits: bool) -> KnownLayout | None:
        """Learn from a page; return the layout whose rules changed, None where nothing did.

        `fits` says that the rule of the layout's text leads somewhere on the page.
        """
        if known is None or (known.layout.is_settled and known.text is not None and not fits):
            known = self._begin(known)
            if known is None:
                return None
        if known.layout.is_settled:
            return None
        self._index.observe(known, read.page)
        if len(known.samples) < SETTLED_PAGES and not any(
            page.source == read.page.map.source for page, _ in known.samples
        ):
            known.samples.append((read.page.map, read.values.url))
        lesson = self._lessons.setdefault(id(known), Lesson())
        if lesson.rest:
            lesson.rest -= 1
            return None
        if any(read.page.map.source == other.page.map.source for other in lesson.pages):
            return None  # what repeats on one page and its copy is no constant
        keyed = read.page.keyed
        lesson.evidence.append(evidence_of(read.page.map, keyed, read.texts, read.kept, read.values.title))
        lesson.pages.append(read)
        need = _SCORES.get(len(lesson.pages))
        return self._learn(known, lesson, need) if need is not None else None

    def _begin(self, parent: KnownLayout | None) -> KnownLayout | None:
        """Add a layout, or a child of one."""
        if sum(1 for _ in self._index) >= LIMITS.profile_layouts:
            return None
        known = KnownLayout(Layout(self._free_name(), parent=parent.layout.name if parent is not None else ""))
        if parent is None:
            self._index.add(known)
            return known
        if self._index.depth_of(parent) >= _DEEPEST:
            return None
        parent.child = known
        return known

    def _free_name(self) -> str:
        taken = {known.layout.name for known in self._index}
        while f"layout-{self._count + 1}" in taken:
            self._count += 1
        self._count += 1
        return f"layout-{self._count}"

    def _learn(self, known: KnownLayout, lesson: Lesson, need: float) -> KnownLayout | None:
        """Choose rules by all evidence there is; None where that is too little for a rule of the score needed."""
        count = len(lesson.pages)
        rule, is_empty = self._learn_text(lesson.evidence) if "text" in self._names else (None, False)
        if rule is not None and rule.score < need:
            rule = None
        is_found = rule is not None or "text" not in self._names
        if count == SURE_PAGES and need > _FEW_SCORE and not is_found:
            return None
        is_settled = (count >= SURE_PAGES and is_found) or is_empty
        if not is_settled and count == LAST_PAGES:
            self._give_up(lesson)
        shown = tuple(rules for rules in known.layout.fields if rules.values is not None)
        fields = (*self._fields(lesson, rule), *shown)
        kind, kind_score = _usual_kind(lesson.pages)
        known.layout = replace(
            known.layout,
            fields=fields,
            pages=count,
            kind=kind,
            kind_score=kind_score,
            is_settled=is_settled,
            is_empty=is_empty and rule is None,
            absent=tuple(name for name in self._names if name in PLACED and _is_absent(name, lesson.pages, fields)),
        )
        known.outside = LayoutMarks()
        if rule is not None:
            for read in lesson.pages:
                known.outside.observe(read.page.keys_outside(read.page.roots(rule)))
        if is_settled:
            del self._lessons[id(known)]
        return known

    def _give_up(self, lesson: Lesson) -> None:
        """Let a layout rest whose pages show no rule; what was seen of them is forgotten."""
        lesson.rest = _PAUSES[min(lesson.failures, len(_PAUSES) - 1)]
        lesson.failures += 1
        lesson.evidence.clear()
        lesson.pages.clear()

    def _learn_text(self, evidence: Sequence[PageEvidence]) -> tuple[TextRule | None, bool]:
        of = stack(evidence)
        labels = label_runs(of)
        is_empty = len(evidence) >= SETTLED_PAGES and bool(np.mean(labels.page_words < EMPTY_WORDS) >= _EMPTY_PAGES)
        return (None, True) if is_empty else (TextLearner(of, labels).learn(), False)

    def _fields(self, lesson: Lesson, rule: TextRule | None) -> list[FieldRules]:
        pages = lesson.pages
        roots = [read.page.roots(rule) if rule is not None else [] for read in pages]
        found: list[FieldRules] = []
        if rule is not None:
            cuts = zip(pages, roots, strict=True)
            texts = [(cut_text(read.page.map, rule.dropped, own).text,) if own else () for read, own in cuts]
            kept, drops = (tuple(name_selector(one, pages) for one in all_) for all_ in (rule.roots, rule.drops))
            found.append(FieldRules("text", text=replace(rule, roots=kept, drops=drops), usual=usual_of(texts)))
        placed = PlaceLearner(
            [read.page.map for read in pages],
            [read.page.keyed for read in pages],
            [read.values for read in pages],
            roots,
        )
        for name in PLACED:
            places = placed.learn(name) if name in self._names else ()
            if places:
                places = tuple(
                    replace(place, selector=name_selector(place.selector, pages)) if place.selector else place
                    for place in places
                )
                first = [
                    cut_place(read.page.map, places[0], read.values.url, inside)
                    for read, inside in zip(pages, roots, strict=True)
                ]
                values = [(value.value,) if value is not None else () for value in first]
                found.append(FieldRules(name, places=places, usual=usual_of(values)))
        return found


def _usual_kind(pages: Sequence[ReadPage]) -> tuple[str, int]:
    """Return the kind that is most probable for the pages together, and how probable it is in thousandths."""
    total: Counter[str] = Counter()
    for page in pages:
        total.update(page.kind.probabilities)
    best, score = max(total.items(), key=lambda one: one[1], default=("", 0.0))
    return best, round(1_000 * score / max(len(pages), 1))


def _is_absent(name: str, pages: Sequence[ReadPage], fields: Sequence[FieldRules]) -> bool:
    """Say whether pages lack a field: reading found it on hardly any, or mostly in the same words at no one place."""
    said = Counter(value for read in pages if (value := getattr(read.values, name)))
    if all(rules.name != name for rules in fields):
        most = max(2, said.total() / 2)
        said = Counter({value: count for value, count in said.items() if count < most})
    return said.total() <= _STRAY * len(pages)


def name_selector(selector: Selector, pages: Sequence[ReadPage]) -> Selector:
    """Return a selector with the name that its elements have on the first page with some."""
    tried = (with_name(read.page.map, selector) for read in pages)
    return next((named for named in tried if named.name), selector)
