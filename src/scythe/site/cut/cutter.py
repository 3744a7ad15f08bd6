"""Pick the layout of a page and cut its fields out of the bytes, or report a doubt.

A value is what the parsed page has at that place, or there is none. Text in paragraphs comes from one pass over the
bytes in C; where the element depends on its surroundings, that is a doubt. Without the compiled extension the same
rules are followed on the parsed page, to the letter: the values are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.errors import BadInput
from scythe.extension import native
from scythe.model import Image, Rendered
from scythe.page.blocks import Blocks, cut_blocks, find_grid, render_text
from scythe.page.content import MarkImages, PageContent
from scythe.page.encoding import UTF8, page_codec
from scythe.page.page import Page
from scythe.page.source import MARK, Source, find_value, matches, read_source, unmark
from scythe.page.source import mark as mark_source
from scythe.site.rules import ATTRIBUTE, COUNTED, ELEMENT, FLOW, TAKES, FieldRules, Layout, Way
from scythe.url import Url, url_shape

_NAME = re.compile(rb"<([A-Za-z][^\t\n\f\r />]*)")
_AROUND = {
    "td": b"<table><tbody><tr>",
    "th": b"<table><tbody><tr>",
    "tr": b"<table><tbody>",
    "tbody": b"<table>",
    "thead": b"<table>",
    "tfoot": b"<table>",
    "caption": b"<table>",
    "colgroup": b"<table>",
}
_ALONE = b"<!DOCTYPE html>"


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element with a tree of its own; `source` is what the marks of the tree count in."""

    source: bytes
    tree: LexborHTMLParser  # nodes live as long as their parser
    node: LexborNode


def read_fragment(element: bytes) -> Fragment | None:
    """Parse the UTF-8 source of one element; return None where there is none."""
    from scythe.page.tree_guard import parse  # numpy is half of the time of `scythe --help`

    prefix = _ALONE + _AROUND.get(root_name(element), b"")
    source = prefix + element
    tree, _ = parse(mark_source(source))
    node = tree.css_first(f'[{MARK}="{len(prefix)}"]')
    return Fragment(source, tree, node) if node is not None else None


def root_name(element: bytes) -> str:
    """Return the lower-case name of the element that a fragment begins with, or nothing."""
    found = _NAME.match(element)
    return found[1].decode("ascii", "replace").lower() if found else ""


def flow_text(node: LexborNode, source: bytes, drops: Sequence[bytes] = (), skip_lines: Collection[str] = ()) -> str:
    """Return the text of an element without the dropped ones and the skipped lines.

    `source` are the bytes that the marks of the tree count in (see `page.source`).
    """
    blocks = flow_blocks(node, source, drops)
    text = unmark(render_text(blocks, range(len(blocks)), find_grid(blocks)))
    return leave_out(text, skip_lines)


def flow_blocks(node: LexborNode, source: bytes, drops: Sequence[bytes] = ()) -> Blocks:
    """Return the blocks of an element, the dropped elements taken to be empty."""
    return cut_blocks(node, _dropped(node, source, drops) if drops else frozenset())


def leave_out(text: str, skip_lines: Collection[str]) -> str:
    """Return a text without some of its lines; a paragraph left out takes the blank lines on one side with it."""
    lines = text.split("\n")
    unwanted = skip_lines if isinstance(skip_lines, frozenset) else frozenset(skip_lines)
    if unwanted.isdisjoint(lines):
        return text
    unwanted -= {""}
    kept: list[str] = []
    gone = False  # lines were left out since the last one kept
    for line in lines:
        if line in unwanted:
            gone = True
        elif line or not gone:
            kept.append(line)
            gone = False
        elif kept and kept[-1]:
            kept.append(line)
    return "\n".join(kept).strip("\n\t ")


