"""Describe possible regions by numbers: a page's traits and candidates come in, one row per candidate goes out.

Everything is measured for all records of all candidates at once: a record is a range of rows and a range of leaves, so
what is in it is a difference of running sums, and a candidate is a run of records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.ranges import Floats, Ints, Ranges, ranges_of
from scythe.read.records.rivals import compare
from scythe.read.records.traits import ABOVE_TAGS, LEAF_TRAITS, TAG_TRAITS, Hashes, Traits
from scythe.read.records.words import roles

RECORD_TAGS = "li tr div article a p dt td section span h1 h2 h3 h4 dl table ul".split()
HOLDER_TAGS = "ul ol tbody table dl div section main article body p form".split()
_NEAR = 6  # leaves: a heading this close above a region speaks about it


class Table:
    """Columns by name while a page is described."""

    def __init__(self) -> None:
        self.columns: dict[str, Floats] = {}

    def __setitem__(self, name: str, values: NDArray[np.generic]) -> None:
        self.columns[name] = values.astype(np.float64)

    def __getitem__(self, name: str) -> Floats:
        return self.columns[name]


def describe(elements: Elements, traits: Traits, candidates: Sequence[Candidate]) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the columns and one row per candidate."""
    at, table = ranges_of(candidates), Table()
    inside = traits.leaves[at.leaf_end] - traits.leaves[at.leaf]
    _describe_texts(table, at, inside, traits)
    _describe_place(table, at, traits, elements)
    _describe_marks(table, at, traits)
    _describe_roles(table, at, traits, elements)
    _describe_likeness(table, at, inside, traits)
    _describe_relations(table, at)
    table.columns |= compare(at, table["chars total"], len(traits.leaves) - 1)
    values = np.stack(list(table.columns.values()), axis=1)
    return tuple(table.columns), np.nan_to_num(values, nan=0.0, posinf=1e6, neginf=-1e6)


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1.0)


def _describe_texts(table: Table, at: Ranges, inside: Floats, traits: Traits) -> None:
    """Say how much text there is, of which kind and how evenly it is spread."""
    column = {name: inside[:, i] for i, name in enumerate(LEAF_TRAITS)}
    chars, ones = column["chars"], column["one"]
    total, leaves = at.total(chars), at.total(ones)
    page = traits.leaves[-1]
    table["records"] = at.count
    table["chars"] = total / at.count
    table["chars share"] = total / max(page[LEAF_TRAITS.index("chars")], 1.0)
    table["chars total"] = total
    table["leaves"] = leaves / at.count
    table["leaves share"] = leaves / max(page[0], 1.0)
    for name, values in (("chars", chars), ("leaves", ones), ("words", column["words"])):
        mean = at.mean(values)
        spread = np.sqrt(np.maximum(at.mean(values * values) - mean * mean, 0.0))
        table[f"{name} spread"] = spread / np.maximum(mean, 1e-9)
        table[f"{name} least"] = np.minimum.reduceat(values, at.start) / np.maximum(mean, 1e-9)
        table[f"{name} most"] = np.maximum.reduceat(values, at.start) / np.maximum(mean, 1e-9)
    for name in ("link", "heading", "hidden", "bold", "score"):
        table[f"{name} share"] = _share(at.total(column[name]), total)
    for name in ("digit", "date", "price", "sentence", "short", "long", "quantity", "measure", "repeated", "colon"):
        table[f"{name} leaves"] = _share(at.total(column[name]), leaves)
        table[f"{name} records"] = at.mean(column[name] > 0)
    table["comma"] = at.mean(column["comma"])
    table["linked records"] = at.mean(column["link"] > 0.9 * chars)
    table["unlinked records"] = at.mean(column["link"] == 0)
    table["headed records"] = at.mean(column["heading"] > 0)
    table["leaf chars"] = _share(total, leaves)
    score = traits.leaves[:, LEAF_TRAITS.index("score")]
    table["score of page"] = _share(at.total(column["score"]), np.full(len(total), score[-1]))
    table["score against page"] = table["score share"] - score[-1] / max(page[LEAF_TRAITS.index("chars")], 1.0)


def _describe_place(table: Table, at: Ranges, traits: Traits, elements: Elements) -> None:
    """Say where on the page a region lies, and what is around and between its records."""
    sums = traits.leaves[:, LEAF_TRAITS.index("chars")]
    all_chars, all_leaves = max(sums[-1], 1.0), max(len(sums) - 1, 1)
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    leaf_start, leaf_end = np.array(elements.leaf_start), np.array(elements.leaf_end)
    depth = np.array(elements.depth)
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
    before = np.searchsorted(traits.heading_leaves, first) - 1
    known = before >= 0
    heading = traits.heading_leaves[np.maximum(before, 0)] if len(traits.heading_leaves) else np.zeros_like(before)
    table["heading distance"] = np.where(known, np.minimum(first - heading, 50), 50)
    near = known & (first - heading <= _NEAR)
    said = np.where(near, traits.heading_roles[np.maximum(before, 0)], 0) if len(traits.heading_leaves) else before * 0
    for bit, role in enumerate(roles()):
        if role in _SAID:
            table[f"heading says {role}"] = said >> bit & 1


_SAID = frozenset("related comment tags category share ingredient step nutrition note recipe article product".split())


