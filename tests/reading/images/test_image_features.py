"""What the numbers that describe images say."""

from __future__ import annotations

import numpy as np
import pytest

from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page.image_context import signature
from scythe.reading.images.image_features import (
    SiteImageCounts,
    feature_names,
    image_features,
    is_nothing,
    read_address,
    site_counts,
)

BODY = ("body.single",)
ARTICLE = ("div.entry-content", "article#post-7.post", "main", *BODY)


def image(tag: str = "<img>", path: tuple[str, ...] = ARTICLE, **said: object) -> ImageContext:
    given: dict = {"src": "https://field.example/a.jpg", **said}
    return ImageContext(tags=("", "", tag), path=path, **given)


def described(page: PageImages, counts: SiteImageCounts | None = None) -> list[dict[str, float]]:
    return [dict(zip(feature_names(), row.tolist(), strict=True)) for row in image_features(page, counts)]


def test_every_column_has_a_name_of_its_own():
    assert len(set(feature_names())) == len(feature_names()) == image_features(PageImages(images=(image(),))).shape[1]


def test_a_page_without_images_has_no_rows():
    assert image_features(PageImages()).shape == (0, len(feature_names()))


@pytest.mark.parametrize(
    ("address", "size"),
    [
        ("https://a.example/uploads/hay-300x200.jpg", (300, 200)),
        ("https://a.example/hay.jpg?w=640&h=360", (640, 360)),
        ("https://a.example/upload/w_800,h_600,c_fill/hay.jpg", (800, 600)),
        ("https://a.example/images/width-1200/hay.jpg", (1200, -1)),
        ("https://a.example/hay.jpg?resize=760,444", (760, 444)),
        ("https://a.example/0x1920ab/hay.jpg", (-1, -1)),
        ("https://a.example/2023/hay.jpg", (-1, -1)),
    ],
)
def test_the_size_that_an_address_asks_for_is_read(address, size):
    read = read_address(address)
    assert (read.width, read.height) == size


def test_sizes_and_services_do_not_change_the_name_of_a_file():
    names = {
        read_address(address).file
        for address in (
            "https://a.example/2024/Hay%20cart-300x200.jpg",
            "https://a.example/2024/hay cart.jpg",
            "https://cdn.example/resize:fill:940/plain/https%3A%2F%2Fa.example%2F2024%2Fhay%20cart.jpg",
        )
    }
    assert names == {"hay cart.jpg"}


def test_what_repeats_on_a_site_is_known_only_from_two_pages_on():
    logo = image(src="/logo.png")
    site = SiteImages(pages=10, sources=(("/logo.png", 9),), signatures=((signature(logo), 8, 16),))
    told = described(PageImages(images=(logo, image(src="/new.jpg"))), site_counts(site))
    assert [row["source share"] for row in told] == pytest.approx([0.9, 0.1])
    assert (told[0]["signature pages"], told[0]["signature uses"]) == (8, 2)
    assert described(PageImages(images=(logo,)), site_counts(SiteImages(pages=1)))[0]["source share"] == -1


def test_posts_of_a_list_are_counted():
    paths = [("p", f"div#post-{n}.post", "main", *BODY) for n in (1, 1, 2)]
    told = described(PageImages(images=tuple(image(path=path) for path in paths)))
    assert [(row["posts"], row["images of post"]) for row in told] == [(2, 2), (2, 2), (2, 1)]


def test_trackers_and_placeholders_show_nothing():
    shown = [image('<img width="1" height="1">'), image(src="data:image/gif;base64,R0"), image('<img width="1">')]
    assert [is_nothing(one) for one in shown] == [True, True, False]


def test_broken_input_gives_finite_numbers():
    odd = [
        image("", (), src=""),
        image("<img width='9999999999999' height='-3' srcset=', ,, 5w' sizes='px'", src="http://[::1"),
        image("<img alt=", src="//%zz%/" + "x" * 9_000, link="http://[", path=("", ".", "#", "body.")),
        ImageContext("data:" + "A" * 100_000, ("", "", "<img src=x")),
    ]
    rows = image_features(PageImages("http://[", "\x00", images=tuple(odd)))
    assert np.isfinite(rows).all()
