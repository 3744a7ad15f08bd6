"""The columns of a region are the same on all its pages: learned once, by the places of texts in a record."""

from __future__ import annotations

from tests.list_pages import frame, product, shop_page
from tests.site.learn.seen import learn

from scythe.model import RecordList
from scythe.site.extract import ListExtractor
from scythe.site.rules import Layout, ListRules


def read_by(rules: ListRules, page: bytes) -> RecordList:
    lists, _, _ = ListExtractor(Layout("list", (), lists=(rules,))).cut(page, None)
    assert lists is not None
    return lists[0]


def learn_shop(*pages: bytes) -> ListRules:
    (rules,) = learn(pages, "li.item").rules
    return rules


def test_columns_are_named_and_in_reading_order() -> None:
    rules = learn_shop(*[shop_page(number) for number in range(3)])
    assert [column.name for column in rules.columns] == ["title", "text", "rating", "price", "price_2"]


def test_a_column_that_one_page_lacks_is_learned_from_the_others() -> None:
    plain, odd = shop_page(0, count=4), shop_page(1)
    rules = learn_shop(plain, odd, shop_page(2))
    assert any(">del.old" in column.places for column in rules.columns)
    record_list = read_by(rules, plain)
    assert {len(record.fields) for record in record_list.records} == {len(rules.columns)}


def test_a_field_that_is_missing_moves_no_other() -> None:
    rules = learn_shop(*[shop_page(number) for number in range(3)])
    whole = read_by(rules, shop_page(7))
    without = read_by(
        rules, shop_page(7, make=lambda i: product(i).replace("<p class", "<!--<p class", 1).replace("</p>", "</p>-->"))
    )
    for one, other in zip(whole.records, without.records, strict=True):
        assert other.fields == (one.fields[0], "", *one.fields[2:])


def test_a_text_in_a_new_place_goes_with_its_neighbours_and_is_not_lost() -> None:
    rules = learn_shop(*[shop_page(number) for number in range(3)])
    new = shop_page(7, make=lambda i: product(i).replace("</h2>", "<em class='tag'>new</em></h2>"))
    titles = [record.fields[0] for record in read_by(rules, new).records]
    assert all(title.endswith(" new") for title in titles)


def test_siblings_beyond_those_known_share_the_last_column() -> None:
    def page(first: int, tags: int) -> bytes:
        items = "".join(
            f"<li class='item'><b>Thing {i}</b>" + "".join(f"<i>tag {i} {n}</i>" for n in range(tags)) + "</li>"
            for i in range(first, first + 8)
        )
        return frame("Things", f"<ul>{items}</ul>")

    (rules,) = learn([page(0, 2), page(10, 2)], "li.item").rules
    record_list = read_by(rules, page(20, 4))
    assert record_list.records[0].fields[0] == "Thing 20"
    assert " ".join(record_list.records[0].fields[1:]) == "tag 20 0 tag 20 1 tag 20 2 tag 20 3"
