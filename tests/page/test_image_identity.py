"""Which image an address is of, whatever its size, crop, mirror or format."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.page.image_context import ImageNames, identity, lead_images, stated_images

URL = "https://example.org/a/b.html"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/2024/05/wheat.jpg", "https://cdn.a.example/2024/05/wheat-300x200.jpg?v=3"),
        ("https://a.example/wheat.jpg", "/i/Wheat.JPG.webp"),
        ("https://a.example/wheat.jpg", "https://r.example/fit/600x0/https%3A%2F%2Fa.example%2Fwheat.jpg"),
        ("https://a.example/wheat.jpg", "/_next/image?url=https%3A%2F%2Fa.example%2Fwheat.jpg&w=640&q=75"),
        ("/_next/image?url=%2Fi%2Fwheat.jpg&w=640", "/_next/image?url=%2Fi%2Fwheat.jpg&w=1080"),
        ("/p/wheat-e1715708581580.png", "/p/wheat-scaled.png"),
        ("/p/640x360_wheat_field.png", "/p/1200x675_wheat_field.png"),
        ("/p/9f3a77c1de_16_9_1200.jpg", "/p/9f3a77c1de_4_3_800.jpg"),
        ("/d/ab940562-13bc/1280x720/match/image.jpg", "/d/ab940562-13bc/640x360/match/image.jpg"),
        ("/img/450/194191.jpg", "https://a.example/img/1100/194191.jpg"),
        ("https://lh.example/22967847ec0a7464=w700", "https://lh.example/22967847ec0a7464=s1200-c"),
        ("/w_1280,c_limit/wheat.jpg", "/16:9/w_600/wheat.jpg"),
        ("/p/wheat@2x.png", "/p/wheat_small.png"),
    ],
)
def test_sizes_crops_and_mirrors_are_one_image(one: str, other: str) -> None:
    assert identity(one) == identity(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/p/wheat.jpg", "/p/barley.jpg"),
        ("/p/12/image.jpg", "/p/13/image.jpg"),
        ("/p/harvest-2023/image.jpg", "/p/harvest-2024/image.jpg"),
        ("/p/dsc-0123.jpg", "/p/dsc-0124.jpg"),
        ("/2023/08/25/15/3_2.png", "/2023/08/25/16/3_2.png"),
        ("/image?id=17", "/image?id=18"),
    ],
)
def test_other_images_are_other_images(one: str, other: str) -> None:
    assert identity(one) != identity(other)


def test_what_names_no_image_has_no_identity() -> None:
    assert [identity(address) for address in ("", "/", "data:image/png;base64,abcdef", "https://a.example/")] == [
        ""
    ] * 4


def test_images_of_the_head_are_those_to_show_for_the_page() -> None:
    page = Page.from_text(
        "<meta property=og:image content=/wheat-1200x630.jpg><meta property=og:image content=/barley.jpg>"
        "<meta name=twitter:image content=' https://cdn.example/oats.jpg '><meta name=og:title content=/hops.jpg>",
        url=URL,
    )
    assert lead_images(page.head) == {"wheat", "barley", "oats"}


def test_linked_data_states_images_in_many_forms() -> None:
    page = Page.from_text(
        """<script type="application/ld+json">{"@graph": [
        {"@type": "NewsArticle", "image": ["https://e.org/barley.jpg", {"@type": "ImageObject", "url": "/wheat.jpg"}],
         "author": {"@type": "Person", "image": "/farmer.jpg"},
         "publisher": {"@type": "Organization", "logo": {"@type": "ImageObject", "url": "/fields-logo.png"}}},
        {"@type": "WebPage", "primaryImageOfPage": {"@id": "#lead"}, "thumbnailUrl": 3},
        {"@type": "ImageObject", "@id": "#lead", "contentUrl": "https://e.org/sickle.jpg"},
        {"@type": "Recipe", "image": [null, 7, ["/deep.jpg"], {"url": {"a": 1}}]}
        ]}</script>""",
        url=URL,
    )
    assert stated_images(page.linked_data) == {"barley", "wheat", "sickle"}


def test_named_images_are_found_among_addresses() -> None:
    named = ImageNames(frozenset({identity("/wheat.jpg"), identity("/p/harvest-2023/image.jpg")}))
    assert named.find(["https://r.example/https%3A%2F%2Fa%2FWheat-80x80.webp"]) == {"wheat"}
    assert named.find(["/q/harvest-2023/image.jpg", "/wheat.png"]) == {"harvest-2023/image", "wheat"}
    assert named.find(["/barley.jpg", "/p/harvest-2024/image.jpg"]) == set()
