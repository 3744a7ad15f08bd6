"""Learn what was shown and try it on all pages at hand: pages with examples come in, a table with doubts goes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scythe.extracting.harvest import Harvester, sterner
from scythe.learn.texts import words_of
from scythe.model import Field
from scythe.page.dates import to_iso
from scythe.page.follow import element_text, follow
from scythe.page.source import Opening, Source, unmark
from scythe.rules import ELEMENT, TAIL, FieldRules, Layout, Profile
from scythe.teaching.teach import Example, Lesson, learn_profile
from scythe.teaching.teach_fields import Taught, teach_fields
from scythe.web.fields_doubt import DOUBTFUL, Doubt, Found, Usually, doubt
from scythe.web.fields_sheet import Sheet, squeeze

_SNIPPET = 48  # characters on each side of a value
_AROUND_CHARS = 4_000  # of an element whose text is shown around a value
_CLIMB = 4  # elements around a value
_HALF = 0.5  # of the pages of another layout that must give a field, before they are shown
_VALUE_CHARS = 500  # of a value that are shown


Earlier = Mapping[tuple[int, str], tuple[str, ...]]  # by page and field


@dataclass(frozen=True, slots=True)
class Cell:
    """What the rules find for one field on one page."""

    name: str
    state: str  # shown (by somebody), none (somebody said so), found, missing
    values: tuple[str, ...]
    more: int  # values that are not listed
    before: str  # text in front of the first value ...
    after: str  # ... and behind it
    how: str
    doubt: float
    reasons: tuple[str, ...]
    elements: tuple[int, ...]  # where it stands
    shown: tuple[str, ...] | None  # what somebody said


@dataclass(frozen=True, slots=True)
class Row:
    """One page of the table."""

    page: int
    title: str
    name: str
    layout: str
    doubt: float  # the highest of its cells
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """What was learned, and what it gives on the pages."""

    profile: Profile
    taught: Taught
    names: tuple[str, ...]
    rows: tuple[Row, ...]  # doubtful ones first
    raw: Earlier  # values as the pages spell them
    others: int  # pages of other kinds, on which nothing was shown and nothing found
    changed: Mapping[str, int]  # by field: pages on which something else was found before the last change

    @property
    def doubtful(self) -> int:
        """How many cells are worth a look."""
        return sum(cell.doubt >= DOUBTFUL for row in self.rows for cell in row.cells)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What is known of one page and field before it is judged."""

    found: Found
    raw: tuple[str, ...] = ()
    openings: tuple[Opening, ...] = ()
    take: str = ELEMENT


_Page = tuple[Sheet, str, dict[str, _Tried]]  # with the name of its layout, and what is known by field
Step = Callable[[int], None]


def make_base(lessons: Sequence[Lesson]) -> Profile:
    """Return layouts of pages without any field, where nothing is known of a site yet."""
    return learn_profile(lessons, ())[0]


def teach(base: Profile, sheets: Sequence[Sheet], examples: Sequence[Example | None]) -> Taught:
    """Learn what was shown on some of the pages."""
    lessons = [replace(sheet.lesson, example=example) for sheet, example in zip(sheets, examples, strict=True)]
    return teach_fields(base, lessons)


def try_out(
    taught: Taught,
    names: Sequence[str],
    sheets: Sequence[Callable[[], Sheet]],
    examples: Sequence[Example | None],
    step: Step,
    earlier: Earlier,
) -> Trial:
    """Extract all pages by what was learned, and judge what comes of it. The pages learned from come first.

    `earlier` has what was found before the last change.
    """
    harvester = Harvester(taught.profile, tuple(names))
    denied = _denied(taught, examples)
    rows: list[_Page] = []
    foreign: dict[str, list[_Page]] = {}
    for number, (open_sheet, example) in enumerate(zip(sheets, examples, strict=True)):
        step(number)
        sheet = open_sheet()
        harvest = harvester.harvest(sheet.lesson.source.body, sheet.lesson.url, "auto")
        layout = harvest.layout.name if harvest.layout is not None else ""
        if example is None and layout not in taught.shown_on:
            wanted = [name for name in names if (layout, name) not in denied]
            foreign.setdefault(layout, []).append((sheet, layout, _try_elsewhere(taught, names, wanted, sheet)))
            continue
        fields = harvest.document.fields
        tried = {name: _try_here(_rules(harvest.layout, name), fields[name], sheet.lesson.source) for name in names}
        rows.append((sheet, layout, _heed(tried, example or {}, is_other_kind=layout not in taught.shown_on)))
    kept = [row for group in foreign.values() if _gives_enough(group) for row in group if _has_any(row)]
    others = sum(map(len, foreign.values())) - len(kept)
    return _judge(taught, tuple(names), [_compare(row, earlier) for row in (*_ask_second(rows), *kept)], others)


