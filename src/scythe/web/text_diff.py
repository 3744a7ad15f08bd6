"""Compare two texts by paragraphs and words, for display."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

_WINDOW = 8_192  # compared at once: rapidfuzz takes 8 MB and some 10 ms for it, both quadratic


class Stretch(NamedTuple):
    """A part of both sequences: the same in both, or what one has in place of the other's."""

    is_same: bool
    start: int  # in the first
    end: int
    first: int  # in the second
    last: int


def align(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Stretch]:
    """Return both sequences as stretches, in order, which cover all of them; no two neighbours are of one kind.

    Where they are longer than a window, the next window begins where the one before found them the same last.
    """
    merged: list[Stretch] = []
    start = first = 0
    while start < len(one) or first < len(other):
        ops = LCSseq.opcodes(one[start : start + _WINDOW], other[first : first + _WINDOW])
        found = []
        for op in ops:
            src, dest = (start + op.src_start, start + op.src_end), (first + op.dest_start, first + op.dest_end)
            found.append(Stretch(op.tag == "equal", *src, *dest))
        has_more = start + _WINDOW < len(one) or first + _WINDOW < len(other)
        if has_more:
            last_same = max((place for place, stretch in enumerate(found) if stretch.is_same), default=-1)
            if last_same >= 0 and found[last_same].end - start > _WINDOW // 2:
                del found[last_same + 1 :]
        for stretch in found:
            if merged and merged[-1].is_same == stretch.is_same:
                merged[-1] = merged[-1]._replace(end=stretch.end, last=stretch.last)
            else:
                merged.append(stretch)
        start, first = merged[-1].end, merged[-1].last
    return merged


@dataclass(frozen=True, slots=True)
class DiffPart:
    """Words that are in both texts, or in one of them."""

    kind: str  # same, deleted, inserted
    text: str


_CONTEXT = 1  # paragraphs shown on each side of a change
_LONG = 1_500  # characters from which a paragraph is compared sentence by sentence
_WORDS = 60_000  # that are compared one by one in all: some 0.1 s
_BLOCKS = 400  # shown
_CHARS = 400_000  # shown
_FOLDED_CHARS = 60_000  # of what did not change, to be unfolded
_LIKE = 0.35  # share of a paragraph that must stay for it to be the same one, changed
_WORD = re.compile(r"\s+|[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+|.")


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
