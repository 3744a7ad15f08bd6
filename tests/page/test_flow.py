"""The text of one element: as the whole page is rendered, without what is left out."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.page.blocks import find_grid, render_text
from scythe.page.source import read_source
from scythe.site.cut.cutter import flow_text, leave_out


def flow(body: bytes, opening: bytes, *drops: bytes, skip_lines: tuple[str, ...] = ()) -> str:
    source = read_source(body)
    at = source.at(body.index(opening))
    assert at is not None
    return flow_text(at.node, body, drops, skip_lines)


def test_an_element_is_rendered_as_a_page_of_its_own() -> None:
    inner = b"<h2>Rye</h2>One<br>two<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3<td>4</table><pre>x\n  y</pre>"
    page = Page.from_bytes(inner)
    whole = render_text(page.blocks, range(len(page.blocks)), find_grid(page.blocks))
    assert flow(b"<p>before<div id=x>" + inner + b"</div>after", b"<div") == whole


def test_hidden_boxes_are_part_of_the_text() -> None:
    assert flow(b"<div>a<p style='display:none'>b</p></div>", b"<div") == "a\n\nb"


def test_a_dropped_box_still_ends_the_paragraph_around_it() -> None:
    assert flow(b"<div>a <div class=ad>x</div> b</div>", b"<div>", b"<div class=ad") == "a\n\nb"


def test_a_dropped_inline_element_leaves_no_trace() -> None:
    body = b"<div>sc<span class=share><b>x</b><div>y</div></span>ythe</div>"
    assert flow(body, b"<div>", b"<span class=share") == "scythe"


def test_a_literal_of_only_a_name_wants_the_name_to_end() -> None:
    assert flow(b"<div><s>a</s><small>b</small><sub>c</sub></div>", b"<div", b"<s") == "bc"


def test_a_literal_in_a_comment_or_an_attribute_drops_nothing() -> None:
    body = b"<div><!-- <p class=x> --><b title='<p class=x>'>a</b><p class=y>b</div>"
    assert flow(body, b"<div", b"<p class=x") == "a\n\nb"


def test_the_element_itself_is_never_dropped() -> None:
    assert flow(b"<div><div>a</div>b</div>", b"<div", b"<div") == "b"


def test_pieces_of_an_element_that_was_closed_out_of_turn_are_all_dropped() -> None:
    assert flow(b"<div><p><b class=x>a</p><p>b</b>c</p></div>", b"<div", b"<b class=x") == "c"


def test_marks_of_the_tree_do_not_show_in_raw_text() -> None:
    assert flow(b"<div><xmp><b>a</b></xmp></div>", b"<div") == "<b>a</b>"


@pytest.mark.parametrize(
    ("text", "skipped", "left"),
    [
        ("a\n\nShare\n\nb", ["Share"], "a\n\nb"),
        ("a\nShare\nb", ["Share"], "a\nb"),
        ("Share\n\na", ["Share"], "a"),
        ("a\n\nShare", ["Share"], "a"),
        ("a\n\nShare\nPrint\n\nb", ["Share", "Print"], "a\n\nb"),
        ("a\n\nShare this", ["Share"], "a\n\nShare this"),
        ("x = 1\n\n\n\ny = 2\n\nShare", ["Share"], "x = 1\n\n\n\ny = 2"),
        ("Share", ["Share"], ""),
        ("a\n\nb", [""], "a\n\nb"),
    ],
)
def test_a_skipped_line_goes_with_the_gap_on_one_side(text: str, skipped: list[str], left: str) -> None:
    assert leave_out(text, skipped) == left
