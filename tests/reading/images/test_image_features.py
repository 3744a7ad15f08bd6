"""What the numbers that describe images say."""

from __future__ import annotations

import numpy as np
import pytest

from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page.image_context import signature
from scythe.reading.images.image_features import SiteImageCounts, feature_names, image_features, is_nothing, site_counts
from scythe.reading.images.tag_features import FAR, LINKS, read_address, read_link

BODY = ("body.single",)
ARTICLE = ("div.entry-content", "article#post-7.post", "main", *BODY)


def image(tag: str = "<img>", path: tuple[str, ...] = ARTICLE, **said: object) -> ImageContext:
    given: dict = {"src": "https://field.example/a.jpg", **said}
    return ImageContext(tags=("", "", tag), path=path, **given)


def described(page: PageImages, counts: SiteImageCounts | None = None) -> list[dict[str, float]]:
    return [dict(zip(feature_names(), row.tolist(), strict=True)) for row in image_features(page, counts)]


def alone(one: ImageContext, **page: object) -> dict[str, float]:
    return described(PageImages("https://field.example/hay/", images=(one,), **page))[0]


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


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        (None, "none"),
        ("/uploads/hay.JPG", "image"),
        ("#top", "same page"),
        ("https://www.field.example/hay", "same page"),
        ("/", "home"),
        ("javascript:open()", "script"),
        ("/straw/", "other page"),
        ("https://other.example/straw", "other host"),
    ],
)
def test_links_are_told_apart_by_where_they_lead(link, kind):
    assert LINKS[read_link(link, "https://field.example/hay/").kind] == kind


def test_a_role_is_as_far_as_the_nearest_element_that_has_it():
    told = alone(image(path=("span", "div.related", "div.entry-content", *BODY)))
    assert (told["near related"], told["near prose"], told["near comment"]) == (1, 2, FAR)
    assert (told["good"], told["bad"], told["good before bad"]) == (2, 1, -1)


def test_names_of_the_body_are_about_the_page_and_not_about_a_part_of_it():
    told = alone(image(path=("div", "body.single-post.has-sidebar")))
    assert (told["page is post"], told["near side"]) == (1, FAR)


def test_images_are_ranked_by_the_width_they_are_shown_at():
    tags = ('<img width="80">', '<img srcset="a 1200w">', "<img>")
    told = described(PageImages(images=tuple(image(tag) for tag in tags)))
    assert [row["shown rank"] for row in told] == [1, 0, 2]


def test_images_of_the_same_kind_are_counted_with_the_longest_row_of_them():
    cards = tuple(image(path=("a", f"li#card-{n}.card", "ul", *BODY), link=f"/{n}/", order=n / 10) for n in (1, 2, 4))
    told = described(PageImages(images=(*cards[:2], image(order=0.3), cards[2])))
    assert [row["signature count"] for row in told] == [3, 3, 1, 3]
    assert [row["signature run"] for row in told] == [2, 2, 1, 1]
    assert [round(row["signature order span"], 3) for row in told] == [0.3, 0.3, 0, 0.3]


def test_words_of_the_alt_are_compared_with_the_title_without_endings_and_accents():
    told = alone(image('<img alt="Les faucheurs à l\'été">'), title="Le faucheur en ETE")
    assert (told["alt words in title"], told["link words in title"]) == (2, 0)


def test_other_images_are_described_by_how_they_stand_to_the_one_the_page_names():
    lead = image(is_lead=True, order=0.2)
    other = image(path=("aside", *BODY), order=0.7, src="https://ads.example/b.jpg")
    told = described(PageImages(text_chars=100, images=(lead, other)))
    assert [row["shared path with lead"] for row in told] == [4, 1]
    assert told[1]["order from lead"] == pytest.approx(0.5)
    assert [row["leads"] for row in described(PageImages(images=(other,)))] == [0]


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
