"""What two versions of a profile differ in, in words, one difference at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe.model import LabelledPage, PageImages, SiteImages
from scythe.site.rules import ELEMENT, FieldRules, ImageArea, ImageRules, Layout, ListRules, Profile, Rule, Way
from scythe.web.health.health import ProfileChange, compare_profiles, summarise

PRICE = FieldRules("price", (Way(ELEMENT, (Rule("tag", b'<b class="price">'), Rule("before", b"<i>", 3))),))
NAME = FieldRules("name", ())
THINGS = Layout("things", (PRICE, NAME), pages=4)
SHOP = Profile((THINGS,), ("price", "name"))
[WAY] = PRICE.ways


def told(new: Layout, old: Layout = THINGS) -> list[str]:
    """Return what is said of a layout that became another; each must be told of that layout."""
    changes = compare_profiles(replace(SHOP, layouts=(old,)), replace(SHOP, layouts=(new,)))
    assert {(one.kind, one.layout) for one in changes} <= {("changed", "things")}
    return [one.says for one in changes]


def with_price(*ways: Way) -> Layout:
    return replace(THINGS, fields=(FieldRules("price", ways), NAME))


@pytest.mark.parametrize(
    ("new", "change"),
    [
        (
            replace(SHOP, fields=("price", "name", "maker", "size")),
            ProfileChange("added", "", "maker, size is looked for"),
        ),
        (replace(SHOP, fields=("price",)), ProfileChange("dropped", "", "name is no longer looked for")),
        (replace(SHOP, named=("price",)), ProfileChange("changed", "", "price was shown by example")),
        (
            replace(SHOP, images=SiteImages(labelled=(LabelledPage(PageImages("https://a.example/"), ()),))),
            ProfileChange("changed", "", "images of 1 pages are labelled, 0 before"),
        ),
        (
            replace(SHOP, images=SiteImages(method="forest")),
            ProfileChange("changed", "", "images are judged by forest, by relevance before"),
        ),
        (replace(SHOP, layouts=()), ProfileChange("dropped", "things", "had been learned from 4 pages: price, name")),
    ],
)
def test_what_changed_of_a_whole_site_is_told(new: Profile, change: ProfileChange) -> None:
    assert compare_profiles(SHOP, new) == [change]


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (with_price(), ["price: 0 ways to it, 1 before; 0 rules, 2 before"]),
        (with_price(WAY, WAY), ["price: 2 ways to it, 1 before; 4 rules, 2 before"]),
        (
            with_price(replace(WAY, rules=(Rule("tag", b"<em>"), WAY.rules[1]))),
            ['price: opens with <em> instead of <b class="price">'],
        ),
        (
            with_price(replace(WAY, rules=())),
            ['price: opens with nothing instead of <b class="price">; 0 rules, 2 before'],
        ),
        (with_price(replace(WAY, rules=WAY.rules[:1])), ["price: 1 rules, 2 before"]),
        (with_price(replace(WAY, end=b"</b>")), ["price: another end marker"]),
        (with_price(replace(WAY, needed=1)), ["price: rules with other anchors or bounds"]),
        (
            replace(THINGS, fields=(*THINGS.fields, FieldRules("maker", (WAY,)), FieldRules("size", ()))),
            ['maker is new: it opens with <b class="price">', "size is new: it is known of, without a rule"],
        ),
        (replace(THINGS, encodings=("utf-8", "cp1252")), ["pages in cp1252, too"]),
        (
            replace(THINGS, lists=(ListRules((b"<li",), ()),)),
            ["rules for 1 lists of records, 0 before"],
        ),
        (
            replace(THINGS, images=ImageRules((ImageArea(path=("div", "body")),))),
            ["1 areas with images, 0 before"],
        ),
    ],
)
def test_what_changed_of_a_layout_is_told(new: Layout, says: list[str]) -> None:
    assert told(new) == says


def test_a_field_that_had_no_rule_opens_with_one_now() -> None:
    learned = replace(THINGS, fields=(PRICE, FieldRules("name", (replace(WAY, rules=WAY.rules[:1]),))))
    assert told(learned) == ['name: 1 ways to it, 0 before; opens with <b class="price">; 1 rules, 0 before']


def test_of_a_long_tag_the_beginning_is_shown() -> None:
    way = replace(WAY, rules=(Rule("tag", b"<b " + b"x" * 100 + b">"), WAY.rules[1]))
    [said] = told(with_price(way))
    assert said == f'price: opens with <b {"x" * 57}\u2026 instead of <b class="price">'


def test_many_layouts_are_summed_up_in_a_line() -> None:
    layouts = tuple(replace(THINGS, name=f"kind-{number}") for number in range(6))
    many = replace(SHOP, layouts=layouts)
    changed = replace(many, layouts=tuple(replace(layout, fields=(PRICE,)) for layout in layouts))
    assert (
        summarise(compare_profiles(replace(SHOP, layouts=()), many))
        == "kind-0, kind-1, kind-2, kind-3 and others added"
    )
    assert summarise(compare_profiles(many, changed)) == "kind-0, kind-1, kind-2, kind-3 and others changed"
    assert (
        summarise(compare_profiles(SHOP, replace(SHOP, layouts=(), named=("price",))))
        == "things dropped; the site changed"
    )
