"""Rewrite the source of a hostile page so that parsing it takes linear time.

Parsers are quadratic in nesting, in attributes of one tag and in unclosed formatting elements. The rewritten source
opens and closes elements strictly in turn, never deeper than `Limits.depth`; beyond a limit tags are dropped, never
text. Well-behaved sources are passed through unchanged.
"""

from __future__ import annotations

import re
from collections import Counter

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.attribute_limits import NAMED, SPACE, AttributeLimits

_GROUPS = {
    # HTML standard, 13.2.4.2: what hides the elements below it from an end tag
    "scope": """
        applet caption html table td th marquee object template foreignobject desc mi mo mn ms mtext annotation-xml
    """,
    "button": "button",
    "list": "ol ul",
    "table": "table template",
    # 13.2.4.2, "special": what an end tag of another name never closes; address, div and p apart, items see past them
    "wall": """
        applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd
        details dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header
        hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript
        object ol param plaintext pre script search section select source style summary table tbody td template
        textarea tfoot th thead title tr track ul wbr xmp foreignobject desc mi mo mn ms mtext annotation-xml
    """,
    "special": "address div p",
    "heading": "h1 h2 h3 h4 h5 h6",
    "cell": "td th caption",
    "row": "tr",
    "body": "tbody thead tfoot",
    "foreign": "svg math",
    "integration": "foreignobject desc title mi mo mn ms mtext annotation-xml",  # HTML inside svg and math
    "formatting": "a b big code em font i nobr s small strike strong tt u",
}
_WIDER = {"scope": ("scope", "button", "list"), "wall": ("wall", "special")}


def _groups_by_name() -> dict[bytes, tuple[str, ...]]:
    found: dict[bytes, dict[str, None]] = {}
    for group, names in _GROUPS.items():
        for name in names.split():
            found.setdefault(name.encode(), {}).update(dict.fromkeys(_WIDER.get(group, (group,))))
    return {name: tuple(groups) for name, groups in found.items()}


GROUPS_OF = _groups_by_name()
_ONLY_FOREIGN = frozenset(b"foreignobject desc mi mo mn ms mtext annotation-xml".split())  # elsewhere: unknown elements
GROUP_NAMES = {group: frozenset(name.encode() for name in names.split()) for group, names in _GROUPS.items()}

# what an element holds (13.2.6, "integration points"): HTML, svg, or math; in svg and math, some names hold HTML again
_HTML, _SVG, _MATH, _ANNOTATION = range(4)
_ROOTS = {b"svg": _SVG, b"math": _MATH}
_HOLDS_HTML = {_SVG: frozenset(b"foreignobject desc title".split()), _MATH: frozenset(b"mi mo mn ms mtext".split())}
_HTML_ANNOTATION = re.compile(
    rb"""[\t\n\f\r /"']encoding[\t\n\f\r ]*=[\t\n\f\r ]*["']?(?:text/html|application/xhtml\+xml)["'\t\n\f\r >]""", re.I
)


