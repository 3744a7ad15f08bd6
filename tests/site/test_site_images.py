"""A learned site gives the images of its pages: areas are cut from bytes, with the images that the tree has there."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from tests.image_pages import figure, own_images, story, url_of

from scythe import Document, Site
from scythe.site.learn.learn_images import relearn_images
from scythe.site.rules import ImageRules

PAGES = [(url_of(number), story(number)) for number in range(8)]


@pytest.fixture(scope="module")
def post() -> Site:
    site = Site.learn(PAGES)
    site.annotate({url_of(number): own_images(number) for number in range(8)}, PAGES)
    return site


def extract(site: Site, page: bytes, via: str = "auto") -> Document:
    return site.extract(page, url_of(20), via)  # type: ignore[arg-type]


def without_areas(site: Site, **kept: int) -> Site:
    """Return a site whose layouts have rules for images, but no area."""
    layouts = tuple(replace(layout, images=ImageRules(**kept)) for layout in site.profile.layouts)
    return Site(replace(site.profile, layouts=layouts))


def left_open(page: bytes) -> bytes:
    """Return a page with formatting left open, which the tree builds again further on."""
    return page.replace(b"<main>", b"<p><b>left open</p><main>")


def relevant(document: Document) -> list[str]:
    return [image.src for image in document.images if image.relevant]


def test_images_are_cut_with_the_lead_picture_outside_of_the_text(post: Site) -> None:
    document = extract(post, story(20))
    assert document.how["images"] == "cut: by rules, when asked for"
    assert relevant(document) == own_images(20)
    assert document.how["images"].startswith("cut: ")
    assert document.images[0].caption == "Mowers in lead-20"


def test_the_field_and_how_say_the_same(post: Site) -> None:
    document = extract(post, story(20))
    field = document.fields["images"]
    assert list(field.values) == own_images(20)
    assert field.how == document.how["images"] == document.to_dict()["how"]["images"]  # type: ignore[index]


@pytest.mark.parametrize("number", [20, 21, 22, 23])
def test_cut_and_tree_give_the_same_images(post: Site, number: int) -> None:
    page = story(number)
    by_cut, by_tree = extract(post, page, "cut"), extract(post, page, "tree")
    assert by_cut.images == by_tree.images
    assert by_tree.how["images"].startswith("tree: ")
    assert by_tree.how["images"].endswith(" by rules")


def test_a_page_whose_bytes_do_not_tell_is_read_by_the_same_areas_on_the_tree(post: Site) -> None:
    document = extract(post, left_open(story(20)))
    assert relevant(document) == own_images(20)
    assert document.how["images"].endswith("by rules (overlapping formatting)")


def test_a_page_that_the_areas_do_not_fit_is_read_cold(post: Site) -> None:
    page = story(20).replace(b'<div class="text">', b'<div class="words">').replace(b"<main>", b"<div>")
    document = extract(post, page.replace(b"</main>", b"</div>"))
    assert document.how["images"].startswith("tree: read cold, when asked for") or document.images
    assert {image.src for image in document.images} >= {"https://post.example/logo.svg", *own_images(20)}
    assert document.how["images"].startswith("tree: read cold")


def test_cutting_alone_leaves_doubtful_images_out(post: Site) -> None:
    document = extract(post, left_open(story(20)), "cut")
    assert document.images == ()
    assert document.how["images"] == "missing: overlapping formatting"


def test_a_layout_known_to_have_no_images_is_not_searched(post: Site) -> None:
    document = extract(without_areas(post, pages=8, named=8), story(20))
    assert document.images == ()
    assert document.how["images"] == "cut: no relevant images on the pages learned"


def test_a_page_that_shows_its_own_image_where_none_was_is_read_cold(post: Site) -> None:
    document = extract(without_areas(post, pages=8), story(20))
    assert len(document.images) == 9
    assert document.how["images"] == "tree: read cold (the page shows an image as its own where none was)"


def test_a_layout_whose_images_are_not_known_is_read_cold(post: Site) -> None:
    document = extract(without_areas(post), story(20))
    assert len(document.images) == 9
    assert document.how["images"] == "tree: read cold"


def test_markdown_shows_the_pictures_of_the_text(post: Site) -> None:
    assert "field-20.jpg" in extract(post, story(20)).markdown


def test_a_saved_site_cuts_the_same_images(post: Site, tmp_path: Path) -> None:
    post.save(tmp_path / "post.json")
    loaded = Site.load(tmp_path / "post.json")
    assert loaded.profile == post.profile
    assert extract(loaded, story(20)).images == extract(post, story(20)).images


def test_documents_survive_copies(post: Site) -> None:
    document = extract(post, story(20))
    for other in (copy.deepcopy(document), pickle.loads(pickle.dumps(document)), document.detach()):
        assert other.images == extract(post, story(20)).images


def test_images_that_can_no_longer_be_cut_are_drift(post: Site) -> None:
    site = Site(post.profile)
    for number in range(40, 60):
        assert site.extract(story(number), url_of(number)).images
    assert not site.drift
    for number in range(20, 24):
        assert site.extract(left_open(story(number)), url_of(number)).images
    assert "images" in {event.field for event in site.drift.events}


def test_labels_change_where_images_are_looked_for_and_what_they_are_worth(post: Site) -> None:
    gallery = '<section class="gallery">' + "".join(figure(f"gallery-{i}", 0, "slide") for i in range(4)) + "</section>"
    bodies = [(url_of(number), story(number, end=gallery)) for number in range(30, 34)]
    site = Site(post.profile)
    shown = [f"https://post.example/img/gallery-{i}.jpg" for i in range(4)]
    site.annotate({url: [*own_images(int(url[-2:])), *shown] for url, _ in bodies}, bodies)
    assert set(relevant(site.extract(story(39, end=gallery), url_of(39)))) == {*own_images(39), *shown}


def test_pages_of_no_layout_change_nothing(post: Site) -> None:
    other = b"<html><body><p>Something else</p></body></html>"
    assert relearn_images(post.profile, [("https://post.example/x", other)]) == post.profile


def test_pictures_of_short_texts_are_learned_too() -> None:
    def page(number: int) -> bytes:
        words = (
            f"The mayor opened bridge {number} on Monday. Hundreds of people came to see it, and band {number} played."
        )
        return (
            f"<title>Bridge {number} opened</title><header><a href=/><img src=/logo.png width=120></a></header>"
            f"<article class=story><h1>Bridge {number} opened</h1>"
            f"<figure class=lead><img src=/photo-{number}.jpg></figure>"
            f"<div class=body><p>{words}</p><p>Nobody minded the rain of day {number} much.</p></div></article>"
            f"<aside><a href=/other{number}><img src=/thumb{number}.jpg width=100 height=75></a></aside>"
        ).encode()

    site = Site.learn((f"https://town.example/bridge-{number}", page(number)) for number in range(10))
    doc = site.extract(page(33), url="https://town.example/bridge-33")
    assert [image.src for image in doc.images if image.relevant] == ["https://town.example/photo-33.jpg"]
    assert doc.how["images"] == "cut: 1 area"
