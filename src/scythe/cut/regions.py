"""Cut the records of a page's regions out of its bytes: a layout and bytes come in, byte ranges or doubt go out.

No tree is built. The ranges are those of the elements that the tree of the page has, or it is doubt and the reason says
why: every tag is a true one, every end is where the tree builder closes the element (see docs/why/exact-cuts.md).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from scythe.cut.cutter import COMPILED, page_codec, plan_fields
from scythe.page.entry_checks import find_lookalike, head_names, judge_cells, judge_count, judge_outside, leave_taken
from scythe.rules import ATTRIBUTE, FLOW, FieldRules, Layout, RegionRules, Rule, Way

_UTF8 = frozenset({"utf-8", "ascii", "us-ascii"})
NO_VOTE = "too few rules agree"  # which is sure to be so on the tree too
_MOST = 1_000  # tags of one literal on a page; beyond, neither cut nor tree rule says anything


def every_tag(literal: bytes, take: str, attribute: str = "") -> Way:
    """Return a way to all elements whose opening tags begin with a literal."""
    return Way(take, (Rule("tag", literal),), needed=1, attribute=attribute, repeats=True)


_BASES = (b"<base", b"<BASE", b"<Base")
# to the address that relative ones are relative to
BASE_WAYS = tuple(every_tag(literal, ATTRIBUTE, "href") for literal in _BASES)

Span = tuple[int, int]
_Result = tuple[str, tuple[Any, ...], Span | None, str, int]
# records, their elements, how many like them stand elsewhere, the reason of doubt
_Placed = tuple[tuple[Span, ...], tuple[Span, ...], int, str]


class CutRecords(NamedTuple):
    """The byte ranges of the records of one region."""

    number: int  # of the region in its layout
    spans: tuple[Span, ...]
    parts: tuple[Span, ...]  # the elements that they are made of; the same where each is one element


class CutRegions(NamedTuple):
    """What became of the regions of one page."""

    state: str  # "cut", "doubt" (the bytes do not tell: the tree should be asked) or "strange" (the rules do not fit)
    regions: tuple[CutRecords, ...] = ()  # those that the page has; () unless cut
    why: str = ""
    base: str = ""  # the address that relative links are relative to, where the page gives one
    codec: str = "utf-8"


class RegionCutter:
    """Cuts the records of pages of one layout. Making one prepares the rules; cutting does not change it."""

    def __init__(self, layout: Layout) -> None:
        self._regions = layout.regions
        self._encodings = frozenset(layout.encodings)
        self._engine: Any = COMPILED
        if COMPILED is None:
            from scythe.cut import scan

            self._engine = scan
        ways = [BASE_WAYS]
        self._names = [head_names(rules) for rules in layout.regions]
        self._literals: list[tuple[bytes, ...]] = []
        for rules in layout.regions:
            own = tuple(dict.fromkeys((*rules.heads, *rules.members)))
            self._literals.append(own)
            ways.append(rules.holder)
            ways.extend((every_tag(literal, FLOW),) for literal in own)
        plan = plan_fields(Layout("", tuple(FieldRules("", each) for each in ways)))
        self._plan = self._engine.make_plan(plan, self._encodings <= _UTF8)

    def cut(self, body: bytes) -> CutRegions:
        """Find the records of every region of the layout, as far as the page has it."""
        results: list[_Result] = list(self._engine.cut_fields(self._plan, body, True))
        at = 1
        regions: list[CutRecords] = []
        taken: list[Span] = []  # records of regions before
        for number, rules in enumerate(self._regions):
            end = at + 1 + len(self._literals[number])
            spans, parts, outside, why = _place(body, rules, self._literals[number], results[at], results[at + 1 : end])
            if why:
                return CutRegions("doubt", why=why)
            why = judge_count(rules, len(spans)) or judge_outside(rules, outside)
            why = why or judge_cells(body, self._names[number], spans)
            if not why and rules.tight and find_lookalike(body, self._names[number], spans):
                why = "something stands between records that may be one"
            if why:
                return CutRegions("strange", why=why)
            free = [spans[i] for i in leave_taken(spans, taken)]
            if len(free) > 1:  # one alone is no list
                regions.append(CutRecords(number, tuple(free), _inside(parts, free)))
            at = end
        if not regions:
            return CutRegions("strange", why="no records begin as learned")
        base = results[0]
        if base[0] == "doubt" or base[0] == "raw" or not has_one_spelling(body):
            return CutRegions("doubt", why="the base address is not certain")
        codec = "utf-8"
        if any(result[0] == "raw" for result in results):
            spans = tuple(span for region in regions for span in region.spans)
            codec = page_codec(body, spans, self._encodings) or ""
            if not codec:
                return CutRegions("doubt", why="its encoding is not certain")
        return CutRegions("cut", tuple(regions), "", base[1][0] if base[1] else "", codec)


def has_one_spelling(body: bytes) -> bool:
    """Say whether all tags like that of the base are spelled alike: otherwise another than the first might be taken."""
    number = body.lower().count(_BASES[0])
    return any(body.count(literal) == number for literal in _BASES)


def _inside(parts: tuple[Span, ...], spans: list[Span]) -> tuple[Span, ...]:
    starts = [start for start, _ in spans]
    return tuple(part for part in parts if (at := bisect_right(starts, part[0])) and part[1] <= spans[at - 1][1])


def _place(
    body: bytes, rules: RegionRules, literals: tuple[bytes, ...], holder: _Result, found: list[_Result]
) -> _Placed:
    """Return the ranges of the records inside the holder, or why they are in doubt."""
    first, last = -1, len(body)
    if rules.holder:
        if holder[0] not in ("flow", "raw") or holder[2] is None:
            missing = (holder[0] == "absent" or holder[3] == NO_VOTE) and not rules.is_expected
            return (), (), 0, "" if missing else f"the element around the records: {holder[3]}"
        first, last = holder[2]
    every: dict[Span, bool] = {}
    elsewhere: set[int] = set()
    for literal, (state, spans, _, why, _) in zip(literals, found, strict=True):
        if state == "doubt":
            return (), (), 0, why
        if len(spans) >= _MOST:
            return (), (), 0, "too many records"
        is_head = literal in rules.heads
        for span in spans:
            if span[0] > first and span[1] <= last:
                every[span] = is_head or every.get(span, False)
            elif is_head:
                elsewhere.add(span[0])
    records, parts, why = _join(body, every)
    return records, parts, len(elsewhere), why


def _join(body: bytes, every: dict[Span, bool]) -> tuple[tuple[Span, ...], tuple[Span, ...], str]:
    """Join the outermost elements to records, each from one head to the last member before the next."""
    records: list[Span] = []
    parts: list[Span] = []
    behind = 0
    for span in sorted(every, key=lambda span: (span[0], -span[1])):
        if span[0] < behind:
            continue
        behind = span[1]
        if every[span]:
            records.append(span)
        elif not records:
            continue
        else:
            start, end = records[-1]
            if b"<" in body[end : span[0]]:
                return (), (), "something stands between the parts of a record"
            records[-1] = (start, span[1])
        parts.append(span)
    return tuple(records), tuple(parts), ""
