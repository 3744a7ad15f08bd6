"""Cut fields without the compiled extension, with the same results."""

from __future__ import annotations

from typing import Any

from scythe.page.tokens import START, read_token
from scythe.site.cut.python_elements import ATTRIBUTE, FLOW, PlanRule, PlanWay, Search, Taken, scan_element
from scythe.site.cut.python_text import IN_ATTRIBUTE, IN_TEXT, Doubt, Text
from scythe.site.rules import TAKES

_PAGE_BYTES = 0x7FFFFFF0
_WALKED = 8  # times the size of the page: elements in elements are walked through once more
_Result = tuple[str, tuple[Any, ...], tuple[int, int] | None, str, int]


class Plan:
    """The rules of a layout, and a counter."""

    def __init__(self, fields: tuple[tuple[PlanWay, ...], ...], utf8: bool) -> None:
        self.fields = fields
        self.utf8 = utf8
        self.second_searches = 0


class _Page:
    """What is asked of a whole page at most once."""

    def __init__(self, body: bytes, plan: Plan, *, thorough: bool) -> None:
        self.body, self.plan, self.thorough = body, plan, thorough
        self.search = Search(body, thorough=thorough)
        self._is_utf8: bool | None = None
        self._has_frameset: bool | None = None

    def is_utf8(self) -> bool:
        if self._is_utf8 is None:
            self._is_utf8 = _is_utf8(self.body)
        return self._is_utf8

    def has_frameset(self) -> bool:
        if self._has_frameset is None:
            lower = self.body.lower()
            names = (lower[at + 9 : at + 10] for at in _all(lower, b"<frameset") if at + 9 < len(lower))
            self._has_frameset = any(after in b"\t\n\f\r />" for after in names)
        return self._has_frameset


def make_plan(fields: tuple[Any, ...], utf8: bool) -> Plan:
    """Make the rules of a layout ready."""
    plans = []
    for ways in fields:
        rows = ((*way[:7], tuple([PlanRule(*rule) for rule in way[7]])) for way in ways)
        plans.append(tuple([PlanWay._make(row) for row in rows]))
    for way in (way for ways in plans for way in ways):
        if not way.rules or len(way.rules) > 32:
            raise ValueError("a way needs from 1 to 32 rules")
        for rule in way.rules:
            if not rule.anchor or rule.skip < 0 or rule.reach < 0 or (rule.nth == 0 and rule.skip >= len(rule.anchor)):
                raise ValueError("a rule needs an anchor that covers its target")
    return Plan(tuple(plans), utf8)


def cut_field(plan: Plan, body: bytes, index: int, thorough: bool) -> _Result:
    """Cut one field."""
    page = _Page(body, plan, thorough=thorough)
    result = _cut(page, plan.fields[index])
    plan.second_searches += page.search.second_searches
    return result


def cut_fields(plan: Plan, body: bytes, thorough: bool) -> tuple[_Result, ...]:
    """Cut every field."""
    page = _Page(body, plan, thorough=thorough)
    results = tuple([_cut(page, ways) for ways in plan.fields])
    plan.second_searches += page.search.second_searches
    return results


def second_searches(plan: Plan) -> int:
    """Return how many anchors were not found from their position on."""
    return plan.second_searches


def read_run(part: bytes, in_attribute: bool) -> str | None:
    """Return the text of a run without tags, or None."""
    text = Text()
    text.put(part, IN_ATTRIBUTE if in_attribute else IN_TEXT)
    return text.squeezed()


def read_element(element: bytes) -> str | None:
    """Return the text of an element that was scanned before in other bytes, or None."""
    text = Text()
    opening = read_token(element, 0, len(element))
    if element[:1] != b"<" or opening.kind != START:
        return None
    try:
        scan_element(element, opening, text, lambda _: False)
    except Doubt:
        return None
    return text.squeezed()


def _cut(page: _Page, ways: tuple[PlanWay, ...]) -> _Result:
    page.search.spoke = lacking = False
    if len(page.body) > _PAGE_BYTES:
        return _doubt("the page is too large")
    for number, way in enumerate(ways):
        try:
            if way.repeats:
                result = _cut_repeats(page, way, number)
            else:
                result = None
                if (place := page.search.follow_way(way)) is not None:
                    taken = _take(page, way, place[0])
                    result = _pack(way, [taken], place[1], number) if taken else None
                    lacking = lacking or taken is None
        except Doubt as why:
            return _doubt(str(why))
        if result:
            return result
    if lacking:
        return "absent", (), None, "the element does not hold it", -1
    return _doubt("too few rules agree") if page.search.spoke else ("absent", (), None, "no anchor on the page", -1)


def _doubt(why: str) -> _Result:
    return "doubt", (), None, why, -1


def _cut_repeats(page: _Page, way: PlanWay, number: int) -> _Result | None:
    found, start, walked = [], 0, 0
    for _ in range(1_000):
        place = page.search.next_match(way, start)
        if place is None:
            break
        page.search.spoke = True
        start = place + 1
        taken = _take(page, way, place)
        if taken is not None:
            found.append(taken)
            walked += taken[0][1] - taken[0][0]
            if way.take == FLOW and walked > _WALKED * len(page.body):
                raise Doubt("too many open elements")
    return _pack(way, found, 1, number) if found else None


# a byte range, and its text; None where that is still to be made, True for bytes that are not UTF-8
_Value = tuple[tuple[int, int], str | None, bool]


def _take(page: _Page, way: PlanWay, place: int) -> _Value | None:
    """Return what a way wants at a place, once sure of its encoding; raises Doubt."""
    taken = page.search.take(way, place)
    if taken is None:
        return None
    part = page.body[taken.start : taken.end]
    if b"\x1b" in part:
        raise Doubt("not valid in its encoding")
    raw = not page.plan.utf8 and not part.isascii()
    value = None if way.take == FLOW or taken.text is None else taken.text.squeezed()
    if page.thorough and way.take != FLOW and (not value or way.take == ATTRIBUTE) and page.has_frameset():
        raise Doubt("a second html, head or body")
    if page.plan.utf8 and page.thorough and not part.isascii() and not page.is_utf8():
        raise Doubt("not valid in its encoding")
    if raw or way.take == FLOW:
        return (taken.start, taken.end), None, raw
    return _finish(way, taken, value)


def _finish(way: PlanWay, taken: Taken, value: str | None) -> _Value | None:
    if value is None:
        raise Doubt("not valid in its encoding")
    before, after = way.before.decode(), way.after.decode()
    start = value.find(before)
    if start < 0:
        return None
    start += len(before)
    end = value.find(after, start) if after else len(value)
    return ((taken.start, taken.end), value[start:end].strip(), False) if end >= 0 else None


def _pack(way: PlanWay, found: list[_Value], agreed: int, number: int) -> _Result:
    raw = any(value[2] for value in found)
    state = "raw" if raw else "flow" if TAKES[way.take] == TAKES[FLOW] else "cut"
    values = tuple([value[1] if state == "cut" else value[0] for value in found])
    why = "+".join(kind for i, kind in enumerate(way.kinds) if agreed >> i & 1)
    return state, values, (found[0][0][0], found[-1][0][1]), why, number


def _is_utf8(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _all(body: bytes, literal: bytes) -> list[int]:
    places, at = [], body.find(literal)
    while at >= 0:
        places.append(at)
        at = body.find(literal, at + 1)
    return places
