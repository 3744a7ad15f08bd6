"""Two texts come in; what was taken out and put in, word by word, goes out for people to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

_WORDS = 4_000  # compared one by one, of each text; beyond, all between the equal ends is one change
_PAIRS = 1_000_000  # of equal words in both: what the comparison goes through, some 0.2 s
_CONTEXT = 12  # words shown on each side of a change


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """Words that stand in both texts, in one of them, or that were left out since nothing changed there."""

    kind: str  # same, deleted, inserted, skipped
    text: str
    words: int


def diff_words(old: str, new: str, *, context: int = _CONTEXT) -> list[DiffPiece]:
    """Return how `old` becomes `new`; of what stays the same, `context` words around each change are kept."""
    before, after = old.split(), new.split()
    if before == after:
        return _shorten([("same", before)], context)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = _compare(before[head : len(before) - tail], after[head : len(after) - tail])
    return _shorten([("same", before[:head]), *middle, ("same", before[len(before) - tail :])], context)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _compare(before: list[str], after: list[str]) -> Iterator[tuple[str, list[str]]]:
    if max(len(before), len(after)) > _WORDS or _pairs(before, after) > _PAIRS:
        yield "deleted", before
        yield "inserted", after
        return
    for tag, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", before[start:end]
            continue
        yield "deleted", before[start:end]
        yield "inserted", after[first:last]


def _pairs(before: list[str], after: list[str]) -> int:
    counts = Counter(after)
    return sum(count * counts[word] for word, count in Counter(before).items())


def _shorten(parts: list[tuple[str, list[str]]], context: int) -> list[DiffPiece]:
    parts = [(kind, words) for kind, words in parts if words]
    pieces: list[DiffPiece] = []
    for number, (kind, words) in enumerate(parts):
        if kind != "same" or len(words) <= 3 * context:
            pieces.append(DiffPiece(kind, " ".join(words), len(words)))
            continue
        lead = context if number else 0
        rest = context if number < len(parts) - 1 else 0
        if not lead and not rest:  # the texts are the same
            lead = context
        kept = [("same", list(islice(words, lead))), ("skipped", []), ("same", words[len(words) - rest :])]
        for each, some in kept:
            if each == "skipped":
                pieces.append(DiffPiece("skipped", "", len(words) - lead - rest))
            elif some:
                pieces.append(DiffPiece("same", " ".join(some), len(some)))
    return pieces
