"""Put what repeats inside records into shared slots: per record a sequence of items comes in, a slot for each goes out.

Siblings that look alike (`p p p`, `td td`, lines of text) are told apart by what they hold, not by their number, so
that one that is missing in a record moves none of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scythe.read.records.recognise import EMPTY, TEXT, kind_of

SLOTS = 64  # of one group; items beyond them share the last
_STEPS = 100_000  # comparisons for any region, some 0.1 s ...
_STEPS_PER_LEAF = 10  # ... and what each leaf adds; beyond, items are numbered
_SHORT, _LONG = 24, 100  # characters: a label, a sentence
_KNOWN_TEXT = 40  # characters: longer texts are not looked at for being the same in many records
_NEW = -0.6  # what opening a slot costs
_SAME_PLACE = 0.6  # for standing where it should when nothing is missing


class Token(NamedTuple):
    """What is known of one item."""

    kind: int
    size: int  # 0 short, 1 a line, 2 long
    text: str  # where many records have the same
    link: bool
    shape: int  # a number for what is inside


@dataclass(slots=True)
class Effort:
    """How many comparisons a region has left."""

    steps: int

    @classmethod
    def for_leaves(cls, leaves: int) -> Effort:
        """Allow work that grows with the number of leaves, whatever their order."""
        return cls(_STEPS + _STEPS_PER_LEAF * leaves)


@dataclass(slots=True)
class _Slot:
    """What stood in one slot so far."""

    number: int
    weight: int = 0
    kinds: dict[int, int] = field(default_factory=dict)  # how often; no Counter, which is slow at what it lacks
    texts: dict[str, int] = field(default_factory=dict)
    shapes: dict[int, int] = field(default_factory=dict)
    sizes: int = 0
    links: int = 0

    def add(self, token: Token, weight: int) -> None:
        self.weight += weight
        kind, size, text, link, shape = token
        self.kinds[kind] = self.kinds.get(kind, 0) + weight
        self.texts[text] = self.texts.get(text, 0) + weight
        self.shapes[shape] = self.shapes.get(shape, 0) + weight
        self.sizes += size * weight
        self.links += link * weight


def read_tokens(sequences: Sequence[Sequence[tuple[str, bool, int]]]) -> list[tuple[Token, ...]]:
    """Return the tokens of items given as (text, is a link, shape); what only one record says does not count."""
    often: Counter[str] = Counter()
    for sequence in sequences:
        often.update({text for text, _, _ in sequence if len(text) <= _KNOWN_TEXT})
    many = max(2, len(sequences) // 3)
    known = {text for text, count in often.items() if count >= many}
    return [
        tuple(
            [
                Token(
                    kind_of(text),
                    (len(text) > _SHORT) + (len(text) > _LONG),
                    text if text in known else "",
                    link,
                    shape,
                )
                for text, link, shape in sequence[:SLOTS]
            ]
        )
        for sequence in sequences
    ]


def spread(sequences: Sequence[tuple[Token, ...]], effort: Effort) -> list[list[int]]:
    """Return a slot for each token, rising within a sequence. Common sequences are placed first, others fitted in."""
    counts = Counter(sequences)
    if _is_regular(counts):
        return [list(range(len(sequence))) for sequence in sequences]
    slots: list[_Slot] = []
    places: dict[tuple[Token, ...], list[_Slot]] = {}
    for sequence, weight in sorted(counts.items(), key=lambda pair: (-pair[1], -len(pair[0]))):
        effort.steps -= (len(slots) + 1) * len(sequence)
        if effort.steps < 0:
            places[sequence] = _number(sequence, slots)
            continue
        placed = places[sequence] = _place(sequence, slots)
        for token, slot in zip(sequence, placed, strict=True):
            slot.add(token, weight)
    order = {slot.number: place for place, slot in enumerate(slots)}
    return [[order[slot.number] for slot in places[sequence]] for sequence in sequences]


def _is_regular(sequences: Iterable[tuple[Token, ...]]) -> bool:
    """Say whether all sequences have the same kinds at the same places, and each known text stands at one only."""
    kinds: tuple[int, ...] | None = None
    places: dict[str, int] = {}
    for sequence in sequences:
        found = tuple(token.kind for token in sequence)
        if kinds is not None and found != kinds:
            return False
        kinds = found
        for place, token in enumerate(sequence):
            if token.text and places.setdefault(token.text, place) != place:
                return False
    return True


def _number(sequence: tuple[Token, ...], slots: list[_Slot]) -> list[_Slot]:
    while len(slots) < len(sequence):
        slots.append(_Slot(len(slots)))
    return slots[: len(sequence)]


def _place(sequence: tuple[Token, ...], slots: list[_Slot]) -> list[_Slot]:
    """Match a sequence with the slots; a token that fits none opens a slot where it stands, while there is room."""
    matched = _match(sequence, slots)
    placed: list[_Slot] = []
    at = 0  # place in slots behind the last one taken
    shift = 0
    for place in matched:
        if place is not None:
            at = place + shift
            placed.append(slots[at])
            at += 1
        elif len(slots) < SLOTS:
            slots.insert(at, _Slot(len(slots)))
            placed.append(slots[at])
            at += 1
            shift += 1
        else:
            placed.append(slots[max(at - 1, 0)])
    return placed


def _match(sequence: tuple[Token, ...], slots: list[_Slot]) -> list[int | None]:
    """Align by dynamic programming and return for each token the place of its slot, or None for a new one."""
    wide = len(slots)
    if not wide:
        return [None] * len(sequence)
    full = len(sequence) == wide
    above = [0.0] * (wide + 1)
    moves: list[list[int]] = []  # 0 open a slot, 1 match, 2 skip a slot
    fits: dict[Token, list[float]] = {}
    for token in sequence:
        if token not in fits:
            fits[token] = [_fit(token, slot) for slot in slots]
    for i, token in enumerate(sequence):
        best = above[0] + _NEW
        row, move = [best], [0]
        for j, fit in enumerate(fits[token]):
            fit += above[j]
            if full and i == j:
                fit += _SAME_PLACE
            opened = above[j + 1] + _NEW
            if best >= fit and best >= opened:  # where several slots fit equally, the first is taken
                move.append(2)
            elif fit >= opened:
                best = fit
                move.append(1)
            else:
                best = opened
                move.append(0)
            row.append(best)
        moves.append(move)
        above = row
    return _walk_back(moves, wide)


def _walk_back(moves: list[list[int]], wide: int) -> list[int | None]:
    places: list[int | None] = [None] * len(moves)
    i, j = len(moves) - 1, wide
    while i >= 0:
        move = moves[i][j]
        if move == 2:
            j -= 1
            continue
        if move == 1:
            j -= 1
            places[i] = j
        i -= 1
    return places


def _fit(token: Token, slot: _Slot) -> float:
    """Say how well a token fits what stood in a slot so far; below `_NEW` it is better placed in a new one."""
    kind, size, text, link, shape = token
    weight, kinds = slot.weight or 1, slot.kinds
    same = kinds.get(kind, 0) / weight
    if same:
        score = 1.0 + same
        if kind == TEXT:
            score += 0.6 - 0.6 * abs(size - slot.sizes / weight)
    elif kind == EMPTY or kinds.get(EMPTY, 0) * 2 > weight:
        score = 0.0
    else:
        score = -1.0 if kind == TEXT or kinds.get(TEXT, 0) * 2 > weight else -2.0
    said = slot.texts.get(text, 0) / weight
    score += (3.0 * said if text else 0.0) - (1.0 if said < 0.2 and kind != EMPTY else 0.0)
    score += 0.8 * (slot.shapes.get(shape, 0) / weight) - 0.4
    return score + (0.3 if (slot.links * 2 > weight) == link else -0.3)
