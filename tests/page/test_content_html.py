"""Html: clean, whole, with absolute addresses."""

from __future__ import annotations

import copy
import pickle

import pytest

from scythe.model import Rendered, TextOptions
from scythe.page import Page
from scythe.page.content import PageContent


def content_of(html: str, *kept: int, url: str | None = "https://example.org/d/") -> PageContent:
    page = Page.from_text(html, url=url)
    return PageContent(page, kept or tuple(range(len(page.blocks))))


def test_a_row_of_which_one_cell_was_chosen_keeps_all_its_cells() -> None:
    content = content_of("<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>", 0, 4)
    assert content.html() == (
        "<table>\n<tr>\n<td>a</td>\n<td></td>\n<td></td>\n</tr>\n<tr>\n<td></td>\n<td>e</td>\n<td></td>\n</tr>\n</table>"
    )


def test_images_between_chosen_blocks_are_shown_and_others_are_not() -> None:
    html = (
        "<img src=logo.png><p>menu</p><img src=lead.png><p>a</p><figure><img src=in.png></figure><p>b</p>"
        "<p>teaser</p><img src=teaser.png><p>teaser</p><p>c</p><p>foot</p><img src=foot.png>"
    )
    content = content_of(html, 1, 2, 5)
    shown = [node.attributes["src"] for node in Page.from_text(content.html()).map.find("img")]
    assert shown == ["https://example.org/d/lead.png", "https://example.org/d/in.png"]


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        ("<div class=slot>Advertisement<img src=i.png></div>", False),
        ("<ul><li><img src=i.png><h3>Another story</h3></ul>", False),
        ("<div><img src=i.png></div>", True),
        ("<figure><img src=i.png><figcaption>By a reader</figcaption></figure>", True),
        ("<div class=wp-caption><img src=i.png><p>By a reader</p></div>", True),
        ("<div class=images><img src=i.png><p>1</p><p>2</p><p>3</p><p>4</p><p>5</p></div>", False),
        ("<p>By line</p><figure><img src=i.png><figcaption>By a reader</figcaption></figure>", True),
        ("<p>By line</p><div><img src=i.png></div><p>Share</p>", False),
    ],
)
def test_an_image_in_a_box_whose_words_were_left_out_goes_with_them(box: str, shown: bool) -> None:
    page = Page.from_text(f"<p>a</p>{box}<p>b</p>", url="https://example.org/")
    content = PageContent(page, (0, len(page.blocks) - 1))
    assert ("i.png" in content.html()) is shown


def test_a_copy_holds_the_renderings_and_not_the_page() -> None:
    content = content_of("<h1>a</h1><p>b</p>")
    for twin in (copy.deepcopy(content), pickle.loads(pickle.dumps(content))):
        assert twin == Rendered("a\n\nb", "# a\n\nb", "<h1>a</h1>\n<p>b</p>", ())


def test_options_leave_out_links_and_images() -> None:
    page = Page.from_text("<p><a href=https://b.example/>a</a> <img src=https://b.example/i.png></p>")
    content = PageContent(page, (0,), TextOptions(links=False, images=False))
    assert content.html() == "<p>a</p>"


def test_an_image_at_the_end_of_the_content_is_shown_and_one_below_it_is_not() -> None:
    html = (
        "<div><article><p>a a a</p><p>b b b</p><figure><img src=end.png><figcaption>c</figcaption></figure></article>"
    )
    page = Page.from_text(f"{html}<img src=below.png></div><p>foot</p>", url="https://example.org/")
    content = PageContent(page, (0, 1))
    assert content.html().endswith('<figure>\n<img src="https://example.org/end.png" alt=""></figure>')
    assert "below.png" not in content.html()
