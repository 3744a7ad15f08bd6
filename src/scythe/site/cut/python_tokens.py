"""The token map of a page (real tags, text, open elements), in Python; the C version is in src/native."""

from __future__ import annotations

from bisect import bisect_right

from scythe.page.tokens import COMMENT, END, LITERAL, START, Token, content_close, read_token
from scythe.site.cut import python_text
from scythe.site.cut.python_text import svg_end

NO, YES, DOUBT = range(3)
NONE, CELL, GRID, UNKNOWN = range(4)  # where in a table a mark stands
WINDOW = 640  # bytes before a place that are tokenized to see whether it is a tag
WIDE_WINDOW = 16_384  # ... to see what is open around it
LOOK_BACK = 4_096  # marks
TABLES = 60  # open at once
MARKS = 8_000_000
PERHAPS, IN_TEMPLATE, IN_FOREIGN, IN_OTHER = 2, 3, 5, 1  # how a mark is hidden; 0: it is not
_STUCK = 1_000_000
_BLOCKS = 16  # kept of a noscript
_FOREIGN = (b"svg", b"math")
_HEAD_PARTS = frozenset(b"html head title meta link base style script noscript template".split())
_AROUND = {"link": b"a", "p": b"p", "form": b"form", "button": b"button"}
_SPACES = b"\t\n\f\r "


class Mark:
    """A token, and how it stands in the page."""

    __slots__ = ("at", "cells", "hidden", "is_odd", "kind", "name", "next", "table")

    def __init__(self, token: Token, table: int, cells: int) -> None:
        self.at, self.kind, self.next, self.table = token.at, token.kind, token.next, table
        self.cells = cells  # cells and captions that are open around it, as far as known
        self.name = token.name if token.kind in (START, END) else b""
        self.is_odd = bool(self.name) and token.is_odd
        self.hidden = 0


