"""Find the end and text of an element in bytes, in Python; the C version is in src/native."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import NamedTuple

from scythe.page.blocks import BOX, BREAK, RULE, SKIP
from scythe.page.tokens import (
    COMMENT,
    EMPTY,
    END,
    LITERAL,
    START,
    UNENDED,
    Token,
    content_close,
    find_attribute,
    read_token,
)
from scythe.site.cut import python_text
from scythe.site.cut.python_text import (
    AS_IS,
    DEPTH,
    IN_ATTRIBUTE,
    IN_TEXT,
    Doubt,
    Text,
    kind_of,
    skip_foreign,
    skip_select,
    skip_template,
)
from scythe.site.cut.python_tokens import DOUBT, GRID, IN_FOREIGN, NO, UNKNOWN, WINDOW, YES, Mark, TokenMap

GO_ON, ENDED = range(2)
NO_FORM, FORM_ELSEWHERE, FORM_UNASKED = -1, -2, -3
NOT_FOUND, BARRED = -1, -2
_SPACES = b"\t\n\f\r "
_ITEMS = (b"dd", b"dt")
Ask = Callable[[str], bool]


class Element(NamedTuple):
    """Where an element ends."""

    content_end: int  # its closing tag, or what ends it without one
    end: int  # behind its closing tag
    open_formatting: bool = False  # formatting elements were left open inside


def has_plain_doctype(body: bytes) -> bool:
    """Say whether the page has the plain doctype, so that tables end paragraphs."""
    start = body.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACES)[:200].lower()
    rest = start[14:].lstrip(_SPACES)
    return start.startswith(b"<!doctype html") and rest.startswith(b">")


def scan_element(body: bytes, opening: Token, text: Text | None, ask: Ask) -> Element:
    """Find the end of an element and put its text into `text`; raises Doubt."""
    if opening.name in python_text.OPAQUE or opening.name in python_text.FRAME or opening.name == b"plaintext":
        raise Doubt("an element without ordinary content")
    scan = _Scan(body, opening, text, ask)
    if opening.name in python_text.RAW:
        element = scan.read_raw(opening)
    elif opening.name in python_text.VOID:
        element = Element(opening.next, opening.next, False)
    else:
        element = scan.read_content(opening.next)
    if b"\0" in body[opening.at : element.end]:
        raise Doubt("NUL bytes")
    return element


class _Scan:
    """The elements open inside the one that is scanned, which is level 0."""

    def __init__(self, body: bytes, opening: Token, text: Text | None, ask: Ask) -> None:
        self.body, self.end, self.ask = body, len(body), ask
        self.text: Text | None = None
        self.stack: list[bytes] = []
        self.skips = self.ordinary = 0
        self.link_open = self.lost = False
        self.formatting = int(opening.name in python_text.FORMATTING)
        self.loose = opening.name not in python_text.SPECIAL
        self.push(opening.name)
        self.skips = 0
        self.text = text
        self.form = 0 if opening.name == b"form" else FORM_UNASKED

    def read_raw(self, opening: Token) -> Element:
        close = content_close(self.body, opening, self.end)
        token = read_token(self.body, close, self.end) if close >= 0 else None
        if token is None or token.kind == UNENDED:
            raise Doubt("the page ends inside the element")
        if self.text:
            self.text.put(self.body[opening.next : close], IN_TEXT if opening.name in python_text.RCDATA else AS_IS)
        return Element(close, token.next, self.formatting != 0)

    def read_content(self, at: int) -> Element:
        body = self.body
        while True:
            start = body.find(b"<", at)
            if start < 0:
                raise Doubt("the page ends inside the element")
            if start > at:
                if self.in_grid() and body[at:start].strip(_SPACES):
                    raise Doubt("text between the rows of a table")
                self.put(at, start)
            token = read_token(body, start, self.end)
            at = token.next
            state = GO_ON
            if token.kind == START:
                state, at = self.start_tag(token)
            elif token.kind == END:
                state = self.end_tag(token)
            elif token.kind == UNENDED:
                raise Doubt("the page ends inside the element")
            elif token.kind == LITERAL:
                if self.in_grid():
                    raise Doubt("text between the rows of a table")
                self.put(start, at)
            if state == ENDED:
                own = token.kind == END and token.name == self.stack[0]
                return Element(start, token.next if own else start, self.formatting != 0)

    def put(self, start: int, end: int) -> None:
        if self.text and not self.skips:
            self.text.put(self.body[start:end])

    def edge(self) -> None:
        if self.text and not self.skips:
            self.text.edge()

    def push(self, name: bytes) -> int:
        if len(self.stack) == DEPTH:
            raise Doubt("too many open elements")
        self.stack.append(name)
        self.ordinary += name not in python_text.SPECIAL
        if kind_of(name) == BOX:
            self.edge()
        self.skips += kind_of(name) == SKIP
        return GO_ON

    def pop(self, level: int) -> int:
        """Close the elements from `level` on."""
        if level <= 0:
            return ENDED
        while len(self.stack) > level:
            name = self.stack.pop()
            self.lost |= len(self.stack) > level and name in python_text.FORMATTING
            self.ordinary -= name not in python_text.SPECIAL
            self.skips -= kind_of(name) == SKIP
            if kind_of(name) == BOX:
                self.edge()
        if self.form >= level:
            self.form = FORM_ELSEWHERE
        return GO_ON

    def in_grid(self) -> bool:
        """Say whether we are between the cells of a table, where only parts of tables may stand."""
        top = self.stack[-1]
        return top in (b"table", b"tr", b"colgroup") or top in python_text.SECTION

    def find_open(self, name: bytes, barriers: Collection[bytes]) -> int:
        for level in range(len(self.stack) - 1, -1, -1):
            if self.stack[level] == name:
                return level
            if self.stack[level] in barriers:
                return BARRED
        return BARRED if self.stack[0] in python_text.TABLE_PART else NOT_FOUND

    def close_p(self) -> int:
        level = self.find_open(b"p", _P_SCOPE)
        if level >= 0:
            return self.pop(level)
        if level == NOT_FOUND and self.loose and self.ask("p"):
            raise Doubt("a block in an inline element")
        return GO_ON

    def start_tag(self, token: Token) -> tuple[int, int]:
        name = token.name
        if token.is_odd:
            raise Doubt("NUL bytes")
        if name in python_text.FRAME:  # a second html, head or body tag opens nothing
            if name in (b"frame", b"frameset") or self.stack[-1] == b"colgroup":
                raise Doubt("a second html, head or body")
            return GO_ON, token.next
        if name in python_text.TABLE_PART:
            return self.start_table_part(name), token.next
        if self.stack[-1] == b"colgroup" and name != b"template" and self.pop(len(self.stack) - 1) == ENDED:
            return ENDED, token.next
        if name in python_text.RAW:
            return GO_ON, self.skip_raw(token)
        if name == b"template":
            return GO_ON, skip_template(self.body, token)
        if name in python_text.VOID:
            return self.start_void(name), token.next
        if name in (b"svg", b"math"):
            if self.in_grid():
                raise Doubt("text between the rows of a table")
            return GO_ON, skip_foreign(self.body, token, self.put, DEPTH - len(self.stack))
        if name not in python_text.SPECIAL:
            return self.start_inline(name), token.next
        if name == b"select" and not self.in_grid():
            return GO_ON, skip_select(self.body, token)
        return self.start_special(name), token.next

    def start_table_part(self, name: bytes) -> int:
        while True:
            level = self.grid_level()
            if level < 0:
                raise Doubt("table parts out of place")
            mode = self.stack[level]
            if mode in python_text.CELL or mode == b"caption":
                if self.pop(level) == ENDED:
                    return ENDED
                continue
            if level != len(self.stack) - 1:
                raise Doubt("table parts out of place")
            cell = name in python_text.CELL
            if mode == b"tr":
                if cell:
                    return self.push(name)
            elif mode in python_text.SECTION:
                if cell:
                    self.push(b"tr")
                if cell or name == b"tr":
                    return self.push(name)
            elif mode == b"colgroup":
                if name == b"col":
                    return GO_ON
            else:
                if name == b"col":
                    return self.push(b"colgroup")
                if cell or name == b"tr":
                    self.push(b"tbody")
                if cell:
                    self.push(b"tr")
                return self.push(name)
            if self.pop(level) == ENDED:
                return ENDED

    def grid_level(self) -> int:
        for level in range(len(self.stack) - 1, -1, -1):
            if self.stack[level] == b"table" or self.stack[level] in python_text.TABLE_PART:
                return level
        return -1

    def start_void(self, name: bytes) -> int:
        kind = kind_of(name)
        if name == b"hr" and self.close_p() == ENDED:
            return ENDED
        if self.in_grid() and (kind != SKIP or self.stack[-1] == b"colgroup"):
            raise Doubt("text between the rows of a table")
        if kind in (BREAK, RULE):
            self.edge()
        return GO_ON

    def start_inline(self, name: bytes) -> int:
        if self.in_grid():
            raise Doubt("text between the rows of a table")
        self.formatting += name in python_text.FORMATTING
        if name in (b"a", b"nobr"):
            odd = name == b"nobr" and self.ordinary
            if name in self.stack or odd or (not self.loose and self.ordinary and self.link_open):
                raise Doubt("a link in a link")
            if self.ordinary and name == b"a" and self.ask("link"):
                raise Doubt("a link in a link")
            self.link_open = True
        if name in (b"rt", b"rp", b"rb", b"rtc"):
            if self.stack[-1] != b"ruby":
                raise Doubt("unusual ruby")
        elif name in (b"option", b"optgroup"):
            if self.stack[-1] in (b"option", b"optgroup"):
                raise Doubt("more than options in a select")
        elif name == b"dialog":
            if self.close_p() == ENDED:
                return ENDED
        elif not (
            self.ordinary or self.stack[-1] in python_text.HEADING or kind_of(name) in (SKIP, BOX) or name == b"ruby"
        ):
            return GO_ON  # cannot matter to special elements; in a heading it decides whether another one ends that
        return self.push(name)

    def start_special(self, name: bytes) -> int:
        if name == b"form":
            return self.start_form()
        if self.in_grid():
            raise Doubt("table parts out of place" if name == b"table" else "text between the rows of a table")
        if name == b"li" or name in _ITEMS:
            return self.start_item(name)
        if name == b"plaintext":
            raise Doubt("raw text inside")
        if name == b"button":
            level = self.find_open(b"button", python_text.SCOPE)
            if level >= 0 or (level == NOT_FOUND and self.ask("button")):
                raise Doubt("a button in a button")
        if name == b"table" and self.find_open(b"p", _P_SCOPE) >= 0 and not has_plain_doctype(self.body):
            raise Doubt("a table in a paragraph")
        if name in python_text.CLOSES_P and self.close_p() == ENDED:
            return ENDED
        if name in python_text.HEADING and self.stack[-1] in python_text.HEADING:
            raise Doubt("a heading in a heading")
        return self.push(name)

    def start_item(self, name: bytes) -> int:
        for level in range(len(self.stack) - 1, -1, -1):
            here = self.stack[level]
            if here == name or (name in _ITEMS and here in _ITEMS):
                if self.pop(level) == ENDED:
                    return ENDED
                break
            if here in python_text.SPECIAL and here not in (b"address", b"div", b"p"):
                break
        else:
            if self.stack[0] == b"p" and self.find_open(b"p", _P_SCOPE) == 0:
                return ENDED
            raise Doubt("a list item without its list")
        return ENDED if self.close_p() == ENDED else self.push(name)

    def ask_form(self) -> None:
        if self.form == FORM_UNASKED:
            if self.ask("form"):
                raise Doubt("a form in a form")
            self.form = NO_FORM

    def start_form(self) -> int:
        self.ask_form()
        if self.form != NO_FORM:
            return GO_ON
        if self.in_grid():
            self.form = FORM_ELSEWHERE
            return GO_ON
        if self.close_p() == ENDED:
            return ENDED
        self.form = len(self.stack)
        return self.push(b"form")

    def end_form(self, token: Token) -> int:
        self.ask_form()
        form = self.form
        if form >= 0 and (form != len(self.stack) - 1 or form == 0 or not self.parts_anyway(token)):
            raise Doubt("a form in a form")
        self.form = NO_FORM
        return self.pop(form) if form >= 0 else GO_ON

    def parts_anyway(self, token: Token) -> bool:
        """Say whether texts before and behind the end of a form are apart even if that end parts nothing."""
        after = self.body[token.next : token.next + 1]
        if not self.text or self.skips or self.text.has_gap or (after and after in _SPACES):
            return True
        if after != b"<":
            return False
        following = read_token(self.body, token.next, self.end)
        name = following.name
        special = name in python_text.SPECIAL and name != b"form"
        return following.kind in (START, END) and kind_of(name) == BOX and special

    def skip_raw(self, token: Token) -> int:
        if token.name in (b"xmp", b"noembed", b"noframes"):
            raise Doubt("raw text inside")
        if self.in_grid() and token.name not in python_text.HEADLIKE:
            raise Doubt("text between the rows of a table")
        close = content_close(self.body, token, self.end)
        ending = read_token(self.body, close, self.end) if close >= 0 else None
        if ending is None or ending.kind == UNENDED:
            raise Doubt("the page ends inside the element")
        return ending.next

    def end_tag(self, token: Token) -> int:
        name = token.name
        if token.is_odd:
            raise Doubt("NUL bytes")
        if name == b"p":
            return self.end_p()
        if name == b"form":
            return self.end_form(token)
        if name in python_text.TABLE_PART or name == b"table":
            return self.end_table_part(name)
        if name in (b"body", b"html") and self.stack[-1] != b"colgroup":
            return GO_ON  # they close nothing: what follows them still belongs to what is open
        if name in (b"br", b"select", b"template", b"svg", b"math") or name in python_text.FRAME:
            raise Doubt("an end tag without its start")
        block = name in python_text.CLOSES_P and name not in python_text.VOID and name not in python_text.RAW
        if block or name in (b"button", b"object", b"applet", b"marquee"):
            return self.end_block(name)
        if name in python_text.VOID or name in python_text.RAW:
            return GO_ON
        return self.end_inline(name)

    def end_p(self) -> int:
        level = self.find_open(b"p", _P_SCOPE)
        if level >= 0:
            return self.pop(level)
        if level == NOT_FOUND and self.loose:
            raise Doubt("an end tag without its start")
        if self.in_grid():
            raise Doubt("text between the rows of a table")
        self.edge()
        return GO_ON

    def end_table_part(self, name: bytes) -> int:
        if name == b"col":
            return GO_ON
        if self.grid_level() < 0:
            raise Doubt("table parts out of place")
        for level in range(len(self.stack) - 1, -1, -1):
            here = self.stack[level]
            if here == name:
                return self.pop(level)
            near = name in (b"caption", b"colgroup") or name in python_text.CELL
            if (
                here == b"table"
                or (near and here in python_text.TABLE_PART)
                or (here == b"caption" and name != b"table")
            ):
                return GO_ON
        if name == b"table" or (name == b"tr" and self.stack[0] in python_text.CELL):
            return ENDED
        if name == b"tr":
            return GO_ON
        raise Doubt("table parts out of place")

    def end_block(self, name: bytes) -> int:
        if name in python_text.HEADING:
            level = NOT_FOUND
            for i in range(len(self.stack) - 1, -1, -1):
                if self.stack[i] in python_text.HEADING:
                    level = i
                    break
                if self.stack[i] in python_text.SCOPE:
                    return GO_ON
            if level < 0 and self.stack[0] in python_text.TABLE_PART:
                return GO_ON
        else:
            level = self.find_open(name, _LIST_SCOPE if name == b"li" else python_text.SCOPE)
        if level >= 0:
            return self.pop(level)
        if level == BARRED:
            return GO_ON
        raise Doubt("an end tag without its start")

    def end_inline(self, name: bytes) -> int:
        formatting = name in python_text.FORMATTING
        self.formatting -= formatting
        if name == b"a":
            self.link_open = False
        if formatting and self.lost and self.ordinary:
            raise Doubt("overlapping formatting")
        level = len(self.stack) - 1
        while level >= 0 and self.stack[level] != name and self.stack[level] not in python_text.SPECIAL:
            level -= 1
        if level >= 0 and self.stack[level] == name:
            if formatting and level != len(self.stack) - 1:
                raise Doubt("overlapping formatting")
            return self.pop(level)
        if self.ordinary > 0 if formatting else level < len(self.stack) - 1:
            raise Doubt("overlapping formatting" if formatting else "an end tag without its start")
        return GO_ON


_P_SCOPE = python_text.SCOPE | {b"button"}
_LIST_SCOPE = python_text.SCOPE | python_text.LIST

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
        if table == GRID and opening.name not in python_text.TABLE_PART and opening.name not in python_text.HEADLIKE:
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
            if opening.name in python_text.FRAME:  # a second html or body tag gives its attributes to the first
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
        raw = (
            name in python_text.RAW
            or name in python_text.OPAQUE
            or name in python_text.FRAME
            or name in python_text.TABLE_PART
        )
        if name in (b"table", b"pre", b"listing") or (raw and name not in python_text.CELL):
            raise Doubt("an element without ordinary content")
        if name in python_text.VOID:
            return None
        if (name in python_text.SPECIAL or name in python_text.CLOSES_P) and self._formatting_open(opening.at):
            raise Doubt("overlapping formatting")
        taken, following = self._take_run(opening.next)
        if following.kind == END and following.name != name:
            raise Doubt("an end tag without its start")
        return taken

    def _take_tail(self, opening: Token, element: Element) -> Taken | None:
        name, place, void = opening.name, opening.at, opening.name in python_text.VOID
        if name in python_text.TABLE_PART or name in python_text.RAW or kind_of(name) == SKIP:
            raise Doubt("an element without ordinary content")
        if name == b"nobr" or (name == b"a" and self.map.may_be_open(place, "link")):
            raise Doubt("a link in a link")
        if element.end == element.content_end and not void:
            following = read_token(self.body, element.end, len(self.body))
            if following.kind == START and following.name != b"table":
                return None
            raise Doubt("an end tag without its start")
        reopens = name in _REOPENS or not (name in python_text.SPECIAL or name in python_text.CLOSES_P)
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
        odd = (
            token.name in (b"form", b"table") or token.name in python_text.TABLE_PART or token.name in python_text.FRAME
        )
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
            if name == b"table" or name in _REACHES_NOT_OUT or (mark.hidden and name in python_text.TABLE_PART):
                apart.clear()
            if name not in python_text.FORMATTING or mark.hidden == IN_FOREIGN:
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