def _compare(row: _Page, earlier: Earlier) -> _Page:
    """Add what was found before, where it was something else."""
    sheet, layout, tried = row
    compared = {}
    for name, one in tried.items():
        was = earlier.get((sheet.at_hand.number, name))
        is_new = was is not None and [*map(words_of, was)] != [*map(words_of, one.raw)]
        compared[name] = replace(one, found=replace(one.found, earlier=was)) if is_new else one
    return sheet, layout, compared


def _ask_second(rows: Sequence[_Page]) -> list[_Page]:
    """Mark the page that should be looked at next for fields that only one page was shown for: a common one.

    Two pages tell places apart that look alike on one. A page that lacks something would say less.
    """
    shown = Counter(name for _, _, tried in rows for name, one in tried.items() if one.found.shown)
    single = [name for name, count in shown.items() if count == 1]

    def worth(row: _Page) -> int:
        return sum(row[2][name].found.shown is None and bool(row[2][name].found.values) for name in single)

    best = max(rows, key=worth, default=None)
    if best is None or not worth(best):
        return list(rows)
    asked = {
        name: replace(one, found=replace(one.found, is_second=one.found.shown is None)) if name in single else one
        for name, one in best[2].items()
    }
    return [(sheet, layout, asked if tried is best[2] else tried) for sheet, layout, tried in rows]


def _denied(taught: Taught, examples: Sequence[Example | None]) -> set[tuple[str, str]]:
    """Return layouts without rules of which somebody said that a page has no such field: its like have none either."""
    pairs = zip(taught.layouts, examples, strict=False)
    return {(layout or "", name) for layout, shown in pairs for name, values in (shown or {}).items() if not values}


def _heed(tried: dict[str, _Tried], example: Example, *, is_other_kind: bool) -> dict[str, _Tried]:
    """Add what somebody said of a page."""
    return {
        name: replace(
            one,
            found=replace(
                one.found,
                shown=tuple(example[name]) if name in example else None,
                is_other_kind=is_other_kind and name not in example,
            ),
        )
        for name, one in tried.items()
    }


def _gives_enough(group: Sequence[_Page]) -> bool:
    return sum(map(_has_any, group)) >= _HALF * len(group)


def _has_any(row: _Page) -> bool:
    return any(one.found.values for one in row[2].values())


def _rules(layout: Layout | None, name: str) -> FieldRules | None:
    return next((rules for rules in layout.fields if rules.name == name), None) if layout else None


def _try_here(rules: FieldRules | None, field: Field, source: Source) -> _Tried:
    """Compare what was extracted with what the tree and the further ways give."""
    values, how = field.values, field.how
    got = [(way, follow(source, way, loosely=False)) for way in rules.ways] if rules else []
    there = [(way, found) for way, found in got if any(found.values)]
    if not there:
        return _Tried(Found(values, how), values)
    way, first = next(((way, found) for way, found in there if _is_same(found.values, values, rules)), there[0])
    known = {words_of(value) for value in (*values, *first.values)}
    others = [found.values[0] for _, found in there if not known & {words_of(value) for value in found.values}]
    by_tree = tuple(map(_iso, first.values)) if rules and rules.name == "date" else first.values
    found = Found(values, how, by_tree, tuple(dict.fromkeys(others)))
    return _Tried(found, first.values if values else (), first.openings if values else (), way.take)


