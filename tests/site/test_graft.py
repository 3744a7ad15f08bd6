"""How a new layout joins a profile."""

from __future__ import annotations

from scythe.model import Document, Field
from scythe.site.drift import usual_of
from scythe.site.extract import ExtractedPage
from scythe.site.learn.merge_layout import (
    MOST_LAYOUTS,
    count_present,
    free_name,
    helps,
    mend,
    merge_layout,
    prune,
    share_boilerplate,
)
from scythe.site.rules import ELEMENT, FieldRules, Layout, Profile, Rule, Usual, Way


def page(name: str, number: int) -> bytes:
    return f"""<html><body class="{name}-site"><div class="{name}-top">Shop</div><div class="{name}-main">
<h1 class="{name}-head">Thing {number}</h1><p class="{name}-cost">${number}</p></div>
<div class="{name}-foot">Barn Lane</div></body></html>""".encode()


def way(*literals: bytes) -> Way:
    return Way(ELEMENT, tuple(Rule("tag", literal) for literal in literals), needed=1)


def layout(name: str, letter: str) -> Layout:
    usual = Usual(pages=5, present=5, shortest=2, longest=3, middle=2, first=90, last=99, form="digits+no letters")
    field = FieldRules("price", (way(f'<p class="{letter}-cost"'.encode()),), usual)
    return Layout(
        name, (field,), marks=(f'<body class="{letter}-'.encode(), f'<div class="{letter}-'.encode()), pages=5
    )


OLD = Profile((layout("layout-1", "a"),), fields=("price",))
NEW = layout("layout-2", "b")


def test_a_layout_is_grafted_with_marks_that_tell_its_pages_from_the_others() -> None:
    found = merge_layout(OLD, NEW, [page("b", n) for n in range(5)], {"layout-1": [page("a", n) for n in range(3)]})
    assert found is not None
    assert [each.name for each in found.layouts] == ["layout-1", "layout-2"]
    assert not any(mark in page("a", 9) for mark in found.layouts[1].marks if b"class" in mark)


def test_pages_that_look_like_those_of_another_layout_are_not_grafted() -> None:
    pages = [page("a", n) for n in range(5)]
    assert merge_layout(OLD, NEW, pages, {"layout-1": pages[:3]}) is None


def test_names_that_are_like_hashes_tell_layouts_apart_too() -> None:
    bodies = [page("b", n).replace(b'"b-', b'"x8f3a9c10') for n in range(5)]
    found = merge_layout(OLD, NEW, bodies, {"layout-1": [page("b", n) for n in range(3)]})
    assert found is None or len(found.layouts) == 2


def test_a_mended_layout_takes_the_new_way_where_the_old_one_leads_nowhere() -> None:
    mended = mend(OLD.layouts[0], NEW.fields)
    assert [each.rules[0].anchor for each in mended.fields[0].ways] == [b'<p class="a-cost"', b'<p class="b-cost"']
    assert helps(mended, [page("b", n) for n in range(3)], {"price"})
    assert helps(mended, [page("a", n) for n in range(3)], {"price"})
    assert not helps(OLD.layouts[0], [page("b", n) for n in range(3)], {"price"})


def test_a_mended_field_is_expected_to_look_like_either() -> None:
    wide = FieldRules("price", NEW.fields[0].ways, usual_of([("ten dollars",)] * 4, [(500, 511)] * 4))
    usual = mend(OLD.layouts[0], [wide]).fields[0].usual
    assert (usual.pages, usual.shortest, usual.longest, usual.first, usual.last) == (9, 2, 11, 90, 500)
    assert usual.form == ""


def test_nothing_seen_of_one_leaves_what_was_seen_of_the_other() -> None:
    empty = FieldRules("price", NEW.fields[0].ways)
    assert mend(OLD.layouts[0], [empty]).fields[0].usual == OLD.layouts[0].fields[0].usual


def test_a_field_is_counted_on_all_pages_learned_not_only_on_those_with_examples() -> None:
    there, cold, gone = Field(("$5",), None, "cut: tag"), Field(("$5",), None, "tree: read cold (x)"), Field()
    pages = [
        ExtractedPage(Document(fields={"price": field}), OLD.layouts[0]) for field in [there] * 5 + [cold, gone, gone]
    ]
    usual = count_present(OLD, [*pages, ExtractedPage(Document(), None)]).layouts[0].fields[0].usual
    assert (usual.pages, usual.present) == (8, 5)
    assert count_present(OLD, pages[:2]) == OLD


def test_the_layout_not_met_for_the_longest_time_goes() -> None:
    many = Profile(tuple(layout(f"layout-{n}", "a") for n in range(MOST_LAYOUTS + 1)))
    left, dropped = prune(many, lambda name: 0 if name == "layout-3" else 7)
    assert dropped == "layout-3"
    assert len(left.layouts) == MOST_LAYOUTS
    assert prune(OLD, lambda _: 0) == (OLD, "")


def test_a_layout_that_was_just_learned_does_not_go() -> None:
    many = Profile(tuple(layout(f"layout-{n}", "a") for n in range(MOST_LAYOUTS + 1)))
    _, dropped = prune(many, lambda name: 0 if name == f"layout-{MOST_LAYOUTS}" else 7)
    assert dropped != f"layout-{MOST_LAYOUTS}"


def test_a_new_layout_has_a_name_of_its_own() -> None:
    assert free_name(Profile(())) == "layout-1"
    assert free_name(Profile((layout("layout-7", "a"), layout("front", "b")))) == "layout-8"


def test_lines_of_the_new_pages_join_those_of_the_old() -> None:
    assert share_boilerplate(Profile((), boilerplate=("a", "b")), ["b", "c"]).boilerplate == ("a", "b", "c")