MORE = "..."  # in a pattern of lines: all short ones that begin or end so
ABOVE = "^"  # only above the first paragraph
LONGEST_LINE = 400  # characters of a repeated line
SHORT_LINE = 14  # words of a line that a beginning or an end decides
_PARAGRAPH = 15  # words; the first line with so many ends the top of the text
_TOP_LINES = 12
_REMEMBERED = 10_000  # first words
_DIGITS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DATE_WORDS = """
jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov
november dec december mon monday tue tues tuesday wed wednesday thu thurs thursday fri friday sat saturday sun sunday
am pm a.m p.m est edt cst cdt mst mdt pst pdt gmt utc
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag uhr
janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
""".split()
_DATES = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _DATE_WORDS), key=len, reverse=True))})\b")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,64}")


def fold(text: str) -> str:
    """Return a line in lower case with its numbers, dates and addresses made alike."""
    text = text.lower()
    if "@" in text:
        text = _MAIL.sub("@", text)
    return _DATES.sub("#", _DIGITS.sub("#", text))


@dataclass(frozen=True)
class Boilerplate:
    """Patterns of lines that are no content, ready to be asked."""

    patterns: tuple[str, ...] = ()

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(p for p in self.patterns if MORE not in p)

    @cached_property
    def _starts(self) -> tuple[str, ...]:
        return tuple(p[: -len(MORE)] for p in self.patterns if p.endswith(MORE) and not p.startswith(ABOVE))

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return tuple(p[len(MORE) :] for p in self.patterns if p.startswith(MORE))

    @cached_property
    def _tops(self) -> tuple[str, ...]:
        return tuple(p[len(ABOVE) : -len(MORE)] for p in self.patterns if p.startswith(ABOVE))

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(p.partition(" ")[0] for p in (*self._whole, *self._starts, *self._tops))

    @cached_property
    def _last_words(self) -> frozenset[str]:
        return frozenset(p.rpartition(" ")[2] for p in self._ends)

    @cached_property
    def _known_words(self) -> dict[str, bool]:
        return {}

    def holds(self, line: str, *, at_top: bool = False) -> bool:
        """Say whether a line is known to be no content."""
        if len(line) > LONGEST_LINE or not (self._may_begin(line) or (self._ends and self._may_end(line))):
            return False
        folded = fold(line)
        if folded in self._whole:
            return True
        if line.count(" ") >= SHORT_LINE:
            return False
        if (self._starts and folded.startswith(self._starts)) or (self._ends and folded.endswith(self._ends)):
            return True
        return at_top and bool(self._tops) and folded.startswith(self._tops)

    def _may_begin(self, line: str) -> bool:
        # folding never reaches across a space, so the first word tells most lines apart: 0.2 us instead of 10
        word = line.partition(" ")[0]
        known = self._known_words.get(word)
        if known is None:
            if len(self._known_words) >= _REMEMBERED:
                self._known_words.clear()
            known = self._known_words[word] = fold(word) in self._first_words
        return known

    def _may_end(self, line: str) -> bool:
        return fold(line[line.rfind(" ") + 1 :]) in self._last_words

    def clean(self, text: str) -> str:
        """Return a text without the lines that are no content."""
        if not self.patterns:
            return text
        lines = text.split("\n")
        known = self._known_words
        # most lines are told by their first word; the loop runs for every line of every page
        if not self._ends and not any(known.get(line.partition(" ")[0], True) for line in lines if line):
            return text
        top = count_top(lines)
        doubted = known if not self._ends else {}
        kept = [
            line
            for n, line in enumerate(lines)
            if not line or not doubted.get(line.partition(" ")[0], True) or not self.holds(line, at_top=n < top)
        ]
        if len(kept) == len(lines):
            return text
        return _squeeze_gaps(kept)


def count_top(lines: Iterable[str]) -> int:
    """Return the number of lines above the first paragraph."""
    top = 0
    for line in lines:
        if top >= _TOP_LINES or line.count(" ") >= _PARAGRAPH - 1:
            return top
        top += 1
    return top


def _squeeze_gaps(lines: list[str]) -> str:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return "\n".join(out).strip("\n")


