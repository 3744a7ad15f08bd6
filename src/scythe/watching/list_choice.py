"""Select the lists of a page that the user chose to watch.

All lists are recognised, so that an unchosen one is never mistaken for a chosen one that disappeared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from scythe.archive.results import ListRow
from scythe.errors import BadInput
from scythe.model import RecordList
from scythe.watching.list_identity import MOST, Chosen, KnownList, describe_list, know_again
from scythe.watching.watch_options import ListOptions

_ENOUGH = 6  # records that left a region, before anything is made of it
_LATELY = 40
_MOST = 0.8  # of them
_IDLE = 2  # times in a row that older pages were of no use, after which they are not asked for again


@dataclass(slots=True)
class Notes:
    """Which regions have older pages, how often a gap could not be closed, and which regions choices mean."""

    idle: dict[int, int] = field(default_factory=dict)  # region -> how often older pages brought nothing
    paged: set[int] = field(default_factory=set)  # regions whose older pages go on where the first ends
    tries: dict[int, int] = field(default_factory=dict)  # region -> visits that failed to close its gap
    gone: dict[int, int] = field(default_factory=dict)  # region -> records that left it lately
    kept: dict[int, int] = field(default_factory=dict)  # and how many of these a larger list of the page still showed
    chosen: dict[str, int] = field(default_factory=dict)  # code of a choice -> the region that it means
    others: tuple[Chosen, ...] = ()  # regions that were not chosen, as they were last seen

    def may_have_older(self, number: int) -> bool:
        return self.idle.get(number, 0) < _IDLE

    def note_older(self, number: int, *, helped: bool) -> None:
        """Remember whether older pages went on with a region."""
        if helped:
            self.paged.add(number)
            self.idle.pop(number, None)
            return
        self.idle[number] = self.idle.get(number, 0) + 1
        self.paged.discard(number)

    def is_drained(self, number: int) -> bool:
        """Say whether what leaves a region goes on into a larger one."""
        gone = self.gone.get(number, 0)
        return gone >= _ENOUGH and self.kept.get(number, 0) >= _MOST * gone

    def note_departed(self, number: int, gone: int, kept: int) -> None:
        """Remember what became of records that left a region; what was long ago counts less."""
        gone, kept = gone + self.gone.get(number, 0), kept + self.kept.get(number, 0)
        if gone > _LATELY:
            gone, kept = gone // 2, kept // 2
        if gone:
            self.gone[number], self.kept[number] = gone, kept

    def to_json(self) -> str:
        """Write them as they are kept in an archive."""
        plain = msgspec.to_builtins(self, str_keys=True)
        return json.dumps({name: value for name, value in plain.items() if value})

    @classmethod
    def from_json(cls, text: str) -> Notes:
        """Read what `to_json` wrote; damaged notes are none."""
        try:
            return msgspec.convert(json.loads(text or "{}"), cls, str_keys=True)
        except (ValueError, msgspec.ValidationError, BadInput):
            return cls()


@dataclass(frozen=True, slots=True)
class Picked:
    """One region to be watched, or to be looked at more closely."""

    region: RecordList
    rank: int  # among all of its page
    row: ListRow | None = None  # None: never seen before
    codes: tuple[str, ...] = ()  # of the choices that mean it
    is_chosen: bool = True  # False: only if older pages prove that it is one that is missing


def known_row(row: ListRow) -> KnownList:
    """Return what a region is known by: what it showed last, not what has left it since and may be in another."""
    keys = row.newest[: row.shown]
    return KnownList(row.number, row.pattern, row.kind, row.columns, row.shapes, keys, row.rank, row.missing, row.shown)


def watched_rows(rows: Sequence[ListRow], notes: Notes, options: ListOptions) -> list[ListRow]:
    """Return the regions of a page that are watched: all, or those that choices were found to mean."""
    if not options.regions:
        return list(rows)
    numbers = {notes.chosen[one.code] for one in options.regions if one.code in notes.chosen}
    return [row for row in rows if row.number in numbers]


def unfound(notes: Notes, options: ListOptions) -> list[Chosen]:
    """Return the choices that no visit has found on the page yet."""
    return [one for one in options.regions if one.code not in notes.chosen]


def pick(
    regions: Sequence[RecordList],
    keys: Sequence[Sequence[str]],
    rows: Sequence[ListRow],
    notes: Notes,
    options: ListOptions,
) -> list[Picked]:
    """Return the regions that were chosen and, where one of them is missing, those that nobody knows.

    What the others look like is noted, for the next visit.
    """
    meant = _find_chosen(regions, keys, unfound(notes, options), options.others)
    rivals = notes.others or options.others
    again = know_again(regions, keys, [*map(known_row, rows), *(one.known() for one in rivals)])
    rows_now = [rows[index] if index is not None and index < len(rows) else None for index in again]
    wanted = {row.number for row in watched_rows(rows, notes, options)}
    is_whole = wanted <= {row.number for row in rows_now if row is not None}
    picked, others = list[Picked](), list[Chosen]()
    for rank, (region, row) in enumerate(zip(regions, rows_now, strict=True)):
        is_chosen = rank in meant or (row is not None and row.number in wanted)
        if is_chosen or (again[rank] is None and not is_whole):
            picked.append(Picked(region, rank, row, tuple(meant.get(rank, ())), is_chosen))
        else:
            others.append(describe_list(region, keys[rank], rank + 1))
    away = [one for index, one in enumerate(rivals, len(rows)) if index not in again]
    notes.others = tuple([*others, *away][:MOST])
    return picked


def _find_chosen(
    regions: Sequence[RecordList], keys: Sequence[Sequence[str]], wanted: Sequence[Chosen], others: Sequence[Chosen]
) -> dict[int, list[str]]:
    """Return which regions choices mean that were not found before: place among the regions -> codes of choices."""
    meant: dict[int, list[str]] = {}
    described = [one for one in wanted if one.is_described]
    found = know_again(regions, keys, [one.known() for one in (*described, *others)]) if described else []
    for rank, index in enumerate(found):
        if index is not None and index < len(described):
            meant.setdefault(rank, []).append(described[index].code)
    for one in wanted:
        if not one.is_described:
            place = _find_named(regions, one)
            if place is not None:
                meant.setdefault(place, []).append(one.code)
    return meant


def _find_named(regions: Sequence[RecordList], one: Chosen) -> int | None:
    """Return the place of the region that a number, or else a kind, means."""
    if one.place:
        return one.place - 1 if one.place <= len(regions) else None
    return next((rank for rank, region in enumerate(regions) if region.kind == one.kind), None)
