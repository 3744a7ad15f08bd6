"""Text leaves with the path of tags that leads to them."""

from __future__ import annotations

from scythe.page import Page


def test_leaves_come_in_page_order_with_their_paths() -> None:
    page = Page.from_text("<title>T</title><div>one <b>two</b><p>three</p></div><script>no</script>four")
    assert [(leaf.text, leaf.path) for leaf in page.leaves] == [
        ("one", ("html", "body", "div")),
        ("two", ("html", "body", "div", "b")),
        ("three", ("html", "body", "div", "p")),
        ("four", ("html", "body")),
    ]


def test_an_empty_page_has_no_leaves() -> None:
    assert Page.from_text("").leaves == ()
    assert Page.from_text("   \n ").leaves == ()
