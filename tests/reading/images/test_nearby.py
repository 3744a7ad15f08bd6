"""Which images belong to the text: by place, by size, by the page's own word."""

from __future__ import annotations

from scythe.page import Page
from scythe.reading.images.image_methods import mark_chosen, mark_relevant

HTML = """<meta property=og:image content=https://example.org/og.jpg>
<header><img src=/logo.png>Home</header>
<div><img src=/lead.jpg><p>first</p><p>second <img src=/inline.png> words</p>
<div><img src=/share.png width=24 height=24></div><p>third</p></div>
<footer>Imprint <img src=/badge.png></footer><img src=/og.jpg>"""


def scores(kept: tuple[int, ...]) -> dict[str, float]:
    page = Page.from_text(HTML, url="https://example.org/")
    return {image.src.rpartition("/")[2]: image.score for image in mark_relevant(page, kept)}


def test_images_score_by_their_place_among_the_kept_blocks() -> None:
    found = scores((1, 2, 3))
    assert found["inline.png"] > found["lead.jpg"] >= 0.5
    assert found["logo.png"] == found["badge.png"] == 0.0
    assert 0.0 < found["share.png"] < 0.5
    assert found["og.jpg"] >= 0.5


def test_without_kept_blocks_only_the_declared_image_scores() -> None:
    assert {name for name, score in scores(()).items() if score} == {"og.jpg"}


def test_relevant_is_a_score_of_one_half_or_more() -> None:
    page = Page.from_text(HTML, url="https://example.org/")
    images = mark_relevant(page, (1, 2, 3))
    assert all(image.relevant == (image.score >= 0.5) for image in images)
    assert len(images) == len(page.images) == 6


def test_a_method_that_chose_images_itself_is_obeyed() -> None:
    page = Page.from_text(HTML, url="https://example.org/")
    marked = mark_chosen(page, (), chosen=(0,))
    assert [image.src for image in marked if image.relevant] == ["https://example.org/logo.png"]


def test_a_page_without_images_has_none() -> None:
    assert mark_relevant(Page.from_text("<p>x"), (0,)) == ()
