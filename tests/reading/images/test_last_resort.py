"""Pages on which the model alone would choose no image."""

from __future__ import annotations

import pytest

import scythe

WORDS = "The mayor opened the new bridge on Monday. Hundreds of people came to see it, and a brass band played. "
HEADER = "<header><a href='/'><img src='/logo.png' alt='Logo' width=120 height=40></a></header>"
ASIDE = "<aside><a href='/other'><img src='/thumb.jpg' width=100 height=75></a></aside>"
FOOTER = "<footer><img src='/badge.gif' width=88 height=31>Copyright</footer>"


def read(inside: str) -> scythe.Document:
    html = f"<title>Bridge opened</title>{HEADER}<article><h1>Bridge opened</h1>{inside}</article>{ASIDE}{FOOTER}"
    return scythe.read(html, url="https://town.example/news/bridge-opened")


@pytest.mark.parametrize("paragraphs", [1, 3, 8])
@pytest.mark.parametrize(
    "image",
    [
        "<img src='/photo.jpg' alt='The bridge'>",
        "<figure><img src='/photo.jpg'><figcaption>The bridge</figcaption></figure>",
        "<img class=lazy src='data:image/gif;base64,R0lGOD' data-src='/photo.jpg'>",
        "<img src='/photo.jpg' width=800 height=600>",
    ],
)
def test_the_picture_in_a_short_text_is_relevant(image: str, paragraphs: int) -> None:
    doc = read(image + f"<p>{WORDS * 2}</p>" * paragraphs)
    assert [picture.src for picture in doc.images if picture.relevant] == ["https://town.example/photo.jpg"]


def test_icons_and_links_in_a_short_text_stay_out() -> None:
    icon = "<img src='/smile.gif' width=16 height=16>"
    link = "<a href='/other-story'><img src='/teaser.jpg' width=120 height=90></a>"
    doc = read(f"<p>{WORDS * 2}</p>{icon}{link}<p>{WORDS}</p>")
    assert [picture.src for picture in doc.images if picture.relevant] == []


def test_without_text_no_image_is_taken_for_its_place() -> None:
    doc = scythe.read("<title>Start</title><img src='/photo.jpg'>", url="https://town.example/")
    assert [picture.relevant for picture in doc.images] == [False]
