"""Evidence: what reading a page cold showed of its elements and runs, and several such pages side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scythe.page.blocks import Blocks, Nodes
from scythe.page.map import PageMap
from scythe.page.page import make_map
from scythe.page.title import comparable

Ints: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[Any]
Hashes: TypeAlias = NDArray[Any]
Flags: TypeAlias = NDArray[Any]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """The columns of one page map that rules are learned from, and what the reader kept."""

    parent: NDArray[np.int32]
    last: NDArray[np.int32]
    run_from: NDArray[np.int32]
    run_to: NDArray[np.int32]
    key: Hashes
    path: Hashes
    keyed: Flags  # the element has an id or a class
    run_row: NDArray[np.int32]
    run_hash: Hashes
    words: Floats  # of each run; 0 where a page does not show it
    kept: Flags  # by run: part of what the reader took for the main text
    block_words: Floats  # of the block that the run stands in
    is_title: Flags  # the run repeats the title of the page


@dataclass(frozen=True, slots=True)
class Stack:
    """Pages of one layout, their columns one behind the other; rows and runs are numbered through."""

    pages: int
    page: Ints  # of each element
    parent: Ints
    last: Ints
    run_from: Ints
    run_to: Ints
    key: Hashes
    path: Hashes
    pair: Hashes  # key and parent's key
    keyed: Flags
    run_page: Ints
    run_row: Ints
    run_hash: Hashes
    words: Floats
    kept: Floats
    block_words: Floats
    is_title: Flags


_LONGEST_TITLE = 400  # characters
_WORD_BYTE = np.ones(256, bool)
_WORD_BYTE[list(b"\t\n\f\r ")] = False
_IDEOGRAPH_BYTE = np.zeros(256, bool)
_IDEOGRAPH_BYTE[0xE3:0xEA] = True  # the first of three bytes of a character in scripts without spaces between words


def evidence_of(page: PageMap, keyed: Flags, blocks: Blocks, kept: Sequence[int], title: str) -> PageEvidence:
    """Note what reading a page showed; `blocks` are those of the same map."""
    block_of = np.full(len(page.run_row), -1)
    rows = leaf_rows(page, blocks)
    for block, (start, end) in enumerate(zip(blocks.leaf_start, blocks.leaf_end, strict=True)):
        if not blocks.box_hidden[blocks.box[block]]:
            block_of[[~leaf for leaf in rows[start:end] if leaf < 0]] = block
    _follow_continued(page, block_of)
    shown = block_of >= 0
    words = np.where(shown, _words_of_runs(page), 0.0)
    block_words = np.bincount(block_of[shown], words[shown], minlength=max(len(blocks), 1))
    is_kept, is_title = np.zeros(len(blocks) + 1, bool), np.zeros(len(blocks) + 1, bool)
    is_kept[list(kept)] = True
    wanted = comparable(title)
    for block, text in enumerate(blocks.text):
        is_title[block] = bool(wanted) and len(text) <= _LONGEST_TITLE and comparable(text) == wanted
    return PageEvidence(
        parent=page.parent,
        last=page.last,
        run_from=page.run_from,
        run_to=page.run_to,
        key=page.key,
        path=page.path,
        keyed=keyed,
        run_row=page.run_row,
        run_hash=page.run_hash,
        words=words,
        kept=is_kept[block_of],
        block_words=np.where(shown, block_words[block_of], 0.0),
        is_title=is_title[block_of],
    )


def leaf_rows(page: PageMap, blocks: Blocks) -> list[int]:
    """Return the leaves of blocks of a page map: rows of images, and ~run for texts."""
    if isinstance(blocks.leaves, Nodes):
        return blocks.leaves.rows
    numbers: dict[int, int] = page.numbers  # type: ignore[attr-defined]  # a map that the parser made
    return [numbers[leaf.mem_id] for leaf in blocks.leaves]


def _follow_continued(page: PageMap, block_of: Ints) -> None:
    """Let runs that continue a text node stand in the block of the first."""
    for run in np.flatnonzero(page.run_flags & 1).tolist():
        if run and block_of[run] < 0:
            block_of[run] = block_of[run - 1]


def _words_of_runs(page: PageMap) -> Floats:
    """Count the words of each run; a character of a script without spaces between words counts half."""
    source = np.frombuffer(page.source, np.uint8)
    letters = np.concatenate([[False], _WORD_BYTE[source]])
    begins = sums((letters[1:] & ~letters[:-1]) + 0.5 * _IDEOGRAPH_BYTE[source])
    start, end = page.run_start.astype(np.int64), page.run_end.astype(np.int64)
    inside = np.zeros(len(source) + 1, bool)
    inside[:-1] = letters[1:] & np.concatenate([[False], letters[1:-1]]) if len(source) else False
    words: Floats = begins[end] - begins[start] + ((end > start) & inside[start])
    return words


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


def mix(a: Hashes, b: Hashes) -> Hashes:
    """Return one hash for two."""
    mixed: Hashes = (a ^ (b + _MIX + (a << np.uint64(6)) + (a >> np.uint64(2)))) * np.uint64(0xFF51AFD7ED558CCD)
    result: Hashes = mixed ^ (mixed >> _SHIFT)
    return result


def stack(pages: Sequence[PageEvidence]) -> Stack:
    """Put pages one behind the other."""
    elements = np.cumsum([0, *(len(page.key) for page in pages)])
    runs = np.cumsum([0, *(len(page.run_row) for page in pages)])
    parent = np.concatenate([page.parent + at for page, at in zip(pages, elements, strict=False)]).astype(np.int64)
    parent[elements[:-1]] = elements[:-1]  # a root is its own parent
    key = np.concatenate([page.key for page in pages])

    def shifted(columns: list[NDArray[np.int32]], by: Ints) -> Ints:
        return np.concatenate([column.astype(np.int64) + at for column, at in zip(columns, by, strict=False)])

    return Stack(
        pages=len(pages),
        page=np.repeat(np.arange(len(pages)), np.diff(elements)),
        parent=parent,
        last=shifted([page.last for page in pages], elements),
        run_from=shifted([page.run_from for page in pages], runs),
        run_to=shifted([page.run_to for page in pages], runs),
        key=key,
        path=np.concatenate([page.path for page in pages]),
        pair=mix(key, key[parent]),
        keyed=np.concatenate([page.keyed for page in pages]),
        run_page=np.repeat(np.arange(len(pages)), np.diff(runs)),
        run_row=shifted([page.run_row for page in pages], elements),
        run_hash=np.concatenate([page.run_hash for page in pages]),
        words=np.concatenate([page.words for page in pages]),
        kept=np.concatenate([page.kept for page in pages]).astype(float),
        block_words=np.concatenate([page.block_words for page in pages]),
        is_title=np.concatenate([page.is_title for page in pages]),
    )


def sums(values: Floats) -> Floats:
    """Return prefix sums, from 0: the sum over a:b is `sums[b] - sums[a]`."""
    total = np.zeros(len(values) + 1)
    np.cumsum(values, out=total[1:])
    return total


@dataclass(frozen=True, slots=True)
class ElementGroups:
    """Elements that one kind of selector takes for alike: outermost ones only, sorted by group, then in page order."""

    row: Ints  # one entry per member
    group: Ints
    first: Ints  # member number of the first of each group and page
    first_of: Ints  # its number in `cells`: group * pages + page
    cell: Ints  # group * pages + page of each member
    count: int  # groups
    example: Ints  # a row of each group


def group(of: Stack, values: Hashes, rows: Ints) -> ElementGroups:
    """Group rows by a value; those inside another row of their group are left out."""
    order = np.argsort(values[rows], kind="stable")
    row = rows[order]
    ordered = values[row]
    number = np.cumsum(np.diff(ordered, prepend=ordered[:1]) != 0) if len(row) else row
    reach = np.maximum.accumulate(of.last[row] + number * (len(of.key) + 1)) if len(row) else row
    outer = np.ones(len(row), bool)
    outer[1:] = row[1:] + number[1:] * (len(of.key) + 1) >= reach[:-1]
    row, number = row[outer], number[outer]
    cell = number * of.pages + of.page[row]
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    return ElementGroups(row, number, first, cell[first], cell, len(starts), row[starts])
