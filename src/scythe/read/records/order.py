"""Bring columns into reading order: the cells of each column come in, described columns, not too many, go out."""

from __future__ import annotations

from collections import Counter

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.columns import Cell
from scythe.read.records.portrait import Column, draw
from scythe.read.records.unify import unify

COLUMNS = 64  # of one region; what stands in further ones is joined in the last
_DESCRIBED = 128  # columns that are looked at; a region with more is no list of like records


def arrange(elements: Elements, candidate: Candidate, found: list[list[Cell]]) -> list[Column]:
    """Return columns as the records show them, `COLUMNS` at most; every cell is in one."""
    total = len(candidate.rows)
    found, rest = _set_rare_aside(found, _DESCRIBED)
    orders = _orders(found, total)
    columns = [draw(elements, cells, candidate) for cells in found]
    if any(len(cells) < total for cells in found):
        columns, orders = _join_alike(columns, orders, total)
    if len(columns) > COLUMNS - bool(rest):
        columns, orders, more = _join_rare(columns, orders)
        rest = sorted(rest + more)
    ordered = [columns[number] for number in merge_orders(Counter(orders))]
    return [*ordered, draw(elements, rest, candidate)] if rest else ordered


def _set_rare_aside(found: list[list[Cell]], most: int) -> tuple[list[list[Cell]], list[Cell]]:
    """Return the columns that most records have, and the cells of all others."""
    if len(found) <= most:
        return found, []
    ranked = sorted(range(len(found)), key=lambda number: (-len(found[number]), number))
    kept = sorted(ranked[:most])
    return [found[number] for number in kept], sorted(cell for number in ranked[most:] for cell in found[number])


def _orders(found: list[list[Cell]], total: int) -> list[tuple[int, ...]]:
    """Return for each record the columns it has, in the order of its text."""
    cells = sorted((start, record, number) for number, column in enumerate(found) for start, _, record in column)
    orders: list[dict[int, None]] = [{} for _ in range(total)]
    for _, record, number in cells:
        orders[record].setdefault(number)
    return [tuple(order) for order in orders]


def _join_alike(
    columns: list[Column], orders: list[tuple[int, ...]], total: int
) -> tuple[list[Column], list[tuple[int, ...]]]:
    """Join columns that stand in for each other."""
    places = [0.0] * len(columns)
    for order in orders:
        for place, number in enumerate(order):
            places[number] += place / len(order)
    records = [{record for _, _, record in column.cells} for column in columns]
    means = [place / len(has) for place, has in zip(places, records, strict=True)]
    joins = unify(records, means, [column.portrait for column in columns], total)
    if joins == list(range(len(columns))):
        return columns, orders
    numbers = {number: place for place, number in enumerate(sorted(set(joins)))}
    joined = [columns[number].joined([columns[i] for i, to in enumerate(joins) if to == number]) for number in numbers]
    return joined, [tuple(dict.fromkeys(numbers[joins[number]] for number in order)) for order in orders]


def _join_rare(
    columns: list[Column], orders: list[tuple[int, ...]]
) -> tuple[list[Column], list[tuple[int, ...]], list[Cell]]:
    """Keep as many columns as fit and return the cells of the others."""
    kept, rest = _set_rare_aside([column.cells for column in columns], COLUMNS - 1)
    kept_ids = {id(cells) for cells in kept}
    numbers: dict[int, int] = {}
    for number, column in enumerate(columns):
        if id(column.cells) in kept_ids:
            numbers[number] = len(numbers)
    orders = [tuple(numbers[number] for number in order if number in numbers) for order in orders]
    return [columns[number] for number in numbers], orders, rest


def merge_orders(orders: Counter[tuple[int, ...]]) -> list[int]:
    """Merge sequences into one order: the commonest as it is, then each new item behind the one it follows."""
    after: dict[int, int] = {}  # item -> the one behind it; -1 stands before the first
    known: set[int] = set()
    for sequence, _ in sorted(orders.items(), key=lambda pair: (-pair[1], -len(pair[0]))):
        before = -1
        for item in sequence:
            if item not in known:
                known.add(item)
                if before in after:
                    after[item] = after[before]
                after[before] = item
            before = item
    merged: list[int] = []
    at = -1
    while at in after:
        at = after[at]
        merged.append(at)
    return merged