class Openings:
    """Open elements, outermost first. An entry is None once its element was closed out of turn."""

    def __init__(self) -> None:
        self.names: list[bytes | None] = []
        self._holds: list[int] = []  # each of them
        self.groups: dict[str, list[int]] = {group: [] for group in _GROUPS}
        # by name: its own places first, then those of the groups it belongs to
        self._places: dict[bytes, list[list[int]]] = {
            name: [[], *(self.groups[group] for group in groups)] for name, groups in GROUPS_OF.items()
        }
        self._plain: set[int] = set()  # places of elements that belong to no group there

    def __len__(self) -> int:
        return len(self.names)

    def is_html(self) -> bool:
        """Say whether a tag here is one of HTML, not of svg or math."""
        return not self._holds or self._holds[-1] == _HTML

    def has_sections(self) -> bool:
        """Say whether `<![CDATA[` is text here: inside of an element that is one of svg or math itself."""
        return any(held != _HTML for held in self._holds[-2:])

    def push(self, name: bytes, tag: bytes = b"") -> None:
        """Open an element."""
        place = len(self.names)
        self._holds.append(self._held_by(name, tag))
        self.names.append(name)
        lists = self._places.get(name)
        if lists is None:
            lists = self._places[name] = [[]]
        if name in _ONLY_FOREIGN and not self.groups["foreign"]:
            self._plain.add(place)
        for places in self._lists(name, place):
            places.append(place)

    def _held_by(self, name: bytes, tag: bytes) -> int:
        around = self._holds[-1] if self._holds else _HTML
        if around == _HTML or (around == _ANNOTATION and name == b"svg"):
            return _ROOTS.get(name, _HTML)
        around = _MATH if around == _ANNOTATION else around
        if name in _HOLDS_HTML[around]:
            return _HTML
        if around == _MATH and name == b"annotation-xml":
            return _HTML if _HTML_ANNOTATION.search(tag) else _ANNOTATION
        return around

    def _lists(self, name: bytes, place: int) -> list[list[int]]:
        lists = self._places[name]
        return lists[:1] if place in self._plain else lists

    def find(self, name: bytes) -> int:
        """Return the place of the innermost open element of a name, or -1."""
        lists = self._places.get(name)
        return lists[0][-1] if lists and lists[0] else -1

    def last(self, group: str) -> int:
        """Return the place of the innermost open element of a group, or -1."""
        places = self.groups[group]
        return places[-1] if places else -1

    def top(self) -> bytes | None:
        """Return the name of the innermost open element."""
        return self.names[-1] if self.names else None

    def cut(self, place: int) -> list[bytes]:
        """Close the element at `place` and all inside it; return their names, innermost first."""
        closed: list[bytes] = []
        names = self.names
        while len(names) > place:
            name = names.pop()
            self._holds.pop()
            if name is not None:
                for places in self._lists(name, len(names)):
                    places.pop()
                self._plain.discard(len(names))
                closed.append(name)
        return closed

    def drop(self, place: int) -> None:
        """Close the element at `place` but none inside it."""
        name = self.names[place]
        assert name is not None  # `find` knows open elements only
        self.names[place] = None
        for places in self._lists(name, place):
            places.remove(place)
        self._plain.discard(place)


