"""Complete a choice of blocks: code is kept whole, and a formula goes with the sentences around it."""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from scythe.page.blocks import PRE, Blocks

if TYPE_CHECKING:
    from scythe.page.formulas import Formulas
    from scythe.page.page import Page

_SHARE = 0.3  # of the words of a piece of code must be chosen for all of it to be kept
_TEX_ENDS = (("$$", "$$"), ("\\[", "\\]"), ("\\begin{", "}"))


def complete_choice(page: Page, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chosen blocks with the rest of code of which a part was chosen, and with formulas between them."""
    blocks = page.blocks
    more: set[int] = set()
    if not PRE.isdisjoint(blocks.box_tag):
        more.update(_rest_of_code(blocks, frozenset(kept)))
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


def _rest_of_code(blocks: Blocks, kept: frozenset[int]) -> set[int]:
    more: set[int] = set()
    for box, tag in enumerate(blocks.box_tag):
        inside = range(blocks.box_start[box], blocks.box_end[box])
        if tag not in PRE or len(inside) < 2 or blocks.box_hidden[box]:
            continue
        chosen = sum(len(blocks.text[block]) for block in inside if block in kept)
        if chosen >= _SHARE * sum(len(blocks.text[block]) for block in inside):
            more.update(block for block in inside if block not in kept and not blocks.box_hidden[blocks.box[block]])
    return more


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
