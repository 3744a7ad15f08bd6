"""Laws of layouts: whatever the pages, groups divide them and marks stand on them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.page import Page
from scythe.site.cut.cutter import Dispatcher
from scythe.site.learn.layout_marks import choose_marks
from scythe.site.learn.layouts import cluster_urls, group_pages
from scythe.site.rules import Layout
from scythe.url import url_shape

PIECES = st.sampled_from(
    [
        b"<div class='a b-1'>",
        b'<p id="x_2">',
        b"</div>",
        b"<!-- c -->",
        b"<A HREF=/q>",
        b"<",
        b'="',
        b"text ",
        b"\xff\x00",
    ]
)
BODIES = st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=40).map(b"".join))


@given(st.lists(BODIES, max_size=12), st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_pages_are_divided_into_layouts_that_have_their_marks(bodies: list[bytes], url: str) -> None:
    groups = group_pages([Page.from_bytes(body, url=url) for body in bodies])
    assert sorted(at for group in groups for at in group) == list(range(len(bodies)))
    by_layout = [[bodies[at] for at in group] for group in groups]
    marks = choose_marks(by_layout)
    assert len(marks) == len(groups)
    for own, members in zip(marks, by_layout, strict=True):
        assert all(sum(mark in body for body in members) >= 0.9 * len(members) for mark in own)
    dispatcher = Dispatcher([Layout("any", (), own, pages=1) for own in marks])
    assert all(dispatcher.pick(body, url) in (None, *range(len(groups))) for body in bodies)


@given(st.lists(st.text(max_size=60), max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_addresses_have_shapes_and_clusters(urls: list[str]) -> None:
    labels = cluster_urls(urls)
    assert len(labels) == len(urls)
    assert set(labels) <= {-1, *range(len(urls))}
    assert all(isinstance(url_shape(url), str) for url in urls)