def _dropped(node: LexborNode, source: bytes, drops: Sequence[bytes]) -> frozenset[int]:
    here = node.attributes.get(MARK) or ""
    start = int(here) + 1 if here.isdecimal() else 0  # formatting left open before may be built again inside
    places = {str(place) for literal in drops for place in _places(source, literal, start)}
    if not places:
        return frozenset()
    return frozenset(inner.mem_id for inner in node.css(f"[{MARK}]") if inner.attributes[MARK] in places)


def _places(source: bytes, literal: bytes, start: int) -> list[int]:
    found: list[int] = []
    at = source.find(literal, start) if literal else -1
    while at >= 0:
        if matches(source, at, literal):
            found.append(at)
        at = source.find(literal, at + 1)
    return found


class Flow:
    """Renders elements of one layout by the extension: what is left out of them is prepared once."""

    def __init__(self, drops: Sequence[bytes] = (), skip_lines: Collection[str] = (), encoding: str = "utf-8") -> None:
        self._is_utf8 = encoding == "utf-8"
        self._encoding = encoding
        self._drops = tuple(drops) if self._is_utf8 else tuple(_recoded(drop, encoding) for drop in drops)
        self._skip_lines = frozenset(skip_lines)
        self._plan = native.plan_flow(self._drops) if native is not None else None

    def text(self, body: bytes, start: int, end: int) -> str | None:
        """Return the text of the element at `body[start:end]`, or None where only the page's tree can tell."""
        if native is None:
            return None
        if not self._is_utf8:
            try:
                element = body[start:end].decode(self._encoding).encode()
            except UnicodeError:
                return None
            body, end = body[:start] + element, start + len(element)  # tags before it are looked at, and are ASCII
        text: str | None = native.read_flow(body, start, end, self._plan)
        return leave_out(text, self._skip_lines) if text and self._skip_lines else text


class FragmentContent:
    """A cut element as `model.Content`: its text is there, the rest is rendered from a tree of the fragment alone.

    `way` says what is left out; relative addresses are made absolute by `base`.
    """

    def __init__(
        self,
        element: bytes,
        text: str,
        way: Way,
        base: Url | None = None,
        mark_images: MarkImages | None = None,
        *,
        encoding: str = "utf-8",
    ) -> None:
        self._element = element
        self._text = text
        self._way = way
        self._base = base
        self._mark_images = mark_images
        self._encoding = encoding

    def text(self) -> str:
        return self._text

    def markdown(self) -> str:
        return self._content.markdown()

    def html(self) -> str:
        return self._content.html()

    def images(self) -> tuple[Image, ...]:
        """Return the images inside the element, those of dropped parts too; these are never relevant."""
        return self._content.images()

    @cached_property
    def _content(self) -> PageContent | Rendered:
        fragment = read_fragment(_recoded(self._element, self._encoding))
        if fragment is None:
            return Rendered(self._text)
        drops = tuple(_recoded(drop, self._encoding) for drop in self._way.drops)
        page = Page(fragment.source.decode(), self._base)
        blocks = flow_blocks(fragment.node, fragment.source, drops)
        page.__dict__.update(_parsed=(fragment.tree, ()), blocks=blocks)  # the tree has the marks that the drops need
        unwanted = frozenset(self._way.skip_lines)
        kept = tuple(i for i, text in enumerate(blocks.text) if text not in unwanted)
        return PageContent(page, kept, mark_images=self._mark_images)

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, str, str, tuple[Image, ...]]]:
        return Rendered, (self.text(), self.markdown(), self.html(), self.images())


def _recoded(part: bytes, encoding: str) -> bytes:
    return part.decode(encoding, "replace").encode("utf-8", "replace")


try:
    import stringzilla
except ImportError:  # pragma: no cover  (a platform without its wheel)
    stringzilla = None

KEPT_PATTERNS = 4_096  # compiled expressions; a profile has some hundred literals


class ByteSearch(Protocol):
    """A way to search, interchangeable with any other: all find the same places."""

    @property
    def find(self) -> Callable[[bytes, bytes, int], int]:
        """Find `pattern` in `body` from `start` on; -1 where it is not. Called as `find(body, pattern, start)`."""

    @property
    def count(self) -> Callable[[bytes, bytes, int, int], int]:
        """Count occurrences that do not overlap. Called as `count(body, pattern, start, end)`."""