class TokenMap:
    """The marks of a page from `start` to `cursor`; it grows as far as it is asked."""

    def __init__(self, body: bytes, *, thorough: bool) -> None:
        self.body = body
        self.thorough = thorough
        self.is_broken = False
        self.why = ""
        self._start_at(0)

    def _start_at(self, start: int) -> None:
        self.start = self.cursor = start
        self.exact = start == 0
        self.marks: list[Mark] = []
        self._offsets: list[int] = []
        self._opaque = b""
        self._is_odd = False
        self._depth = 0
        self._blocks: list[bytes] = []
        self._lost_blocks = False
        self._svg_until = 0  # where an svg in good order ends that stands in a template
        self._in_body = start > 0
        self._cells: list[bool] | None = [] if start == 0 else None  # one for each open table; None: not known

    def reach(self, offset: int, before: int = WINDOW) -> None:
        """Make sure that every token that begins at or before `offset` is known, and some before it."""
        if self.is_broken:
            return
        if not self.thorough:
            start = offset - before if offset > 2 * before else 0
            far = self.cursor < offset and offset - self.cursor > 2 * before
            if self.start > start + before // 2 or offset < self.start or far:
                self._start_window(start, offset)
        self._extend(offset)

    def find(self, offset: int) -> int:
        """Return the index of the last mark that begins at or before `offset`, or -1."""
        return bisect_right(self._offsets, offset) - 1

    def is_tag(self, offset: int) -> int:
        """Say whether a true, shown opening tag begins at `offset`."""
        self.reach(offset)
        if self.is_broken:
            return self.doubt("the page is too large")
        index = self.find(offset)
        mark = self.marks[index] if index >= 0 else None
        place = "the tag may stand in an attribute, a comment or a script"
        if mark is None or mark.at != offset or mark.kind != START:
            return NO if self.exact and not (mark and mark.is_odd) else self.doubt(place)
        if mark.is_odd:
            return self.doubt(place)
        if mark.hidden:
            sure = self.exact and mark.hidden != PERHAPS
            return NO if sure else self.doubt("the tag may stand in an element that is not followed")
        return self._judge_name(index)

    def is_text(self, offset: int) -> int:
        """Say whether `offset` is text that the page shows."""
        self.reach(offset)
        if self.is_broken:
            return self.doubt("the page is too large")
        index = self.find(offset)
        place = "the tag may stand in an attribute, a comment or a script"
        if index >= 0 and offset < self.marks[index].next:
            return NO if self.exact else self.doubt(place)
        first = index
        while True:  # before the first tag there is no text that the tree ties to a place
            if first < 0:
                return NO if self.exact else self.doubt(place)
            opening = self.marks[first]
            first -= 1
            if opening.kind != START or (opening.name in python_text.TABLE_PART and opening.table == NONE):
                continue
            if opening.name == b"head" or opening.is_odd:
                return self.doubt(place)
            break
        mark = self.marks[index]
        opens = mark.name if mark.kind == START else b""
        if mark.hidden or opens in python_text.OPAQUE:
            sure = self.exact and mark.hidden == IN_OTHER
            return NO if sure else self.doubt("the tag may stand in an element that is not followed")
        if opens in python_text.RAW or opens == b"plaintext":
            return NO if self.exact else self.doubt(place)
        return YES

    def may_be_open(self, offset: int, what: str) -> bool:
        """Say whether a link, p, form or button may be open at `offset`."""
        answer = self._look_back(offset, what)
        if answer is not None:
            return answer
        self.reach(offset, WIDE_WINDOW)
        return self.is_broken or self._look_back(offset, what) is not False

    def parent_of(self, offset: int, name: bytes) -> Mark | None:
        """Return the mark of the element that directly holds the tag at `offset`, or None where that is not certain."""
        ends: list[bytes] = []
        opened = {_known(name)}
        index = self.find(offset)
        index -= index >= 0 and self.marks[index].at == offset
        for mark in self.marks[max(0, index - LOOK_BACK + 1) : index + 1][::-1]:
            if mark.hidden == PERHAPS:
                return None
            if mark.hidden or not mark.name or mark.name in python_text.VOID:
                continue
            if mark.name in python_text.FRAME or (mark.name in _FOREIGN and self.body[mark.next - 2] == 0x2F):
                return None  # `<svg/>` holds nothing
            if mark.kind == END:
                if len(ends) == 64:
                    return None
                ends.append(_known(mark.name))
                continue
            if not ends:
                return None if _may_have_ended(mark.name, opened) else mark
            if ends.pop() != _known(mark.name):
                return None
            opened.add(_known(mark.name))
        return None

    def doubt(self, why: str) -> int:
        self.why = why
        return DOUBT

    def _judge_name(self, index: int) -> int:
        mark = self.marks[index]
        if mark.name in python_text.FRAME:
            # the first html and body of a page are always there, even where they come late; others are not
            earlier = any(other.name == mark.name and other.kind == START for other in self.marks[:index])
            first = mark.name in (b"html", b"body") and not earlier
            return YES if self.exact and first else self.doubt("a second html, head or body")
        if mark.name == b"image":
            return self.doubt("an element without ordinary content")
        if mark.name == b"form" and self.may_be_open(mark.at, "form"):
            return self.doubt("a form in a form")
        if mark.name in python_text.TABLE_PART:
            if mark.table == NONE:
                return self.doubt("table parts out of place")
            before = (other for other in reversed(self.marks[:index]) if _is_grid(other.name))
            if mark.table == UNKNOWN and not _may_follow(next(before, None), mark.name):
                return self.doubt("table parts out of place")
        return YES

    def _start_window(self, start: int, offset: int) -> None:
        at, body = start, self.body
        while start > 0:
            at = body.find(b"<", at, offset)
            if at < 0:
                at = offset
                break
            after = body[at + 1 : at + 3]
            if len(after) == 2 and (after[:1].isalpha() or (after[:1] == b"/" and after[1:].isalpha())):
                break
            at += 1
        self._start_at(at)

    def _extend(self, offset: int) -> None:
        while self.cursor <= offset and not self.is_broken:
            opening = self.body.find(b"<", self.cursor)
            if opening < 0:
                self.cursor = len(self.body)
                return
            if opening > offset:
                self.cursor = opening
                return
            if not self._in_body:
                self._leave_head(opening)
            self._read_mark(opening)

    def _leave_head(self, opening: int) -> None:
        """Text that is not white space ends the head, and a noscript in it."""
        after = self.body[opening + 1 : opening + 2]
        blank = not self.body[self.cursor : opening].strip(_SPACES)
        if blank and after and (after.isalpha() or after in b"/!?"):
            return
        if self._opaque == b"noscript":
            self._is_odd = True
        elif not self._opaque:
            self._in_body = True

    def _read_mark(self, opening: int) -> None:
        body, size = self.body, len(self.body)
        token = read_token(body, opening, size)
        if token.kind == LITERAL:
            self.cursor = token.next
            return
        in_svg = self._opaque == b"template" and opening < self._svg_until
        foreign = in_svg or self._opaque in _FOREIGN
        if foreign and token.kind == COMMENT and body.startswith(b"<![CDATA[", opening) and size - opening > 9:
            close = body.find(b"]]>", opening)
            token = token._replace(next=close + 3 if close >= 0 else size)
        if len(self.marks) > MARKS:
            self.is_broken = True
            return
        mark = Mark(token, self._table(), sum(self._cells or ()))
        self.marks.append(mark)
        self._offsets.append(opening)
        self.cursor = token.next
        if token.kind in (START, END):
            self._follow_tag(mark, token, foreign)

    def _follow_tag(self, mark: Mark, token: Token, foreign: bool) -> None:
        name = token.name
        if self._opaque == b"template" and not foreign and not self._is_odd and (token.kind, name) == (START, b"svg"):
            self._svg_until = max(svg_end(self.body, token), 0)
        if self._opaque == b"template" and token.at < self._svg_until:
            mark.hidden = IN_TEMPLATE
        elif self._opaque:
            mark.hidden = self._follow_opaque(token)
        else:
            if _is_grid(name):
                self._follow_table(token)
            if token.kind == START and name in python_text.OPAQUE:
                self._enter_opaque(token)
        if not self._in_body and name not in _HEAD_PARTS and self._opaque not in (b"noscript", b"template"):
            self._in_body = True
        if name == b"frameset":
            self.is_broken = True
        if token.kind == START and not foreign:
            if name == b"plaintext":
                self.cursor = len(self.body)
            elif name in python_text.RAW:
                close = content_close(self.body, token, len(self.body))
                self.cursor = close if close >= 0 else len(self.body)

    def _table(self) -> int:
        if self._cells is None:
            return UNKNOWN
        return NONE if not self._cells else CELL if self._cells[-1] else GRID

    def _follow_table(self, token: Token) -> None:
        cells, name = self._cells, token.name
        if name == b"table" and token.kind == START:
            if cells and not cells[-1]:
                return
            if cells is None:
                cells = self._cells = []
            if len(cells) == TABLES:
                self.is_broken = True
                return
            cells.append(False)
        elif name == b"table":
            if cells:
                cells.pop()
                if not cells and not self.exact:
                    self._cells = None
        elif cells:
            if token.kind == START:
                cells[-1] = name in python_text.CELL or name == b"caption"
            elif name not in (b"col", b"colgroup"):
                cells[-1] = False

    def _enter_opaque(self, token: Token) -> None:
        if token.name in _FOREIGN and token.slash:
            return
        self._opaque, self._depth, self._is_odd = token.name, 1, False
        self._blocks, self._lost_blocks = [], False

    def _follow_opaque(self, token: Token) -> int:
        name, start, foreign = token.name, token.kind == START, self._opaque in _FOREIGN
        if name == self._opaque:
            if start and name == b"select":
                self._is_odd = True
            elif start:
                self._depth += not (foreign and token.slash)
            elif name == b"noscript" and (self._blocks or self._lost_blocks):
                self._is_odd = True
            else:
                self._depth -= 1
            if self._depth == 0:
                self._opaque = b""
                return 0
        elif self._ends_opaque(token):
            self._is_odd = True
            if foreign or (start and name in python_text.OPAQUE):
                self._depth = _STUCK
        if self._opaque == b"noscript" and name != b"noscript":
            self._follow_blocks(token)
        if self._is_odd:
            return PERHAPS
        return IN_TEMPLATE if self._opaque == b"template" else IN_FOREIGN if foreign else IN_OTHER

    def _follow_blocks(self, token: Token) -> None:
        name = token.name
        if name not in python_text.SPECIAL or name in python_text.VOID or name in python_text.RAW:
            return
        if self._lost_blocks:
            return
        if token.kind == START and len(self._blocks) < _BLOCKS:
            self._blocks.append(name)
        elif token.kind == END and self._blocks and self._blocks[-1] == name:
            self._blocks.pop()
        else:
            self._lost_blocks = True

    def _ends_opaque(self, token: Token) -> bool:
        """Say whether a token inside an opaque element could have ended it by other means than its end tag."""
        name, start, opaque = token.name, token.kind == START, self._opaque
        if name in python_text.FRAME:
            return True
        if opaque in _FOREIGN:
            if start:
                return name in python_text.BREAKS_OUT or name in (b"font", b"foreignobject", b"annotation-xml")
            ends = name in python_text.SPECIAL or name in python_text.FORMATTING or name in python_text.BREAKS_OUT
            return ends and name not in python_text.RAW
        if opaque == b"select":
            return name not in (b"option", b"optgroup")
        if opaque == b"template":
            return name in (b"svg", b"math", b"select", b"col")
        if not self._in_body and start:
            return name not in (b"link", b"meta", b"style")
        if name in (b"svg", b"math", b"select", b"template"):
            return True
        if start:
            return name in python_text.CLOSES_P or name in python_text.TABLE_PART
        return not self._blocks and not self._lost_blocks and name in python_text.SPECIAL

    def _look_back(self, offset: int, what: str) -> bool | None:
        index = self.find(offset)
        index -= index >= 0 and self.marks[index].at == offset
        nest, closed = 0, False  # inside tables, or a cell, that ended before
        for steps, i in enumerate(range(index, -1, -1), 1):
            mark = self.marks[i]
            if steps > LOOK_BACK or mark.hidden == PERHAPS:
                return True
            if mark.hidden or not mark.name or mark.name in python_text.FRAME:
                continue
            if mark.name in python_text.TABLE_PART and mark.table == NONE:
                continue  # outside of tables it is not there
            if what != "form":
                if mark.name == b"table":
                    nest += 1 if mark.kind == END else -1 if nest else 0
                    continue
                if nest:
                    continue
                if (mark.name in python_text.CELL or mark.name == b"caption") and (mark.kind == END or closed):
                    closed = mark.kind == END
                    continue
            answer = None if closed else _judge_back(mark, what)
            if answer is not None:
                return answer
        return False if self.exact else None


