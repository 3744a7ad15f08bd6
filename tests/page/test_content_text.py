"""Text as a reader sees it: order, paragraphs, lines, rows."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.page.content import PageContent


def text_of(html: str, *kept: int) -> str:
    page = Page.from_text(html)
    return PageContent(page, kept or tuple(range(len(page.blocks)))).text()


def test_paragraphs_are_set_apart_by_a_blank_line() -> None:
    assert text_of("<p>One.</p><p>Two.</p><div>Three.</div>") == "One.\n\nTwo.\n\nThree."


def test_a_line_break_is_one_line_and_two_are_a_paragraph() -> None:
    assert text_of("<p>One<br>two<br><br>three</p>") == "One\ntwo\n\nthree"


def test_list_items_follow_line_under_line_without_marks() -> None:
    assert text_of("<p>Tools:</p><ul><li>scythe<li>rake</ul><p>End.</p>") == "Tools:\n\nscythe\nrake\n\nEnd."


def test_list_items_that_hold_paragraphs_stay_paragraphs() -> None:
    assert text_of("<ul><li><p>One.</p><p>More.</p></li><li><p>Two.</p></li></ul>") == "One.\n\nMore.\n\nTwo."


def test_a_row_is_a_line_and_cells_are_set_apart_by_tabs() -> None:
    html = "<table><tr><th>Crop<th>Yield<tr><td>rye<td>3 t<tr><td>oats<td>2 t</table>"
    assert text_of(html) == "Crop\tYield\nrye\t3 t\noats\t2 t"


def test_empty_cells_keep_the_columns_in_line() -> None:
    html = "<p>x</p><table><tr><td>a<td>b<td>c<tr><td><td><td>z<tr><td>d<td><td>f</table>"
    assert text_of(html) == "x\n\na\tb\tc\n\t\tz\nd\t\tf"


def test_a_cell_of_several_lines_stays_on_its_row() -> None:
    assert text_of("<table><tr><td>a<br>b<td><p>c</p><p>d</p></table>") == "a b\tc d"


def test_a_table_of_layout_is_read_as_paragraphs() -> None:
    long = "They cut the barley low and bound it. " * 40
    assert text_of(f"<table><tr><td>Menu<td>{long}</table>") == f"Menu\n\n{long.strip()}"


def test_a_table_around_a_table_is_layout_and_the_inner_one_is_data() -> None:
    html = "<table><tr><td>side<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>"
    assert text_of(html) == "side\n\na\tb\nc\td"


def test_preformatted_text_keeps_lines_and_indents() -> None:
    html = "<p>Code:</p><pre>\ndef cut():\n    return 1   \n\n\tx\n</pre><p>End.</p>"
    assert text_of(html) == "Code:\n\ndef cut():\n    return 1\n\n\tx\n\nEnd."


def test_lines_of_code_in_boxes_of_their_own_follow_each_other() -> None:
    assert text_of("<pre><div>a = 1</div><div>b = 2</div></pre>") == "a = 1\nb = 2"


def test_inline_elements_do_not_split_words() -> None:
    assert text_of("<p>H<sub>2</sub>O is <b>wa</b>ter , <i> yes </i>.</p>") == "H2O is water , yes ."


def test_only_the_chosen_blocks_are_rendered() -> None:
    assert text_of("<p>a</p><p>b</p><p>c</p>", 0, 2) == "a\n\nc"


def test_a_break_before_a_block_that_was_not_chosen_is_no_line() -> None:
    assert text_of("<p>a<br>b<br>c</p>", 0, 2) == "a\n\nc"


@pytest.mark.parametrize("html", ["", "<p></p>", "<table></table>", "<pre></pre>", "<img src=x>"])
def test_a_page_without_words_gives_no_text(html: str) -> None:
    page = Page.from_text(html)
    content = PageContent(page, tuple(range(len(page.blocks))))
    assert (content.text(), content.markdown(), content.html()) == ("", "", "")


def test_a_title_line_that_stands_in_no_block_comes_first() -> None:
    page = Page.from_text("<p>Body.</p>")
    content = PageContent(page, (0,), heading="The *Title*")
    assert content.text() == "The *Title*\n\nBody."
    assert content.markdown() == "# The \\*Title\\*\n\nBody."
    assert content.html() == "<h1>The *Title*</h1>\n<p>Body.</p>"
