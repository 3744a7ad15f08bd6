"""The rule table of a site: one row a field, as in UzunExt's rule file, told by people or filled in from what is seen.

A row names the field, the rule (an opening tag, id, CSS selector or XPath) and three hints: where a search for it may
start, how many tags of its name are inside, whether it repeats. People may write any of it; the rest is predicted
(`site/papers/position_hints.py`). Rows that are told are followed before what was learned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from scythe.errors import BadInput
from scythe.model import Field
from scythe.page.map import PageMap
from scythe.site.papers.position_hints import UNKNOWN, HintLearner, HintOptions
from scythe.site.value_places import element_text
from scythe.site.value_rules import CutValue

if TYPE_CHECKING:
    from scythe.site.element_patterns import ElementPattern
    from scythe.site.rule_syntax import CompiledRule
    from scythe.site.rules import Layout

_OPTION = re.compile(r";\s*(position|inner|repetition)\s*=\s*([-\w]+)\s*$")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
MOST_ROWS = 10_000
TOLD = "rule"
UNTOLD = ("images", "records")  # what is judged, or learned as a whole
_TOLD = (TOLD, "position", "inner", "repetition")
_WINDOW = 10  # pages whose positions count: the paper decides after ten
LOOKED_AT = 4  # pages, of which one is looked at in any case
_EVERY, _EVERY_LEARNED = LOOKED_AT, 16  # pages, of which one is observed, by rules told and learned, once ...
_FIRST, _FIRST_LEARNED = 20, 10  # ... so many were
_OPTIONS = HintOptions(window=_WINDOW)


@dataclass(frozen=True, slots=True)
class ElementRule:
    """One row of the rule table."""

    field: str
    rule: str  # opening tag, #id, css: or xpath:
    starting_position: int | None = None  # byte at which the search begins; behind it first, then from the start
    inner_tag_count: int | None = None  # tags of its name inside, itself counted; -1: differs from page to page
    repetition: bool | None = None  # whether all elements are meant, not only the first
    layout: str = ""  # of whose pages; "": all
    told: tuple[str, ...] = ()  # which of these a person said; of the others, what was seen so far is written
    pages: int = 0  # on which it was looked for ...
    held: int = 0  # ... and found
    written: str = ""  # what the row was when scythe wrote it: by this an edited one is told

    @property
    def is_told(self) -> bool:
        """Whether somebody said which element is meant."""
        return TOLD in self.told

    @property
    def takes_all(self) -> bool:
        """Whether all elements are taken, not only the first."""
        return bool(self.repetition)


def read_rules(given: Mapping[str, object]) -> tuple[ElementRule, ...]:
    """Make rows of what a person wrote: a rule by field, `;position=`, `;inner=` and `;repetition=` behind it.

    Raises BadInput that names the field.
    """
    rows: list[ElementRule] = []
    for field, text in given.items():
        if not isinstance(text, str) or field in UNTOLD:
            raise BadInput(
                f"rules are texts by field name, of fields other than {' and '.join(UNTOLD)}: {field}: {text!r:.60}"
            )
        row = ElementRule(field.strip(), "", told=(TOLD,))
        while (option := _OPTION.search(text)) is not None:
            row = _with_option(row, option[1], option[2].lower())
            text = text[: option.start()]
        row = replace(row, rule=text.strip())
        if wrong := wrong_part(row):
            raise BadInput(f"rule of {field}: {wrong[1]}")
        rows.append(row)
    return tuple(rows)


def _with_option(row: ElementRule, name: str, value: str) -> ElementRule:
    where = f"rule of {row.field}: {name}={value}"
    told = (*row.told, name)
    if name == "repetition":
        if value not in _YES_NO:
            raise BadInput(f"{where}: expected yes or no")
        return replace(row, repetition=_YES_NO[value], told=told)
    if not re.fullmatch(r"-?\d{1,12}", value):
        raise BadInput(f"{where}: expected a whole number")
    if name == "position":
        return replace(row, starting_position=int(value), told=told)
    return replace(row, inner_tag_count=int(value), told=told)


def wrong_part(row: ElementRule, layouts: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return which part of a row cannot be followed, and what was expected; None where all is well."""
    if not row.field.strip() or row.field in UNTOLD:
        return "field", f"expected the name of a field, other than {' and '.join(UNTOLD)}"
    from scythe.site.rule_syntax import compile_rule  # most sites have no rules that people wrote

    try:
        compile_rule(row.rule)
    except BadInput as error:
        return "rule", str(error)
    position, inner = row.starting_position, row.inner_tag_count
    if position is not None and not 0 <= position < 1 << 40:
        return "starting_position", "starting_position: expected a number of bytes from 0 on"
    if inner is not None and not (inner == UNKNOWN or 0 < inner < 1 << 40):
        return "inner_tag_count", "inner_tag_count: expected -1 or a number from 1 on, as the element itself counts"
    if not 0 <= row.held <= row.pages:
        return "held", f"held: expected a number from 0 to that of pages, {row.pages}"
    if not set(row.told) <= set(_TOLD):
        return "told", f"told: expected a list of {', '.join(_TOLD)}"
    if row.layout and row.layout not in layouts:
        return (
            "layout",
            f"layout: expected one of {', '.join(layouts) or 'none, as there are none'}, not {row.layout!r:.60}",
        )
    return None


