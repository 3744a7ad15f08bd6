import json

import pytest

from scythe.errors import BadInput
from scythe.site.site import Site


def shop(number: int, *, extra: str = "", price: str = "price", pad: int = 0) -> tuple[str, bytes]:
    page = f"""<html><head><title>Tool {number} | Shop</title></head><body>
<div class="nav">{"x" * pad}<a href="/">Home</a></div>
<div class="item" id="i"><h1>Tool {number}</h1><b class="{price}" data-sum="{number}.50">$ {number}.50</b>{extra}
<div class="text"><p>Made of ash wood, number {number}.</p></div></div></body></html>"""
    return f"https://shop.example/{number}", page.encode()


PAGES = [shop(number) for number in range(8)]


def test_a_rule_gives_its_field_on_pages_never_seen() -> None:
    site = Site.learn(
        PAGES, rules={"price": '<b class="price">', "sum": "css:.item > b::attr(data-sum)", "name": "//h1"}
    )
    url, body = shop(70)
    fields = site.extract(body, url).fields
    assert {name: field.values for name, field in fields.items()} == {
        "price": ("$ 70.50",),
        "sum": ("70.50",),
        "name": ("Tool 70",),
    }
    assert {field.how for field in fields.values()} == {"cut: rule"}
    start, end = fields["price"].span or (0, 0)
    assert body[start:end] == b'<b class="price" data-sum="70.50">$ 70.50</b>'


def test_rules_examples_and_what_is_learned_by_itself_mix() -> None:
    examples = [{"made": f"Made of ash wood, number {number}."} for number in range(3)] + [None] * 5
    site = Site.learn(PAGES, examples, rules={"price": "<b class=price>"}, fields=["title"])
    fields = site.extract(shop(70)[1]).fields
    assert {name: field.values for name, field in fields.items()} == {
        "price": ("$ 70.50",),
        "made": ("Made of ash wood, number 70.",),
        "title": ("Tool 70",),
    }


def test_an_example_helps_where_the_rule_of_the_same_field_finds_nothing() -> None:
    pages = [shop(number, price="price" if number % 2 else "cost") for number in range(8)]
    examples = [{"price": f"$ {number}.50"} if number in (0, 2, 4) else None for number in range(8)]
    site = Site.learn(pages, examples, rules={"price": '<b class="price">'})
    assert site.extract(shop(71)[1]).fields["price"].how == "cut: rule"
    assert site.extract(shop(70, price="cost")[1]).fields["price"].values == ("$ 70.50",)


def test_several_elements_are_all_taken_unless_told_otherwise() -> None:
    pages = [shop(number, extra="<i>oak</i><i>ash</i>") for number in range(4)]
    at = pages[0][1].index(b"<i>ash")
    wanted = {"all": "<i>", "one": "<i>;repetition=no", "second": f"<i>;repetition=no;position={at}"}
    site = Site.learn(pages, rules=wanted)
    fields = site.extract(pages[0][1]).fields
    assert fields["all"].values == ("oak", "ash")
    assert fields["one"].values == ("oak",)
    assert fields["second"].values == ("ash",)  # the search begins behind the first
    assert site.notes[0] == (
        "rule of all: matches several elements on 4 of 4 pages, 2 on https://shop.example/0: "
        "all are taken; ;repetition=no takes the first"
    )
    assert "the first is taken" in site.notes[1]


def test_a_rule_without_any_page_is_told_with_an_example() -> None:
    site = Site.learn(PAGES, rules={"price": "<b class=cost>", "name": "//h1"})
    assert site.notes == ("rule of price: matches none of 8 pages, such as https://shop.example/0",)
    assert site.extract(PAGES[0][1]).fields["price"].how == "missing: no element has the rule"


def test_a_selector_beyond_the_map_is_followed_on_the_tree_and_says_so() -> None:
    site = Site.learn(PAGES, rules={"price": "css:.item:has(h1) > b"})
    field = site.extract(shop(70)[1]).fields["price"]
    assert (field.values, field.how, field.span) == (("$ 70.50",), "tree: rule", None)
    assert "cannot be cut" in site.notes[0]


def test_a_rule_for_the_text_gives_a_document_with_that_text() -> None:
    site = Site.learn(PAGES, rules={"text": '<div class="text">', "date": "//h1"})
    document = site.extract(shop(70)[1])
    assert document.text == "Made of ash wood, number 70."
    assert document.markdown.strip() == document.text


def test_the_table_holds_what_was_told_and_what_was_seen() -> None:
    site = Site.learn(PAGES, rules={"price": "<b class=price>;inner=3"}, fields=["title"])
    rows = {row.field: row for row in Site.from_json(site.to_json()).rules}
    price, title = rows["price"], rows["title"]
    assert price.told == ("rule", "inner")
    assert price.inner_tag_count == 3
    assert (price.repetition, price.pages, price.held) == (False, 8, 8)
    assert price.starting_position == PAGES[0][1].index(b"<b class")
    assert (title.rule, title.layout, title.held) == ("<h1>", "layout-1", 8)


def test_positions_follow_a_site_that_moves() -> None:
    site = Site.learn(PAGES, rules={"price": "<b class=price>"})
    before = site.rules[0]
    for number in range(60):
        url, body = shop(number, pad=5_000)
        site.extract(body, url)
    after = Site.from_json(site.to_json()).rules[0]
    assert after.starting_position == (before.starting_position or 0) + 5_002  # numbers of two digits
    assert (after.inner_tag_count, after.repetition, after.pages) == (1, False, 68)


def test_hints_go_on_from_a_saved_profile() -> None:
    site = Site.learn(PAGES, rules={"price": "<b class=price>"})
    again = Site.from_json(site.to_json())
    for number in range(2):
        for one in (site, again):
            one.extract(shop(number)[1], None)
    assert again.to_json() == site.to_json()
    assert again.rules[0].inner_tag_count == 1  # ten pages agree


def test_drift_tells_of_a_rule_that_stopped_matching() -> None:
    site = Site.learn(PAGES, rules={"price": "<b class=price>"})
    for number in range(12):
        url, body = shop(number + 100, price="cost")
        site.extract(body, url)
    assert [(event.what, event.field) for event in site.drift.events] == [("missing", "price")]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"price": "b"}, "rule of price: 'b': expected an opening tag"),
        ({"price": 3}, "rules are texts"),
        ({"images": "<img>"}, "other than images"),
        ({"price": "<b>;repetition=maybe"}, "repetition=maybe: expected yes or no"),
        ({"price": "<b>;position=far"}, "position=far: expected a whole number"),
        ({"price": "<b>;inner=0"}, "inner_tag_count: expected -1 or a number from 1 on"),
        ({" ": "<b>"}, "expected the name of a field"),
    ],
)
def test_wrong_rules_are_refused(rules: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Site.learn(PAGES, rules=rules)


def test_the_file_has_a_row_for_every_field_of_every_layout() -> None:
    site = Site.learn(PAGES)
    rows = json.loads(site.to_json())["rules"]
    assert {row["field"] for row in rows} == {"text", "title"}
    assert all(row["rule"].startswith("<") and row["layout"] == "layout-1" for row in rows)


def test_positions_of_learned_fields_follow_a_site_that_moves() -> None:
    site = Site.learn(PAGES, fields=["title"])
    for number in range(60):
        site.extract(shop(number, pad=5_000)[1], None)
    row = Site.from_json(site.to_json()).rules[0]
    assert row.field == "title"
    assert abs((row.starting_position or 0) - shop(10, pad=5_000)[1].index(b"<h1>")) <= 1  # numbers of one digit
