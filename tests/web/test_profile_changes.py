"""What two versions of a profile differ in, in words, one difference at a time."""

from dataclasses import replace

import pytest

from scythe.model import LabelledPage, PageImages, SiteImages
from scythe.site.record_rules import LayoutRecords, RecordRules
from scythe.site.rules import FieldRules, Layout, PlaceRule, Profile
from scythe.site.select import Selector
from scythe.web.health.health import ProfileChange, compare_profiles, summarise

B, META = PlaceRule("element", Selector(key=5, name="b.price")), PlaceRule("meta", attribute="name", name="price")
PRICE = FieldRules("price", places=(B, META))
NAME = FieldRules("name", places=(META,))
THINGS = Layout("things", (PRICE, NAME), pages=4)
SHOP = Profile((THINGS,), ("price", "name"))


def told(new: Layout, old: Layout = THINGS) -> list[str]:
    """Return what is said of a layout that became another; each must be told of that layout."""
    changes = compare_profiles(replace(SHOP, layouts=(old,)), replace(SHOP, layouts=(new,)))
    assert {(one.kind, one.layout) for one in changes} <= {("changed", "things")}
    return [one.says for one in changes]


def with_price(*places: PlaceRule) -> Layout:
    return replace(THINGS, fields=(FieldRules("price", places=places), NAME))


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
        (with_price(B), ["price: 1 rules, 2 before"]),
        (with_price(B, B), ["price: other rules behind the first"]),
        (with_price(META), ['price: meta content of <meta name="price"> instead of element the first of b.price']),
        (
            replace(THINGS, fields=(*THINGS.fields, FieldRules("maker", places=(B,)))),
            ["maker is new: element the first of b.price"],
        ),
        (replace(THINGS, fields=(PRICE,)), ["name has no rules any more"]),
        (replace(THINGS, is_settled=True), ["is settled, from 4 pages"]),
        (
            replace(THINGS, records=LayoutRecords((RecordRules(tag="li"),), pages=3)),
            ["rules for 1 lists of records, 0 before"],
        ),
    ],
)
def test_what_changed_of_a_layout_is_told(new: Layout, says: list[str]) -> None:
    assert told(new) == says


def test_of_a_long_rule_the_beginning_is_shown() -> None:
    long = PlaceRule("element", Selector(key=6, name="b." + "x" * 100))
    [said] = told(with_price(long, META))
    assert said == f"price: element the first of b.{'x' * 37}\u2026 instead of element the first of b.price"


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