def sign(row: ElementRule) -> ElementRule:
    """Return a row with what tells later that nobody edited it."""
    return replace(row, written="-".join(_digests(row)))


def take_up(row: ElementRule) -> ElementRule:
    """Return a row of a file as it is to be followed: whatever stands in an edited one was said by its editor."""
    now, before = _digests(row), row.written.split("-")
    if len(before) != len(now):
        before = [""] * len(now)
    edited = [name for name, new, old in zip(_TOLD, now, before, strict=True) if new != old]
    given = {TOLD: row.rule, "position": row.starting_position, "inner": row.inner_tag_count}
    given["repetition"] = row.repetition
    said = {name for name in _TOLD if name in row.told or (name in edited and given[name] is not None)}
    if said - {TOLD}:
        said.add(TOLD)  # whoever says how a rule is followed has read it
    return replace(row, told=tuple(name for name in _TOLD if name in said))


def as_told(rows: Iterable[ElementRule]) -> tuple[ElementRule, ...]:
    """Return the rows that people wrote, without what was seen since."""
    return tuple(_bare(row) for row in rows if row.is_told)


def _bare(row: ElementRule) -> ElementRule:
    position = row.starting_position if "position" in row.told else None
    inner = row.inner_tag_count if "inner" in row.told else None
    return replace(row, starting_position=position, inner_tag_count=inner, pages=0, held=0, written="")


def _digests(row: ElementRule) -> list[str]:
    """Return what tells each part of a row from any other."""
    from hashlib import blake2b

    parts = ((row.field, row.layout, row.rule), row.starting_position, row.inner_tag_count, row.repetition)
    return [blake2b(repr(part).encode(), digest_size=3).hexdigest() for part in parts]


def follow_rule(page: PageMap, row: ElementRule) -> tuple[CutValue, bool]:
    """Return what a row gives on a page, and whether the parser's tree had to be asked: its rows have no places."""
    from scythe.site.element_patterns import TooMuchWork, find_elements
    from scythe.site.rule_syntax import compile_rule

    compiled = compile_rule(row.rule)
    mapped: PageMap = page
    if compiled.pattern is None:
        mapped, found = _on_tree(page, compiled)
    else:
        try:
            found = find_elements(page, compiled.pattern)
        except TooMuchWork as error:
            return CutValue(why=f"{error} on this page"), False
    on_tree = mapped is not page
    found = _chosen(mapped, found, row)
    values = [value_of(mapped, each, compiled.pattern) for each in found]
    kept = [(value, each) for value, each in zip(values, found, strict=True) if value]
    if not kept:
        return CutValue(why="the element of the rule is empty" if found else "no element has the rule"), on_tree
    return CutValue(tuple(value for value, _ in kept), tuple(each for _, each in kept), TOLD, 0), on_tree


def _chosen(page: PageMap, found: list[int], row: ElementRule) -> list[int]:
    if row.takes_all or len(found) < 2:
        return found
    if row.starting_position and "position" in row.told:
        behind = [each for each in found if page.start[each] >= row.starting_position]
        return (behind or found)[:1]
    return found[:1]


def _on_tree(page: PageMap, compiled: CompiledRule) -> tuple[PageMap, list[int]]:
    """Follow a selector that the map cannot answer."""
    from scythe.page.tree_map import TreeMap

    tree = TreeMap.parse_plain(page.source.removeprefix(b"\xef\xbb\xbf"))
    numbers = tree.numbers
    found = sorted(numbers[node.mem_id] for node in tree.tree.css(compiled.text) if node.mem_id in numbers)
    return cast("PageMap", tree), found  # it has the same columns