def _describe_marks(table: Table, at: Ranges, traits: Traits) -> None:
    """Say which elements are inside, and where the links lead."""
    inside = traits.tags[at.row_end] - traits.tags[at.row]
    rows = (at.row_end - at.row).astype(np.float64)
    table["rows"] = at.mean(rows)
    for i, name in enumerate(TAG_TRAITS):
        table[f"{name} each"] = at.mean(inside[:, i])
        if name in {"a", "img", "heading", "time", "p", "button"}:
            table[f"{name} records"] = at.mean(inside[:, i] > 0)
    mean = at.mean(inside)
    away = np.abs(inside - mean[at.owner]).sum(axis=1)
    table["tags apart"] = at.total(away) / np.maximum(at.total(inside.sum(axis=1)), 1.0)
    table["rows spread"] = np.sqrt(np.maximum(at.mean(rows * rows) - table["rows"] ** 2, 0)) / np.maximum(
        table["rows"], 1
    )
    first = np.searchsorted(traits.link_rows, at.row)
    linked = first < np.searchsorted(traits.link_rows, at.row_end)
    target = traits.link_target[np.minimum(first, len(traits.link_rows) - 1)] if len(traits.link_rows) else first
    keys = np.where(linked, at.owner * (len(traits.link_rows) + 1) + target, -1 - at.owner)
    table["targets"] = _distinct(at, keys[linked], at.owner[linked]) / np.maximum(at.total(linked.astype(float)), 1.0)


def _distinct(at: Ranges, keys: NDArray[np.generic], owner: Ints) -> Floats:
    """Count the distinct keys of each candidate; keys of different candidates never agree."""
    first = np.unique(keys, return_index=True)[1]
    counts: Floats = np.bincount(owner[first], minlength=len(at.count)).astype(np.float64)
    return counts


def _describe_roles(table: Table, at: Ranges, traits: Traits, elements: Elements) -> None:
    """Say what tags and names mean: of records, of what is inside them, of the holder and of everything above."""
    count = len(elements)
    row = np.minimum(at.row, count - 1)
    own = traits.own_roles[row]
    inside = traits.roles[at.row_end] - traits.roles[np.minimum(at.row + 1, at.row_end)]
    for bit, role in enumerate(roles()):
        table[f"records are {role}"] = at.mean(own >> bit & 1)
        table[f"records have {role}"] = at.mean(inside[:, bit] > 0)
        table[f"holder is {role}"] = traits.own_roles[at.holder] >> bit & 1
        table[f"above is {role}"] = traits.above_roles[at.holder] >> bit & 1
    above = traits.above_tags[at.holder]
    for bit, tag in enumerate(ABOVE_TAGS):
        table[f"inside {tag}"] = above >> bit & 1
    tag_of = np.array([elements.tag[r] for r in row[at.start]])
    holder_tag = np.array([elements.tag[r] for r in at.holder])
    for tag in RECORD_TAGS:
        table[f"record tag {tag}"] = tag_of == tag
    for tag in HOLDER_TAGS:
        table[f"holder tag {tag}"] = holder_tag == tag


def _describe_likeness(table: Table, at: Ranges, inside: Floats, traits: Traits) -> None:
    """Say how alike the records are in structure, and how different in text."""
    for name, sums in (("tags", traits.tag_hash), ("classes", traits.class_hash)):
        marks = sums[at.row_end] - sums[at.row]
        table[f"{name} kinds"], table[f"{name} usual"] = _agreement(at, marks)
    texts = traits.text_hash[at.leaf_end] - traits.text_hash[at.leaf]
    table["texts kinds"], table["texts usual"] = _agreement(at, texts)
    first = traits.leaf_text[np.minimum(at.leaf, len(traits.leaf_text) - 1)].astype(np.uint64)
    table["first texts kinds"], table["first texts usual"] = _agreement(at, first)
    heads = sums_of_first(at, traits)
    table["heads kinds"], table["heads usual"] = _agreement(at, heads)


def sums_of_first(at: Ranges, traits: Traits) -> Hashes:
    """Return the class mark of the first element of each record."""
    sums = traits.class_hash
    return sums[np.minimum(at.row + 1, at.row_end)] - sums[at.row]


def _agreement(at: Ranges, marks: Hashes) -> tuple[Floats, Floats]:
    """Return per candidate how many different marks there are, and how many records have the usual one, as shares."""
    keys = marks * np.uint64(0x100000001B3) + at.owner.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    owner = at.owner[first]
    kinds = np.bincount(owner, minlength=len(at.count))
    usual = np.zeros(len(at.count))
    np.maximum.at(usual, owner, counts)
    return kinds / at.count, usual / at.count


def _describe_relations(table: Table, at: Ranges) -> None:
    """Say how a candidate stands to its rivals."""
    total, count = table["chars total"], table["records"]
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    table["rivals"] = np.full(len(total), len(total))
    table["size rank"] = np.argsort(np.argsort(-total)) / len(total)
    largest = total.max(initial=1.0)
    table["of largest"] = total / largest
    table["of most records"] = count / count.max(initial=1.0)
    within = (first[:, None] >= first[None, :]) & (last[:, None] <= last[None, :])
    bigger = within & (total[None, :] > 1.02 * total[:, None])
    table["spans around"] = bigger.sum(axis=1)
    table["spans inside"] = bigger.sum(axis=0)
    same = within & (total[None, :] <= 1.25 * total[:, None]) & (total[None, :] >= 0.8 * total[:, None])
    same |= same.T
    finer = same & (count[None, :] > 1.4 * count[:, None])
    coarser = same & (count[:, None] > 1.4 * count[None, :])
    table["finer"] = finer.sum(axis=1)
    table["coarser"] = coarser.sum(axis=1)
    most = np.where(finer, count[None, :], 0).max(axis=1)
    least = np.where(coarser, count[None, :], np.inf).min(axis=1)
    table["finest"] = np.maximum(most, count) / count
    table["coarsest"] = np.where(np.isfinite(least), least, count) / count
    table["same"] = same.sum(axis=1)
