"""Decide what a page is about: its possible regions come in, the best go out with score and kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scythe.page import Page
from scythe.read.records.candidate import Candidate
from scythe.read.records.feature_names import feature_columns
from scythe.read.records.features import Described, describe
from scythe.read.records.forest import Forest, load
from scythe.read.records.kinds import name_kinds
from scythe.read.records.ranges import Floats
from scythe.read.records.settle import CUT, is_clear, settle
from scythe.read.records.traits import measure
from scythe.read.text.auto import see

__all__ = ["CUT", "Ranked", "choose", "rank", "score_leaves"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A region that no better one overlaps."""

    candidate: Candidate
    score: float  # 0..1, how likely it is what the page is about
    kind: str


def rank(page: Page, candidates: Sequence[Candidate], forest: Forest | None = None) -> list[Ranked]:
    """Return the best candidates that share no text, best first; below `CUT` they are not what the page is about.

    `forest` replaces the shipped one.
    """
    if not candidates:
        return []
    elements = page.elements
    described = describe(elements, measure(elements, score_leaves(page)), candidates)
    forest = forest or load()
    scores = settle(described, forest.predict(_columns_of(described, forest.features)))
    chosen = choose(candidates, scores, len(elements.text))
    kinds = name_kinds(described.rows[chosen], scores[chosen])
    best = chosen[0]
    if scores[best] < CUT and is_clear(described, best, scores[best]):
        scores[best] = CUT
    return [
        Ranked(candidates[one], round(float(scores[one]), 4), kind) for one, kind in zip(chosen, kinds, strict=True)
    ]


def _columns_of(described: Described, names: tuple[str, ...]) -> Floats:
    """Return the columns a forest was trained on; the shipped one takes all, in order."""
    if names == described.names:
        return described.rows
    at = feature_columns()
    return described.rows[:, [at[name] for name in names]]


def score_leaves(page: Page) -> Floats | None:
    """Return for each leaf how likely it is main text, as the network for main text sees its block."""
    blocks, elements = page.blocks, page.elements
    if not len(blocks) or not elements.text:
        return None
    scores = see(page).probabilities
    # blocks and leaves cut the same text at different places: where a letter stands tells the block of a leaf
    block_ends = np.cumsum([len(text) - text.count(" ") for text in blocks.text])
    leaf_ends = np.cumsum([len(text) - text.count(" ") for text in elements.text])
    starts = np.concatenate(([0], leaf_ends[:-1]))
    found: Floats = scores[np.minimum(np.searchsorted(block_ends, starts, side="right"), len(scores) - 1)]
    return found


def choose(candidates: Sequence[Candidate], scores: Floats, leaves: int) -> list[int]:
    """Return the numbers of the candidates to keep, best first: none shares a leaf with a better one."""
    taken, chosen = bytearray(leaves), []
    for one in np.argsort(-scores, kind="stable").tolist():
        ranges = candidates[one].leaves
        # mostly nothing is taken between the first and the last record, and one look is enough
        if taken.find(1, ranges[0][0], ranges[-1][1]) >= 0 and _overlaps(taken, ranges):
            continue
        chosen.append(one)
        for start, end in ranges:
            taken[start:end] = b"\1" * (end - start)
    return chosen


def _overlaps(taken: bytearray, ranges: tuple[tuple[int, int], ...]) -> bool:
    find = taken.find
    for start, end in ranges:  # noqa: SIM110 a generator takes twice as long
        if find(1, start, end) >= 0:
            return True
    return False
