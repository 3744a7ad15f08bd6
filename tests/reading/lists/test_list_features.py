from __future__ import annotations

import numpy as np
import pytest

from scythe.extension import native
from scythe.page import Page
from scythe.reading.lists import list_features
from scythe.reading.lists.candidates import Candidate, find_candidates
from scythe.reading.lists.list_features import describe, measure

LIST = "".join(f"<li class='item'><a href='/{n}'>Title {n}</a> <b>€ {n}.00</b></li>" for n in range(1, 5))


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


def test_of_very_many_records_some_are_measured_and_all_are_counted(monkeypatch):
    page = Page.from_text("<ul>" + "<li>four</li>" * 1000 + "</ul>")
    whole = candidate(page, rows_of(page, "li"))
    monkeypatch.setattr(list_features, "MEASURED", 100)
    said = described(page, whole)
    assert said.column("records").tolist() == [1000]
    assert said.column("chars total").tolist() == [4000]
    assert said.column("chars share").tolist() == [1.0]


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
