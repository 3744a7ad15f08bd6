"""How records and attributes are compared with what a page lists."""

import pytest
from bench.record_scoring import count_attributes, count_records, fold, match_records, title_column

from scythe.demo.scoring import Counts

TRUE = [["Barley soup", "2 h", "cooked slowly"], ["Rye bread", "4 h", "baked hot"], ["Oat cakes", "1 h", "fried"]]


@pytest.mark.parametrize(
    ("found", "counts"),
    [
        (TRUE[::-1], Counts(3, 0, 0)),  # in any order
        ([TRUE[0], TRUE[0], TRUE[1]], Counts(2, 1, 1)),  # once however often it is found
        ([TRUE[0] + TRUE[1] + TRUE[2]], Counts(0, 1, 3)),  # several in one are none
        ([], Counts(0, 0, 3)),
    ],
)
def test_records_are_counted_one_by_one(found, counts):
    assert count_records(found, TRUE) == counts


def test_a_record_with_some_words_more_is_still_that_record():
    assert match_records([[*TRUE[1], "read more"]], TRUE) == [(0, 1)]


def test_titles_in_one_column_count_whole():
    pairs = [(0, 0), (1, 1), (2, 2)]
    titles = ["Barley soup", "Rye bread", "Oat cakes"]
    assert title_column(TRUE, pairs, titles) == 1.0
    shifted = [TRUE[0], ["", *TRUE[1]], TRUE[2]]
    assert title_column(shifted, pairs, titles) == pytest.approx(2 / 3)
    assert title_column(TRUE, [], titles) is None


def test_a_column_that_says_much_more_than_the_title_is_not_its_column():
    assert title_column([["Barley soup cooked slowly for two hours"]], [(0, 0)], ["Barley soup"]) == 0.0


def test_words_are_compared_without_case_and_marks():
    assert fold("  Rye-Bread,  4 H! ") == "rye bread 4 h"


@pytest.mark.parametrize("said", ["1.299,00 EUR", "1,299.00", "$1299", "1 299.00"])
def test_prices_are_compared_as_numbers(said):
    assert count_attributes([("Price", said)], {"price": ["1299.00"]}) == {"price": Counts(1, 0, 0)}


@pytest.mark.parametrize(
    ("pairs", "gold", "counts"),
    [
        ([("our price", "12"), ("price", "10")], {"price": ["10"]}, {"price": Counts(0, 1, 1)}),  # the first is judged
        ([("ISBN-13:", "978-0 306")], {"isbn_13": ["9780306"]}, {"isbn_13": Counts(1, 0, 0)}),  # without spaces
        ([("sku", "7")], {"sku": []}, {"sku": Counts(0, 1, 0)}),  # one without values can only be one too many
        ([], {"sku": []}, {"sku": Counts(0, 0, 0)}),
    ],
)
def test_attributes_are_counted_by_name(pairs, gold, counts):
    assert count_attributes(pairs, gold) == counts
