"""Evidence: what reading a page cold showed of its elements and runs, and several such pages side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scythe.page.blocks import Blocks, Nodes
from scythe.page.map import PageMap, make_map
from scythe.page.title import comparable

Ints: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[Any]
Hashes: TypeAlias = NDArray[Any]
Flags: TypeAlias = NDArray[Any]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What rules are learned from: elements that may have words, runs that have some, and what the reader kept."""

    last: Ints
    run_from: Ints
    run_to: Ints
    key: Hashes
    path: Hashes
    parent_key: Hashes
    keyed: Flags  # the element has an id or a class
    parent_keyed: Flags
    run_place: Hashes  # of path and words of each run
    words: Floats
    kept: Flags  # by run: part of what the reader took for the main text
    block_words: Floats  # of the block that the run stands in
    is_title: Flags  # the run repeats the title of the page


@dataclass(frozen=True, slots=True)
class Stack(PageEvidence):
    """Pages of one layout, their columns one behind the other; rows and runs are numbered through."""

    pages: int
    page: Ints  # of each element
    pair: Hashes  # key and parent's key
    run_page: Ints

    def held(self, prefix: Floats, rows: Ints | slice = slice(None)) -> Floats:
        """Return the sum over the runs inside each of some elements, given the prefix sums of all runs."""
        held: Floats = prefix[self.run_to[rows]] - prefix[self.run_from[rows]]
        return held


_DRESS = 20  # characters that a repeated title may have besides letters and digits, and besides its own


def evidence_of(page: PageMap, keyed: Flags, texts: Sequence[str], kept: Sequence[int], title: str) -> PageEvidence:
    """Note what reading a page showed; `texts` are those of its blocks.

    Runs without words are left out, and elements whose like have none on this page.
    """
    block_of, all_words = page.run_blocks
    run = np.flatnonzero(all_words)
    words, block = all_words[run].astype(float), block_of[run]
    before = np.zeros(len(all_words) + 1, np.int64)  # runs with words before each run
    np.cumsum(all_words > 0, out=before[1:])
    run_from, run_to = before[page.run_from], before[page.run_to]
    key = page.key
    row = among(key, key[run_to > run_from]).nonzero()[0]
    rows_before = np.zeros(len(key) + 1, np.int64)
    rows_before[row + 1] = 1
    np.cumsum(rows_before, out=rows_before)
    above = page.parent[row]
    is_kept, is_title = np.zeros(len(texts), bool), np.zeros(len(texts), bool)
    is_kept[list(kept)] = True
    is_title[_repeating(texts, comparable(title))] = True
    return PageEvidence(
        last=rows_before[page.last[row]],
        run_from=run_from[row],
        run_to=run_to[row],
        key=key[row],
        path=page.path[row],
        parent_key=np.where(above >= 0, key[above], key[0]),  # the root is its own parent
        keyed=keyed[row],
        parent_keyed=np.where(above >= 0, keyed[above], keyed[0]),
        run_place=mix(page.path[page.run_row[run]], page.run_hash[run]),
        words=words,
        kept=is_kept[block],
        block_words=np.bincount(block, words, len(texts))[block],
        is_title=is_title[block],
    )


def among(values: Hashes, few: Hashes) -> Flags:
    """Say which values are among a few."""
    if not len(few):
        return np.zeros(len(values), bool)
    wanted = np.sort(few)
    at = wanted.searchsorted(values)
    at[at == len(wanted)] = 0
    found: Flags = wanted[at] == values
    return found


def _repeating(texts: Sequence[str], title: str) -> list[int]:
    """Return the blocks that repeat the title of the page."""
    if not title:
        return []
    least, most, initial = len(title) / 2, 2 * len(title) + _DRESS, title[0]
    return [
        block
        for block, text in enumerate(texts)
        if least <= len(text) <= most
        and (text[0].casefold()[0] == initial or not text[0].isalnum())
        and comparable(text) == title
    ]


def leaf_rows(page: PageMap, blocks: Blocks) -> Sequence[int]:
    """Return the leaves of blocks of a page map: rows of images, and ~run for texts."""
    if isinstance(blocks.leaves, Nodes):
        return blocks.leaves.rows
    numbers: dict[int, int] = page.numbers  # type: ignore[attr-defined]  # a map that the parser made
    return [numbers[leaf.mem_id] for leaf in blocks.leaves]


@cache
def _known_bare_keys() -> Hashes:
    return _bare_keys(make_map(b"").tags)


