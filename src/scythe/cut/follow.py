"""Follow learned rules over bytes, as src/cut/follow.c does: a way comes in, the place and the value there go out."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

from scythe.cut import tags
from scythe.cut.element import Element, scan_element
from scythe.cut.opaque import Doubt, kind_of
from scythe.cut.text import IN_ATTRIBUTE, Text
from scythe.cut.tokenmap import (
    DOUBT,
    GRID,
    IN_FOREIGN,
    NO,
    UNKNOWN,
    WINDOW,
    YES,
    Mark,
    TokenMap,
)
from scythe.page.blocks import SKIP
from scythe.page.tokens import COMMENT, EMPTY, END, LITERAL, START, UNENDED, Token, find_attribute, read_token

OCCURRENCES = 1_000
ELEMENT, LEAD, TAIL, ATTRIBUTE, FLOW = range(5)
_NAME_ENDS = frozenset(b"\t\n\f\r />")
CELLS_DEEP = 8  # cells in cells in which formatting is followed
# in these, too, an end tag of formatting reaches nothing outside
_REACHES_NOT_OUT = frozenset(b"applet marquee object".split())
_REOPENS = frozenset(b"br img image input wbr embed area keygen".split())


class PlanRule(NamedTuple):
    """One rule, as make_plan is given it."""

    anchor: bytes
    skip: int
    step: bytes
    nth: int
    reach: int
    position: int
    counted: bool  # it counts tags from an element in front


class PlanWay(NamedTuple):
    """One way, as make_plan is given it."""

    take: int
    needed: int
    repeats: bool
    attribute: bytes
    before: bytes
    after: bytes
    kinds: tuple[str, ...]
    rules: tuple[PlanRule, ...]


class Taken(NamedTuple):
    """What stands at a place: its byte range, and its text unless that is made elsewhere."""

    start: int
    end: int
    text: Text | None


class Search:
    """The rules followed on one page."""

    def __init__(self, body: bytes, *, thorough: bool) -> None:
        self.body = body
        self.map = TokenMap(body, thorough=thorough)
        self.second_searches = 0
        self.spoke = False  # some anchor was on the page

    def follow_way(self, way: PlanWay) -> tuple[int, int] | None:
        """Return the place a way leads to and the rules that agreed, one bit each, or None; raises Doubt."""
        votes: dict[int, list[int]] = {}
        doubt = ""
        for number, rule in enumerate(way.rules):
            try:
                place = self._follow_rule(rule)
            except Doubt as why:
                doubt = str(why)
                continue
            if place is None:
                continue
            agreed = votes.setdefault(place, [])
            agreed.append(number)
            if len(agreed) >= way.needed and (agreed[0] == 0 or not all(way.rules[vote].counted for vote in agreed)):
                if doubt and len(votes) > 1:
                    break
                return place, sum(1 << vote for vote in agreed)
        if doubt:
            raise Doubt(doubt)
        return None

    def next_match(self, way: PlanWay, start: int) -> int | None:
        """Return the next true tag from `start` on that matches the anchor of the first rule; raises Doubt."""
        rule = way.rules[0]._replace(nth=0, skip=0)
        return self._find_from(rule, start, len(self.body))

    def take(self, way: PlanWay, place: int) -> Taken | None:
        """Return what a way wants at a place, or None where it is not there; raises Doubt."""
        body = self.body
        opening = read_token(body, place, len(body))
        if opening.kind != START or opening.is_odd:
            raise Doubt("NUL bytes" if opening.kind == START else "the page ends inside the element")
        if way.take == ATTRIBUTE:
            return self._take_attribute(way, opening)
        index = self.map.find(place)
        mark = self.map.marks[index] if index >= 0 else None
        table = mark.table if mark and mark.at == place else UNKNOWN
        if table == GRID and opening.name not in tags.TABLE_PART and opening.name not in tags.HEADLIKE:
            raise Doubt("text between the rows of a table")
        if way.take == LEAD:
            return self._take_lead(opening)
        text = Text()
        ask = partial(self.map.may_be_open, place)
        element = scan_element(body, opening, text if way.take == ELEMENT else None, ask)
        if way.take == TAIL:
            return self._take_tail(opening, element)
        # records are taken apart by what is inside what: nothing from outside may be built again in them
        if way.take == FLOW and way.repeats and (element.open_formatting or self._formatting_open(place)):
            raise Doubt("overlapping formatting")
        return Taken(place, element.end, text if way.take == ELEMENT else None)

    def _matches(self, at: int, literal: bytes) -> bool:
        body, end = self.body, at + len(literal)
        if not body.startswith(literal, at):
            return False
        bare = not any(byte in _NAME_ENDS for byte in literal)
        return not bare or end >= len(body) or body[end] in _NAME_ENDS

    def _judge(self, rule: PlanRule, at: int) -> int:
        if rule.nth == 0:
            target = at + rule.skip
            if not self._matches(target, rule.anchor[rule.skip :]) or self.body[target] != 0x3C:
                return NO
            return self.map.is_tag(target)
        if rule.anchor[:1] == b"<":
            return self.map.is_tag(at) if self._matches(at, rule.anchor) else NO
        return self.map.is_text(at)

    def _find_from(self, rule: PlanRule, start: int, end: int) -> int | None:
        for _ in range(OCCURRENCES):
            place = self.body.find(rule.anchor, start, end)
            if place < 0:
                return None
            answer = self._judge(rule, place)
            if answer == DOUBT:
                raise Doubt(self.map.why)
            if answer == YES:
                return place
            start = place + 1
        raise Doubt("too many occurrences")

    def _find_anchor(self, rule: PlanRule) -> int | None:
        size = len(self.body)
        position = min(max(rule.position, 0), size)
        place = self._find_from(rule, position, size)
        if place is not None or position == 0:
            return place
        self.second_searches += 1
        return self._find_from(rule, 0, min(position + len(rule.anchor) - 1, size))

    def _follow_rule(self, rule: PlanRule) -> int | None:
        anchor = self._find_anchor(rule)
        if anchor is None:
            return None
        self.spoke = True
        if rule.nth == 0:
            return anchor + rule.skip
        return self._step_forward(rule, anchor) if rule.nth > 0 else self._step_back(rule, anchor)

    def _is_step(self, rule: PlanRule, mark: Mark) -> bool:
        if mark.kind == START and mark.is_odd:
            raise Doubt("the tag may stand in an attribute, a comment or a script")
        if mark.kind != START or mark.hidden & 1 or not self._matches(mark.at, rule.step):
            return False
        if mark.hidden:
            raise Doubt("the tag may stand in an element that is not followed")
        answer = self.map.is_tag(mark.at)
        if answer == DOUBT:
            raise Doubt(self.map.why)
        return answer == YES

    def _step_forward(self, rule: PlanRule, anchor: int) -> int | None:
        tokens, left, at = self.map, rule.nth, anchor
        last = min(anchor + rule.reach, len(self.body) - 1)
        tokens.reach(anchor)
        while not tokens.is_broken:
            index = tokens.find(at) + 1
            if index == len(tokens.marks):
                if tokens.cursor > last:
                    return None
                tokens.reach(min(tokens.cursor + 256, last))
                if tokens.find(at) + 1 == len(tokens.marks) and tokens.cursor > last:
                    return None
                if tokens.find(at) + 1 == len(tokens.marks) and tokens.cursor >= len(self.body):
                    return None
                continue
            at = tokens.marks[index].at
            if at > last:
                return None
            left -= self._is_step(rule, tokens.marks[index])
            if left == 0:
                return at
        raise Doubt("the page is too large")

    def _step_back(self, rule: PlanRule, anchor: int) -> int | None:
        tokens, left, at = self.map, -rule.nth, anchor
        reach = min(rule.reach, anchor)
        tokens.reach(anchor, reach + WINDOW)
        if tokens.is_broken:
            raise Doubt("the page is too large")
        while at > 0:
            index = tokens.find(at - 1)
            if index < 0:
                if tokens.exact or tokens.start <= anchor - reach:
                    return None
                raise Doubt("the tag may stand in an attribute, a comment or a script")
            at = tokens.marks[index].at
            if anchor - at > rule.reach:
                return None
            left -= self._is_step(rule, tokens.marks[index])
            if left == 0:
                return at
        return None

    def _take_attribute(self, way: PlanWay, opening: Token) -> Taken | None:
        found = find_attribute(self.body, opening, way.attribute)
        if found is None:
            if opening.name in tags.FRAME:  # a second html or body tag gives its attributes to the first
                raise Doubt("a second html, head or body")
            return None
        value = self.body[slice(*found)]
        if b"\0" in value:
            raise Doubt("NUL bytes")
        text = Text()
        text.put(value, IN_ATTRIBUTE)
        return Taken(*found, text)

    def _take_lead(self, opening: Token) -> Taken | None:
        name = opening.name
        raw = name in tags.RAW or name in tags.OPAQUE or name in tags.FRAME or name in tags.TABLE_PART
        if name in (b"table", b"pre", b"listing") or (raw and name not in tags.CELL):
            raise Doubt("an element without ordinary content")
        if name in tags.VOID:
            return None
        if (name in tags.SPECIAL or name in tags.CLOSES_P) and self._formatting_open(opening.at):
            raise Doubt("overlapping formatting")
        taken, following = self._take_run(opening.next)
        if following.kind == END and following.name != name:
            raise Doubt("an end tag without its start")
        return taken

    def _take_tail(self, opening: Token, element: Element) -> Taken | None:
        name, place, void = opening.name, opening.at, opening.name in tags.VOID
        if name in tags.TABLE_PART or name in tags.RAW or kind_of(name) == SKIP:
            raise Doubt("an element without ordinary content")
        if name == b"nobr" or (name == b"a" and self.map.may_be_open(place, "link")):
            raise Doubt("a link in a link")
        if element.end == element.content_end and not void:
            following = read_token(self.body, element.end, len(self.body))
            if following.kind == START and following.name != b"table":
                return None
            raise Doubt("an end tag without its start")
        reopens = name in _REOPENS or not (name in tags.SPECIAL or name in tags.CLOSES_P)
        if (element.open_formatting and not void) or (not reopens and self._formatting_open(place)):
            raise Doubt("overlapping formatting")
        taken, following = self._take_run(element.end)
        if following.kind == END:
            parent = self.map.parent_of(place, name)
            if parent is None or parent.name != following.name or self.map.is_tag(parent.at) != YES:
                raise Doubt("what stands around it is not known")
        return taken

    def _take_run(self, start: int) -> tuple[Taken | None, Token]:
        """Return the text from `start` to the next tag, and that tag; raises Doubt where it need not end the text."""
        body, at = self.body, start
        while True:
            end = body.find(b"<", at)
            if end < 0:
                raise Doubt("the page ends inside the element")
            token = read_token(body, end, len(body))
            if token.kind != LITERAL:
                break
            at = token.next
        if token.kind == UNENDED:
            raise Doubt("the page ends inside the element")
        doctype = token.kind == COMMENT and body[end + 1 : end + 3] in (b"!d", b"!D")
        if token.kind == EMPTY or doctype:
            raise Doubt("an end tag without its start")
        odd = token.name in (b"form", b"table") or token.name in tags.TABLE_PART or token.name in tags.FRAME
        if token.kind == START and odd:
            raise Doubt("table parts out of place")
        run = body[start:end]
        if b"\0" in run:
            raise Doubt("NUL bytes")
        if not run:
            return None, token
        text = Text()
        text.put(run)
        return Taken(start, end, text), token

    def _formatting_open(self, offset: int) -> bool:
        """Say whether formatting elements may be open in vain: the tree would wrap text there in copies of them.

        An end tag in a cell or an object reaches nothing outside of it. One apart (between cells, in a noscript or a
        template) is not relied on for what is outside.
        """
        ends: Counter[tuple[bytes, int]] = Counter()  # seen without their start: names, cells around
        apart: Counter[tuple[bytes, int]] = Counter()
        index = self.map.find(offset)
        index -= index >= 0 and self.map.marks[index].at == offset
        for mark in self.map.marks[index::-1] if index >= 0 else ():
            name, level, is_apart = mark.name, mark.cells, bool(mark.hidden) or mark.table == GRID
            if name in _REACHES_NOT_OUT:
                ends.clear()
            if name == b"table" or name in _REACHES_NOT_OUT or (mark.hidden and name in tags.TABLE_PART):
                apart.clear()
            if name not in tags.FORMATTING or mark.hidden == IN_FOREIGN:
                continue
            if level >= CELLS_DEEP:
                return True
            if mark.kind == END:
                (apart if is_apart else ends)[name, level] += 1
            elif is_apart and apart[name, level]:
                apart[name, level] -= 1
            else:
                found = next((at for at in range(level, -1, -1) if ends[name, at]), None)
                if found is None:
                    return True
                ends[name, found] -= 1
        return False
