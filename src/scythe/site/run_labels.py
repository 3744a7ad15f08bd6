"""What pages of one layout show together about their runs: constants, bylines and the like, comments.

The reader judges each page alone. Side by side, pages show what it could not know: what repeats is no content, what
recurs in the same short form is a field, and units that come and go below the text are what readers wrote.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scythe.site.evidence import (
    ElementGroups,
    Flags,
    Floats,
    Hashes,
    Ints,
    Stack,
    covered_runs,
    group,
    inside_rows,
    sums,
)
from scythe.site.select import distinct

GroupPair: TypeAlias = tuple[ElementGroups, ElementGroups]  # by key, and by key and parent's key

_CONSTANT_PAGES = 3
_MOST_CONSTANT = 0.4  # share of the label weight; where constants hold more, they are what the pages are about
_SIGNATURE_TIMES = 3
_SIGNATURE_WORDS = 2.0
_FIELD_PAGES = 0.6  # share of the pages that have it
_FIELD_WORDS, _FIELD_MOST_WORDS = 18.0, 30.0  # mean and 90th percentile
_FIELD_SHARE = 0.15  # what remains of the label of a field-like part
_MOST_FIELDS = 0.3
_CONTENT_WORDS = 15.0  # a block of so many words is content rather than a field
_EQUAL_PAGES, _EDGE_PAGES = 0.8, 0.7
_COMMENT_SHARE = 0.2  # of a page's label that comment units hold somewhere
_WITHOUT_COMMENTS = 0.6  # expected F1 of what is there without them


@dataclass(frozen=True, slots=True)
class RunLabels:
    """The weight and the label of each run, and which elements look like fields."""

    words: Floats
    label: Floats
    kept: Floats  # what the reader said
    field_like: Flags  # by element
    page_words: Floats  # labelled words of each page


def label_runs(of: Stack) -> RunLabels:
    """Say for each run how likely it is that it belongs to the main text, from all pages together."""
    words = np.where(of.is_title, 0.0, of.words)
    label = of.kept.copy()
    words, label = _without_constants(of, words, label)
    label = _without_signatures(of, words, label)
    keys = key_groups(of)
    field_like = np.zeros(len(of.key), bool)
    label = _without_fields(of, words, label, keys, field_like)
    label = _without_comments(of, words, label, keys)
    page_words = np.bincount(of.run_page, words * label, of.pages)
    return RunLabels(words, label, of.kept, field_like, page_words)


def key_groups(of: Stack) -> GroupPair:
    """Group the elements that have words by key, where they have a class or an id, and by key and parent's key."""
    worded = np.flatnonzero(of.run_to > of.run_from)
    keyed = worded[of.keyed[worded]]
    paired = worded[of.keyed[worded] | of.parent_keyed[worded]]
    return group(of, of.key, keyed), group(of, of.pair, paired)


def _pair_numbers(values: Hashes) -> tuple[Ints, int]:
    unique = distinct(values)
    return unique.searchsorted(values), len(unique)