def _bare_keys(tags: Sequence[str]) -> Hashes:
    """Return the keys of elements without class and id, by number of their tag."""
    keys = np.empty(len(tags), np.uint64)
    for number, tag in enumerate(tags):
        key = 0xCBF29CE484222325
        for byte in tag.encode():
            key = (key ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        keys[number] = key | 1
    return keys


def keyed_elements(page: PageMap) -> Flags:
    """Say which elements of a page have a class or an id."""
    bare, tags = _known_bare_keys(), page.tags
    if len(tags) > len(bare):
        bare = np.concatenate([bare, _bare_keys(tags[len(bare) :])])
    keyed: Flags = page.key != bare[page.tag]
    return keyed


def around(page: PageMap, row: int) -> Iterator[int]:
    """Yield the elements around one, innermost first, the root last."""
    row = int(page.parent[row])
    while row >= 0:
        yield row
        row = int(page.parent[row])


def tag_number(page: PageMap, name: str) -> int:
    """Return the number of a tag on a page, -1 where the page has none of that name."""
    return page.tags.index(name) if name in page.tags else -1


def mix(a: Hashes, b: Hashes) -> Hashes:
    """Return one hash for two."""
    mixed: Hashes = (a ^ (b + _MIX + (a << np.uint64(6)) + (a >> np.uint64(2)))) * np.uint64(0xFF51AFD7ED558CCD)
    result: Hashes = mixed ^ (mixed >> _SHIFT)
    return result


def stack(pages: Sequence[PageEvidence]) -> Stack:
    """Put pages one behind the other."""
    elements = np.cumsum([0, *(len(page.key) for page in pages)])
    runs = np.cumsum([0, *(len(page.words) for page in pages)])
    number = np.arange(len(pages))
    page_of, run_page = np.repeat(number, np.diff(elements)), np.repeat(number, np.diff(runs))

    columns = {each.name: np.concatenate([getattr(page, each.name) for page in pages]) for each in fields(PageEvidence)}
    columns["last"] += elements[page_of]
    columns["run_from"] += runs[page_of]
    columns["run_to"] += runs[page_of]
    columns["kept"] = columns["kept"].astype(float)
    pair = mix(columns["key"], columns["parent_key"])
    return Stack(**columns, pages=len(pages), page=page_of, pair=pair, run_page=run_page)


def sums(values: Floats) -> Floats:
    """Return prefix sums, from 0: the sum over a:b is `sums[b] - sums[a]`."""
    total = np.zeros(len(values) + 1)
    values.cumsum(out=total[1:])
    return total


@dataclass(frozen=True, slots=True)
class ElementGroups:
    """Elements that one kind of selector takes for alike: outermost ones only, sorted by group, then in page order."""

    row: Ints  # one entry per member
    group: Ints
    first: Ints  # member number of the first of each group and page
    cell: Ints  # group * pages + page of each member
    count: int  # groups
    example: Ints  # a row of each group


def group(of: Stack, values: Hashes, rows: Ints) -> ElementGroups:
    """Group rows by a value; those inside another row of their group are left out."""
    if not len(rows):
        return ElementGroups(rows, rows, rows, rows, 0, rows)
    row = rows[values[rows].argsort(kind="stable")]
    number = _begins(values[row]).cumsum() - 1
    offset = number * (len(of.key) + 1)
    reach = np.maximum.accumulate(of.last[row] + offset)
    outer = np.ones(len(row), bool)
    outer[1:] = row[1:] + offset[1:] >= reach[:-1]
    row, number = row[outer], number[outer]
    cell = number * of.pages + of.page[row]
    first = _begins(cell).nonzero()[0]
    starts = _begins(number).nonzero()[0]
    return ElementGroups(row, number, first, cell, len(starts), row[starts])


def _begins(ordered: Ints) -> Flags:
    """Say which of some ordered values differ from the one before."""
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def joined(of: Stack, one: ElementGroups, other: ElementGroups) -> ElementGroups:
    """Return the groups of two kinds as one table, those of the first kind first."""
    cells, members = one.count * of.pages, len(one.row)
    return ElementGroups(
        np.concatenate([one.row, other.row]),
        np.concatenate([one.group, other.group + one.count]),
        np.concatenate([one.first, other.first + members]),
        np.concatenate([one.cell, other.cell + cells]),
        one.count + other.count,
        np.concatenate([one.example, other.example]),
    )


def covered_runs(rows: Ints, of: Stack, runs: int) -> Flags:
    """Say which runs lie inside one of these rows."""
    steps = np.bincount(of.run_from[rows], minlength=runs + 1) - np.bincount(of.run_to[rows], minlength=runs + 1)
    covered: Flags = np.cumsum(steps)[:-1] > 0
    return covered


def inside_rows(rows: Ints, of: Stack) -> Flags:
    """Say which elements lie inside one of these rows."""
    steps = np.zeros(len(of.key) + 1, np.int64)
    np.add.at(steps, rows + 1, 1)
    np.add.at(steps, of.last[rows], -1)
    covered: Flags = np.cumsum(steps)[:-1] > 0
    return covered
