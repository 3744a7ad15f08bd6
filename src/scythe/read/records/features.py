"""Describe possible regions by numbers: a page's traits and candidates come in, one row per candidate goes out.

Everything is measured for all records of all candidates at once: a record is a range of rows and a range of leaves, so
what is in it is a difference of running sums, and a candidate is a run of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.ranges import Floats, Ints, Ranges, ranges_of
from scythe.read.records.rivals import Pairs, compare, describe_parts, find_parts
from scythe.read.records.traits import ABOVE_TAGS, LEAF_TRAITS, TAG_TRAITS, Hashes, Traits, bits_of
from scythe.read.records.words import roles

RECORD_TAGS = "li tr div article a p dt td section span h1 h2 h3 h4 dl table ul".split()
HOLDER_TAGS = "ul ol tbody table dl div section main article body p form".split()
_NEAR = 6  # leaves: a heading this close above a region speaks about it
_FAR = 50
_SAID = frozenset("related comment tags category share ingredient step nutrition note recipe article product".split())
_FURNITURE = frozenset(
    "menu breadcrumb pager tags share footer header side related advert filter form language brand toc tool".split()
)
_COUNTED = {name: column for column, name in enumerate(LEAF_TRAITS)}
_SHARES = ("link", "heading", "hidden", "bold", "score")
_MARKS = ("digit", "date", "price", "sentence", "short", "long", "quantity", "measure", "repeated", "colon")


class Table:
    """Named columns, in blocks, while a page is described."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.blocks: list[Floats] = []
        self._at: dict[str, Floats] = {}

    def __setitem__(self, name: str, values: NDArray[np.generic]) -> None:
        column = values.astype(np.float64)
        self.names.append(name)
        self.blocks.append(column[:, None])
        self._at[name] = column

    def __getitem__(self, name: str) -> Floats:
        return self._at[name]

    def add(self, names: Sequence[str], block: NDArray[np.generic]) -> None:
        """Add several columns at once."""
        self.names.extend(names)
        self.blocks.append(block.astype(np.float64))


class Described(NamedTuple):
    """The candidates of a page in numbers."""

    names: tuple[str, ...]  # of the columns
    rows: Floats  # one per candidate
    parts: Pairs  # which candidates have all records of another, and more
    fields: Pairs  # which candidates have in each record one of another, and more

    def column(self, name: str) -> Floats:
        """Return one number per candidate."""
        return self.rows[:, self.names.index(name)]


def describe(elements: Elements, traits: Traits, candidates: Sequence[Candidate]) -> Described:
    """Measure the candidates, of which there must be one."""
    at, table = ranges_of(candidates), Table()
    inside = traits.leaves[at.leaf_end] - traits.leaves[at.leaf]
    _describe_texts(table, at, inside, traits)
    _describe_place(table, at, traits, elements)
    _describe_marks(table, at, traits)
    _describe_roles(table, at, traits, elements)
    _describe_likeness(table, at, traits, elements)
    _describe_size(table, at)
    chars, leaves = table["chars total"], len(traits.leaves) - 1
    parts = find_parts(at, leaves)
    rivalry, fields = compare(at, chars, leaves)
    for relations in (rivalry, describe_parts(parts, at, chars, table["heads usual"])):
        table.add(list(relations), np.stack(list(relations.values()), axis=1))
    return Described(tuple(table.names), np.concatenate(table.blocks, axis=1), parts, fields)


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1.0)


def _describe_texts(table: Table, at: Ranges, inside: Floats, traits: Traits) -> None:
    """Say how much text there is, of which kind and how evenly it is spread."""
    sums, page = at.total(inside) * (at.records / at.count)[:, None], traits.leaves[-1]
    chars, leaves = sums[:, _COUNTED["chars"]], sums[:, _COUNTED["one"]]
    table["records"] = at.records
    table["chars"] = chars / at.records
    table["chars share"] = chars / max(page[_COUNTED["chars"]], 1.0)
    table["chars total"] = chars
    table["leaves"] = leaves / at.records
    table["leaves share"] = leaves / max(page[_COUNTED["one"]], 1.0)
    table["leaf chars"] = _share(chars, leaves)
    table["comma"] = sums[:, _COUNTED["comma"]] / at.records
    spread = ("chars", "one", "words")
    _describe_spread(table, at, ("chars", "leaves", "words"), inside[:, [_COUNTED[name] for name in spread]])
    columns = [_COUNTED[name] for name in _SHARES]
    table.add([f"{name} share" for name in _SHARES], sums[:, columns] / np.maximum(chars, 1.0)[:, None])
    columns = [_COUNTED[name] for name in _MARKS]
    table.add([f"{name} leaves" for name in _MARKS], sums[:, columns] / np.maximum(leaves, 1.0)[:, None])
    table.add([f"{name} records" for name in _MARKS], at.mean(inside[:, columns] > 0))
    own, linked, headed = (inside[:, _COUNTED[name]] for name in ("chars", "link", "heading"))
    table.add(
        ("linked records", "unlinked records", "headed records"),
        at.mean(np.stack([linked > 0.9 * own, linked == 0, headed > 0], axis=1)),
    )
    score = sums[:, _COUNTED["score"]]
    table["score of page"] = score / max(page[_COUNTED["score"]], 1.0)
    table["score against page"] = score / np.maximum(chars, 1.0) - page[_COUNTED["score"]] / max(page[0], 1.0)