def _is_same(raw: Sequence[str], values: Sequence[str], rules: FieldRules | None) -> bool:
    as_given = [_iso(value) for value in raw] if rules and rules.name == "date" else list(raw)
    return [*map(words_of, as_given)] == [*map(words_of, values)]


def _iso(value: str) -> str:
    return to_iso(value) or value


def _try_elsewhere(taught: Taught, names: Sequence[str], wanted: Sequence[str], sheet: Sheet) -> dict[str, _Tried]:
    """Follow the rules, more sternly, on a page of a kind that nothing was shown on."""
    source = sheet.lesson.source
    tried = {name: _Tried(Found((), "missing: a page of another kind", is_other_kind=True)) for name in names}
    for layout in taught.profile.layouts:
        if layout.name not in taught.shown_on:
            continue
        for rules in layout.fields:
            if rules.name not in wanted or tried[rules.name].found.values:
                continue
            way = sterner(rules).ways[0]
            got = follow(source, way, loosely=False)
            if any(got.values):
                found = Found(got.values, "tree: by the rules of another layout", is_other_kind=True)
                tried[rules.name] = _Tried(found, got.values, got.openings, way.take)
    return tried


def _judge(taught: Taught, names: tuple[str, ...], rows: Sequence[_Page], others: int) -> Trial:
    usually = {name: Usually.of([tried[name].found for _, _, tried in rows]) for name in names}
    made: list[Row] = []
    raw: dict[tuple[int, str], tuple[str, ...]] = {}
    for sheet, layout, tried in rows:
        cells = [_cell(name, tried[name], doubt(tried[name].found, usually[name]), sheet) for name in names]
        page = sheet.at_hand
        title = squeeze(sheet.lesson.page.head.title)[:200]
        made.append(Row(page.number, title, page.url or page.name, layout, max(c.doubt for c in cells), tuple(cells)))
        raw |= {(page.number, name): one.raw for name, one in tried.items()}
    made.sort(key=lambda row: (-row.doubt, not any(cell.values for cell in row.cells), row.page))
    changed = {name: each.changed for name, each in usually.items()}
    return Trial(taught.profile, taught, names, tuple(made), raw, others, changed)


def _cell(name: str, tried: _Tried, judged: Doubt, sheet: Sheet) -> Cell:
    found = tried.found
    values = tuple(value[:_VALUE_CHARS] for value in found.values[:10])
    state = "none" if found.shown == () else "shown" if found.shown is not None else "found" if values else "missing"
    before, after = _around(tried)
    elements = [_element(sheet, opening, tried.take) for opening in tried.openings[:50]] if sheet.is_tied else []
    return Cell(
        name,
        state,
        values,
        max(0, len(found.values) - len(values)),
        before,
        after,
        found.how,
        judged.share,
        judged.reasons,
        tuple(number for number in elements if number is not None),
        found.shown,
    )


def _element(sheet: Sheet, opening: Opening, take: str) -> int | None:
    """Return the number of the element to point at: of a text behind an element, what both stand in."""
    return sheet.number(opening.node.parent if take == TAIL else opening.node)


def _around(tried: _Tried) -> tuple[str, str]:
    """Return what stands in front of and behind a value, from the nearest element that says more than it."""
    if not tried.openings or not tried.raw:
        return "", ""
    value = tried.raw[0]
    node = tried.openings[0].node
    for _ in range(_CLIMB):
        text = squeeze(unmark(element_text(node)))
        at = text.find(value)
        if at >= 0 and len(text) > len(value):
            return _end(text[:at]), _start(text[at + len(value) :])
        parent = node.parent
        if parent is None or len(text) > _AROUND_CHARS:
            break
        node = parent
    return "", ""


def _end(text: str) -> str:
    return text if len(text) <= _SNIPPET else f"\u2026{text[-_SNIPPET:]}"


def _start(text: str) -> str:
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET]}\u2026"
