"""A cut text is what rendering the same boxes of the page gives, whatever the page and the rule."""

from __future__ import annotations

from random import Random

import pytest
from tests.property.soup import make_page

from scythe.page import Page
from scythe.page.blocks import Blocks, Nodes, find_grid, read_blocks, render_text
from scythe.page.map import IN_TEMPLATE, PageMap
from scythe.site.extract import cut_text
from scythe.site.late_parts import cut_content
from scythe.site.rules import TextRule
from scythe.site.select import EVERY, Selector, rows


def box_rows(blocks: Blocks) -> list[int]:
    """Return the rows of the boxes that a page shows."""
    assert isinstance(blocks.box_node, Nodes)
    return [row for row, is_hidden in zip(blocks.box_node.rows, blocks.box_hidden, strict=True) if not is_hidden]


def words_inside(blocks: Blocks, root: int, dropped: set[int]) -> list[str]:
    """Return the words of the blocks of one box, without those of dropped boxes, from the blocks of the whole page."""
    assert isinstance(blocks.box_node, Nodes)
    place = {row: box for box, row in enumerate(blocks.box_node.rows)}
    box = place[root]
    kept = set(range(blocks.box_start[box], blocks.box_end[box]))
    for row in dropped:
        kept -= set(range(blocks.box_start[place[row]], blocks.box_end[place[row]]))
    shown = [block for block in sorted(kept) if not blocks.box_hidden[blocks.box[block]]]
    return sorted(render_text(blocks, shown, find_grid(blocks)).split())


@pytest.mark.parametrize("seed", range(300))
def test_a_cut_is_the_text_of_the_same_boxes_of_the_page(seed):
    chance = Random(seed)
    page = PageMap(make_page(chance, 400, faults=0.2 if seed % 2 else 0.0))
    blocks = read_blocks(page)
    boxes = box_rows(blocks)
    root = chance.choice(boxes)
    rule = TextRule((Selector(path=int(page.path[root])),))
    found = rows(page, rule.roots[0])
    if found[0] not in boxes:
        return
    inside = [row for row in boxes if found[0] < row < page.last[found[0]]]
    drops = {chance.choice(inside)} if inside and seed % 3 else set()
    rule = TextRule(rule.roots, tuple(Selector(key=int(page.key[row]), place=EVERY) for row in drops))
    cut = cut_text(page, rule.dropped, found)
    if not set(cut.drops) - set(boxes):
        assert sorted(cut.text.split()) == words_inside(blocks, int(found[0]), set(cut.drops))


@pytest.mark.parametrize("seed", range(100))
def test_markdown_and_html_come_from_what_the_text_comes_from(seed):
    chance = Random(seed)
    body = make_page(chance, 300, faults=0.1)
    page = PageMap(body)
    root = chance.choice([row for row in range(len(page)) if not page.flags[row] & IN_TEMPLATE])
    rule = TextRule((Selector(key=int(page.key[root]), place=EVERY if seed % 2 else 0),))
    cut = cut_text(page, rule.dropped, rows(page, rule.roots[0]))
    content = cut_content(Page.from_bytes(body), page, cut, lambda page, kept: ())
    assert content.text() == cut.text
    assert isinstance(content.markdown(), str)
    assert isinstance(content.html(), str)