def _describe_spread(table: Table, at: Ranges, names: Sequence[str], values: Floats) -> None:
    """Say how unlike in size the records are: spread, smallest and largest against the mean."""
    mean = np.maximum(at.mean(values), 1e-9)
    spread = np.sqrt(np.maximum(at.mean(values * values) - mean * mean, 0.0))
    table.add([f"{name} spread" for name in names], spread / mean)
    table.add([f"{name} least" for name in names], np.minimum.reduceat(values, at.start, axis=0) / mean)
    table.add([f"{name} most" for name in names], np.maximum.reduceat(values, at.start, axis=0) / mean)


def _describe_place(table: Table, at: Ranges, traits: Traits, elements: Elements) -> None:
    """Say where on the page a region lies, and what is around and between its records."""
    sums = traits.leaves[:, _COUNTED["chars"]]
    all_chars, all_leaves = max(sums[-1], 1.0), max(len(sums) - 1, 1)
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    leaf_start, leaf_end = np.array(elements.leaf_start), np.array(elements.leaf_end)
    depth, parent = np.array(elements.depth), np.array(elements.parent)
    held = sums[leaf_end[at.holder]] - sums[leaf_start[at.holder]]
    table["first leaf"] = first / all_leaves
    table["last leaf"] = last / all_leaves
    table["chars before"] = sums[first] / all_chars
    table["chars after"] = 1.0 - sums[last] / all_chars
    table["gaps"] = 1.0 - _share(table["chars total"], sums[last] - sums[first])
    table["held"] = _share(table["chars total"], held)
    table["holder share"] = held / all_chars
    table["holder depth"] = depth[at.holder]
    row = np.minimum(at.row, len(depth) - 1)
    table["record depth"] = depth[row[at.start]] - depth[at.holder]
    new_parent = np.ones(len(row), dtype=np.bool_)
    new_parent[1:] = parent[row[1:]] != parent[row[:-1]]
    new_parent[at.start] = True
    table["parents"] = at.mean(new_parent)
    next_row = np.zeros(len(row), dtype=np.bool_)
    next_row[1:] = at.row_end[:-1] == at.row[1:]
    table["contiguous"] = at.mean(next_row)
    _describe_heading(table, first, traits)


def _describe_heading(table: Table, first: Ints, traits: Traits) -> None:
    """Say how far above the last heading is, and what it says."""
    named = [(bit, role) for bit, role in enumerate(roles()) if role in _SAID]
    if not len(traits.heading_leaves):
        distance, said = np.full(len(first), _FAR), np.zeros(len(first), dtype=np.int64)
    else:
        before = np.searchsorted(traits.heading_leaves, first) - 1
        distance = first - traits.heading_leaves[np.maximum(before, 0)]
        distance = np.where(before >= 0, np.minimum(distance, _FAR), _FAR)
        said = np.where(distance <= _NEAR, traits.heading_roles[np.maximum(before, 0)], 0)
    table["heading distance"] = distance
    table.add([f"heading says {role}" for _, role in named], said[:, None] >> np.array([bit for bit, _ in named]) & 1)


