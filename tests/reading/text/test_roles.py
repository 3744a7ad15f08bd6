"""Roles: which blocks are title, caption, comment or table."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.text.roles import roles


def roles_of(html: str) -> dict[str, str]:
    page = Page.from_text(html)
    return dict(zip(page.blocks.text, roles(page), strict=True))


@pytest.mark.parametrize(
    ("html", "role"),
    [
        ("<p>x</p>", ""),
        ("<figure><figcaption>x</figcaption></figure>", "caption"),
        ("<figure><figcaption><p>x</p></figcaption></figure>", "caption"),
        ("<div class='wp-caption-text caption'>x</div>", "caption"),
        ("<table><caption>x</caption><tr><td>a<td>b</table>", "caption"),
        ("<table><tr><td>x<td>b<tr><td>c<td>d</table>", "table"),
        ("<table><tr><td>x</table>", ""),
        ("<div id=comments><p>x</p></div>", "comment"),
        ("<div id=disqus_thread><p>x</p></div>", "comment"),
        ("<ol class=commentlist><li><table><tr><td>x<td>y</table></ol>", "comment"),
        ("<section class='user-reviews reviews'><p>x</p></section>", "comment"),
        ("<body class='comments-open'><p>x</p>", ""),
        ("<article class='has-comments'><p>x</p></article>", ""),
        ("<div class=commented-out><p>x</p></div>", ""),
    ],
)
def test_a_block_has_the_role_of_the_box_around_it(html: str, role: str) -> None:
    assert roles_of(html)["x"] == role


def test_the_heading_that_repeats_the_title_is_the_title() -> None:
    page = "<title>Rye, at last! | Farm</title><h2>rye \u2013 at last</h2><p>a</p><p>b</p><h1>Farm</h1><p>c</p>"
    assert roles_of(page) == {"rye \u2013 at last": "title", "a": "", "b": "", "Farm": "", "c": ""}


def test_a_single_h1_near_the_top_is_the_title_where_none_repeats_it() -> None:
    assert roles_of("<title>Farm</title><h1>Rye</h1><p>a</p><p>b</p>")["Rye"] == "title"
    assert roles_of("<title>Farm</title><p>a</p><p>b</p><p>c</p><h1>Rye</h1>")["Rye"] == ""
    assert roles_of("<title>Farm</title><h1>Rye</h1><h1>Oats</h1><p>a</p><p>b</p>")["Rye"] == ""
