"""Complete a choice of blocks: code and tables are kept whole, and a formula goes with the sentences around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from scythe.page.blocks import PRE, Blocks, find_in

if TYPE_CHECKING:
    from scythe.page.formulas import Formulas
    from scythe.page.page import Page

_CODE_SHARE, _TABLE_SHARE = 0.3, 0.7  # of the words of code, of a table of data, that must be chosen for all to be kept
_BESIDE = 2  # chosen blocks before, and after, that show it to be part of the text, too
_LIKELY = 0.2  # mean probability of its words, with which those before are enough
_MOST_CODES = 200  # that are looked through for lines
_TEX_ENDS = (("$$", "$$"), ("\\[", "\\]"), ("\\begin{", "}"))


def complete_choice(page: Page, kept: tuple[int, ...], scores: Sequence[float] = ()) -> tuple[int, ...]:
    """Return the chosen blocks with the rest of code and tables of which a part was chosen, and formulas between them.

    `scores` are the probabilities of all blocks, where a method gives some.
    """
    blocks = page.blocks
    chosen = frozenset(kept)
    more = {block for inside in _chosen_parts(page, chosen, scores) for block in inside} - chosen
    gaps = [(before, after) for before, after in pairwise(kept) if after - before > 1]
    if kept and kept[-1] + 1 < len(blocks):
        gaps.append((kept[-1], len(blocks)))
    if gaps:
        formulas = page.formulas if page.map.find("math", "mjx-container") else None
        for before, after in gaps:
            steps = [range(before + 1, after)]
            if after < len(blocks):
                steps.append(range(after - 1, before, -1))
            for blocks_beside in steps:
                more.update(takewhile(lambda block: _is_formula(blocks, block, formulas), blocks_beside))
    return tuple(sorted(more.union(kept))) if more else kept


def _chosen_parts(page: Page, kept: frozenset[int], scores: Sequence[float]) -> Iterator[Sequence[int]]:
    """Yield the blocks of code and tables of which enough was chosen, or that the text goes on around."""
    for inside, share in _parts(page):
        chars = [len(page.blocks.text[block]) for block in inside]
        chosen = sum(count for block, count in zip(inside, chars, strict=True) if block in kept)
        if chosen >= share * sum(chars):
            yield inside
        elif kept.issuperset(range(inside[0] - _BESIDE, inside[0])):
            likely = sum(scores[block] * count for block, count in zip(inside, chars, strict=True)) if scores else 0.0
            after = range(inside[-1] + 1, inside[-1] + 1 + _BESIDE)
            if likely >= _LIKELY * sum(chars) or kept.issuperset(after):
                yield inside


def _parts(page: Page) -> Iterator[tuple[Sequence[int], float]]:
    """Yield what is kept as a whole, by its blocks, without hidden ones, and the share that must be chosen."""
    blocks = page.blocks
    boxes = [(box, _CODE_SHARE) for box, tag in enumerate(blocks.box_tag) if tag in PRE]
    boxes += [(table, _TABLE_SHARE) for table in dict.fromkeys(page.grid.table_of.values())]
    for box, share in boxes:
        around = blocks.box_hidden[max(blocks.box_parent[box], 0)]
        inside = range(blocks.box_start[box], blocks.box_end[box])
        shown = [block for block in inside if blocks.box_hidden[blocks.box[block]] <= around]
        if shown:
            yield shown, share
    if any(find_in(code, "br") for code in page.map.find("code")[:_MOST_CODES]):
        for run in {run.start: run for run in page.code.runs.values()}.values():
            yield range(run.start, run.end), _CODE_SHARE


def _is_formula(blocks: Blocks, block: int, formulas: Formulas | None) -> bool:
    text = blocks.text[block]
    if blocks.box_hidden[blocks.box[block]]:
        return False
    if text.startswith(("$", "\\")) and any(text.startswith(one) and text.endswith(end) for one, end in _TEX_ENDS):
        return True
    if formulas is None or blocks.plain[block]:
        return False
    leaves = blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]
    words = [leaf for leaf in leaves if leaf.tag == "-text" and (leaf.text_content or "").strip()]
    return all(formulas.around(leaf) for leaf in words)
