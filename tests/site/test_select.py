"""Selectors mean the elements that a page's columns say they mean."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.site.select import EVERY, Selector, candidates, every, matches, rows


def page(*elements: tuple[int, int]) -> SimpleNamespace:
    """Columns of a page from (parent, key) of each element in tree order."""
    parent = [parent for parent, _ in elements]
    last = list(range(1, len(elements) + 1))
    path: list[int] = []
    for row in range(len(elements) - 1, 0, -1):
        last[parent[row]] = max(last[parent[row]], last[row])
    for above, key in elements:
        path.append((path[above] if above >= 0 else 1) * 31 + key & 0xFFFFFFFF)
    return SimpleNamespace(
        tag=np.zeros(len(elements), np.uint16),
        parent=np.array(parent, np.int32),
        last=np.array(last, np.int32),
        key=np.array([key for _, key in elements], np.uint64),
        path=np.array(path, np.uint64),
    )


# html > (div 5 > (p 7, p 7, div 5 > p 7), ul 9 > (li 8, li 8, li 8))
PAGE = page((-1, 1), (0, 5), (1, 7), (1, 7), (1, 5), (4, 7), (0, 9), (6, 8), (6, 8), (6, 8))


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (Selector(key=7), [2]),
        (Selector(key=7, place=EVERY), [2, 3, 5]),
        (Selector(key=7, place=-1), [5]),
        (Selector(key=7, place=1), [3]),
        (Selector(key=7, place=9), []),
        (Selector(key=7, place=-9), []),
        (Selector(key=5, place=EVERY), [1]),  # the inner one lies inside the outer one
        (Selector(key=8, parent=9, place=EVERY), [7, 8, 9]),
        (Selector(key=8, parent=5, place=EVERY), []),
        (Selector(key=8, child=2), [8]),
        (Selector(key=8, child=-1), [9]),
        (Selector(key=7, child=-1, place=EVERY), [3, 5]),
        (Selector(key=1, parent=1), []),  # the root has no parent
    ],
)
def test_a_selector_means_these_elements(selector, expected):
    assert rows(PAGE, selector).tolist() == expected


def test_a_path_is_not_met_elsewhere():
    inner = Selector(path=int(PAGE.path[5]), place=EVERY)
    assert rows(PAGE, inner).tolist() == [5]


def test_a_selector_of_nothing_is_refused():
    with pytest.raises(BadInput, match="path or a key"):
        Selector(place=3)


@st.composite
def pages(draw):
    elements, open_rows = [(-1, 1)], [0]
    for row in range(1, draw(st.integers(1, 40))):
        depth = draw(st.integers(0, len(open_rows) - 1))
        del open_rows[depth + 1 :]
        elements.append((open_rows[-1], draw(st.integers(1, 4))))
        open_rows.append(row)
    return page(*elements)


@given(pages(), st.data())
def test_candidates_mean_exactly_their_element(drawn, data):
    row = data.draw(st.integers(0, len(drawn.key) - 1))
    for selector in candidates(drawn, row, is_keyed=data.draw(st.booleans())):
        assert rows(drawn, selector).tolist() == [row]
        assert row in matches(drawn, every(selector))


@given(pages(), st.integers(1, 4))
def test_no_match_lies_inside_another_and_every_element_is_in_one(drawn, key):
    found = matches(drawn, Selector(key=key)).tolist()
    inside = [set(range(row, drawn.last[row])) for row in found]
    assert all(a.isdisjoint(b) for i, a in enumerate(inside) for b in inside[i + 1 :])
    assert set(np.flatnonzero(drawn.key == key).tolist()) <= set().union(*inside)


@given(
    st.builds(
        Selector,
        path=st.integers(1, 2**64 - 1),
        key=st.integers(0, 2**64 - 1),
        parent=st.integers(0, 2**64 - 1),
        child=st.integers(-9, 9),
        place=st.one_of(st.none(), st.integers(-9, 9)),
        name=st.text(max_size=20),
    )
)
def test_json_brings_a_selector_back(selector):
    assert msgspec.json.decode(msgspec.json.encode(selector), type=Selector) == selector


@pytest.mark.parametrize("text", ["[]", '{"path": -1.5}', '{"place": 0}', '{"key": "x"}'])
def test_what_is_no_selector_is_refused(text):
    with pytest.raises((BadInput, msgspec.ValidationError)):
        msgspec.json.decode(text, type=Selector)
