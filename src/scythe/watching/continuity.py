"""Prove that no record was missed: the keys of a list now and at the last visit come in, what is new and whether
anything may have fallen off in between go out.

Most lists show the newest first. There a record of the last visit that is still shown proves that all that came since
stands above it, unless it is pinned to its place. So what counts are records of the last visit in their old order,
after the new ones; what stands before them may be pinned, what the archive knows from other lists proves nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from scythe.limits import LIMITS

_DELETED = 3  # records of the last visit that may be gone from above one that is shown, in any case


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a visit saw of a list, compared with the last one."""

    new: tuple[int, ...]  # places of the records that nobody has seen before
    is_proven: bool  # nothing fell off in between
    why: str


def judge_overlap(
    keys: Sequence[str], known: Collection[str], newest: Sequence[str], sticky: Collection[str] = ()
) -> Overlap:
    """Say which records of a list are new, and whether all that came since the last visit are among them.

    `keys` are in the order of the page, those of older pages behind; `newest` is what `next_newest` gave at the last
    visit without a gap, `sticky` what `next_sticky` gave. `known` may hold keys of other lists.
    """
    places = {key: place for place, key in reversed(list(enumerate(keys)))}
    new = tuple(place for place, key in enumerate(keys) if key not in known and places[key] == place)
    if not newest:
        return Overlap(new, True, "first visit")
    if not keys:
        return Overlap(new, False, "empty")
    order = {key: place for place, key in reversed(list(enumerate(newest)))}
    if all(key in order for key in keys):
        return Overlap(new, True, "nothing came")
    shown = list(dict.fromkeys(keys))
    pinned = {key for key in shown[: _pinnable(len(shown))] if key in sticky}  # further down it sank like all others
    shown = [key for key in shown if key not in pinned]
    old = [key for key in dict.fromkeys(newest) if key not in pinned]
    is_proven, why = _weigh(shown, old)
    return Overlap(new, is_proven, why)


def _weigh(shown: Sequence[str], old: Sequence[str]) -> tuple[bool, str]:
    """Compare a list with what it was, both without repeats and without what is known to be pinned."""
    order = {key: place for place, key in enumerate(old)}
    anchors = _in_order([(place, order[key]) for place, key in enumerate(shown) if key in order])
    if not anchors:
        return False, "nothing of the last visit is left"
    last, deepest = anchors[-1]
    held = {key for key in shown if key in order}
    gone = sum(key not in held for key in old[:deepest])
    if gone > max(_DELETED, 2 * len(anchors)):
        # all above it would have been deleted: it is rather pinned to the end
        return False, "what is left is not what was shown first"
    others = [place for place, key in enumerate(shown) if key not in order]
    return _judge_order(len(shown), len(old), [place for place, _ in anchors], others, last)


def _judge_order(shown: int, old: int, anchors: Sequence[int], others: Sequence[int], last: int) -> tuple[bool, str]:
    top = max(_pinnable(shown), others[0] if others else 0)
    below = next((place for place in anchors if place >= top), shown)  # what stands above may be pinned
    between = sum(below < place < last for place in others)
    if between > max(1, len(anchors) // 3):
        # new ones come in anywhere: by score, by hand, by the last answer
        is_proven = 2 * len(anchors) >= min(shown, old)
        return is_proven, "most of the last visit is left" if is_proven else "too little of the last visit is left"
    if not others or others[-1] < last:
        return True, "what came stands above what was there"
    # behind what was there stand others: they are older, unless all that is left is pinned above them
    if len(anchors) > _pinnable(shown):
        return True, "more of the last visit is left than is ever pinned"
    return False, "what is left may be pinned"


def _pinnable(shown: int) -> int:
    """Return how many records of a list may be pinned above the others without anybody knowing."""
    return max(2, shown // 5)


def _in_order(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most (place now, place then) whose order did not change: what moved up proves nothing."""
    ends: list[int] = []  # smallest last place of a chain of each length
    at: list[int] = []
    before: list[int] = []
    for number, (_, then) in enumerate(pairs):
        length = bisect_left(ends, then)
        if length == len(ends):
            ends.append(then)
            at.append(number)
        else:
            ends[length] = then
            at[length] = number
        before.append(at[length - 1] if length else -1)
    chain = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def next_newest(keys: Sequence[str], before: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys by which the next visit proves that it missed none: those shown, then some shown before.

    Those shown before stand by in case that many of the others are deleted.
    """
    shown = list(dict.fromkeys(keys))
    if not shown:
        return tuple(before)
    kept = list(dict.fromkeys([*shown, *before]))
    return tuple(kept[: min(2 * len(shown), LIMITS.region_keys)])


def next_sticky(
    keys: Sequence[str], known: Collection[str], newest: Sequence[str], sticky: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the keys of records that are pinned above newer ones; one that sinks like all others is not any more."""
    shown = list(dict.fromkeys(keys))
    most = _pinnable(len(shown))
    order = frozenset(newest)
    first = next((place for place, key in enumerate(shown) if key not in order and key not in known), len(shown))
    above = shown[:first] if 0 < first <= most and all(key in order for key in shown[:first]) else []
    stayed = [key for key in shown[:most] if key in sticky]
    return tuple(dict.fromkeys([*stayed, *above]))


def merge_pages(pages: Iterable[Sequence[str]]) -> list[str]:
    """Return the keys of the pages of a list one behind the other, each once: while they are read, records move on."""
    return list(dict.fromkeys(key for page in pages for key in page))
