"""Keep every `div` of at least five sentences, else the body: the sentence counter of Radilova et al. (2022).

M. Radilova, P. Kamencay, R. Hudec, M. Benco, R. Radil: Tool for Parsing Important Data from Web Pages. Applied Sciences
12 (2022) 12031. Sentences are counted by their rule: pieces between "dot + space". What the paper leaves open is
decided in docs/why/text-methods.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.read.text.boxes import body_of, images_inside, innermost

MIN_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """The elements that one search chose and the blocks taken from them, in page order."""

    boxes: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


def read(page: Page, options: TextOptions) -> Reading:
    """Keep the text of all divs that hold five sentences themselves, or the whole body when none does."""
    return _report(page.blocks, choose(page.blocks))


def read_printed(page: Page, options: TextOptions) -> Reading:
    """Do the same as the paper's listing prints it: whole elements, unless their HTML begins with a div."""
    return _report(page.blocks, choose_printed(page.blocks))


def choose(blocks: Blocks) -> Choice:
    """Search the divs by the text they hold outside deeper divs, then the body. Linear in boxes and blocks."""
    homes = innermost(blocks, "div")
    held: dict[int, list[int]] = {}
    for block, box in enumerate(blocks.box):
        held.setdefault(homes[box], []).append(block)
    # first protection against duplicates: a line belongs to its innermost div alone
    chosen = [
        box for box, own in held.items() if box and count_sentences([blocks.text[i] for i in own]) >= MIN_SENTENCES
    ]
    kept: list[int] = []
    seen: set[str] = set()
    for box in sorted(chosen):
        text = " ".join(blocks.text[i] for i in held[box])
        if text not in seen:  # second protection: text taken before is not taken again
            seen.add(text)
            kept.extend(held[box])
    return Choice(tuple(sorted(chosen)), tuple(sorted(kept))) if kept else _choose_body(blocks)


def choose_printed(blocks: Blocks) -> Choice:
    """Search whole elements in page order, skip those that begin with a div or lie in one taken before."""
    before = [0]  # dots followed by a space in all blocks before, one at each block's end counted as such
    for text in blocks.text:
        before.append(before[-1] + text.count(". ") + text.endswith("."))
    boxes: list[int] = []
    kept: list[int] = []
    seen: set[str] = set()
    covered = 0
    for box, tag in enumerate(blocks.box_tag):
        start, end = blocks.box_start[box], blocks.box_end[box]
        if tag != "div" or start < covered or start == end or _begins_with_div(blocks, box):
            continue
        if before[end] - before[start] - blocks.text[end - 1].endswith(".") + 1 < MIN_SENTENCES:
            continue
        covered = end
        text = " ".join(blocks.text[start:end])
        if text not in seen:
            seen.add(text)
            boxes.append(box)
            kept.extend(range(start, end))
    return Choice(tuple(boxes), tuple(kept)) if kept else _choose_body(blocks)


def count_sentences(texts: Sequence[str]) -> int:
    """Count the pieces between "dot + space", block ends being white space too; no text has no sentence."""
    if not texts:
        return 0
    ends = sum(text.count(". ") + text.endswith(".") for text in texts)
    return ends - texts[-1].endswith(".") + 1


def _choose_body(blocks: Blocks) -> Choice:
    body = body_of(blocks)
    if body is None:
        return Choice()
    span = range(blocks.box_start[body], blocks.box_end[body])
    if count_sentences(blocks.text[span.start : span.stop]) < MIN_SENTENCES:
        return Choice()
    return Choice((body,), tuple(span))


def _begins_with_div(blocks: Blocks, box: int) -> bool:
    node = blocks.box_node[box].first_child
    while node is not None and (node.tag or "-").startswith(("-", "!", "_")):
        if node.tag == "-text" and (node.text_content or "").strip():
            return False
        node = node.next
    return node is not None and node.tag == "div"


def _report(blocks: Blocks, choice: Choice) -> Reading:
    if not choice.blocks:
        return Reading("sentences", why=f"no div and no body of at least {MIN_SENTENCES} sentences")
    return Reading("sentences", kept=choice.blocks, images=images_inside(blocks, choice.boxes))
