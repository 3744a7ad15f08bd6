"""Image areas that are cut from bytes hold the images that the same areas have on the tree, or it is doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.image_pages import figure, hero, judged, own_images, story, text_rules, url_of

from scythe.limits import LIMITS
from scythe.model import Image
from scythe.page.source import read_source
from scythe.site.cut.cut_images import AreaCutter, CutAreas, outermost
from scythe.site.cut.cut_lists import parse_parts
from scythe.site.follow.follow_images import AreaReader
from scythe.site.learn.learn_images import learn_areas
from scythe.site.rules import ImageRules, Layout
from scythe.url import absolute

BODIES = [story(number) for number in range(8)]
TEXT = text_rules(BODIES)
AREAS = learn_areas([judged(body, number) for number, body in enumerate(BODIES)], None).rules
CUTTER = AreaCutter(Layout("stories", (), images=AREAS))


def images_of(body: bytes, cutter: AreaCutter = CUTTER) -> tuple[Image, ...] | None:
    found = cutter.find(body, None)
    assert found.state == "cut", found
    return cutter.read(body, found, absolute(url_of(20)))[0]


def relevant(body: bytes) -> list[str]:
    return [image.src for image in images_of(body) or () if image.relevant]


@pytest.mark.parametrize("number", [20, 21, 22, 23])
def test_pictures_are_cut_however_they_are_written(number: int) -> None:
    assert relevant(story(number)) == own_images(number)


def test_captions_sizes_and_sources_come_with_the_image() -> None:
    lead = (images_of(story(22)) or ())[0]
    small, large = (f"https://post.example/img/lead-22{size}.jpg" for size in ("-300", ""))
    assert (lead.caption, lead.alt) == ("Mowers in lead-22", "Mowers")
    assert set(lead.sources) == {small, large}
    first = (images_of(story(20)) or ())[0]
    assert (first.width, first.height) == (1200, 800)


def test_a_score_says_how_images_of_the_kind_were_judged() -> None:
    assert all(0.7 < image.score <= 0.95 for image in images_of(story(20)) or ())


def test_addresses_are_relative_to_the_base_of_the_page() -> None:
    page = story(20, head='<base href="https://cdn.example/a/">', lead=hero(20).replace('"/img', '"img'))
    assert (images_of(page) or ())[0].src == "https://cdn.example/a/img/lead-20.jpg"


def test_a_tag_in_a_comment_is_no_area() -> None:
    page = story(20, lead=f"<!-- {hero(1)} -->{hero(20)}")
    assert relevant(page) == own_images(20)


@pytest.mark.parametrize("left_open", ["<p><b>left open</p>", "<p><a href=/x>left open</p>"])
def test_what_is_left_open_around_an_area_is_doubt(left_open: str) -> None:
    page = story(20, lead=f"{left_open}{hero(20)}")
    assert CUTTER.find(page, None) == CutAreas("doubt", why="overlapping formatting")


def test_an_area_that_nearly_all_pages_have_is_missed() -> None:
    found = CUTTER.find(story(20, lead=""), None)
    assert (found.state, found.areas) in (("strange", ()), ("doubt", ()))
    assert "area" in found.why or "rule" in found.why


def test_an_area_that_some_pages_lack_is_not_missed() -> None:
    bodies = [story(number, lead=hero(number) if number % 2 else "") for number in range(8)]
    rules = learn_areas([judged(body, number) for number, body in enumerate(bodies)], None).rules
    cutter = AreaCutter(Layout("stories", (), images=rules))
    assert [image.src for image in images_of(story(20, lead=""), cutter) or ()] == own_images(20)[1:]


def test_the_area_of_the_text_is_where_the_text_was_cut() -> None:
    rules = learn_areas([judged(body, number) for number, body in enumerate(BODIES)], TEXT).rules
    cutter = AreaCutter(Layout("stories", (TEXT,), images=rules))
    body = story(20)
    start = body.index(b'<div class="text">')
    found = cutter.find(body, (start, body.index(b"</div>", start) + 6))
    assert [image.src for image in cutter.read(body, found, absolute(url_of(20)))[0] or ()] == own_images(20)
    assert cutter.find(body, None) == CutAreas("strange", why="area 1: the text was not cut")


def test_an_area_without_an_image_is_none() -> None:
    page = story(20, lead='<div class="hero"><figure class="big">No picture today</figure></div>')
    assert CUTTER.find(page, None) == CutAreas("strange", why="area 1: it holds no image")


@pytest.mark.parametrize(("usual", "expected"), [(900, [0.9]), (100, [0.1]), (500, None)])
def test_an_unknown_kind_of_image_is_judged_like_its_area_or_not_at_all(
    usual: int, expected: list[float] | None
) -> None:
    rules = ImageRules(tuple(replace(area, score=usual) for area in AREAS.areas), pages=8, present=8)
    node = read_source(story(20)).tree.css_first("figure")
    assert node is not None
    images = AreaReader(rules).read(node, 0, url_of(20))
    assert (images and [image.score for image in images]) == expected


def test_pages_in_another_encoding_are_read_in_it() -> None:
    bodies = [body.replace(b"utf-8", b"iso-8859-1").replace(b"Mowers in", b"M\xe4her in") for body in BODIES]
    rules = learn_areas([judged(body, number) for number, body in enumerate(bodies)], None).rules
    cutter = AreaCutter(Layout("stories", (), encodings=("cp1252",), images=rules))
    page = story(20).replace(b"utf-8", b"iso-8859-1").replace(b"Mowers in", b"M\xe4her in")
    assert (images_of(page, cutter) or ())[0].caption == "Mäher in lead-20"


def test_thousands_of_images_are_read_in_a_moment() -> None:
    rules = learn_areas([judged(body, number) for number, body in enumerate(BODIES)], TEXT).rules
    cutter = AreaCutter(Layout("stories", (TEXT,), images=rules))
    page = story(20, inside="".join(figure(f"gallery-{i}", i % 4) for i in range(3_000)))
    start = page.index(b'<div class="text">')
    found = cutter.find(page, (start, page.index(b"</div>", start) + 6))
    assert len(cutter.read(page, found, absolute(url_of(20)))[0] or ()) == 3_002


def test_areas_inside_another_are_part_of_it() -> None:
    assert outermost([(0, (5, 9)), (1, (2, 20)), (2, (20, 30)), (3, (20, 25))]) == ((1, (2, 20)), (2, (20, 30)))


def test_a_page_without_any_area_is_strange() -> None:
    some = replace(AREAS, areas=tuple(replace(area, present=1) for area in AREAS.areas))
    found = AreaCutter(Layout("stories", (), images=some)).find(b"<p>Nothing to see.</p>", None)
    assert (found.state, found.why) == ("strange", "no area is there")


def test_bytes_that_no_learned_encoding_explains_are_doubt() -> None:
    cutter = AreaCutter(Layout("stories", (), images=AREAS, encodings=("cp1252",)))
    body = story(20).replace(b"Mowers", b"M\x81wers")
    assert cutter.find(story(20), None).state == "cut"
    found = cutter.find(body, None)
    assert (found.state, found.why) == ("doubt", "its encoding is not certain")


def test_a_part_of_which_parsing_takes_something_away_is_not_read() -> None:
    many = b" ".join(b"a%d=1" % number for number in range(2_000))
    assert parse_parts([b"<figure " + many + b">x</figure>"], None) is None


def test_parts_that_are_too_long_together_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.site.cut.cut_lists.LIMITS", replace(LIMITS, body_bytes=100))
    assert parse_parts([b"<p>" + b"a" * 99 + b"</p>"], None) is None
    assert parse_parts([b"<p>a</p>"], None) is not None
