"""The end of an element and its text from bytes, as src/cut/scan.c finds them: as the tree builder does, or not at all.

Only elements that the standard calls special decide about each other's ends. So, in a special element, inline ones need
not be remembered, however badly they are nested; in an inline element everything is, and must be in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from scythe.cut import tags
from scythe.cut.opaque import DEPTH, Doubt, kind_of, skip_foreign, skip_select, skip_template
from scythe.cut.text import AS_IS, IN_TEXT, Text
from scythe.page.blocks import BOX, BREAK, RULE, SKIP
from scythe.page.tokens import END, LITERAL, START, UNENDED, Token, content_close, read_token

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
    if opening.name in tags.OPAQUE or opening.name in tags.FRAME or opening.name == b"plaintext":
        raise Doubt("an element without ordinary content")
    scan = _Scan(body, opening, text, ask)
    if opening.name in tags.RAW:
        element = scan.read_raw(opening)
    elif opening.name in tags.VOID:
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
        self.formatting = int(opening.name in tags.FORMATTING)
        self.loose = opening.name not in tags.SPECIAL
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
            self.text.put(self.body[opening.next : close], IN_TEXT if opening.name in tags.RCDATA else AS_IS)
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
        self.ordinary += name not in tags.SPECIAL
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
            self.lost |= len(self.stack) > level and name in tags.FORMATTING
            self.ordinary -= name not in tags.SPECIAL
            self.skips -= kind_of(name) == SKIP
            if kind_of(name) == BOX:
                self.edge()
        if self.form >= level:
            self.form = FORM_ELSEWHERE
        return GO_ON

    def in_grid(self) -> bool:
        """Say whether we are between the cells of a table, where only parts of tables may stand."""
        top = self.stack[-1]
        return top in (b"table", b"tr", b"colgroup") or top in tags.SECTION

    def find_open(self, name: bytes, barriers: Collection[bytes]) -> int:
        for level in range(len(self.stack) - 1, -1, -1):
            if self.stack[level] == name:
                return level
            if self.stack[level] in barriers:
                return BARRED
        return BARRED if self.stack[0] in tags.TABLE_PART else NOT_FOUND

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
        if name in tags.FRAME:  # a second html, head or body tag opens nothing
            if name in (b"frame", b"frameset") or self.stack[-1] == b"colgroup":
                raise Doubt("a second html, head or body")
            return GO_ON, token.next
        if name in tags.TABLE_PART:
            return self.start_table_part(name), token.next
        if self.stack[-1] == b"colgroup" and name != b"template" and self.pop(len(self.stack) - 1) == ENDED:
            return ENDED, token.next
        if name in tags.RAW:
            return GO_ON, self.skip_raw(token)
        if name == b"template":
            return GO_ON, skip_template(self.body, token)
        if name in tags.VOID:
            return self.start_void(name), token.next
        if name in (b"svg", b"math"):
            if self.in_grid():
                raise Doubt("text between the rows of a table")
            return GO_ON, skip_foreign(self.body, token, self.put, DEPTH - len(self.stack))
        if name not in tags.SPECIAL:
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
            if mode in tags.CELL or mode == b"caption":
                if self.pop(level) == ENDED:
                    return ENDED
                continue
            if level != len(self.stack) - 1:
                raise Doubt("table parts out of place")
            cell = name in tags.CELL
            if mode == b"tr":
                if cell:
                    return self.push(name)
            elif mode in tags.SECTION:
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
            if self.stack[level] == b"table" or self.stack[level] in tags.TABLE_PART:
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
        self.formatting += name in tags.FORMATTING
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
        elif not (self.ordinary or self.stack[-1] in tags.HEADING or kind_of(name) in (SKIP, BOX) or name == b"ruby"):
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
            level = self.find_open(b"button", tags.SCOPE)
            if level >= 0 or (level == NOT_FOUND and self.ask("button")):
                raise Doubt("a button in a button")
        if name == b"table" and self.find_open(b"p", _P_SCOPE) >= 0 and not has_plain_doctype(self.body):
            raise Doubt("a table in a paragraph")
        if name in tags.CLOSES_P and self.close_p() == ENDED:
            return ENDED
        if name in tags.HEADING and self.stack[-1] in tags.HEADING:
            raise Doubt("a heading in a heading")
        return self.push(name)

    def start_item(self, name: bytes) -> int:
        for level in range(len(self.stack) - 1, -1, -1):
            here = self.stack[level]
            if here == name or (name in _ITEMS and here in _ITEMS):
                if self.pop(level) == ENDED:
                    return ENDED
                break
            if here in tags.SPECIAL and here not in (b"address", b"div", b"p"):
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
        special = name in tags.SPECIAL and name != b"form"
        return following.kind in (START, END) and kind_of(name) == BOX and special

    def skip_raw(self, token: Token) -> int:
        if token.name in (b"xmp", b"noembed", b"noframes"):
            raise Doubt("raw text inside")
        if self.in_grid() and token.name not in tags.HEADLIKE:
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
        if name in tags.TABLE_PART or name == b"table":
            return self.end_table_part(name)
        if name in (b"body", b"html") and self.stack[-1] != b"colgroup":
            return GO_ON  # they close nothing: what follows them still belongs to what is open
        if name in (b"br", b"select", b"template", b"svg", b"math") or name in tags.FRAME:
            raise Doubt("an end tag without its start")
        block = name in tags.CLOSES_P and name not in tags.VOID and name not in tags.RAW
        if block or name in (b"button", b"object", b"applet", b"marquee"):
            return self.end_block(name)
        if name in tags.VOID or name in tags.RAW:
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
            near = name in (b"caption", b"colgroup") or name in tags.CELL
            if here == b"table" or (near and here in tags.TABLE_PART) or (here == b"caption" and name != b"table"):
                return GO_ON
        if name == b"table" or (name == b"tr" and self.stack[0] in tags.CELL):
            return ENDED
        if name == b"tr":
            return GO_ON
        raise Doubt("table parts out of place")

    def end_block(self, name: bytes) -> int:
        if name in tags.HEADING:
            level = NOT_FOUND
            for i in range(len(self.stack) - 1, -1, -1):
                if self.stack[i] in tags.HEADING:
                    level = i
                    break
                if self.stack[i] in tags.SCOPE:
                    return GO_ON
            if level < 0 and self.stack[0] in tags.TABLE_PART:
                return GO_ON
        else:
            level = self.find_open(name, _LIST_SCOPE if name == b"li" else tags.SCOPE)
        if level >= 0:
            return self.pop(level)
        if level == BARRED:
            return GO_ON
        raise Doubt("an end tag without its start")

    def end_inline(self, name: bytes) -> int:
        formatting = name in tags.FORMATTING
        self.formatting -= formatting
        if name == b"a":
            self.link_open = False
        if formatting and self.lost and self.ordinary:
            raise Doubt("overlapping formatting")
        level = len(self.stack) - 1
        while level >= 0 and self.stack[level] != name and self.stack[level] not in tags.SPECIAL:
            level -= 1
        if level >= 0 and self.stack[level] == name:
            if formatting and level != len(self.stack) - 1:
                raise Doubt("overlapping formatting")
            return self.pop(level)
        if self.ordinary > 0 if formatting else level < len(self.stack) - 1:
            raise Doubt("overlapping formatting" if formatting else "an end tag without its start")
        return GO_ON


_P_SCOPE = tags.SCOPE | {b"button"}
_LIST_SCOPE = tags.SCOPE | tags.LIST
