"""What is around the images of a page, one context for each image use."""

from __future__ import annotations

import pytest

from scythe.model import ImageContext, PageImages
from scythe.page import Page
from scythe.page.image_context import PATH_LABELS, VALUE_CHARS, read_image_contexts

URL = "https://example.org/a/b.html"
HTML = """<title>Wheat  prices - Fields</title><meta property=og:image content=https://cdn.example/wheat-1200x630.jpg>
<script type="application/ld+json">{"@type": "Article", "image": "https://cdn.example/ears.jpg"}</script>
<body class=single><header><a href=/ id=home><img class=logo src=/logo.svg></a></header>
<main id=content><p>Ten letters.</p>
<figure class="pic wide"><a href=/big.jpg><picture><source srcset="/wheat.webp 900w"><img src=/wheat.jpg
 alt='a "b"'></picture></a><figcaption>Wheat in June</figcaption></figure>
<p>Ten letters again, and more of them.</p><div><img data-src=/ears.jpg class=lazy src=/blank.gif>
<noscript><img src=/ears.jpg></noscript></div></main><footer>Foot</footer>"""


def contexts(html: str) -> PageImages:
    return read_image_contexts(Page.from_text(html, url=URL))


def test_a_context_says_what_is_around_an_image() -> None:
    page = contexts(HTML)
    assert (page.url, page.title, page.has_meta) == (URL, "Wheat prices - Fields", True)
    logo, wheat, ears = page.images
    assert wheat.tags == ('<a href="/big.jpg">', "<picture>", '<img src="/wheat.jpg" alt="a &quot;b&quot;">')
    assert wheat.path == ("picture", "a", "figure.pic.wide", "main#content", "body.single")
    assert (wheat.link, wheat.caption, wheat.is_figure) == ("/big.jpg", "Wheat in June", True)
    assert (logo.path, logo.link, logo.is_figure) == (("a#home", "header", "body.single"), "/", False)
    assert (ears.link, ears.caption) == (None, "")


def test_images_that_the_page_names_are_known_in_other_sizes() -> None:
    named = [(image.is_lead, image.is_stated) for image in contexts(HTML).images]
    assert named == [(False, False), (True, False), (False, True)]


def test_places_are_shares_of_elements_and_text() -> None:
    page = contexts(HTML)
    assert [round(image.order, 2) for image in page.images] == sorted(round(image.order, 2) for image in page.images)
    before = [image.text_before for image in page.images]
    text = len("Ten letters.Wheat in JuneTen letters again, and more of them.Foot")
    assert page.text_chars == text
    assert before == [0.0, 12 / text, (text - 4) / text]
    assert all(0 < image.order <= 1 for image in page.images)


def test_sources_are_what_a_browser_loads_and_all_else() -> None:
    _, wheat, ears = contexts(HTML).images
    assert wheat.src == "https://example.org/wheat.jpg"
    assert wheat.addresses == ("https://example.org/wheat.webp", "https://example.org/wheat.jpg")
    assert ears.src == "https://example.org/ears.jpg"


def test_contexts_are_one_to_one_with_the_images_of_the_page() -> None:
    page = Page.from_text(HTML + "<img src=/last.jpg><noscript><img src=/alone.jpg></noscript>", url=URL)
    found = read_image_contexts(page).images
    assert [image.addresses for image in found] == [use.image.sources for use in page.images]
    assert found[-1].text_before == 1.0


def test_a_page_without_images_still_says_what_it_is() -> None:
    assert contexts("<title>T</title><p>abc") == PageImages(URL, "T", 3)


def test_a_link_without_address_is_still_a_link() -> None:
    (image,) = contexts("<a><img src=/x.jpg></a>").images
    assert image.link == ""


def test_labels_tags_paths_and_links_are_bounded() -> None:
    html = f"<div id={'i' * 9_000} class='{'c ' * 9_000}'>" + "<div>" * 200
    html += f"<a href={'h' * 9_000}><img src=/x.jpg alt='{'a' * 9_000}'>"
    (image,) = contexts(html).images
    assert len(image.path) == PATH_LABELS
    assert len(image.link or "") < 1_000
    assert sum(map(len, image.tags)) < 3 * VALUE_CHARS
    (image,) = contexts(f"<p id={'i' * 9_000} class='{'c' * 9_000} {'d ' * 9_000}'><img src=/x.jpg>").images
    assert len(image.path[0]) < 200


@pytest.mark.parametrize(
    "html",
    [
        "<frameset><img src=/a.jpg>",
        "<svg><foreignObject><img src=/a.jpg></foreignObject></svg>",
        "<template><img src=/a.jpg></template><head><noscript><img src=/b.jpg></noscript>",
        "<table><img src=/a.jpg><tr><td><img src=/b.jpg>",
    ],
)
def test_odd_pages_have_a_context_for_each_image(html: str) -> None:
    page = Page.from_text(html, url=URL)
    found = read_image_contexts(page).images
    assert len(found) == len(page.images)
    assert all(isinstance(image, ImageContext) and 0 <= image.order <= 1 for image in found)
