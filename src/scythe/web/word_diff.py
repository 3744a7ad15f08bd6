"""Two texts come in; what was taken out and put in, word by word on one line, goes out for people to read."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.web.alignment import align

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
    lead = lead or (0 if rest else _CONTEXT)
    left_out = len(words) - lead - rest
    if left_out <= _CONTEXT:
        return [_piece("same", words)]
    return [
        _piece("same", words[:lead]),
        DiffPiece("skipped", "", left_out),
        _piece("same", words[len(words) - rest :]),
    ]
