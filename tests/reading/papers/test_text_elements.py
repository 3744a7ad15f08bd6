from __future__ import annotations

from scythe.page import Page
from scythe.reading.papers.text_elements import TextElements, number_elements


def number(html: str) -> TextElements:
    page = Page.from_text(html)
    return number_elements(page.root, page.blocks)


def test_elements_are_numbered_in_page_order_with_their_ends() -> None:
    elements = number("<div><p>a<b>b</b></p><br></div><p>c</p>")
    assert elements.tag == ["html", "body", "div", "p", "b", "br", "p"]
    assert elements.parent == [-1, 0, 1, 2, 3, 2, 1]
    assert elements.end == [7, 7, 6, 5, 5, 6, 7]


def test_leaves_know_their_element_block_and_link() -> None:
    elements = number("<p>one <a href=/>two</a><p>three<script>no</script><!-- no -->")
    assert elements.leaf_text == ["one", "two", "three"]
    assert [elements.tag[parent] for parent in elements.leaf_parent] == ["p", "a", "p"]
    assert elements.leaf_block == [0, 0, 1]
    assert elements.leaf_linked == [False, True, False]


def test_an_element_knows_the_blocks_inside_it() -> None:
    elements = number("<div>a<p>b<p>c</div><div></div>")
    assert elements.blocks_inside(elements.tag.index("div")) == (0, 3)
    assert elements.blocks_inside(len(elements.tag) - 1) == (0, 0)


def test_every_leaf_of_every_block_is_found_again() -> None:
    html = "<nav><a href=/>x</a> <span> y </span></nav><table><tr><td>z<img src=i><td> w </table>q<svg><text>no</svg>"
    page = Page.from_text(html)
    elements = number_elements(page.root, page.blocks)
    assert sorted(set(elements.leaf_block)) == list(range(len(page.blocks)))
    for block, text in enumerate(page.blocks.text):
        assert " ".join(t for t, b in zip(elements.leaf_text, elements.leaf_block, strict=True) if b == block) == text