def _describe_marks(table: Table, at: Ranges, traits: Traits) -> None:
    """Say which elements are inside, and where the links lead."""
    inside = traits.tags[at.row_end] - traits.tags[at.row]
    rows = (at.row_end - at.row).astype(np.float64)
    mean = at.mean(inside)
    table.add([f"{name} each" for name in TAG_TRAITS], mean)
    table.add([f"{name} records" for name in TAG_TRAITS], at.mean(inside > 0))
    away = np.abs(inside - mean[at.owner]).sum(axis=1)
    table["tags apart"] = at.total(away) / np.maximum(at.total(inside.sum(axis=1)), 1.0)
    table["rows"] = at.mean(rows)
    _describe_spread(table, at, ("rows",), rows[:, None])
    first = np.searchsorted(traits.link_rows, at.row)
    linked = first < np.searchsorted(traits.link_rows, at.row_end)
    target = traits.link_target[first[linked]]
    owner = at.owner[linked]
    once = np.unique(owner * (len(traits.link_rows) + 1) + target, return_index=True)[1]
    table["targets"] = np.bincount(owner[once], minlength=len(at.count)) / np.maximum(at.total(linked.astype(float)), 1)


def _describe_roles(table: Table, at: Ranges, traits: Traits, elements: Elements) -> None:
    """Say what tags and names mean: of records, of what is inside them, of the holder and of everything above."""
    names = roles()
    row = np.minimum(at.row, len(elements) - 1)
    own = bits_of(traits.own_roles[row], len(names))
    inside = traits.roles.take(at.row_end, axis=0) > traits.roles.take(np.minimum(at.row + 1, at.row_end), axis=0)
    shares = at.mean(np.concatenate([own, inside], axis=1))
    are, have = shares[:, : len(names)], shares[:, len(names) :]
    holder = bits_of(traits.own_roles[at.holder], len(names))
    above = bits_of(traits.above_roles[at.holder], len(names))
    for place, block in (("records are", are), ("records have", have)):
        table.add([f"{place} {role}" for role in names], block)
    for place, flags in (("holder is", holder), ("above is", above)):
        table.add([f"{place} {role}" for role in names], flags)
    furniture = [bit for bit, role in enumerate(names) if role in _FURNITURE]
    table["furniture above"] = above[:, furniture].sum(axis=1)
    table["furniture near"] = are[:, furniture].sum(axis=1) + holder[:, furniture].sum(axis=1)
    tags = traits.above_tags[at.holder][:, None] >> np.arange(len(ABOVE_TAGS)) & 1
    table.add([f"inside {tag}" for tag in ABOVE_TAGS], tags)
    for name, known, rows in (("record", RECORD_TAGS, row[at.start]), ("holder", HOLDER_TAGS, at.holder)):
        number = {tag: column for column, tag in enumerate(known)}
        found = np.array([number.get(elements.tag[one], -1) for one in rows.tolist()])
        table.add([f"{name} tag {tag}" for tag in known], found[:, None] == np.arange(len(known)))


def _describe_likeness(table: Table, at: Ranges, traits: Traits, elements: Elements) -> None:
    """Say how alike the records are in structure, and how different in text."""
    heads = traits.class_hash[np.minimum(at.row + 1, at.row_end)] - traits.class_hash[at.row]
    first = traits.leaf_text[np.minimum(at.leaf, len(traits.leaf_text) - 1)].astype(np.uint64)
    marks = {
        "tags": traits.tag_hash[at.row_end] - traits.tag_hash[at.row],
        "classes": traits.class_hash[at.row_end] - traits.class_hash[at.row],
        "texts": traits.text_hash[at.leaf_end] - traits.text_hash[at.leaf],
        "first texts": first,
        "heads": heads,
    }
    for name, values in marks.items():
        table[f"{name} kinds"], table[f"{name} usual"] = _agreement(at, values)


def _agreement(at: Ranges, marks: Hashes) -> tuple[Floats, Floats]:
    """Return per candidate how many different marks there are, and how many records have the usual one, as shares."""
    keys = np.sort(at.owner.astype(np.uint64) << _OWNER_SHIFT | (marks * _SPREAD) >> (_WHOLE - _OWNER_SHIFT))
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    counts = np.diff(np.append(first, len(keys)))
    kinds = np.bincount((keys[first] >> _OWNER_SHIFT).astype(np.int64), minlength=len(at.count))
    usual = np.maximum.reduceat(counts, np.cumsum(kinds) - kinds)
    return kinds / at.count, usual / at.count


_WHOLE, _OWNER_SHIFT = np.uint64(64), np.uint64(48)  # keys sort by candidate, then by 48 bits of the mark
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def _describe_size(table: Table, at: Ranges) -> None:
    """Say how a candidate compares in size with the others of the page."""
    total, count = table["chars total"], table["records"]
    order = np.empty(len(total))
    order[np.argsort(-total, kind="stable")] = np.arange(len(total))
    table["rivals"] = np.full(len(total), len(total))
    table["size rank"] = order / len(total)
    table["of largest"] = total / max(total.max(), 1.0)
    table["of most records"] = count / count.max()
