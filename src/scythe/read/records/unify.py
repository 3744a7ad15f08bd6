"""Join columns that stand in for each other: columns of records of several makes come in, fewer columns go out.

A list may mix makes of record, such as a large first teaser and small ones, whose paths share nothing. Two columns that
no record has both of, and that look alike, are one.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.read.records.portrait import Portrait, likeness

_ALIKE = 2.0
_COMPARED = 2_000  # pairs of columns


def unify(records: Sequence[set[int]], places: Sequence[float], portraits: Sequence[Portrait], total: int) -> list[int]:
    """Return for each column the number of the one it joins, its own where it stays.

    `records` are those that have the column, `places` where it stands in them (0 first, 1 last), `total` their number.
    """
    partial = [number for number, has in enumerate(records) if len(has) < total]
    looks = {number: (portraits[number].kind, portraits[number].said) for number in partial}
    further: dict[tuple[int, str], list[int]] = {}  # columns of each kind that are still to be compared
    for number in partial:
        further.setdefault(looks[number], []).append(number)
    pairs = []
    for one in partial:
        others, has_one = further[looks[one]], records[one]
        del others[0]
        for other in others:
            if len(has_one) + len(records[other]) <= total and has_one.isdisjoint(records[other]):
                score = likeness(portraits[one], portraits[other]) - 2.0 * abs(places[one] - places[other])
                if score >= _ALIKE:
                    pairs.append((-score, one, other))
        if len(pairs) > _COMPARED:
            break
    joins = list(range(len(records)))
    has = [set(of) for of in records] if pairs else []
    for _, one, other in sorted(pairs):
        one, other = sorted((joins[one], joins[other]), key=lambda number: (-len(has[number]), number))
        if one != other and has[one].isdisjoint(has[other]):
            has[one] |= has[other]
            joins = [one if number == other else number for number in joins]
    return joins