_TAG = re.compile(rb"</?([a-zA-Z][^\t\n\f\r />]*+)(?:" + NAMED + rb")*+[\t\n\f\r /]*+>")
_ATTRIBUTE_START = re.compile(
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:" + SPACE + rb"=" + SPACE + rb"(?:([\"'])|[^\t\n\f\r >]*+))?+"
)
_NAME = re.compile(rb"</?[a-zA-Z][^\t\n\f\r />]*+")
_OPENERS = frozenset({b"<", b"/", b"!", b"?", b"&"})
_HALF_REFERENCE = re.compile(rb"&#?[A-Za-z0-9]{0,32}$")
_MARKUP = re.compile(rb"<[A-Za-z]")
_COMMENT_END = re.compile(rb"--!?>")


def _names(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_VOID = _names("area base basefont bgsound br embed hr img input keygen link meta param source track wbr frame image")
_RAW = _names("script style textarea title xmp iframe noembed noframes")
_PAGE = _names("html head body")
_ENDS_P = _names(
    """
    address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup
    main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form xmp hr li dd dt
    """
)
_BREAKOUT = _names(  # what ends svg and math (HTML standard, 13.2.6.5)
    """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr
    ol p pre ruby s small span strong strike sub sup table tt u ul var
    """
)
_BREAKING_FONT = re.compile(rb"""[\t\n\f\r /"'](?:color|face|size)[\t\n\f\r />=]""", re.I)  # others do not
_CELLS, _BODIES = _names("td th"), _names("tbody thead tfoot")
_TABLE_PARTS = _CELLS | _BODIES | _names("tr caption colgroup col")
_BLOCKS = _ENDS_P | _TABLE_PARTS | _names("table option optgroup br")
_ENDS_ITSELF = _names("p li dd dt option a nobr button td th tr h1 h2 h3 h4 h5 h6")
_CLOSERS = _ENDS_P | _TABLE_PARTS | _BREAKOUT | _names("table option optgroup button a nobr")
_FORMATTING, _HEADINGS = GROUP_NAMES["formatting"], GROUP_NAMES["heading"]
_USUAL = _BLOCKS | _VOID | _RAW | _BREAKOUT | _FORMATTING
_USUAL |= _names(
    "a abbr audio button caption cite del label mark math noscript object q rt select svg template time video"
)
_ENDED_IN_SCOPE = (_ENDS_P | _names("button applet object marquee select")) - _HEADINGS - _names("p li")
_IN_SCRIPT = re.compile(rb"<!--|--!?>|<(/?)script(?=[\t\n\f\r />])", re.I)
_END_OF_RAW = {name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.I) for name in _RAW}


def rewrite(source: bytes) -> tuple[bytes, tuple[Loss, ...]]:
    """Return a source that builds the same tree wherever that is affordable, and what it gave up. Linear time."""
    rewriter = _Rewriter(source)
    rewriter.run()
    return rewriter.result()


def count_attributes(tag: bytes) -> int:
    """Return how many attributes a tag has, at most one more than the limit; long values are skipped fast."""
    name = _NAME.match(tag)
    at, count = name.end() if name else 0, 0
    while count <= LIMITS.tag_attributes and (match := _ATTRIBUTE_START.match(tag, at)):
        count += 1
        at = match.end()
        if match[1]:
            at = tag.find(match[1], at) + 1
            if not at:
                break
    return count


class _Rewriter:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.pieces: list[bytes] = []
        self.kept_to = 0  # source before this is in `pieces`
        self.broke_at = -1  # where the last inserted line break ended
        self.open = Openings()
        self.lost: Counter[str] = Counter()
        self.attributes = AttributeLimits(source, self.lost)
        self.unwrapped: Counter[bytes] = Counter()  # start tags dropped inside the innermost open element
        self.page_tags: set[bytes] = set()
        self.has_doctype = False  # asked only where there are many names
        self.has_begun = False  # the body, by a tag of ours
        self.nodes = 0  # that tags and comments make
        self.names: set[bytes] = set()  # of tags kept

    def result(self) -> tuple[bytes, tuple[Loss, ...]]:
        losses = tuple(Loss(what, count) for what, count in sorted(self.lost.items()))
        if not self.kept_to:
            return self.source, losses
        self.pieces.append(self.source[self.kept_to :])
        return b"".join(self.pieces), losses

    def run(self) -> None:
        source, at = self.source, 0
        find = source.find
        while (at := find(b"<", at)) >= 0:
            mark = source[at + 1 : at + 2]
            if mark.isalpha():
                at = self._start(at) if self._has_room() else self._leave_out(at)
            elif mark == b"/":
                at = self._end(at)
            elif mark in (b"!", b"?"):
                at = self._markup(at)
            else:
                at += 1

    def _has_room(self) -> bool:
        """Count one more element or comment, and say whether the page may have it."""
        self.nodes += 1
        return self.nodes <= LIMITS.page_tags

    def _leave_out(self, at: int) -> int:
        """Drop a start tag of a page that has too many; what it holds stays, but for scripts and the like."""
        match = _TAG.match(self.source, at)
        if match is None:
            return self._swallow(at)
        name, end = match[1].lower(), match.end()
        if name in _RAW and self.open.is_html():
            ended = self._end_of_raw(name, end)
            closing = _TAG.match(self.source, ended.start()) if ended else None
            end = closing.end() if closing else len(self.source)
        elif name not in _VOID:
            self.unwrapped[name] += 1
        return self._blank(at, end)

    def _blank(self, at: int, end: int) -> int:
        """Write a space for something beyond the limit; one for many in a row."""
        self.lost["tags beyond the limit"] += 1
        if at == self.kept_to and self.pieces[-1:] == [b" "]:
            self.kept_to = end
        else:
            self._replace(at, end, b" ")
        return end

    def _replace(self, start: int, end: int, text: bytes) -> None:
        """Write `text` where the source has its bytes from start to end."""
        if start > self.kept_to:
            self.pieces.append(self.source[self.kept_to : start])
        if not text and (
            self.source[start - 1 : start] in _OPENERS or _HALF_REFERENCE.search(self.source, max(start - 40, 0), start)
        ):
            text = b"<!---->"  # or the text on both sides of a dropped tag would become markup together
        if text:
            self.pieces.append(text)
        self.kept_to = end

    def _swallow(self, at: int) -> int:
        """Give up a tag that never ends: by the standard it takes the rest of the page with it."""
        self.lost["bytes in a tag without end"] += len(self.source) - at
        self._replace(at, len(self.source), b"")
        return len(self.source)

    def _markup(self, at: int) -> int:
        source = self.source
        if source.startswith(b"<!--", at):
            if source.startswith((b"<!-->", b"<!--->"), at):
                end = source.find(b">", at) + 1
            else:
                match = _COMMENT_END.search(source, at + 4)
                end = match.end() if match else len(source)
            return end if self._has_room() else self._blank(at, end)
        if source.startswith(b"<![CDATA[", at) and self.open.has_sections():
            return self._cdata(at)
        end = source.find(b">", at) + 1 or len(source)
        if self.attributes.has_many_names and source[at + 2 : at + 9].lower() == b"doctype":
            if self.has_doctype:
                self._replace(at, end, b"")  # only the first one means anything
            self.has_doctype = True
            return end
        return end if self._has_room() else self._blank(at, end)

    def _cdata(self, at: int) -> int:
        # whether this is a section or a comment depends on the tree; as text it hides nothing from the rest of the page
        end = self.source.find(b"]]>", at)
        end = len(self.source) if end < 0 else end
        text = self.source[at + 9 : end].replace(b"&", b"&amp;").replace(b"<", b"&lt;")
        self._replace(at, min(end + 3, len(self.source)), text)
        return min(end + 3, len(self.source))

    def _start(self, at: int) -> int:
        match = _TAG.match(self.source, at)
        if match is None:
            return self._swallow(at)
        name, end = match[1].lower(), match.end()
        if name in _ENDS_ITSELF and self.open.top() == name and self.attributes.is_within(at, end):
            self.unwrapped.clear()
            return end  # one goes, an equal one comes
        if name in _PAGE:
            return self._page_tag(name, match)
        if not self._is_known(name):
            return self._unwrap(name, at, end, b"")
        closed = self._close_before(name) if name in _CLOSERS else b""
        if name == b"font" and _BREAKING_FONT.search(match[0]):
            closed = self._break_out()
        foreign = not self.open.is_html()
        if name in _RAW and not (foreign and name not in (b"script", b"style")):
            return self._raw(name, match, foreign)
        if name in _VOID:
            tag = self.attributes.keep(match)
            if foreign and not tag.endswith(b"/>"):
                tag = tag[:-1] + b" />"  # inside svg an element without end would nest
            return self._write_start(match, closed, tag)
        if self._is_ignored(name):
            self._replace(at, end, closed + self._begin_body(name))
            return end
        if self._is_beyond_limits(name):
            return self._unwrap(name, at, end, closed)
        tag = self.attributes.keep(match)
        if (foreign or name in (b"svg", b"math")) and tag.endswith(b"/>"):
            return self._write_start(match, closed, tag[:-2] + b" ></" + name + b">")
        self.open.push(name, tag)
        return self._write_start(match, closed, tag)

    def _write_start(self, match: re.Match[bytes], closed: bytes, tag: bytes) -> int:
        at, end = match.span()
        if closed or tag != match[0]:
            self._replace(at, end, closed + tag)
        return end

    def _keep_end(self, match: re.Match[bytes]) -> int:
        """Keep an end tag, whose attributes mean nothing but cost as much as others."""
        at, end = match.span()
        if not self.attributes.is_within(at, end):
            self._replace(at, end, b"</" + match[1] + b">")
        return end

    def _page_tag(self, name: bytes, match: re.Match[bytes]) -> int:
        """Keep the first html, head and body tag; attributes of later ones would pile up on the first."""
        at, end = match.span()
        closed = self._break_out() if name in _BREAKOUT else b""
        if name in self.page_tags:
            self.lost["repeated html, head and body tags"] += 1
            self._replace(at, end, closed)
            return end
        self.page_tags.add(name)
        return self._write_start(match, closed, self.attributes.keep(match))

    def _end_of_raw(self, name: bytes, at: int) -> re.Match[bytes] | None:
        return _end_of_script(self.source, at) if name == b"script" else _END_OF_RAW[name].search(self.source, at)

    def _raw(self, name: bytes, match: re.Match[bytes], foreign: bool) -> int:
        at, end = match.span()
        ended = self._end_of_raw(name, end)
        stop = ended.start() if ended else len(self.source)
        if foreign:
            if _MARKUP.search(self.source, end, stop):
                self.lost["bytes of scripts in svg that hold markup"] += stop - end
            # inside svg the content would be markup; neither scripts nor styles hold text
            closing = _TAG.match(self.source, stop)
            close = closing.end() if closing else len(self.source)
            self._replace(at, close, b"")
            return close
        self._write_start(match, b"", self.attributes.keep(match))
        if not ended:
            return stop
        closing = _TAG.match(self.source, stop)
        return self._keep_end(closing) if closing else self._swallow(stop)

    def _is_ignored(self, name: bytes) -> bool:
        """Say whether the standard ignores a start tag here: a form in a form, parts of a table outside one."""
        if name == b"form":
            return self.open.find(name) >= 0
        if name in _TABLE_PARTS:
            return self.open.last("table") < 0 and self.open.last("foreign") < 0
        return name == b"plaintext"  # not ignored by the standard, but nothing after it could be markup

    def _begin_body(self, name: bytes) -> bytes:
        """Return what begins the body where a part of a table, itself ignored, is the first thing that does."""
        if name not in _TABLE_PARTS or self.has_begun or len(self.open):
            return b""
        self.has_begun = True
        return b"<body>"

    def _is_known(self, name: bytes) -> bool:
        """Say whether a tag of this name may be kept: it was before, or there are not too many names yet."""
        if name in self.names:
            return True
        if len(self.names) >= LIMITS.tag_names and name not in _USUAL:
            self.lost["tags of too many names"] += 1
            return False
        self.names.add(name)
        return True

    def _is_beyond_limits(self, name: bytes) -> bool:
        if name in _FORMATTING and len(self.open.groups["formatting"]) >= LIMITS.open_formatting:
            self.lost["formatting tags beyond the limit"] += 1
            return True
        if len(self.open) >= LIMITS.depth:
            self.lost["tags nested beyond the limit"] += 1
            return True
        return False

    def _unwrap(self, name: bytes, at: int, end: int, closed: bytes) -> int:
        self.unwrapped[name] += 1
        self._replace(at, end, closed + self._line_break(name, at))
        self.broke_at = end
        return end

    def _line_break(self, name: bytes, at: int) -> bytes:
        """Return what keeps the text on both sides of a dropped tag apart."""
        if self.nodes > LIMITS.page_tags:
            return b" "
        return b"<br>" if name in _BLOCKS and self.broke_at != at else b""

    def _close_before(self, name: bytes) -> bytes:
        """Close what a start tag of this name ends, and return the end tags to write."""
        place = self._ended_by(name)
        if place < 0 or place >= len(self.open):
            return b""
        target = self.open.names[place]
        closed = self._cut(place)
        if target in (b"svg", b"math"):
            return _end_tags(closed) + self._close_before(name)  # outside it may end more; it is inside no second one
        # the builder ends the target itself; only what is open inside it must be ended in turn
        inner = closed[:-1] if closed and closed[-1] == target else closed
        return _end_tags(inner)

    def _break_out(self) -> bytes:
        """Close svg and math up to what holds HTML, and return the end tags to write."""
        closed = b""
        while not self.open.is_html():
            closed += _end_tags(self._cut(self.open.last("foreign")))
        return closed

    def _cut(self, place: int) -> list[bytes]:
        self.unwrapped.clear()
        return self.open.cut(place)

    def _ended_by(self, name: bytes) -> int:
        stack = self.open
        if not stack.is_html():
            return stack.last("foreign") if name in _BREAKOUT else -1  # else it is part of svg or math
        if name in _TABLE_PARTS or name == b"table":
            return self._ended_in_table(name)
        if name == b"li":
            return self._item_place((b"li",))
        if name in (b"dd", b"dt"):
            return self._item_place((b"dd", b"dt"))
        if name in _ENDS_P and (place := stack.find(b"p")) > stack.last("button"):
            return place
        top = stack.top()
        if (name in _HEADINGS and top in _HEADINGS) or (name in (b"option", b"optgroup") and top == b"option"):
            return len(stack) - 1
        if name == b"button" and (place := stack.find(b"button")) > stack.last("scope"):
            return place
        if name in (b"a", b"nobr") and (place := stack.find(name)) > stack.last("special"):
            return place
        return -1

    def _item_place(self, names: tuple[bytes, ...]) -> int:
        wall = self.open.groups["wall"]
        if wall and self.open.names[wall[-1]] in names:
            return wall[-1]
        place = self.open.find(b"p")
        return place if place > self.open.last("button") else -1

    def _ended_in_table(self, name: bytes) -> int:
        stack = self.open
        table = stack.last("table")
        if table < 0 or stack.last("foreign") > table:
            return -1
        if name == b"table":
            in_cell = stack.last("cell") > table
            return -1 if in_cell or stack.names[table] == b"template" else table
        keep = table
        if name in _CELLS:
            keep = max(table, stack.last("body"), stack.last("row"))
        elif name == b"tr":
            keep = max(table, stack.last("body"))
        elif name == b"col":
            keep = max(table, stack.find(b"colgroup"))
        return keep + 1

    def _end(self, at: int) -> int:
        mark = self.source[at + 2 : at + 3]
        if not mark.isalpha():
            end = self.source.find(b">", at)
            return end + 1 if end >= 0 else len(self.source)
        match = _TAG.match(self.source, at)
        if match is None:
            return self._swallow(at)
        name, end = match[1].lower(), match.end()
        if self.unwrapped[name]:
            self.unwrapped[name] -= 1
            self._replace(at, end, self._line_break(name, at))
            self.broke_at = end
            return end
        if name in (b"p", b"br") and not self.open.is_html():
            self._replace(at, at, self._break_out())
        if name == b"br" and not self._has_room():
            return self._blank(at, end)
        if name in _PAGE or name == b"br" or (name in _RAW and self.open.find(name) < 0):
            return self._keep_end(match)
        if name == b"p" and self.open.find(name) <= self.open.last("button"):
            return self._keep_end(match) if self._has_room() else self._blank(at, end)  # makes an empty paragraph
        place = self._closed_by(name)
        if place < 0:
            return self._stray_end(match)
        closed = self._cut(place)
        if closed != [name]:
            self._replace(at, end, _end_tags(closed))
            return end
        return self._keep_end(match)

    def _closed_by(self, name: bytes) -> int:
        """Return the place of the element an end tag closes, or -1 when it closes none."""
        stack = self.open
        place = stack.find(name)
        if name in _HEADINGS:
            place = stack.last("heading")
        if place < 0 or name == b"template":
            return place
        if name == b"form":
            return place if place == len(stack) - 1 else -1
        if name in _ENDED_IN_SCOPE or name in _HEADINGS:
            return place if place >= stack.last("scope") else -1
        if name == b"p":
            hidden_by = stack.last("button")
        elif name == b"li":
            hidden_by = stack.last("list")
        elif name == b"table":
            hidden_by = stack.find(b"template")
        elif name in _TABLE_PARTS:
            hidden_by = stack.last("table")
        else:
            hidden_by = stack.last("special") - 1 if place == stack.last("special") else stack.last("special")
        return place if place > hidden_by else -1

    def _stray_end(self, match: re.Match[bytes]) -> int:
        name = match[1].lower()
        place = self.open.find(name)
        if name == b"form" and place >= 0:
            self.open.drop(place)
            return self._keep_end(match)
        if name in _FORMATTING and place >= 0:
            walls = self.open.groups["special"]
            # the standard re-opens formatting inside at most eight blocks; beyond that it would stay open for good
            if len(walls) < 7 or walls[-7] < place:
                self.open.drop(place)
                return self._keep_end(match)
        self._replace(*match.span(), b"")
        return match.end()


def _end_of_script(source: bytes, at: int) -> re.Match[bytes] | None:
    """Return the end tag of a script. Inside `<!--` a script may write another one, whose end tag does not count."""
    commented = nested = False
    while match := _IN_SCRIPT.search(source, at):
        mark = match[0]
        at = match.end() if mark != b"<!--" else match.start() + 2  # `<!-->` opens and closes
        if mark == b"<!--":
            commented = True
        elif mark.startswith(b"--"):
            commented = nested = False
        elif match[1]:
            if not nested:
                return match
            nested = False
        elif commented:
            nested = True
    return None


def _end_tags(names: list[bytes]) -> bytes:
    if not names:
        return b""
    return b"".join(b"</" + name + b">" for name in names)
