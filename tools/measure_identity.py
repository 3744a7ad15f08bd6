"""Print how well records and regions are known again: `python tools/measure_identity.py FILE...`.

Each FILE holds pages as JSON lines (`site url html`, perhaps `snapshot` and `gold`, whose records may have a `url`),
compressed or not. Of each page the own links of its records are compared with the marked ones; parts of its regions are
taken for an earlier and a later visit, and it is counted which are known again; where two snapshots of an address are
there, the main region of the later one is looked for among the regions of the earlier one.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from measure_lists import open_lines

from scythe import Page, RecordList
from scythe.archive.stored_records import identify_each
from scythe.reading.lists.find_lists import read_records
from scythe.reading.lists.own_link import find_own_links
from scythe.url import fold
from scythe.watching.list_identity import KnownList, describe, know_again
from scythe.watching.relative_dates import published_times

CHANCE = random.Random(1)
Tally = Counter[str]


class Sheet(NamedTuple):
    """One page as it was read."""

    url: str
    at: float
    regions: list[RecordList]
    marked: set[str]  # keys of the links of records that people marked


def read_sheet(page: dict[str, Any]) -> Sheet:
    regions = read_records(Page.from_bytes(page["html"].encode(), url=page["url"]))
    gold = page["gold"] if isinstance(page.get("gold"), list) else []
    marked = {fold(record["url"]) for record in gold if record.get("url")}
    return Sheet(page["url"], float(page.get("snapshot") or 0), list(regions), marked)


def measure_links(sheet: Sheet, tally: Tally) -> None:
    """Count records with an own link, and those whose own link is the marked one."""
    for region in sheet.regions:
        own = find_own_links(region)
        tally["records"] += len(own)
        tally["own link"] += sum(bool(one.key) for one in own)
        tally["no links at all"] += sum(not record.links for record in region.records)
        tally["own link of another record too"] += len(own) - len({one.key or n for n, one in enumerate(own)})
        for record, one in zip(region.records, own, strict=True):
            if sheet.marked & {fold(link) for link in record.links}:
                tally["marked"] += 1
                tally["marked is own"] += one.key in sheet.marked


def measure_context(sheet: Sheet, tally: Tally) -> None:
    """Count records that are others when some of their neighbours are gone."""
    whole = {(one.region, one.place): one.hash for one in identify_each(sheet.regions)}
    for share in (0.3, 0.5, 0.8):
        kept = [sorted(CHANCE.sample(range(n), max(1, int(share * n)))) for n in map(_size, sheet.regions)]
        for one in identify_each([_take(region, ours) for region, ours in zip(sheet.regions, kept, strict=True)]):
            tally["in part"] += 1
            tally["other record in part"] += whole[one.region, kept[one.region][one.place]] != one.hash


def measure_regions(sheet: Sheet, tally: Tally) -> None:
    """Count regions that are known again when some or all of their records changed."""
    regions = [region for region in sheet.regions if _size(region) > 3]
    even, odd = ([_take(one, range(n, _size(one), 2)) for one in regions] for n in (0, 1))
    count(tally, "all records changed", even, odd)
    count(tally, "all records changed, tags too", even, [replace(one, pattern="x(y)") for one in odd])
    old, new = zip(*map(_overlapping, regions), strict=True) if regions else ((), ())
    order = CHANCE.sample(range(len(regions)), len(regions))
    count(tally, "a third stayed, order changed", old, [new[at] for at in order], order)
    redesigned = [replace(one, pattern="x(y)", columns=tuple(f"c{n}" for n in range(9))) for one in new]
    count(tally, "a third stayed, tags and columns changed", old, redesigned)


def _overlapping(region: RecordList) -> tuple[RecordList, RecordList]:
    """Return the older and the newer records of a region; a third of each are the same."""
    size = _size(region)
    return _take(region, range(size * 2 // 5, size)), _take(region, range(size * 3 // 5))


def count(
    tally: Tally, name: str, before: Sequence[RecordList], now: Sequence[RecordList], order: Sequence[int] | None = None
) -> None:
    found = know_again(now, keys_of(now), as_known(before))
    tally[f"{name}: of"] += len(now)
    tally[name] += sum(index == at for index, at in zip(found, order or range(len(now)), strict=True))


def keys_of(regions: Sequence[RecordList]) -> list[list[str]]:
    keys: list[list[str]] = [[] for _ in regions]
    for one in identify_each(regions):
        keys[one.region].append(one.hash.hex())
    return keys


def as_known(regions: Sequence[RecordList]) -> list[KnownList]:
    return [
        KnownList(rank, region.pattern, region.kind, region.columns, describe(region), tuple(keys), rank)
        for rank, (region, keys) in enumerate(zip(regions, keys_of(regions), strict=True))
    ]


def measure_snapshots(sheets: Sequence[Sheet], tally: Tally) -> None:
    """Count main regions that are known again on another snapshot of the same address."""
    first: dict[str, Sheet] = {}
    for sheet in sorted(sheets, key=lambda one: one.at):
        before = first.setdefault(sheet.url, sheet)
        if before.at < sheet.at and before.regions and sheet.regions:
            tally["main region of a later snapshot: of"] += 1
            found = know_again(sheet.regions, keys_of(sheet.regions), as_known(before.regions))
            tally["main region of a later snapshot"] += found[0] == 0


def measure_dates(sheet: Sheet, tally: Tally) -> None:
    for region in sheet.regions[:1]:
        tally["of the main list: of"] += _size(region)
        tally["of the main list"] += sum(at is not None for at in published_times(region, sheet.at or 2e9))


def _size(region: RecordList) -> int:
    return len(region.records)


def _take(region: RecordList, places: Sequence[int]) -> RecordList:
    return replace(region, records=tuple(region.records[place] for place in places))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    measures: list[Callable[[Sheet, Tally], None]] = [measure_links, measure_context, measure_regions, measure_dates]
    for path in parser.parse_args().files:
        sheets = [read_sheet(json.loads(line)) for line in open_lines(path)]
        tally: Tally = Counter()
        for sheet in sheets:
            for measure in measures:
                measure(sheet, tally)
        measure_snapshots(sheets, tally)
        print(f"{path}: {len(sheets)} pages")
        for name, value in tally.items():
            if not name.endswith(": of"):
                of = tally.get(f"{name}: of")
                print(f"  {name}: {value}" + (f" of {of}" if of else ""))


if __name__ == "__main__":
    main()
