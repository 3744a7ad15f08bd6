"""Records of a region that differ too much are divided into groups, and the texts of each group are aligned."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.page.page import Page
from scythe.reading.papers.stm import read_by_stm

FIELDS = (
    "<h3>Title {0}</h3>",
    "<p class=by>By {0}</p>",
    "<p class=text>Text of {0}</p>",
    "<i>{0}</i>",
    "<b>EUR {0}</b>",
)


def write(lacking: dict[int, set[int]], count: int = 6) -> str:
    items = (
        "<li>" + "".join(field.format(n) for at, field in enumerate(FIELDS) if at not in lacking.get(n, ())) + "</li>"
        for n in range(count)
    )
    return "<ul>" + "".join(items) + "</ul>"


def test_columns_are_aligned_and_missing_fields_are_empty() -> None:
    (region,) = read_by_stm(Page.from_text(write({2: {1}, 4: {3}})))
    assert region.records[0].fields == ("Title 0", "By 0", "Text of 0", "0", "EUR 0")
    assert region.records[2].fields == ("Title 2", "", "Text of 2", "2", "EUR 2")
    assert region.records[4].fields == ("Title 4", "By 4", "Text of 4", "", "EUR 4")
    assert region.pattern == "li(h3,p+,i?,b)"


@given(st.integers(0, 5), st.integers(0, 4))
def test_deleting_a_field_of_one_record_moves_no_other(record: int, field: int) -> None:
    (before,) = read_by_stm(Page.from_text(write({})))
    (after,) = read_by_stm(Page.from_text(write({record: {field}})))
    for number, (one, other) in enumerate(zip(before.records, after.records, strict=True)):
        expected = list(one.fields)
        if number == record:
            expected[field] = ""
        assert list(other.fields) == expected


@given(st.lists(st.sets(st.integers(0, 4), max_size=2), min_size=2, max_size=8))
def test_no_text_of_a_record_is_lost_or_put_elsewhere(lacking: list[set[int]]) -> None:
    page = Page.from_text(write(dict(enumerate(lacking)), count=len(lacking)))
    for region in read_by_stm(page):
        for record in region.records:
            assert "".join(record.fields).replace(" ", "") in "".join(page.elements.text).replace(" ", "")
            assert len(record.fields) == len(region.columns)


def test_records_of_another_kind_become_a_region_of_their_own() -> None:
    news = "<div><h2><a>News</a></h2><p><b>x</b>text</p></div>"
    ad = "<div><span><i>Ad</i></span><em>buy</em></div>"
    regions = read_by_stm(Page.from_text("<main>" + (news * 2 + ad) * 3 + "</main>"), threshold=0.9)
    assert sorted(len(region.records) for region in regions) == [3, 6]
