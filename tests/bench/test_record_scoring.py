"""How records and attributes are compared with what a page lists."""

from __future__ import annotations

import pytest
from bench.record_scoring import count_attributes, count_records, fold, match_records, title_column

from scythe.demo.scoring import Counts

TRUE = [["Barley soup", "2 h", "cooked slowly"], ["Rye bread", "4 h", "baked hot"], ["Oat cakes", "1 h", "fried"]]


def test_the_same_records_in_any_order_are_all_hits():
    assert count_records(TRUE[::-1], TRUE) == Counts(3, 0, 0)


def test_a_record_counts_once_however_often_it_is_found():
    assert count_records([TRUE[0], TRUE[0], TRUE[1]], TRUE) == Counts(2, 1, 1)


def test_two_records_in_one_are_no_hit():
    assert count_records([TRUE[0] + TRUE[1] + TRUE[2]], TRUE) == Counts(0, 1, 3)


def test_a_record_with_some_words_more_is_still_that_record():
    assert match_records([[*TRUE[1], "read more"]], TRUE) == [(0, 1)]


def test_nothing_found_and_nothing_true_counts_nothing():
    assert count_records([], []) == Counts(0, 0, 0)
    assert count_records([], TRUE) == Counts(0, 0, 3)


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


def test_the_first_pair_of_a_name_is_judged():
    pairs = [("our price", "12"), ("price", "10")]
    assert count_attributes(pairs, {"price": ["10"]}) == {"price": Counts(0, 1, 1)}


def test_codes_are_compared_without_spaces():
    assert count_attributes([("ISBN-13:", "978-0 306")], {"isbn_13": ["9780306"]}) == {"isbn_13": Counts(1, 0, 0)}


def test_an_attribute_without_values_can_only_be_one_too_many():
    assert count_attributes([("sku", "7")], {"sku": []}) == {"sku": Counts(0, 1, 0)}
    assert count_attributes([], {"sku": []}) == {"sku": Counts(0, 0, 0)}
