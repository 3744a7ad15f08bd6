"""Two texts come in; what changed between them goes out for people to read: paragraphs, and words inside of them.

Two texts come in; what was taken out and put in, word by word on one line, goes out for people to read.

Two sequences come in; which parts of them are the same goes out, in time that grows with their length only.

What stands once in both holds the two together (patience diff); between such places the same is done again, and small
rests are compared one by one. difflib by itself is quadratic and worse: a megabyte of text would take minutes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

_SMALL = 20_000  # pairs of a rest that is compared one by one: some 5 ms
_ALL_SMALL = 600_000  # pairs of all such rests together
_DEPTH = 6  # how often rests are looked at again


class Stretch(NamedTuple):
    """A part of both sequences: the same in both, or what one has in place of the other's."""

    is_same: bool
    start: int  # in the first
    end: int
    first: int  # in the second
    last: int


def align(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Stretch]:
    """Return both sequences as stretches, in order, which cover all of them; no two neighbours are of one kind."""
    merged: list[Stretch] = []
    for stretch in _Aligning(one, other).run():
        if merged and merged[-1].is_same == stretch.is_same:
            merged[-1] = merged[-1]._replace(end=stretch.end, last=stretch.last)
        else:
            merged.append(stretch)
    return merged


class _Aligning:
    """One comparison, with what is left of its time."""

    def __init__(self, one: Sequence[Hashable], other: Sequence[Hashable]) -> None:
        self._one, self._other = one, other
        self._left = _ALL_SMALL

    def run(self) -> Iterator[Stretch]:
        waiting = [(0, len(self._one), 0, len(self._other), _DEPTH)]
        while waiting:
            start, end, first, last, depth = waiting.pop()
            if depth < 0:  # known to be the same
                yield Stretch(True, start, end, first, last)
                continue
            head, tail = self._ends(start, end, first, last)
            if head:
                yield Stretch(True, start, start + head, first, first + head)
            if tail:
                waiting.append((end - tail, end, last - tail, last, -1))
            start, first, end, last = start + head, first + head, end - tail, last - tail
            if start < end or first < last:
                parts = self._split(start, end, first, last, depth)
                if parts is None:
                    yield Stretch(False, start, end, first, last)
                else:
                    waiting += reversed(parts)

    def _ends(self, start: int, end: int, first: int, last: int) -> tuple[int, int]:
        """Return how many are the same at the beginning, and at the end."""
        most = min(end - start, last - first)
        head = 0
        while head < most and self._one[start + head] == self._other[first + head]:
            head += 1
        tail = 0
        while tail < most - head and self._one[end - 1 - tail] == self._other[last - 1 - tail]:
            tail += 1
        return head, tail

    def _split(
        self, start: int, end: int, first: int, last: int, depth: int
    ) -> list[tuple[int, int, int, int, int]] | None:
        """Return the parts of two stretches that differ, None where nothing in them is known to be the same."""
        if start == end or first == last:
            return None
        size = (end - start) * (last - first)
        if size <= min(_SMALL, self._left):
            self._left -= size
            matcher = SequenceMatcher(None, self._one[start:end], self._other[first:last], autojunk=False)
            matches = [(start + a, first + b, length) for a, b, length in matcher.get_matching_blocks() if length]
            depth = 0
        elif depth:
            matches = [(a, b, 1) for a, b in self._anchors(start, end, first, last)]
        else:
            return None
        return self._between(matches, (start, end, first, last), depth - 1) if matches else None

    def _between(
        self, matches: Sequence[tuple[int, int, int]], whole: tuple[int, int, int, int], depth: int
    ) -> list[tuple[int, int, int, int, int]]:
        start, end, first, last = whole
        parts = []
        for a, b, length in (*matches, (end, last, 0)):
            if start < a or first < b:
                parts.append((start, a, first, b, max(depth, 0)))
            parts.append((a, a + length, b, b + length, -1))
            start, first = a + length, b + length
        return parts

    def _anchors(self, start: int, end: int, first: int, last: int) -> list[tuple[int, int]]:
        """Return places of what stands once in both, as many as are in the same order in both."""
        ours, theirs = Counter(self._one[start:end]), Counter(self._other[first:last])
        places = {self._other[b]: b for b in range(first, last) if theirs[self._other[b]] == 1}
        pairs = [
            (a, places[self._one[a]]) for a in range(start, end) if ours[self._one[a]] == 1 and self._one[a] in places
        ]
        return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series of pairs, given by rising first place, whose second places rise, too."""
    tops: list[int] = []  # the lowest end of a series, by its length
    holders: list[int] = []  # which pair that is
    before: list[int] = []  # the pair in front of each
    for number, (_, b) in enumerate(pairs):
        length = bisect_left(tops, b)
        before.append(holders[length - 1] if length else -1)
        if length == len(tops):
            tops.append(b)
            holders.append(number)
        else:
            tops[length], holders[length] = b, number
    series = []
    number = holders[-1] if holders else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


_WORD_DIFF_CONTEXT = 12  # words shown on each side of a change


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """Words that stand in both texts, in one of them, or that were left out since nothing changed there."""

    kind: str  # same, deleted, inserted, skipped
    text: str
    words: int


def diff_words(old: str, new: str, *, context: int = _WORD_DIFF_CONTEXT) -> list[DiffPiece]:
    """Return how `old` becomes `new`; of what stays the same, `context` words around each change are kept."""
    before, after = old.split(), new.split()
    pieces: list[DiffPiece] = []
    stretches = align(before, after)
    for number, (is_same, start, end, first, last) in enumerate(stretches):
        if is_same:
            lead = context if number else 0
            rest = context if number < len(stretches) - 1 else 0
            pieces += _shorten(before[start:end], lead, rest)
        else:
            pieces += [_piece("deleted", before[start:end]), _piece("inserted", after[first:last])]
    return [piece for piece in pieces if piece.words]


def _piece(kind: str, words: list[str]) -> DiffPiece:
    return DiffPiece(kind, " ".join(words), len(words))


def _shorten(words: list[str], lead: int, rest: int) -> list[DiffPiece]:
    """Keep the words next to a change; those of equal texts are next to none, and the first ones are kept."""
    lead = lead or (0 if rest else _WORD_DIFF_CONTEXT)
    left_out = len(words) - lead - rest
    if left_out <= _WORD_DIFF_CONTEXT:
        return [_piece("same", words)]
    return [
        _piece("same", words[:lead]),
        DiffPiece("skipped", "", left_out),
        _piece("same", words[len(words) - rest :]),
    ]


_CONTEXT = 1  # paragraphs shown on each side of a change
_LONG = 1_500  # characters from which a paragraph is compared sentence by sentence
_WORDS = 60_000  # that are compared one by one in all: some 0.1 s
_BLOCKS = 400  # shown
_CHARS = 400_000  # shown
_FOLDED_CHARS = 60_000  # of what did not change, to be unfolded
_LIKE = 0.35  # share of a paragraph that must stay for it to be the same one, changed
_WORD = re.compile(r"\s+|[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+|.")


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A piece of a paragraph."""

    kind: str  # same, deleted, inserted
    text: str


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """A paragraph, or several that did not change."""

    kind: str  # same, changed, deleted, inserted, folded
    parts: tuple[DiffPart, ...]
    paragraphs: int = 1


