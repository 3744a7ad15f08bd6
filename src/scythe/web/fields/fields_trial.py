"""Learn picked fields, try them on all loaded pages, and rate how doubtful each value is.

A doubt is between 0 and 1; reasons count as independent, so two of one half make three quarters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from scythe.model import Field
from scythe.page.map import PageMap
from scythe.site.extract import Extractor
from scythe.site.rules import FieldRules, Profile
from scythe.site.site import Example, Site, Taught
from scythe.site.value_places import TAIL, element_text, words_of
from scythe.site.value_rules import CutValue, follow_way
from scythe.web.fields.field_pages import FieldPage, squeeze
from scythe.web.filters import shorten

DOUBTFUL = 0.3  # from here on a cell is worth a look
_MOST = 0.5  # share of pages that have a field, from which on a page without it is strange
_FEW = 3  # values before they say what is usual
_FORM = 0.8  # share of values with digits (or letters) from which on one without is strange
_TIMES = 3  # longer or shorter than the middle ...
_SPARE_CHARS = 12  # ... by at least so many characters
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")

WRONG, MISSING, STRANGE, OTHER_KIND, CANDIDATES, SAME, READ = 0.95, 0.6, 0.5, 0.5, 0.4, 0.35, 0.3
CHANGED, CHANGED_WITH_MANY = 0.35, 0.1  # where most of a field changed, that was meant, most likely
SECOND = 0.9  # above all but contradictions: docs/why/web.md#areas has what a second page is worth


@dataclass(frozen=True, slots=True)
class FoundValues:
    """What rules gave for one field of one page."""

    values: tuple[str, ...]
    how: str  # as a document says: cut: ..., tree: ..., missing: ...
    others: tuple[str, ...] = ()  # what further ways to the field give
    shown: tuple[str, ...] | None = None  # what somebody said; None: nobody did
    is_other_kind: bool = False  # a page of a layout that nothing was shown on
    earlier: tuple[str, ...] | None = None  # what was found before the last change, where that was something else
    is_second: bool = False  # the page on which it should be looked at next, as only one page was shown so far
    raw: tuple[str, ...] = ()  # values as the page spells them
    rows: tuple[int, ...] = ()  # of the page map, where they stand
    take: str = ""  # what is taken there


@dataclass(frozen=True, slots=True)
class ValueDoubt:
    """How much, and why."""

    share: float = 0.0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usually:
    """What the values of a field look like on all pages together."""

    pages: int
    present: int
    middle: float  # characters
    digits: float  # share of values with some
    letters: float
    is_same: bool  # on all pages
    divided: int = 0  # pages on which further ways give something else
    changed: int = 0  # pages on which something else is found than before the last change

    @classmethod
    def of(cls, found: Sequence[FoundValues]) -> Usually:
        """Sum up what was found; pages of other kinds say nothing."""
        own = [each for each in found if not each.is_other_kind]
        firsts = [each.values[0] for each in own if each.values]
        middle = median(map(len, firsts)) if firsts else 0
        having = [sum(bool(sign.search(one)) for one in firsts) for sign in (_DIGIT, _LETTER)]
        digits, letters = (count / max(1, len(firsts)) for count in having)
        is_same = len(firsts) >= _FEW and len(set(firsts)) == 1
        divided, changed = sum(bool(each.others) for each in own), sum(each.earlier is not None for each in own)
        return cls(len(own), len(firsts), middle, digits, letters, is_same, divided, changed)


def doubt(found: FoundValues, usually: Usually) -> ValueDoubt:
    """Judge one cell against all others of its field."""
    if found.shown is not None:
        return _contradiction(found)
    reasons = _doubt_value(found, usually) if found.values else _doubt_gap(found, usually)
    if found.earlier is not None:
        share = CHANGED if 2 * usually.changed <= usually.pages else CHANGED_WITH_MANY
        was = _short(found.earlier[0]) if found.earlier else "nothing"
        reasons.append((share, f"before your last change: {was}"))
    left = 1.0
    for share, _ in reasons:
        left *= 1 - share
    return ValueDoubt(round(1 - left, 3), tuple(reason for _, reason in sorted(reasons, reverse=True)))


def _contradiction(found: FoundValues) -> ValueDoubt:
    """What was shown is right, but the rules may not give it."""
    shown = found.shown or ()
    got = {words_of(value) for value in found.values}
    if not shown:
        return ValueDoubt(WRONG, ("the rule finds something here, you said there is none",)) if got else ValueDoubt()
    if not got:
        return ValueDoubt(WRONG, ("the rule does not find what you showed",))
    is_right = got <= {words_of(value) for value in shown}
    return ValueDoubt() if is_right else ValueDoubt(WRONG, ("the rule finds something else",))


def _doubt_gap(found: FoundValues, usually: Usually) -> list[tuple[float, str]]:
    share = usually.present / max(1, usually.pages)
    if share < _MOST or found.is_other_kind:
        return []
    return [(MISSING * share, f"missing, though {usually.present} of {usually.pages} pages have it")]


def _doubt_value(found: FoundValues, usually: Usually) -> list[tuple[float, str]]:
    reasons: list[tuple[float, str]] = []
    if found.is_other_kind:
        reasons.append((OTHER_KIND, "a page of another kind: say whether this is right"))
    elif not found.how.startswith("cut"):
        reasons.append((READ, "read from the page, not found by a rule"))
    if found.others and 2 * usually.divided <= usually.pages:  # else the ways lead to different spellings
        reasons.append((CANDIDATES, f"another way gives {_short(found.others[0])}"))
    if found.is_second:
        reasons.append((SECOND, "only one page is shown so far: is this right?"))
    if usually.is_same:
        reasons.append((SAME, f"the same on all {usually.present} pages"))
    if usually.present >= _FEW:
        reasons += _doubt_form(found.values[0], usually)
    return reasons


def _doubt_form(value: str, usually: Usually) -> list[tuple[float, str]]:
    size, middle = len(value), usually.middle
    reasons: list[tuple[float, str]] = []
    if size > _TIMES * middle and size > middle + _SPARE_CHARS:
        reasons.append((STRANGE, f"much longer than the others: {size} characters, usually {middle:.0f}"))
    elif _TIMES * size < middle and size < middle - _SPARE_CHARS:
        reasons.append((STRANGE, f"much shorter than the others: {size} characters, usually {middle:.0f}"))
    for share, pattern, what in ((usually.digits, _DIGIT, "digits"), (usually.letters, _LETTER, "letters")):
        if _FORM <= share < 1 and not pattern.search(value):
            reasons.append((STRANGE, f"without {what}, which nearly all others have"))
        elif _FORM <= 1 - share < 1 and pattern.search(value):
            reasons.append((STRANGE, f"with {what}, which nearly all others lack"))
    return reasons


def _short(text: str) -> str:
    return f"\u201c{shorten(text, 40)}\u201d"


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
class TrialRow:
    """One page of the table."""

    page: int
    title: str
    name: str
    layout: str
    doubt: float  # the highest of its cells
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """What was learned, and what it gives on the pages."""

    profile: Profile
    taught: Taught
    names: tuple[str, ...]
    rows: tuple[TrialRow, ...]  # doubtful ones first
    raw: Earlier  # values as the pages spell them
    others: int  # pages of other kinds, on which nothing was shown and nothing found
    changed: Mapping[str, int]  # by field: pages on which something else was found before the last change

    @property
    def doubtful(self) -> int:
        """How many cells are worth a look."""
        return sum(cell.doubt >= DOUBTFUL for row in self.rows for cell in row.cells)


_Page = tuple[FieldPage, str, dict[str, FoundValues]]  # with the name of its layout, and what is known by field
Step = Callable[[int], None]


def teach(base: Profile, opened_pages: Sequence[FieldPage], examples: Sequence[Example | None]) -> tuple[Site, Taught]:
    """Learn what was shown on some of the pages, on the layouts that a profile has and on new ones."""
    site = Site(base)
    given = [(opened.at_hand.url, opened.at_hand.body) for opened in opened_pages]
    return site, site.add_fields(given, examples)


def try_out(
    profile: Profile,
    taught: Taught,
    names: Sequence[str],
    opened_pages: Sequence[Callable[[], FieldPage]],
    examples: Sequence[Example | None],
    step: Step,
    earlier: Earlier,
) -> FieldTrial:
    """Extract all pages by what was learned, and judge what comes of it. The pages learned from come first.

    `earlier` has what was found before the last change.
    """
    extractor = Extractor(profile, tuple(names))
    denied = _denied(profile, taught, examples)
    rows: list[_Page] = []
    foreign: dict[str, list[_Page]] = {}
    for number, (open_annotated_page, example) in enumerate(zip(opened_pages, examples, strict=True)):
        step(number)
        opened = open_annotated_page()
        page = extractor.extract_page(opened.at_hand.body, opened.at_hand.url, "auto")
        layout = page.known.layout.name if page.known is not None else ""
        if example is None and layout not in taught.shown_on:
            wanted = [name for name in names if (layout, name) not in denied]
            foreign.setdefault(layout, []).append(
                (opened, layout, _try_elsewhere(profile, taught, names, wanted, opened))
            )
            continue
        fields = page.document.fields
        own = page.known.layout if page.known is not None else None
        tried = {
            name: _try_here(own.field(name) if own is not None else None, fields[name], opened.map) for name in names
        }
        rows.append((opened, layout, _heed(tried, example or {}, is_other_kind=layout not in taught.shown_on)))
    groups = [group for group in foreign.values() if sum(map(_has_any, group)) >= _HALF * len(group)]
    kept = [row for group in groups for row in group if _has_any(row)]
    others = sum(map(len, foreign.values())) - len(kept)
    return _judge(
        profile, taught, tuple(names), [_compare(row, earlier) for row in (*_ask_second(rows), *kept)], others
    )


def _compare(row: _Page, earlier: Earlier) -> _Page:
    """Add what was found before, where it was something else."""
    opened, layout, tried = row
    compared = {}
    for name, one in tried.items():
        was = earlier.get((opened.at_hand.number, name))
        is_new = was is not None and [*map(words_of, was)] != [*map(words_of, one.raw)]
        compared[name] = replace(one, earlier=was) if is_new else one
    return opened, layout, compared


def _ask_second(rows: Sequence[_Page]) -> list[_Page]:
    """Mark the page that should be looked at next for fields that only one page was shown for: a common one.

    Two pages tell places apart that look alike on one. A page that lacks something would say less.
    """
    shown = Counter(name for _, _, tried in rows for name, one in tried.items() if one.shown)
    single = [name for name, count in shown.items() if count == 1]

    def worth(row: _Page) -> int:
        return sum(row[2][name].shown is None and bool(row[2][name].values) for name in single)

    best = max(rows, key=worth, default=None)
    if best is None or not worth(best):
        return list(rows)
    asked = {
        name: replace(one, is_second=one.shown is None) if name in single else one for name, one in best[2].items()
    }
    return [(opened, layout, asked if tried is best[2] else tried) for opened, layout, tried in rows]


def _denied(profile: Profile, taught: Taught, examples: Sequence[Example | None]) -> set[tuple[str, str]]:
    """Return layouts without rules of which somebody said that a page has no such field: its like have none either."""
    known = {layout.name for layout in profile.layouts}  # a layout without rules is none of them
    pairs = [
        (layout if layout in known else "", shown) for layout, shown in zip(taught.layouts, examples, strict=False)
    ]
    return {(layout, name) for layout, shown in pairs for name, values in (shown or {}).items() if not values}


def _heed(tried: dict[str, FoundValues], example: Example, *, is_other_kind: bool) -> dict[str, FoundValues]:
    """Add what somebody said of a page."""
    return {
        name: replace(one, shown=tuple(example[name])) if name in example else replace(one, is_other_kind=is_other_kind)
        for name, one in tried.items()
    }


def _has_any(row: _Page) -> bool:
    return any(one.values for one in row[2].values())


def _try_here(rules: FieldRules | None, field: Field, page: PageMap) -> FoundValues:
    """Compare what was extracted with what the further ways give."""
    values, how = field.values, field.how
    ways = rules.values.ways if rules is not None and rules.values is not None else ()
    got = [(way, cut) for way in ways if (cut := follow_way(page, way)).values]
    if not got:
        return FoundValues(values, how, raw=values)
    way, first = next((one for one in got if _is_same(one[1], values)), got[0])
    known = {words_of(value) for value in (*values, *first.values)}
    others = [each.values[0] for _, each in got if not known & {words_of(value) for value in each.values}]
    found = FoundValues(values, how, tuple(dict.fromkeys(others)), take=way.take)
    return replace(found, raw=first.values, rows=first.rows) if values else found


def _is_same(found: CutValue, values: Sequence[str]) -> bool:
    return [*map(words_of, found.values)] == [*map(words_of, values)]


def _try_elsewhere(
    profile: Profile, taught: Taught, names: Sequence[str], wanted: Sequence[str], opened: FieldPage
) -> dict[str, FoundValues]:
    """Follow the rules, more sternly, on a page of a kind that nothing was shown on."""
    tried = {name: FoundValues((), "missing: a page of another kind", is_other_kind=True) for name in names}
    for layout in profile.layouts:
        if layout.name not in taught.shown_on:
            continue
        for rules in layout.fields:
            if rules.name not in wanted or rules.values is None or tried[rules.name].values:
                continue
            way = rules.values.ways[0]
            way = replace(way, needed=way.needed + 1)  # on a page of another kind two rules may agree by chance
            got = follow_way(opened.map, way)
            if got.values:
                how = "cut: by the rules of another layout"
                tried[rules.name] = FoundValues(
                    got.values, how, is_other_kind=True, raw=got.values, rows=got.rows, take=way.take
                )
    return tried


def _judge(profile: Profile, taught: Taught, names: tuple[str, ...], rows: Sequence[_Page], others: int) -> FieldTrial:
    usually = {name: Usually.of([tried[name] for _, _, tried in rows]) for name in names}
    made: list[TrialRow] = []
    raw: dict[tuple[int, str], tuple[str, ...]] = {}
    for opened, layout, tried in rows:
        cells = [_cell(name, tried[name], doubt(tried[name], usually[name]), opened) for name in names]
        page = opened.at_hand
        title = squeeze(opened.title)[:200]
        made.append(
            TrialRow(page.number, title, page.url or page.name, layout, max(c.doubt for c in cells), tuple(cells))
        )
        raw |= {(page.number, name): one.raw for name, one in tried.items()}
    made.sort(key=lambda row: (-row.doubt, not any(cell.values for cell in row.cells), row.page))
    changed = {name: each.changed for name, each in usually.items()}
    return FieldTrial(profile, taught, names, tuple(made), raw, others, changed)


def _cell(name: str, found: FoundValues, judged: ValueDoubt, opened: FieldPage) -> Cell:
    values = tuple(value[:_VALUE_CHARS] for value in found.values[:10])
    state = "none" if found.shown == () else "shown" if found.shown is not None else "found" if values else "missing"
    before, after = _around(found, opened.map)
    # of a text behind an element, what both stand in is pointed at
    rows = [int(opened.map.parent[row]) if found.take == TAIL else row for row in found.rows[:50]]
    elements = list(map(opened.number_of, rows))
    told = name, state, values, len(found.values) - len(values), before, after, found.how
    pointed = tuple(number for number in elements if number is not None)
    return Cell(*told, judged.share, judged.reasons, pointed, found.shown)


def _around(found: FoundValues, page: PageMap) -> tuple[str, str]:
    """Return what stands in front of and behind a value, from the nearest element that says more than it."""
    if not found.rows or not found.raw:
        return "", ""
    value, row = found.raw[0], found.rows[0]
    for _ in range(_CLIMB):
        text = element_text(page, row)
        at = text.find(value)
        if at >= 0 and len(text) > len(value):
            before, after = text[:at], text[at + len(value) :]
            return (
                before if at <= _SNIPPET else f"\u2026{before[-_SNIPPET:]}",
                after if len(after) <= _SNIPPET else f"{after[:_SNIPPET]}\u2026",
            )
        row = int(page.parent[row])
        if row < 0 or len(text) > _AROUND_CHARS:
            break
    return "", ""
