"""A profile is edited by hand: right edits are followed, wrong ones refused with the line and what was expected."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from scythe.errors import BadInput
from scythe.site.site import Site

Row = dict[str, Any]
Edit = Callable[[Row], object]


def page(number: int) -> tuple[str, bytes]:
    return f"https://shop.example/{number}", (
        f"<html><head><title>Tool {number} | Shop</title></head><body><div class='item' id='i'><h1>Tool {number}</h1>"
        f"<b class='price'>$ {number}.50</b><b class='old'>$ {number}.90</b><i>oak</i><i>ash</i></div></body></html>"
    ).encode()


@pytest.fixture(scope="module")
def saved() -> str:
    rules = {"price": "<b class='price'>", "wood": "<i>"}
    return Site.learn([page(number) for number in range(6)], rules=rules, fields=["title"]).to_json()


def edited(saved: str, edit: Edit) -> str:
    content = json.loads(saved)
    edit(content)
    return json.dumps(content, indent=1)


def row(content: Row, name: str) -> Row:
    return next(each for each in content["rules"] if each["field"] == name)


RIGHT: list[tuple[Edit, str, tuple[str, ...]]] = [
    (lambda file: row(file, "price").update(rule='<b class="old">'), "price", ("$ 7.90",)),
    (lambda file: row(file, "price").update(rule="css:.item > b:nth-of-type(2)"), "price", ("$ 7.90",)),
    (lambda file: row(file, "price").update(rule="//b[2]"), "price", ("$ 7.90",)),
    (lambda file: row(file, "price").update(rule="#i"), "price", ("Tool 7 $ 7.50$ 7.90oakash",)),
    (lambda file: row(file, "wood").update(repetition=False), "wood", ("oak",)),
    (
        lambda file: row(file, "wood").update(repetition=False, starting_position=page(7)[1].index(b"<i>ash")),
        "wood",
        ("ash",),
    ),
    (lambda file: row(file, "wood").pop("repetition"), "wood", ("oak",)),
    (lambda file: row(file, "price").update(inner_tag_count=-1), "price", ("$ 7.50",)),
    (lambda file: row(file, "price").update(written=""), "price", ("$ 7.50",)),
    (lambda file: row(file, "title").update(rule="//i[2]"), "title", ("ash",)),  # a learned row that is edited is told
    (lambda file: row(file, "title").update(rule="//i[2]", layout=""), "title", ("ash",)),
    (lambda file: file["rules"].append({"field": "extra", "rule": "//i[2]"}), "extra", ()),  # not among the fields
    (lambda file: (file["rules"].append({"field": "x", "rule": "<i>"}), file["fields"].append("x")), "x", ("oak",)),
    (lambda file: file["rules"].remove(row(file, "title")), "title", ("Tool 7",)),  # what is learned stays
    (lambda file: file.pop("rules"), "title", ("Tool 7",)),
    (lambda file: file.pop("health"), "price", ("$ 7.50",)),
]

WRONG: list[tuple[Edit, str, str]] = [
    (lambda file: row(file, "price").update(rule="b.price"), '"rule": "b.price"', "expected an opening tag"),
    (lambda file: row(file, "price").update(rule="css:b["), '"rule": "css:b["', "no selector"),
    (lambda file: row(file, "price").update(rule="//b[count(i)]"), '"rule": "//b', "expected a step"),
    (lambda file: row(file, "price").update(rule=7), '"rule": 7', "Expected `str`, got `int`"),
    (lambda file: row(file, "price").update(repetition="yes"), '"repetition": "yes"', "Expected `bool | null`"),
    (lambda file: row(file, "price").update(starting_position=-1), '"starting_position": -1', "bytes from 0 on"),
    (lambda file: row(file, "price").update(starting_position=1.5), "1.5", "Expected `int | null`"),
    (lambda file: row(file, "price").update(inner_tag_count=0), '"inner_tag_count": 0', "-1 or a number from 1 on"),
    (lambda file: row(file, "price").update(held=999), '"held": 999', "from 0 to that of pages, 6"),
    (lambda file: row(file, "price").update(told=["all"]), '"told": [', "a list of rule, position, inner, repetition"),
    (lambda file: row(file, "price").update(repitition=True), '"repitition"', "did you mean 'repetition'?"),
    (lambda file: row(file, "price").update(layout="layout-9"), '"layout-9"', "expected one of layout-1"),
    (lambda file: row(file, "price").update(field=""), '"field": ""', "expected the name of a field"),
    (lambda file: row(file, "price").update(field="images"), '"field": "images"', "other than images and records"),
    (lambda file: row(file, "price").pop("rule"), '"field": "price"', "missing required field `rule`"),
    (lambda file: file.update(rulez=[]), '"rulez"', "did you mean 'rules'?"),
    (lambda file: file["layouts"][0].update(setled=True), '"setled"', "did you mean 'is_settled'?"),
    (lambda file: file["layouts"][0]["fields"][0].update(places=[]), '"name": "title"', "text, places or values"),
]


@pytest.mark.parametrize(("edit", "field", "expected"), RIGHT)
def test_a_right_edit_is_followed(saved: str, edit: Edit, field: str, expected: tuple[str, ...]) -> None:
    site = Site.from_json(edited(saved, edit))
    fields = site.extract(page(7)[1], page(7)[0]).fields
    assert (fields[field].values if field in fields else ()) == expected
    again = Site.from_json(site.to_json())
    assert again.profile == site.profile


@pytest.mark.parametrize(("edit", "place", "said"), WRONG)
def test_a_wrong_edit_is_refused_with_its_line(saved: str, edit: Edit, place: str, said: str) -> None:
    text = edited(saved, edit)
    with pytest.raises(BadInput) as refused:
        Site.from_json(text)
    assert said in str(refused.value)
    line = int(str(refused.value).partition(", line ")[2].partition(":")[0])
    near = "\n".join(text.splitlines()[line - 2 : line + 1])
    assert place in near


def test_broken_json_is_refused_with_its_line(saved: str) -> None:
    broken = saved.replace('"rule": "<i>",', '"rule": "<i>"', 1)
    line = broken[: broken.index('"rule": "<i>"')].count("\n") + 1
    with pytest.raises(BadInput, match=rf"profile, line {line + 1}: not a profile"):
        Site.from_json(broken)


def test_only_the_edited_part_of_a_row_is_taken_as_told(saved: str) -> None:
    text = edited(saved, lambda file: row(file, "title").update(rule="//i[2]"))
    title = next(each for each in Site.from_json(text).profile.rules if each.field == "title")
    assert title.told == ("rule",)
    assert title.starting_position is None