@dataclass(frozen=True, slots=True)
class NamedSearch:
    """A `ByteSearch` made of two functions."""

    name: str
    find: Callable[[bytes, bytes, int], int]
    count: Callable[[bytes, bytes, int, int], int]


@lru_cache(KEPT_PATTERNS)
def _expression(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(pattern))


def _find_by_expression(body: bytes, pattern: bytes, start: int) -> int:
    match = _expression(pattern).search(body, start)
    return match.start() if match else -1


def _count_by_expression(body: bytes, pattern: bytes, start: int, end: int) -> int:
    return sum(1 for _ in _expression(pattern).finditer(body, start, end))


# the methods themselves, not Python functions around them: a call costs as much as a search of 1 KB
_SEARCHES = {
    "bytes": NamedSearch("bytes", bytes.find, bytes.count),
    "re": NamedSearch("re", _find_by_expression, _count_by_expression),
}
if stringzilla is not None:
    _SEARCHES["stringzilla"] = NamedSearch("stringzilla", stringzilla.find, stringzilla.count)

DEFAULT = "stringzilla" if "stringzilla" in _SEARCHES else "bytes"
NAMES = tuple(_SEARCHES)


def search_by(name: str = DEFAULT) -> NamedSearch:
    """Return the way to search of that name. Raises BadInput for an unknown one."""
    if name not in _SEARCHES:
        raise BadInput(f"unknown search {name!r}; expected one of {', '.join(_SEARCHES)}")
    return _SEARCHES[name]


ENOUGH = 0.6  # share of a layout's marks that a page of it has ...
ENOUGH_OF_FEW = 0.5  # ... and of a site's only layout, learned from so few pages that a mark may be chance
FEW = 5  # pages
_BEFORE = 1_024  # bytes before the place where a mark was last seen at which the search for it begins


class Dispatcher:
    """The layouts of a site by their marks, and where on a page each mark was last seen.

    Layouts are tried in a fixed order until a page has all marks of one. A mark is searched for from where it was last
    seen, then from the start, and the mark that was last found missing is looked for first: what was seen before
    changes the time taken, never the answer. Some 3 us for a page of the first layout, 5 us more for each one passed.
    """

    def __init__(self, layouts: Sequence[Layout]) -> None:
        marks = sorted({mark for layout in layouts for mark in layout.marks if mark})
        number = {mark: at for at, mark in enumerate(marks)}
        self._marks = marks
        self._seen = [0] * len(marks)  # byte offsets
        self._own = [[number[mark] for mark in dict.fromkeys(layout.marks) if mark] for layout in layouts]
        # a layout with more marks says more of itself; where pages have all marks of two, it is the one
        tried = sorted(range(len(layouts)), key=lambda at: (-len(self._own[at]), -layouts[at].pages, at))
        self._order = [at for at in tried if self._own[at]]
        bare = [at for at in tried if not self._own[at]]
        self._bare = bare[0] if bare else None  # nothing is known of its source: it takes what is left
        self._enough = ENOUGH_OF_FEW if len(layouts) == 1 and layouts[0].pages < FEW else ENOUGH
        self._find = search_by().find
        self._shapes = [frozenset(layout.shapes) for layout in layouts]

    def pick(self, body: bytes, url: str | None = None) -> int | None:
        """Return the number of the layout with the largest share of its marks on the page, or None if none has enough.

        Ties go to the layout with more marks, then to the one with more pages. A page that lacks some marks is not of
        the layout either if its address looks like those of others only: what is left after a redesign are marks that
        all pages of a site share, and the addresses stay.
        """
        for layout in self._order:
            if self._has_all(body, self._own[layout]):
                return layout
        best = self._pick_by_share(body)
        return None if best is not None and url and self._is_of_others(url, best) else best

    def share(self, body: bytes, layout: int) -> float:
        """Return the share of a layout's marks that a page has; 0 for a layout without marks."""
        own = self._own[layout]
        return sum(self._has(body, mark) for mark in own) / len(own) if own else 0.0

    def _is_of_others(self, url: str, layout: int) -> bool:
        shape = url_shape(url)
        own = self._shapes[layout]
        return bool(own) and shape not in own and any(shape in shapes for shapes in self._shapes)

    def _has_all(self, body: bytes, own: list[int]) -> bool:
        # what `_has` does, written out: this runs for every mark of every page
        find, marks, seen = self._find, self._marks, self._seen
        for at, mark in enumerate(own):
            start = seen[mark] - _BEFORE
            place = find(body, marks[mark], start) if start > 0 else -1
            if place < 0:
                place = find(body, marks[mark], 0)
                if place < 0:
                    own[0], own[at] = mark, own[0]
                    return False
            seen[mark] = place
        return True

    def _has(self, body: bytes, mark: int) -> bool:
        start = self._seen[mark] - _BEFORE
        place = self._find(body, self._marks[mark], start) if start > 0 else -1
        if place < 0:
            place = self._find(body, self._marks[mark], 0)
            if place < 0:
                return False
        self._seen[mark] = place
        return True

    def _pick_by_share(self, body: bytes) -> int | None:
        present = [self._has(body, mark) for mark in range(len(self._marks))]
        best, most = self._bare, 0.0
        for layout in self._order:
            own = self._own[layout]
            share = sum(present[mark] for mark in own) / len(own)
            if share > most and share >= self._enough:
                best, most = layout, share
        return best