def value_of(page: PageMap, element: int, pattern: ElementPattern | None) -> str:
    """Return what is taken of an element."""
    if pattern is not None and pattern.attribute:
        return " ".join((page.attribute(element, pattern.attribute) or "").split())
    if pattern is not None and pattern.own_text:
        from scythe.site.element_patterns import own_texts

        return " ".join(filter(None, own_texts(page, element)))
    return element_text(page, element)


@dataclass(slots=True)
class _RowState:
    """What is known of one row, kept up to date page by page."""

    row: ElementRule
    hints: HintLearner
    pages: int = 0
    held: int = 0
    position: int = 0  # where it was when it was last looked at closely ...
    seen: int = 0  # ... how many pages had held it then ...
    looks: int = 0  # ... and how often it was
    moved: int = 0  # pages to be looked at closely, as it has moved


class RuleTable:
    """The rows of a site: those told, and one for each learned field and layout, with hints learned page by page."""

    def __init__(self, rows: Iterable[ElementRule] = ()) -> None:
        self._states: dict[tuple[str, str], _RowState] = {}
        for row in rows:
            self._states[row.layout, row.field] = _RowState(row, HintLearner(_OPTIONS), row.pages, row.held)
        self._told = tuple(field for layout, field in self._states if not layout)

    @property
    def told(self) -> tuple[ElementRule, ...]:
        """The rows that are followed before what was learned."""
        return tuple(state.row for state in self._states.values() if state.row.is_told)

    def rows(self, layouts: Sequence[str] | None = None) -> tuple[ElementRule, ...]:
        """Return all rows as they are now; of learned ones, those of some layouts."""
        kept = (
            state
            for state in self._states.values()
            if layouts is None or state.row.is_told or state.row.layout in layouts
        )
        return tuple(sign(_with_hints(state)) for state in kept)

    def observe(
        self, layout: Layout | None, fields: Mapping[str, Field], page: PageMap, *, cut_before: int = 0
    ) -> None:
        """Take in which fields a page had and, on some pages, from which bytes they were cut.

        `cut_before` is how many pages of the layout came before of which all fields were cut, and which nobody showed.
        """
        for name in self._told:
            if name in fields:
                self._count(self._states["", name], fields[name], page)
        if layout is None:
            return
        self.add_cut(layout.name, cut_before)
        for rules in layout.fields:
            field = fields.get(rules.name)
            if field is None or rules.name in self._told:
                continue
            state = self._states.get((layout.name, rules.name))
            if state is None and field.span is not None and len(self._states) < MOST_ROWS:
                opening = opening_of(page, page.around(field.span)[0])
                state = _RowState(ElementRule(rules.name, opening, layout=layout.name), HintLearner(_OPTIONS))
                self._states[layout.name, rules.name] = state
            if state is not None:
                self._count(state, field, page)

    def add_cut(self, layout: str, pages: int) -> None:
        """Count pages of a layout of which all fields were cut."""
        for (name, _), state in self._states.items() if pages else ():
            if name == layout:
                state.pages += pages
                state.held += pages

    def _count(self, state: _RowState, field: Field, page: PageMap) -> None:
        state.pages += 1
        if not field.values:
            return
        held = state.held = state.held + 1
        if field.span is None or not field.how.startswith("cut"):
            return
        position = field.span[0]
        if abs(position - state.position) * 4 > state.position:
            state.moved = _WINDOW  # far since it was last looked at: where to is to be seen soon
        is_told = state.row.is_told
        every, first = (_EVERY, _FIRST) if is_told else (_EVERY_LEARNED, _FIRST_LEARNED)
        if held <= first or held - state.seen >= (_EVERY if state.moved else every):
            self._look(state, field.span, page)

    def _look(self, state: _RowState, span: tuple[int, int], page: PageMap) -> None:
        """Take in where a row leads on a page."""
        is_told = state.row.is_told
        state.position, state.moved, state.seen = span[0], max(0, state.moved - 1), state.held
        state.looks += 1
        element, inner = page.around(span)
        is_renewed = state.looks % _WINDOW == 0
        if not is_told and is_renewed:
            state.row = replace(state.row, rule=opening_of(page, element))  # as the site looks today
        same = None
        if not is_told:
            same = len(page.matching(key=int(page.key[element]), nested=True))
        elif is_renewed or state.held <= _WINDOW:
            from scythe.site.element_patterns import find_elements
            from scythe.site.rule_syntax import compile_rule

            pattern = compile_rule(state.row.rule).pattern
            same = len(find_elements(page, pattern)) if pattern is not None else None
        state.hints.observe(page.span(element)[0], inner, same)

    def dump(self) -> dict[str, object]:
        """Return what predictions rest on as JSON can hold it, a line a row."""
        states = {f"{one.row.layout} {one.row.field}": one.hints.dump() for one in self._states.values()}
        return {"hints": {name: " ".join(map(str, own)) for name, own in states.items()}} if states else {}

    def load(self, state: Mapping[str, object]) -> None:
        """Take up what `dump` returned. Raises BadInput for anything else."""
        saved = state.get("hints", {})
        if not isinstance(saved, Mapping):
            raise BadInput("hints: expected an object of texts by layout and field")
        for (layout, field), own in self._states.items():
            text = saved.get(f"{layout} {field}", "")
            numbers = text.split() if isinstance(text, str) else ["?"]
            if not all(re.fullmatch(r"-?\d{1,13}", number) for number in numbers):
                raise BadInput(f"hints: expected numbers for {layout} {field}")
            if numbers and own.row.written:
                own.hints = HintLearner.load(list(map(int, numbers)), _OPTIONS)