def _may_follow(before: Mark | None, name: bytes) -> bool:
    """Say whether a part of a table stands where one would expect it behind another, the table being out of sight."""
    if before is None:
        return False
    opens_row = before.name == b"tr" and before.kind == START
    if before.name == b"table":
        return before.kind == START
    if name in python_text.CELL:
        return before.name in python_text.CELL or opens_row
    if name == b"tr":
        return not opens_row
    return name in python_text.SECTION and before.kind == END


def _judge_back(mark: Mark, what: str) -> bool | None:
    name, start = mark.name, mark.kind == START
    if name == _AROUND[what]:
        return start
    if what == "form":
        return None
    if what == "p":
        if start and (name in python_text.CLOSES_P or name == b"button"):
            return False
        if name == b"button":
            return True
    if name in python_text.SCOPE and name != b"table":
        if name not in python_text.CELL and name != b"caption":
            return not start
        if start:
            return False
    return None


def _may_have_ended(name: bytes, opened: set[bytes]) -> bool:
    """Say whether elements that were opened inside may have ended an element without its end tag."""
    items = opened & {b"li", b"dd", b"dt"}
    ordinary = name not in python_text.SPECIAL
    if items and (ordinary or name in (b"p", b"div", b"address")):
        return True
    if (ordinary or name == b"p") and opened & python_text.CLOSES_P:
        return True
    if name in (b"dd", b"dt"):
        return bool(opened & {b"dd", b"dt"})
    if _known(name) and name in opened:
        return True
    for group in (python_text.HEADING, python_text.TABLE_PART):
        if name in group and opened & group:
            return True
    return name == b"table" and b"td" in opened


def _known(name: bytes) -> bytes:
    """Return a name of the table, or b"" for all others, which the compiled module does not tell apart here."""
    return name if name in python_text.KNOWN else b""


def _is_grid(name: bytes) -> bool:
    return name == b"table" or name in python_text.TABLE_PART