@dataclass(frozen=True, slots=True)
class TextDiff:
    """How one text became another."""

    blocks: tuple[DiffBlock, ...]
    changes: int  # paragraphs that changed, went or came
    is_coarse: bool = False  # too long: some paragraphs were not compared word by word
    left_out: int = 0  # places with changes that are not shown: there are too many


def compare_texts(old: str, new: str) -> TextDiff:
    """Return how `old` became `new`. A megabyte takes 0.05 to 0.2 s, whatever is in it."""
    before, after = _paragraphs(old), _paragraphs(new)
    comparing = _Comparing()
    blocks: list[DiffBlock] = []
    changes = left_out = 0
    stretches = align(before, after)
    for number, stretch in enumerate(stretches):
        if not stretch.is_same:
            changes += max(stretch.end - stretch.start, stretch.last - stretch.first)
        if len(blocks) >= _BLOCKS:  # what nobody will see is not compared
            left_out += not stretch.is_same
        elif stretch.is_same:
            blocks += _fold(before[stretch.start : stretch.end], number == 0, number == len(stretches) - 1)
        else:
            some = list(islice(comparing.compare(before, after, stretch), _BLOCKS + 1))
            left_out += len(some) > _BLOCKS
            blocks += some[:_BLOCKS]
    shown = list(_within(blocks))
    return TextDiff(tuple(shown), changes, comparing.is_coarse, left_out + len(blocks) - len(shown))


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text; very long ones in sentences."""
    found: list[str] = []
    for line in text.split("\n"):
        said = line.strip()
        if len(said) <= _LONG:
            found += [said] if said else []
        else:
            found += _sentences(said)
    return found


def _sentences(paragraph: str) -> Iterator[str]:
    start = 0
    while start < len(paragraph):
        ends = [at + 1 for sign in (". ", "。", "! ", "? ") if (at := paragraph.find(sign, start, start + _LONG)) >= 0]
        end = min(ends, default=0) or paragraph.find(" ", start + _LONG // 2, start + _LONG)
        end = end if end > start else min(start + _LONG, len(paragraph))
        yield paragraph[start:end].strip()
        start = end + (paragraph[end : end + 1] == " ")


def _fold(same: Sequence[str], is_first: bool, is_last: bool) -> Iterator[DiffBlock]:
    """Show what did not change beside what did; the rest is folded."""
    lead = 0 if is_first else _CONTEXT
    rest = 0 if is_last else _CONTEXT
    if len(same) <= lead + rest + 1:
        lead, rest = len(same), 0
    for text in same[:lead]:
        yield DiffBlock("same", (DiffPart("same", text),))
    folded = same[lead : len(same) - rest]
    if folded:
        yield DiffBlock("folded", (DiffPart("same", "\n".join(folded)),), len(folded))
    for text in same[len(same) - rest :] if rest else ():
        yield DiffBlock("same", (DiffPart("same", text),))


class _Comparing:
    """Compares paragraphs word by word as long as there is time."""

    def __init__(self) -> None:
        self.is_coarse = False
        self._left = _WORDS

    def compare(self, before: Sequence[str], after: Sequence[str], stretch: Stretch) -> Iterator[DiffBlock]:
        """Return a stretch of paragraphs that changed: those with a partner first to last, then the others."""
        gone, came = before[stretch.start : stretch.end], after[stretch.first : stretch.last]
        for old, new in zip(gone, came, strict=False):
            yield from self._compare_words(old, new)
        for text in gone[len(came) :]:
            yield DiffBlock("deleted", (DiffPart("deleted", text),))
        for text in came[len(gone) :]:
            yield DiffBlock("inserted", (DiffPart("inserted", text),))

    def _compare_words(self, old: str, new: str) -> Iterator[DiffBlock]:
        if self._left < 0:
            self.is_coarse = True
        else:
            before, after = _WORD.findall(old), _WORD.findall(new)
            self._left -= len(before) + len(after)
            parts = _join(before, after) if _is_like(before, after) else ()
            if parts:
                yield DiffBlock("changed", parts)
                return
        yield DiffBlock("deleted", (DiffPart("deleted", old),))
        yield DiffBlock("inserted", (DiffPart("inserted", new),))


def _is_like(before: list[str], after: list[str]) -> bool:
    """Say whether enough words are in both: quick, and never wrong about a no."""
    shared = Counter(before) & Counter(after)
    return _weigh(shared.elements()) >= _LIKE * max(_weigh(before), _weigh(after))


def _weigh(words: Iterable[str]) -> int:
    """Return how many words there are, spaces and signs aside."""
    return sum(word.isalnum() for word in words)


def _join(before: list[str], after: list[str]) -> tuple[DiffPart, ...]:
    """Return the words of a changed paragraph; nothing where it is another one altogether."""
    stretches = align(before, after)
    kept = sum(_weigh(before[stretch.start : stretch.end]) for stretch in stretches if stretch.is_same)
    if kept < _LIKE * max(_weigh(before), _weigh(after)):
        return ()
    parts: list[DiffPart] = []
    gone: list[str] = []
    came: list[str] = []
    for number, stretch in enumerate(stretches):
        words = before[stretch.start : stretch.end]
        is_gap = stretch.is_same and 0 < number < len(stretches) - 1 and not "".join(words).strip()
        if stretch.is_same and not is_gap:
            parts += _changed(gone, came)
            gone, came = [], []
            parts.append(DiffPart("same", "".join(words)))
        else:  # a space between two changed words belongs to them
            gone += words
            came += after[stretch.first : stretch.last]
    return (*parts, *_changed(gone, came))


def _changed(gone: list[str], came: list[str]) -> Iterator[DiffPart]:
    if gone:
        yield DiffPart("deleted", "".join(gone))
    if came:
        yield DiffPart("inserted", "".join(came))


def _within(blocks: Sequence[DiffBlock]) -> Iterator[DiffBlock]:
    """Yield as many blocks as a page can show; folded ones without their text where that is too long."""
    chars = folded = 0
    for block in blocks[:_BLOCKS]:
        size = sum(len(part.text) for part in block.parts)
        if block.kind == "folded":
            folded += size
            yield block if folded <= _FOLDED_CHARS else DiffBlock("folded", (), block.paragraphs)
            continue
        chars += size
        if chars > _CHARS:
            return
        yield block