def _without_constants(of: Stack, words: Floats, label: Floats) -> tuple[Floats, Floats]:
    """Take from the evidence what stands on half of the pages in the same words."""
    if of.pages < _CONSTANT_PAGES or not len(words):
        return words, label
    number, count = _pair_numbers(of.run_place)
    cells = distinct(number * of.pages + of.run_page)
    pages = np.bincount(cells // of.pages, minlength=count)
    constant = (pages >= max(_CONSTANT_PAGES, of.pages / 2))[number]
    mean = (np.bincount(number, label, count) / np.bincount(number, minlength=count))[number]
    runs = np.flatnonzero(constant)
    if (words[runs] * label[runs]).sum() > _MOST_CONSTANT * (words * label).sum():
        return words, label
    words, label = words.copy(), label.copy()
    unsure = mean[constant] >= 0.5
    words[runs[unsure]] = 0.0
    label[runs[~unsure]] = 0.0
    return words, label


def _without_signatures(of: Stack, words: Floats, label: Floats) -> Floats:
    """What the same author appends to each of several posts is not said in any of them."""
    runs = np.flatnonzero((words >= _SIGNATURE_WORDS) & (label > 0))
    if not len(runs):
        return label
    number, count = _pair_numbers(of.run_place[runs])
    repeated = runs[(np.bincount(number, minlength=count) >= _SIGNATURE_TIMES)[number]]
    if (words[repeated] * label[repeated]).sum() > _MOST_CONSTANT * (words * label).sum():
        return label
    label = label.copy()
    label[repeated] = 0.0
    return label


def _page_counts(groups: ElementGroups, of: Stack) -> Ints:
    """Return how many members each group has on each page."""
    counts = np.bincount(groups.cell, minlength=groups.count * of.pages)
    return counts.reshape(groups.count, of.pages)


def _is_usual(counts: Ints, share: float) -> Flags:
    """Say of which groups so many pages have the same number of members, the pages with none counted."""
    ordered = np.sort(counts, axis=1)
    need = max(1, int(np.ceil(share * counts.shape[1])))
    spans = ordered[:, need - 1 :] == ordered[:, : counts.shape[1] - need + 1]
    usual: Flags = (spans & (ordered[:, need - 1 :] > 0)).any(axis=1)
    return usual


def _short_groups(groups: ElementGroups, of: Stack, words: Floats) -> tuple[Flags, Floats]:
    """Return which groups are short wherever they stand, and the mean words of all."""
    size = of.held(sums(words), groups.row)
    members = np.bincount(groups.group, minlength=groups.count)
    mean = np.bincount(groups.group, size, groups.count) / members
    long = np.bincount(groups.group, size > _FIELD_MOST_WORDS, groups.count)
    return (mean <= _FIELD_WORDS) & (mean > 0) & (long <= 0.1 * members), mean


def _without_fields(of: Stack, words: Floats, label: Floats, keys: GroupPair, field_like: Flags) -> Floats:
    """Lower the label of short parts that recur the same way on most pages: bylines, dates, tags, counts."""
    first, behind = _content_edges(of, words, label)
    inside = np.zeros(len(words), bool)
    sized = [(groups, _page_counts(groups, of), *_short_groups(groups, of, words)) for groups in keys if groups.count]
    long_counts = {
        row.tobytes()
        for _, counts, _, mean in sized
        for row in counts[mean > _FIELD_WORDS]
        if len(set(row.tolist())) > 1
    }
    for groups, counts, short, _ in sized:
        short &= (counts > 0).mean(axis=1) >= _FIELD_PAGES
        outside = (of.run_to[groups.row] <= first[of.page[groups.row]]) | (
            of.run_from[groups.row] >= behind[of.page[groups.row]]
        )
        edge = np.zeros(groups.count * of.pages, bool)
        edge[groups.cell[outside]] = True
        inner = np.zeros(groups.count * of.pages, bool)
        inner[groups.cell[~outside]] = True
        at_edge = (edge & ~inner).reshape(-1, of.pages).mean(axis=1) >= _EDGE_PAGES
        with_units = np.array([row.tobytes() in long_counts for row in counts], bool)
        chosen = short & ((_is_usual(counts, _EQUAL_PAGES) & at_edge) | with_units)
        rows = groups.row[chosen[groups.group]]
        field_like[rows] = True
        inside |= covered_runs(rows, of, len(words))
    total = (words * label).sum()
    if (words * label * inside).sum() > _MOST_FIELDS * total:
        return label
    return np.where(inside, label * _FIELD_SHARE, label)


def _content_edges(of: Stack, words: Floats, label: Floats) -> tuple[Ints, Ints]:
    """Return the first run of each page that is surely content, and the one behind the last."""
    runs = np.flatnonzero((label > 0.5) & (words > 0) & (of.block_words >= _CONTENT_WORDS))
    first = np.full(of.pages, len(words))
    behind = np.zeros(of.pages, np.int64)
    np.minimum.at(first, of.run_page[runs], runs)
    np.maximum.at(behind, of.run_page[runs], runs + 1)
    empty = behind == 0
    first[empty] = 0
    behind[empty] = len(words)
    return first, behind


def _without_comments(of: Stack, words: Floats, label: Floats, keys: GroupPair) -> Floats:
    """Take away units that some pages have none of and others several, where the text is there without them."""
    groups = keys[0]
    if not groups.count or of.pages < _CONSTANT_PAGES:
        return label
    counts = _page_counts(groups, of)
    varying = (counts == 0).any(axis=1) & (counts >= 2).any(axis=1)
    if not varying.any():
        return label
    labelled = sums(words * label)
    held = np.bincount(groups.cell, of.held(labelled, groups.row), groups.count * of.pages)
    per_page = np.maximum(np.bincount(of.run_page, words * label, of.pages), 1e-9)
    share = held.reshape(-1, of.pages) / per_page
    chosen = varying & (share.max(axis=1) >= _COMMENT_SHARE)
    chosen &= ~((share > 0.5) & (counts > 0)).all(axis=1)
    result = label
    for number in np.flatnonzero(chosen):
        rows = groups.row[groups.group == number]
        if _has_two_short_parts(of, words, keys, rows, counts[number]) and _text_is_elsewhere(
            of, words, label, groups, rows, counts[number]
        ):
            result = np.where(covered_runs(rows, of, len(result)), 0.0, result)
    return result


def _has_two_short_parts(of: Stack, words: Floats, keys: GroupPair, units: Ints, counts: Ints) -> bool:
    """Say whether each unit has two kinds of short parts: who wrote it, and when."""
    inside = inside_rows(units, of)
    for groups in keys:
        short, _ = _short_groups(groups, of, words)
        members = inside[groups.row]
        within = np.bincount(groups.cell[members], minlength=groups.count * of.pages).reshape(-1, of.pages)
        if (short & (within == counts).all(axis=1)).sum() >= 2:
            return True
    return False


def _text_is_elsewhere(
    of: Stack, words: Floats, label: Floats, groups: ElementGroups, units: Ints, counts: Ints
) -> bool:
    """Say whether some element, once on every page and without the units, holds the text where there are none."""
    absent = np.flatnonzero(counts == 0)
    per_page = _page_counts(groups, of)
    once = (per_page == 1).all(axis=1)
    if not once.any():
        return False
    marks = sums(np.bincount(units, minlength=len(of.key)).astype(float))
    holds = marks[of.last[groups.row]] - marks[groups.row] > 0
    once &= np.bincount(groups.group, holds, groups.count) == 0
    weight, labelled = sums(words), sums(words * label)
    size, inside = of.held(weight, groups.row), of.held(labelled, groups.row)
    total = np.bincount(of.run_page, words * label, of.pages)[of.page[groups.row]]
    f1 = 2 * inside / np.maximum(size + total, 1e-9)
    there = np.isin(of.page[groups.row], absent)
    mean = np.bincount(groups.group[there], f1[there], groups.count) / max(len(absent), 1)
    return bool((once & (mean > _WITHOUT_COMMENTS)).any())
