from __future__ import annotations

import numpy as np
import pytest

from scythe.extension import native
from scythe.page import Page
from scythe.reading.lists import list_features
from scythe.reading.lists import traits as ranges
from scythe.reading.lists.candidates import Candidate, find_candidates
from scythe.reading.lists.list_features import describe
from scythe.reading.lists.role_words import roles, roles_of
from scythe.reading.lists.traits import TEXT_TRAITS, measure, read_texts

LIST = "".join(f"<li class='item'><a href='/{n}'>Title {n}</a> <b>€ {n}.00</b></li>" for n in range(1, 5))
PAGE = Page.from_text(
    f"<body><div class='sidebar'><h2>Related posts</h2><ul class='menu'>{LIST}</ul></div><p>Text.</p></body>"
)


def rows_of(page: Page, tag: str) -> list[int]:
    return [row for row, name in enumerate(page.elements.tag) if name == tag]


def candidate(page: Page, rows: list[int], holder: int | None = None) -> Candidate:
    elements = page.elements
    return Candidate(
        "test",
        elements.parent[rows[0]] if holder is None else holder,
        tuple((row, elements.end[row]) for row in rows),
        tuple((elements.leaf_start[row], elements.leaf_end[row]) for row in rows),
    )


def described(page: Page, *candidates: Candidate):
    return describe(page.elements, measure(page.elements), candidates)


def test_text_links_and_prices_are_counted_per_record():
    said = described(PAGE, candidate(PAGE, rows_of(PAGE, "li")))
    assert said.column("records").tolist() == [4]
    assert said.column("leaves").tolist() == [2]
    assert said.column("price records").tolist() == [1.0]
    assert said.column("a records").tolist() == [1.0]
    assert said.column("targets").tolist() == [1.0]
    assert said.column("link share")[0] == pytest.approx(7 / 13)


def test_names_of_records_holder_and_what_is_above_are_told_apart():
    said = described(PAGE, candidate(PAGE, rows_of(PAGE, "li")))
    assert said.column("records are item").tolist() == [1.0]
    assert said.column("holder is menu").tolist() == [1.0]
    assert (said.column("holder is side")[0], said.column("above is side")[0]) == (0.0, 1.0)
    assert said.column("heading says related").tolist() == [1.0]


def test_fields_of_records_are_known_as_columns_and_parts_as_parts():
    items = rows_of(PAGE, "li")
    said = described(PAGE, candidate(PAGE, items), candidate(PAGE, rows_of(PAGE, "b")), candidate(PAGE, items[:2]))
    assert said.column("column of").tolist() == [0, 1, 0]
    assert said.column("full columns").tolist() == [1, 0, 0]
    assert said.column("part of").tolist() == [0, 0, 1]
    assert (said.parts.part.tolist(), said.parts.whole.tolist()) == ([2], [0])


def test_cells_of_a_grid_are_known_as_finer_than_its_rows():
    grid = "".join("<div class='row'>" + "<p>A card with some text</p>" * 3 + "</div>" for _ in range(4))
    page = Page.from_text(f"<body><main>{grid}</main></body>")
    cells, lines = rows_of(page, "p"), rows_of(page, "div")
    said = described(page, candidate(page, cells, lines[0] - 1), candidate(page, lines))
    assert said.column("cells of").tolist() == [1, 0]
    assert said.column("cells of times").tolist() == [3, 1]
    assert said.column("cells").tolist() == [0, 1]


def test_records_of_bare_text_have_no_rows_and_are_measured():
    page = Page.from_text("<body><p>one<br>two<br>three</p></body>")
    holder = rows_of(page, "p")[0]
    first = rows_of(page, "br")[0]
    bare = Candidate(
        "lines", holder, ((first, first), (first, first + 1), (first + 1, first + 2)), ((0, 1), (1, 2), (2, 3))
    )
    said = described(page, bare)
    assert np.isfinite(said.rows).all()
    assert said.column("chars total").tolist() == [11]


def test_of_very_many_records_some_are_measured_and_all_are_counted(monkeypatch):
    page = Page.from_text("<ul>" + "<li>four</li>" * 1000 + "</ul>")
    whole = candidate(page, rows_of(page, "li"))
    monkeypatch.setattr(ranges, "MEASURED", 100)
    said = described(page, whole)
    assert said.column("records").tolist() == [1000]
    assert said.column("chars total").tolist() == [4000]
    assert said.column("chars share").tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("12 March 2024", {"digit", "date", "quantity"}),
        ("2024-03-12", {"digit", "date", "quantity"}),
        ("vor 3 Stunden", {"digit", "date"}),
        ("829,99 EUR", {"digit", "price", "quantity", "comma"}),
        ("only $12", {"digit", "price"}),
        ("200 g flour", {"digit", "quantity", "measure"}),
        ("鸡胸肉 150克", {"digit", "measure"}),
        ("This is a whole sentence.", {"sentence"}),
        ("Price:", {"colon"}),
        ("plain", set()),
    ],
)
def test_short_texts_are_told_by_their_signs(text, traits):
    (read,) = read_texts([text])
    flags = dict(zip(TEXT_TRAITS, read, strict=True))
    assert {name for name in TEXT_TRAITS[2:] if flags[name]} == traits


def test_words_of_a_script_without_spaces_are_estimated():
    (read,) = read_texts(["海南虎刘星泰被查曾强力处置日照港腐败窝案五月二十二日"])
    assert read[TEXT_TRAITS.index("words")] == 13


@pytest.mark.parametrize(
    ("names", "role"),
    [
        ("breadcrumbs", "breadcrumb"),
        ("wprm-recipe-ingredient", "ingredient"),
        ("searchresults", "result"),
        ("relatedPosts", "related"),
        ("table-of-contents", "toc"),
        ("Zutaten", "ingredient"),
    ],
)
def test_names_mean_roles(names, role):
    assert roles_of(names) >> roles().index(role) & 1


@pytest.mark.skipif(native is None, reason="scythe was built without its compiled module")
def test_the_compiled_measure_is_that_of_the_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page.from_text("<body>" + "".join(f"<div class=a><h2>{n}</h2><ul>{LIST}</ul></div>" for n in range(9)))
    found, traits = find_candidates(page.elements), measure(page.elements)
    ours = describe(page.elements, traits, found)
    monkeypatch.setattr(list_features, "native", None)
    theirs = describe(page.elements, traits, found)
    np.testing.assert_allclose(ours.rows, theirs.rows, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(native is None, reason="scythe was built without its compiled module")
def test_records_outside_of_their_page_are_refused() -> None:
    one, wrong = np.zeros(1, np.int64), np.full(1, 7, np.int64)
    sums = (np.zeros((2, 8)), np.zeros((2, 8), np.uint16), np.zeros((2, 8), np.uint16), one, one)
    count = np.ones(1, np.int64)
    assert native.measure_records(one, count, one, count, one, count, *sums, (0, 1, 2, 3, 4))
    for place in (1, 3, 5):
        arrays = [one, count, one, count, one, count]
        arrays[place] = wrong
        with pytest.raises(ValueError, match="do not fit"):
            native.measure_records(*arrays, *sums, (0, 1, 2, 3, 4))
    with pytest.raises(ValueError, match="do not fit"):
        native.measure_records(one, count, one, one, one, one, *sums, (0, 1, 2, 3, 8))
    with pytest.raises(ValueError, match="do not fit"):
        native.count_alike(one, wrong, np.zeros((6, 1), np.uint64))