def differs(row: ElementRule, before: ElementRule | None) -> bool:
    """Say whether a row tells a search something else than before: positions vary by a little from page to page."""
    if before is None or (row.rule, row.inner_tag_count) != (before.rule, before.inner_tag_count):
        return True
    was = before.starting_position or 0
    return 4 * abs((row.starting_position or 0) - was) > was


def _with_hints(state: _RowState) -> ElementRule:
    """Return a row with what is predicted in place of what nobody said."""
    row, seen = state.row, state.hints.predict()
    if state.held:
        if "position" not in row.told:
            row = replace(row, starting_position=seen.starting_position)
        if "inner" not in row.told:
            row = replace(row, inner_tag_count=seen.inner_tag_count)
        if "repetition" not in row.told and not row.is_told:
            row = replace(row, repetition=seen.repetition)
    return replace(row, pages=state.pages, held=state.held)


_KEPT_VALUE = 120  # characters of an attribute in an opening tag that is written out
_SAID_ATTRIBUTES = ("id", "class", "itemprop", "property", "name", "rel", "role")


def opening_of(page: PageMap, element: int) -> str:
    """Return the opening tag of an element as people write it: its tag with the attributes that say what it is."""
    tag = page.tags[page.tag[element]]
    given = page.element(element).attributes
    said = ((name, " ".join((given.get(name) or "").split())) for name in _SAID_ATTRIBUTES)
    return write_tag(tag, {name: value for name, value in said if value and len(value) <= _KEPT_VALUE})


def write_tag(tag: str, attributes: Mapping[str, str | None]) -> str:
    """Write an opening tag."""
    said = (
        f" {name}" if value is None else f' {name}="{value.replace("&", "&amp;").replace(chr(34), "&quot;")}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{''.join(said)}>"


def try_rule(row: ElementRule, pages: Sequence[tuple[str, PageMap]]) -> tuple[ElementRule, tuple[str, ...]]:
    """Follow a rule on the pages at hand; return it with its repetition predicted, and what is to be said of it."""
    tried = [follow_rule(page, replace(row, repetition=True)) for _, page in pages]
    counts = [len(found.values) for found, _ in tried]
    there = [count for count in counts if count]
    row = replace(row, pages=len(counts), held=len(there))
    some = f"of {len(pages)} pages"
    if not there:
        return replace(row, repetition=bool(row.repetition)), (f"matches none {some}, such as {pages[0][0]}",)
    if row.repetition is None:
        row = replace(row, repetition=sorted(there)[(len(there) - 1) // 2] > 1)
    notes: list[str] = []
    several = sum(count > 1 for count in counts)
    if (several and "repetition" not in row.told) or (several and not row.repetition):
        most = max(range(len(counts)), key=counts.__getitem__)
        taken = "all are taken; ;repetition=no takes the first" if row.repetition else "the first is taken"
        notes.append(f"matches several elements on {several} {some}, {counts[most]} on {pages[most][0]}: {taken}")
    if 0 in counts:
        notes.append(f"matches nothing on {counts.count(0)} {some}, such as {pages[counts.index(0)][0]}")
    if any(on_tree for _, on_tree in tried):
        notes.append("cannot be cut: it is followed on the tree of each page, which takes about ten times as long")
    return row, tuple(notes)


def page_names(urls: Iterable[str | None]) -> Iterator[str]:
    """Yield what pages are called: their address, or their number."""
    for number, url in enumerate(urls, 1):
        yield url or f"page {number}"
