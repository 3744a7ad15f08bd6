"""What would make a tree builder slow is bounded, and what a bound takes away is counted."""

import pytest

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.page import Page

pytestmark = pytest.mark.skipif(native is None, reason="only the extension has bounds")
MANY = 6_000


def texts(html: str) -> list[str]:
    return Page.from_text(html).blocks.text


def losses(page: Page) -> list[tuple[str, int]]:
    assert page.root is not None
    return [(loss.what, loss.count) for loss in page.losses]


@pytest.mark.parametrize("tag", ["div", "span", "b", "font", "ul", "blockquote", "section", "center", "x-y"])
def test_deep_nesting_loses_its_tags_but_not_its_text(tag: str) -> None:
    page = Page.from_text(f"<p>before</p>{f'<{tag}>' * MANY}inside{f'</{tag}>' * MANY}<p>after</p>")
    assert [text for text in page.blocks.text if text.isalpha()] == ["before", "inside", "after"]
    assert sum(loss.count for loss in page.losses) >= MANY - LIMITS.depth


def test_after_twenty_thousand_levels_what_follows_is_outside_of_them() -> None:
    page = Page.from_text("<div>" * 20_000 + "inside" + "</div>" * 20_000 + "<p>after")
    assert page.map.find("p")[0].parent.tag == "body"


def test_paragraphs_below_the_depth_limit_stay_apart() -> None:
    assert texts("<div>" * MANY + "<p>one</p><p>two</p>three") == ["one", "two", "three"]


def test_excess_attributes_are_dropped_and_counted() -> None:
    attributes = " ".join(f"a{i}={i}" for i in range(LIMITS.tag_attributes + 100))
    page = Page.from_text(f"<p id=first {attributes}>text</p>")
    (node,) = page.map.find("p")
    assert node.attributes["id"] == "first"
    assert len(node.attributes) == LIMITS.tag_attributes
    assert page.blocks.text == ["text"]
    assert losses(page) == [("attributes beyond the limit", 101)]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_long_value_is_no_crowd_of_attributes(quote: str) -> None:
    words = "word " * LIMITS.tag_attributes
    assert losses(Page.from_text(f"<p title={quote}{words}{quote}>text</p>")) == []
    assert losses(Page.from_text(f"<p {words}word>text</p>")) == [("attributes beyond the limit", 1)]


def test_attributes_of_end_tags_are_nobodys_loss() -> None:
    page = Page.from_text(f"<p>one</p {'a=1 ' * 2 * LIMITS.tag_attributes}>two")
    assert (page.blocks.text, losses(page)) == (["one", "two"], [])


@pytest.mark.parametrize("attribute", ["a{0}", "data-{0}='x'", 'A{0}="<b>"', "<a{0}", 'x="1"a{0}="2"'])
def test_attributes_may_have_as_many_names_as_they_like(attribute: str) -> None:
    html = "".join(f"<p {attribute.format(number)}>word{number}" for number in range(3_000))
    page = Page.from_text(html)
    assert page.blocks.text == [f"word{number}" for number in range(3_000)]
    assert losses(page) == []


def test_formatting_left_open_is_not_built_again_in_every_paragraph() -> None:
    page = Page.from_text("".join(f"<p><b id=b{i}>word{i}</p>" for i in range(2000)))
    assert page.blocks.text == [f"word{i}" for i in range(2000)]
    assert len(page.map.find("b")) == 2000 + LIMITS.rebuilt_formatting
    ((what, count),) = losses(page)
    assert what == "formatting tags beyond the limit"
    assert count > 2000 - LIMITS.open_formatting


@pytest.mark.parametrize(
    ("html", "count"),
    [("<a b='" + "x" * 100, 106), ("</a title='x", 12), ("<!-- no tag", 0), ("<p title='x'>text", 0)],
)
def test_a_tag_without_end_is_counted_as_lost(html: str, count: int) -> None:
    page = Page.from_text("<p>before</p>" + html)
    assert page.blocks.text[0] == "before"
    assert losses(page) == ([("bytes in a tag without end", count)] if count else [])


def test_a_page_beyond_the_size_limit_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    small = type(LIMITS)(body_bytes=1000)
    for module in ("scythe.page.page", "scythe.page.encoding"):
        monkeypatch.setattr(f"{module}.LIMITS", small)
    text = "<p>" + "ü" * 2000
    for page in (Page.from_text(text), Page.from_bytes(text.encode())):
        assert page.blocks.text[0].strip("ü") == ""
        assert page.losses[0].count > 900


def test_many_options_are_linear() -> None:
    page = Page.from_text(
        "<select><selectedcontent></selectedcontent>" + "<option>x</option>" * 3000 + "</select><p>after"
    )
    assert page.blocks.text[-1] == "after"


def test_of_tags_as_long_as_they_like_all_is_read() -> None:
    candidates = ", ".join(f"/photo-{number}.jpg {number + 1}w" for number in range(60_000))
    inline = f"data:,{'A' * 2_000_000}"
    html = f"<img title='x'alt='a'srcset='{candidates}'src=/a.jpg><img src='{inline}'data-src=/b.jpg>"
    page = Page.from_text(html, url="https://farm.example/")
    first, second = page.images
    assert first.image.alt == "a"
    assert "https://farm.example/a.jpg" in first.image.sources
    assert "https://farm.example/photo-1.jpg" in first.image.sources
    assert second.image.src == "https://farm.example/b.jpg"
    assert [what for what, _ in losses(page)] == ["srcset candidates beyond the limit"]


@pytest.mark.parametrize(
    "piece",
    (
        "<p>word{0} <div>word{0}</div> <br>word{0} </p>word{0} </br>word{0} <table><tr><td>word{0}</td></tr></table>"
    ).split(),
)
def test_a_page_of_more_tags_than_the_limit_keeps_its_text(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.page.map.LIMITS", LIMITS._replace(page_tags=500, page_tag_bytes=10**9))
    html = "<html><body>" + "".join(piece.format(number) for number in range(7_000)) + "<p>end"
    page = Page.from_text(html)
    assert [what for what, _ in losses(page)] == ["tags beyond the limit"]
    text = page.root.text(separator=" ")
    assert all(f"word{number}" in text for number in (0, 400, 501, 3_000, 6_999))
    assert text.rstrip().endswith("end")
    assert len(page.elements) <= 500


def test_a_page_of_more_names_of_tags_than_the_limit_keeps_its_text() -> None:
    html = (
        "".join(f"<x-{number}>word{number}</x-{number}>" for number in range(9_000))
        + "<p>end</p><b>bold</b><a href=x>link</a>"
    )
    page = Page.from_text(html)
    assert losses(page) == [("tags of too many names", 2 * (9_000 - LIMITS.tag_names))]  # opening and closing tags
    text = page.root.text(separator=" ")
    assert all(f"word{number}" in text for number in (0, 1_999, 2_000, 8_999))
    assert [page.map.find(name)[0].text() for name in ("p", "b", "a")] == ["end", "bold", "link"]
    assert len({node.tag for node in page.elements.node}) < LIMITS.tag_names + 10
