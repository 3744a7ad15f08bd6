"""A learned site keeps its searches up to date by itself."""

from __future__ import annotations

from scythe.site.site import Site


def page(filler: int, number: int) -> bytes:
    body = f'<p>menu</p>{"<i>x</i>" * filler}<div id="head{number}"><h1 class="t">Title number {number}</h1></div>'
    return f"<html><body>{body}<p>Text of page {number}</p></body></html>".encode()


def test_positions_follow_the_pages_of_the_site() -> None:
    pages = [(None, page(3_000, number)) for number in range(6)]
    site = Site.learn(pages, [{"title": [f"Title number {number}"]} for number in range(6)])
    before = site.profile.layouts[0].fields[0].ways[0].rules[0].position
    for number in range(140):
        assert site.extract(page(1_000, number)).fields["title"].values == (f"Title number {number}",)
    after = site.profile.layouts[0].fields[0].ways[0].rules[0].position
    assert 0 < after < page(1_000, 0).index(b"<h1") < before
    assert site.extract(page(1_000, 999)).fields["title"].how.startswith("cut")