_FRAMESET = re.compile(rb"<frameset", re.I)
_LACKING, _NO_ANCHOR = "the element does not hold it", "no anchor on the page"
_RULES = 32  # of one way; more are never needed to agree
_Result = tuple[str, tuple[Any, ...], tuple[int, int] | None, str, int]


class Cut(NamedTuple):
    """What became of one field of one page."""

    state: str  # "cut", "absent" (nothing there) or "doubt" (the tree should be asked)
    values: tuple[str, ...] = ()  # () unless cut
    span: tuple[int, int] | None = None  # bytes of the element, of the run of text or of the attribute's value
    why: str = ""  # kinds of the rules that agreed, as in "tag+before", or the reason of absence or doubt
    way: int = -1  # which way of the field was taken


class Cutter:
    """Cuts pages of one layout. Making one prepares the rules; cutting does not change it but for a counter."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._encodings = frozenset(layout.encodings)
        self._plan = native.make_plan(plan_fields(layout), self._encodings <= UTF8) if native is not None else None
        self._flows: dict[tuple[int, int, str], Flow] = {}

    @property
    def second_searches(self) -> int:
        """How many anchors were not found from their position on, so far."""
        return int(native.second_searches(self._plan)) if native is not None else 0

    def cut(self, body: bytes, *, thorough: bool = True) -> tuple[Cut, ...]:
        """Cut every field, in the layout's order.

        `thorough` knows comments, scripts and tables from the page's start; otherwise only the bytes before a place
        say whether it is a true tag, which is faster and on pages in order gives the same.
        """
        if native is None:
            source = read_source(body)
            return tuple([_cut_by_tree(source, rules) for rules in self._layout.fields])
        found = native.cut_fields(self._plan, body, thorough)
        return tuple([self._finish(body, index, result) for index, result in enumerate(found)])

    def cut_field(self, body: bytes, index: int, *, thorough: bool = False) -> Cut:
        """Cut one field, by its place in the layout."""
        if native is None:
            return _cut_by_tree(read_source(body), self._layout.fields[index])
        return self._finish(body, index, native.cut_field(self._plan, body, index, thorough))

    def find(self, body: bytes, index: int, *, thorough: bool = False) -> tuple[int, int] | None:
        """Return the byte range of one field without making text of it; None where it is absent or in doubt."""
        if native is None:
            return self.cut_field(body, index).span
        state, _, span, _, _ = native.cut_field(self._plan, body, index, thorough)
        return span if state in ("cut", "flow", "raw") else None

    def _finish(self, body: bytes, index: int, result: _Result) -> Cut:
        state = result[0]
        if state == "flow" or state == "raw":
            return self._read_spans(body, index, result)
        return tuple.__new__(Cut, result)

    def _read_spans(self, body: bytes, index: int, result: _Result) -> Cut:
        """Turn the byte ranges of a result into text, where that was left to do."""
        state, spans, span, why, number = result
        way = self._layout.fields[index].ways[number]
        codec = "utf-8" if state == "flow" else page_codec(body, spans, self._encodings)
        if codec is None:
            return Cut("doubt", why="its encoding is not certain")
        values = [self._read_span(body, part, (index, number, codec)) for part in spans]
        # a frameset further on does away with empty boxes
        if None in values or (way.take == FLOW and "" in values and _FRAMESET.search(body)):
            return Cut("doubt", why="the paragraphs are not certain" if way.take == FLOW else "not sure of its text")
        parts = [_part_of(value, way) for value in values if value is not None]
        kept = tuple([part for part in parts if part is not None])
        return Cut("cut", kept, span, why, number) if kept else Cut("absent", why=_LACKING)

    def _read_span(self, body: bytes, span: tuple[int, int], key: tuple[int, int, str]) -> str | None:
        index, number, codec = key
        way = self._layout.fields[index].ways[number]
        if way.take == FLOW:
            flow = self._flows.get(key)
            if flow is None:
                flow = self._flows[key] = Flow(way.drops, way.skip_lines, codec)
            return flow.text(body, *span)
        try:
            part = body[slice(*span)].decode(codec).encode()
        except UnicodeError:
            return None
        assert native is not None  # who else left ranges to read?
        if way.take == ELEMENT:
            return native.read_element(part)  # type: ignore[no-any-return]
        return native.read_run(part, way.take == ATTRIBUTE)  # type: ignore[no-any-return]


def _cut_by_tree(source: Source, rules: FieldRules) -> Cut:
    """Follow the rules of a field on the tree of a page, to the letter as a cut does."""
    from scythe.site.follow.follow_fields import follow, span_of

    whys: set[str] = set()
    for number, way in enumerate(rules.ways):
        found = follow(source, way, loosely=False)
        if found.openings:
            spans = [span_of(source, opening, way) for opening in (found.openings[0], found.openings[-1])]
            if way.take == ATTRIBUTE:
                values = (find_value(source.body, start, way.attribute.encode()) for start, _ in spans)
                spans = [value or span for value, span in zip(values, spans, strict=True)]
            return Cut("cut", found.values, (spans[0][0], spans[1][1]), found.why, number)
        whys.add(found.why)
    for why in (_LACKING, _NO_ANCHOR):
        if why in whys and (why == _LACKING or len(whys) == 1):
            return Cut("absent", why=why)
    return Cut("doubt", why="too few rules agree")


def plan_fields(layout: Layout) -> tuple[object, ...]:
    """Return the rules of a layout as plain tuples, which the extension takes."""
    return tuple([tuple(map(_plan_way, field.ways)) for field in layout.fields])


def _plan_way(way: Way) -> tuple[object, ...]:
    rules = way.rules[:_RULES]
    return (
        TAKES.index(way.take),
        way.needed,
        way.repeats,
        way.attribute.encode(),
        way.before.encode(),
        way.after.encode(),
        tuple(rule.kind for rule in rules),
        tuple(
            (rule.anchor, rule.skip, rule.step, rule.nth, rule.reach, rule.position, rule.kind in COUNTED)
            for rule in rules
        ),
    )


def _part_of(text: str, way: Way) -> str | None:
    """Return the part of a text between the way's two literals, or None where one of them is missing."""
    if way.take == FLOW:
        return text
    start = text.find(way.before)
    if start < 0:
        return None
    start += len(way.before)
    end = text.find(way.after, start) if way.after else len(text)
    return text[start:end].strip() if end >= 0 else None
