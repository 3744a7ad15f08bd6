"""When image areas are cut, strange or in doubt and why; what is cut is what the same rules find on the tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Image
from scythe.page.source import read_source
from scythe.site.cut.cut_images import AreaCutter, CutAreas
from scythe.site.follow.follow_images import UNKNOWN, AreaReader, follow_areas
from scythe.site.rules import FLOW, FieldRules, ImageArea, ImageRules, Layout, Rule, Way
from scythe.url import absolute

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
URL = "https://post.example/story"
SCORES = (("img<div.hero<body", 900), ("img<td.hero<tr", 700), ("img<tr.hero<tbody", 600), ("link img<a", 100))
PICTURE = '<img src="/a.jpg">'
HERO = f'<div class="hero">{PICTURE}</div>'
UNSURE = "not sure of what is in an area"
NOT_FOLLOWED = "the tag may stand in an element that is not followed"


def way(*anchors: str, needed: int = 1) -> Way:
    return Way(FLOW, tuple(Rule("tag", anchor.encode()) for anchor in anchors), needed=needed)


def area(*anchors: str, needed: int = 1, present: int = 10, score: int = 500, name: str = "div.hero") -> ImageArea:
    above = {"td.hero": "tr", "tr.hero": "tbody"}.get(name, "body")
    ways = (way(*anchors, needed=needed),) if anchors else ()
    return ImageArea(ways, (name, above), score, 10, present)


def layout(*areas: ImageArea, encodings: tuple[str, ...] = ("utf-8",), text: str = "<main") -> Layout:
    fields = (FieldRules("title", (way("<h1"),)), FieldRules("text", (way(text),)))
    return Layout("stories", fields, encodings=encodings, images=ImageRules(areas, SCORES, pages=10, present=10))


ONE = layout(area('<div class="hero"'))
TEXT = layout(area(name="main"))


def page(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def span_of(body: bytes, part: str) -> tuple[int, int]:
    start = body.index(part.encode())
    return start, start + len(part.encode())


def find(body: bytes, rules: Layout = ONE, text: tuple[int, int] | None = None) -> CutAreas:
    return AreaCutter(rules).find(body, text)


def by_cut(body: bytes, rules: Layout = ONE, text: tuple[int, int] | None = None) -> tuple[Any, str]:
    cutter = AreaCutter(rules)
    found = cutter.find(body, text)
    assert found.state == "cut", found
    return cutter.read(body, found, absolute(URL))


def by_tree(body: bytes, rules: Layout, text: int | None, base: str = URL) -> list[Image]:
    source, found = read_source(body), []
    areas, why = follow_areas(source, rules.images, text)
    assert not why
    for number, opening in areas:
        own = AreaReader(rules.images).read(opening.node, number, base)
        assert own is not None
        found += own
    return found


# when areas are cut


def test_everything_that_was_cut_is_told() -> None:
    body = page(HERO)
    assert find(body) == ("cut", ((0, span_of(body, HERO)),), "", "", "utf-8")


@pytest.mark.parametrize(
    "body",
    [
        page(HERO),
        page(f"<p>{HERO}<p>"),
        page(f"<div>{HERO}"),
        page(f'{HERO}<div class="hero"><b>left open</div>'),
        page(f'<div class="hero"><p><b>left open</p>{PICTURE}</div>'),
        page(f'<div class="hero"><a href="/x">{PICTURE}</a></div>'),
        page(f'<!-- {"long " * 1_000}<div class="hero"><img src="/no.jpg"></div> -->{HERO}'),
        page('<div class="hero"><amp-img src="/a.jpg"></amp-img></div>'),
        HERO.encode(),
    ],
)
def test_what_is_cut_is_what_the_tree_gives(body: bytes) -> None:
    rules = layout(area('<div class="hero"', score=900))
    found, why = by_cut(body, rules)
    assert why == ""
    assert list(found) == by_tree(body, rules, None)
    assert len(found) == 1


@pytest.mark.parametrize("name", ["td", "th", "tr", "tbody"])
@pytest.mark.parametrize("after", ["", '<name class="hero"><tr><td><b>left open</name>'])
def test_parts_of_tables_are_areas_like_others(name: str, after: str) -> None:
    around = {"tbody": "<table>", "tr": "<table>"}.get(name, "<table><tr>")
    inside = {"tbody": f"<tr><td>{PICTURE}</td></tr>", "tr": f"<td>{PICTURE}</td>"}.get(name, PICTURE)
    body = page(f'<p>words</p>{around}<{name} class="hero">{inside}</{name}>{after.replace("name", name)}</table>')
    rules = layout(area(f'<{name} class="hero"', score=800, name=f"{name}.hero"))
    found, _ = by_cut(body, rules)
    assert list(found) == by_tree(body, rules, None)
    assert [image.src for image in found] == ["https://post.example/a.jpg"]


def test_images_are_known_by_what_is_around_the_area() -> None:
    found, _ = by_cut(page(HERO))
    assert [image.score for image in found] == [0.9]


def test_areas_come_in_page_order_and_those_inside_another_not_at_all() -> None:
    first, second = f'<div class="a">{PICTURE}</div>', '<div class="b"><i><img src="/b.jpg"></i></div>'
    inner = '<i class="c"><img src="/c.jpg"></i>'
    outer = f'<div class="d">{inner}</div>'
    body = page(f"{first}{second}{outer}")
    marks = ['<i class="c"', '<div class="d"', '<div class="b"', '<div class="a"']
    rules = layout(*(area(mark, score=900) for mark in marks))
    cut = find(body, rules)
    assert cut.areas == ((3, span_of(body, first)), (2, span_of(body, second)), (1, span_of(body, outer)))
    assert list(by_cut(body, rules)[0]) == by_tree(body, rules, None)


def test_an_area_at_the_very_start_is_one() -> None:
    assert find(HERO.encode()).areas == ((0, (0, len(HERO))),)


def test_one_element_by_two_rules_is_one_area() -> None:
    rules = layout(area('<div class="hero"'), area("<div"))
    assert [number for number, _ in find(page(HERO), rules).areas] == [0]


# areas that go by the way of the text


def test_the_area_of_the_text_needs_no_image() -> None:
    body = page("<main><p>words</p></main>")
    text = span_of(body, "<main><p>words</p></main>")
    assert find(body, TEXT, text) == CutAreas("cut", ((0, text),))
    assert by_cut(body, TEXT, text) == ((), "")


@pytest.mark.parametrize("words", ["<xmp>words</xmp>", "<!-- <img src=/no.jpg> -->words"])
def test_a_text_without_images_has_none_whatever_else_is_in_it(words: str) -> None:
    part = f"<main>{words}</main>"
    body = page(f"{part}{HERO}")
    rules = layout(area(name="main"), area('<div class="hero"'))
    found, _ = by_cut(body, rules, span_of(body, part))
    assert [image.src for image in found] == ["https://post.example/a.jpg"]


def test_images_of_the_text_are_those_of_the_tree() -> None:
    part = f"<main><p>words {PICTURE}</p><p>more</p></main>"
    body = page(part)
    rules = layout(area(score=900, name="main"))
    found, _ = by_cut(body, rules, span_of(body, part))
    assert list(found) == by_tree(body, rules, span_of(body, part)[0])
    assert len(found) == 1


@pytest.mark.parametrize("present", [10, 1])
def test_without_the_text_its_area_is_missed_though_few_pages_have_it(present: int) -> None:
    rules = layout(area(present=present, name="main"), area('<div class="hero"'))
    assert find(page(HERO), rules) == CutAreas("strange", why="area 1: the text was not cut")


@pytest.mark.parametrize("text", ["<main", "<nothing"])
def test_formatting_left_open_before_the_text_is_doubt(text: str) -> None:
    part = f"<main>{PICTURE}</main>"
    body = page(f"<p><b>left open</p>{part}")
    rules = layout(area(name="main"), text=text)
    assert find(body, rules, span_of(body, part)) == CutAreas("doubt", why="overlapping formatting")


# when there is none


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<p>words</p>", "no anchor on the page"),
        ('<div class="hero">No picture today</div>', "it holds no image"),
        (f'{PICTURE}<div class="hero">No picture today</div>', "it holds no image"),
        (f'<!-- {HERO} --><svg class="hero"></svg>', "no anchor on the page"),
    ],
)
def test_an_expected_area_is_missed(body: str, why: str) -> None:
    found = find(page(body))
    assert found.state == "strange"
    assert found.why in (f"area 1: {why}", "area 1: too few rules agree")
    other = layout(area('<div class="hero"', present=1), area('<i class="two"'))
    assert find(page(f'{body}<i class="two">{PICTURE}</i>'), other).areas[0][0] == 1


def test_an_area_that_no_page_need_have_leaves_nothing_where_it_is_the_only_one() -> None:
    rules = layout(area('<div class="hero"', present=1))
    assert find(page("<p>words</p>"), rules) == CutAreas("strange", why="no area is there")


def test_rules_that_do_not_agree_find_no_area() -> None:
    body = page(f'<div class="other">{PICTURE}</div>{HERO}')
    apart = ('<div class="hero"', '<div class="other"')
    assert find(body, layout(area(*apart, needed=2))).why == "area 1: too few rules agree"
    seldom = layout(area(*apart, needed=2, present=1), area('<div class="hero"'))
    assert [number for number, _ in find(body, seldom).areas] == [1]


# what is in doubt


@pytest.mark.parametrize("present", [10, 1])
def test_an_area_whose_tag_is_not_certain_is_doubt_though_few_pages_have_it(present: int) -> None:
    body = page(f"<svg><p>x</svg>{HERO}")
    assert find(body, layout(area('<div class="hero"', present=present))) == CutAreas("doubt", why=NOT_FOLLOWED)


@pytest.mark.parametrize(
    "base",
    [
        "<BASE href='/a/'><base href='/b/'>",
        "<bASE href='/a/'>",
        "<base href='/\0'>",
    ],
)
def test_a_base_that_is_not_certain_puts_the_areas_in_doubt(base: str) -> None:
    doubt = CutAreas("doubt", why="the base address is not certain")
    assert find(page(HERO, base)) == doubt
    raw = page(HERO, "<meta charset=iso-8859-1><base href='/?'>").replace(b"?", b"\xe9")
    assert find(raw, layout(area('<div class="hero"'), encodings=("cp1252",))) == doubt


@pytest.mark.parametrize("tag", ["base", "BASE", "Base"])
def test_the_first_of_two_bases_is_the_one(tag: str) -> None:
    body = page(HERO.replace("/a.jpg", "a.jpg"), f"<{tag} href='/x/'><{tag} href='/y/'>")
    assert find(body).base == "/x/"
    found, _ = by_cut(body)
    assert list(found) == by_tree(body, ONE, None, "https://post.example/x/")


@pytest.mark.parametrize(
    ("before", "is_certain"),
    [
        ("<p><a href=/x>left open</p>", False),
        ("<p><B>left open</p>", False),
        ("<p><a href=/x>left open</p><!-- </a> -->", False),
        ("<p><a href=/x>left open</p><script>'</a>'</script>", False),
        ("<p><a href=/x>left open</p><title></a></title>", False),
        ("<p><a href=/x>left open</p><hr title='</a>'>", False),
        ("<p><a href=/x>left open<table><tr><td></a></td></tr></table>", False),
        ("<p><a href=/x>left open</p><template></a></template>", False),
        ("<p><b>one<b>two</p></b>", False),
        ("<p><b>left open</p></b>", True),
        ("<p><b>left open</p></B>", True),
        ("<p><b>one<b>two</p></b></b>", True),
        ("</b><p>words</p></b>", True),
        ("<i>x</i> <a href=/x>y</a>", True),
    ],
)
@pytest.mark.parametrize(
    "after", ["", '<div class="hero"><b>left open</div>']
)  # the second leaves it to the page before
def test_formatting_left_open_before_an_area_is_doubt(before: str, is_certain: bool, after: str) -> None:
    body = page(f"{before}{HERO}{after}")
    if is_certain:
        assert list(by_cut(body)[0]) == by_tree(body, ONE, None)
    else:
        assert find(body) == CutAreas("doubt", why="overlapping formatting")


def test_formatting_left_open_matters_however_far_before_and_however_the_area_is_found() -> None:
    rules = replace(ONE.images.areas[0], ways=(Way(FLOW, (Rule("before", b'</p><div class="hero"', skip=4),), 1),))
    for before in ("<p><b>left open</p>", "<p>closed</p>"):
        body = page(f"{before}{'<p>words</p>' * 600}{HERO}<div class='hero'><b>left open</div>")
        state = "doubt" if "<b>" in before else "cut"
        assert [find(body, layout(area)).state for area in (*ONE.images.areas, rules)] == [state, state]


def test_formatting_left_open_matters_for_every_area() -> None:
    body = page(f'<i class="one">{PICTURE}</i><p><b>left open</p>{HERO}')
    rules = layout(area('<i class="one"'), area('<div class="hero"'))
    assert find(body, rules) == CutAreas("doubt", why="overlapping formatting")
    assert find(body.replace(b"<p><b>", b"<p>"), rules).state == "cut"


# encodings


@pytest.mark.parametrize("encodings", [("utf-8",), ("ascii",), ("us-ascii",), ("utf-8", "ascii", "us-ascii")])
def test_pages_in_utf8_need_not_say_so(encodings: tuple[str, ...]) -> None:
    rules = layout(area('<div class="hero"'), encodings=encodings)
    body = page(HERO.replace("src", 'alt="Mäher" src'))
    assert find(body, rules).codec == "utf-8"
    assert find(page(HERO, "<base href='/ä/'>"), rules).base == "/ä/"
    assert [image.alt for image in by_cut(body, rules)[0]] == ["Mäher"]


def test_areas_in_another_encoding_are_read_in_it() -> None:
    rules = layout(area('<div class="hero"'), encodings=("utf-8", "cp1252"))
    hero = HERO.replace("src", 'alt="Mäher" src')
    body = page(hero, "<meta charset=iso-8859-1>").decode().encode("cp1252")
    assert find(body, rules).codec == "cp1252"
    found, _ = by_cut(body, rules)
    assert list(found) == by_tree(body.decode("cp1252").encode(), rules, None)
    assert [image.alt for image in found] == ["Mäher"]
    assert [image.alt for image in by_cut(page(hero, "<meta charset=utf-8>"), rules)[0]] == ["Mäher"]


@pytest.mark.parametrize("head", ["", "<meta charset=koi8-r>"])
def test_an_encoding_that_is_not_certain_matters_only_in_areas(head: str) -> None:
    rules = layout(area('<div class="hero"'), encodings=("cp1252",))
    strange = page(HERO.replace("src", 'alt="M?" src'), head).replace(b"?", b"\xe4")
    assert find(strange, rules) == CutAreas("doubt", why="its encoding is not certain")
    around = page(f"<p>M?</p>{HERO}", head).replace(b"?", b"\xe4")
    assert (find(around, rules).state, find(around, rules).codec) == ("cut", "utf-8")


def test_one_area_in_another_encoding_is_enough_to_need_it() -> None:
    rules = layout(area('<i class="one"'), area('<div class="hero"'), encodings=("cp1252",))
    body = page(f'<i class="one">{PICTURE}</i>{HERO}'.replace("</div>", "?</div>")).replace(b"?", b"\xe4")
    assert find(body, rules) == CutAreas("doubt", why="its encoding is not certain")


# what is read of areas that were found


@pytest.mark.parametrize(
    "inside",
    [
        "<!-- <img src=/no.jpg> -->",
        "<img" + "".join(f" a{i}" for i in range(LIMITS.tag_attributes + 1)) + " src=/a.jpg>",
    ],
    ids=["in a comment", "attributes"],
)
def test_an_area_that_means_something_else_on_its_own_is_doubt(inside: str) -> None:
    assert by_cut(page(f'<div class="hero">{inside}</div>')) == (None, UNSURE)


def test_a_text_that_is_not_certain_has_no_certain_images() -> None:
    part = f"<main><xmp>words</xmp>{PICTURE}</main>"
    assert by_cut(page(part), TEXT, span_of(page(part), part)) == (None, UNSURE)


def test_an_area_that_cannot_stand_alone_is_doubt() -> None:
    body = page(f'<table><caption class="hero">{PICTURE}</caption></table>')
    assert by_cut(body, layout(area('<caption class="hero"'))) == (None, UNSURE)


def test_an_image_of_an_unknown_kind_in_a_mixed_area_is_left_to_others() -> None:
    body = page(f'<div class="hero"><section class="new">{PICTURE}</section></div>')
    assert by_cut(body) == (None, UNKNOWN)
    assert by_cut(body, layout(area('<div class="hero"', score=900)))[0][0].score == 0.9


def test_without_an_address_absolute_ones_are_read() -> None:
    cutter = AreaCutter(ONE)
    body = page(HERO.replace("/a.jpg", "https://cdn.example/a.jpg"))
    assert [image.src for image in cutter.read(body, cutter.find(body, None))[0] or ()] == ["https://cdn.example/a.jpg"]
