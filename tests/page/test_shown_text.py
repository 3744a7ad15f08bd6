"""The text that elements show is cut in one step; it is that of their rendered blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.extension import native
from scythe.page.blocks import find_grid, read_blocks, render_text

pytestmark = pytest.mark.skipif(native is None, reason="without the extension text is rendered from blocks")

PIECES = """<p> </p> <div> <div+hidden> </div> <table> <table+role=presentation> <tr> <td> <th> </td> </table> <ul> <li>
    </ul> <dl> <dt> <dd> <br> <hr> <pre> </pre> <b> </b> <a+href=x> </a> <img+src=x> <h2> </h2> one two.+three &nbsp;
    &#10; <li+style=display:none> <option> \u2003 \u0085 \u2028 """.split()
SOUP = st.lists(
    st.sampled_from([piece.replace("+", " ") for piece in PIECES] + ["\n", "  \r\n", "word " * 60]), max_size=40
)


@given(SOUP, st.data())
def test_cut_text_is_that_of_the_rendered_blocks(pieces: list[str], data: st.DataObject) -> None:
    from scythe.page.map import PageMap

    page = PageMap("".join(pieces).encode())
    top = data.draw(st.integers(0, len(page) - 1))
    drops = tuple((int(page.key[row]), 0) for row in data.draw(st.lists(st.integers(0, len(page) - 1), max_size=2)))
    cut = page.cut_text([top], drops)
    blocks = read_blocks(page, top, page.mem_ids(cut.dropped))
    kept = [block for block, box in enumerate(blocks.box) if not blocks.box_hidden[box]]
    assert cut.text == render_text(blocks, kept, find_grid(blocks))


def test_of_several_elements_only_their_words_are_cut() -> None:
    from scythe.page.map import PageMap

    page = PageMap(b"<main><p>one</p><aside>no</aside><p>two <b>bold</b></p><ul><li>three<li hidden>four</ul></main>")
    rows = [node.row for node in page.find("p", "ul")]
    assert page.cut_text(rows, ()).text == "one\n\ntwo bold\n\nthree"
