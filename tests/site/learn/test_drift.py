"""What a field usually looks like, and which values are too far from it."""

from __future__ import annotations

import pytest

from scythe.site.drift import judge, script_of, usual_of
from scythe.site.rules import Usual

PRICES = [("$12.50",), ("$9",), ("$1,299.00",), ("$45.10",), ("$7.77",)]
RUSSIAN = "Сенокос начался на прошлой неделе, и погода держится; косы правят у каждого двора, а вечером поют."
ENGLISH = "The hay was cut last week and the weather holds; blades are honed at every farm, and people sing at dusk."
CHINESE = "上周开始割草，天气一直很好；每家每户都在磨镰刀，晚上大家一起唱歌，孩子们在田边奔跑，老人们讲述从前的故事。"


def usual(*values: str, start: int = 1_000) -> Usual:
    return usual_of([(value,) for value in values], [(start, start + 10)] * len(values))


def test_usual_counts_pages_lengths_and_positions() -> None:
    found = usual_of([("abc",), (), ("abcdef", "ab")], [(10, 13), None, (30, 36)])
    assert found == Usual(pages=3, present=2, shortest=2, longest=6, middle=3, first=10, last=30, form="letters")


def test_pages_without_an_entry_count_as_looked_at() -> None:
    assert usual_of([("abc",)], [None], 7).pages == 7


def test_nothing_is_implausible_where_nothing_was_seen() -> None:
    assert judge(usual_of([(), ()], [None, None]), ("anything",), (5, 9)) == ""


@pytest.mark.parametrize("value", ["$3", "$99,999.99", "€ 12"])
def test_ordinary_values_are_plausible(value: str) -> None:
    seen = usual_of(PRICES, [(5_000, 5_010)] * 5)
    assert judge(seen, (value,), (5_400, 5_410)) == ""


def test_learned_values_are_plausible() -> None:
    seen = usual_of(PRICES, [(5_000 + i, 5_010) for i in range(5)])
    assert [judge(seen, values, (5_003, 5_010)) for values in PRICES] == [""] * 5


def test_an_empty_value_is_implausible() -> None:
    seen = usual_of(PRICES, [None] * 5)
    assert judge(seen, ("",), None) == "implausible: empty"
    assert judge(seen, (), None) == "implausible: empty"


def test_a_value_that_is_far_too_long_is_implausible() -> None:
    assert "characters" in judge(usual("Jo Hay", "A. Reaper", "Bo Barn"), ("word " * 100,), None)


def test_a_text_that_is_far_too_short_is_implausible() -> None:
    assert "characters" in judge(usual(*["word " * 600] * 6), ("No.",), None)


def test_margins_are_wider_where_few_pages_were_seen() -> None:
    long = "x" * 100
    assert judge(usual("Jo Hay", "A. Reaper"), (long,), None) == ""
    assert judge(usual(*["Jo Hay", "A. Reaper"] * 20), (long,), None) != ""


def test_a_text_in_another_script_is_implausible() -> None:
    seen = usual(ENGLISH, ENGLISH[4:], ENGLISH[8:])
    assert seen.script == "latin"
    assert judge(seen, (RUSSIAN,), None) == "implausible: cyrillic letters, usually latin"
    assert judge(usual(RUSSIAN, RUSSIAN[1:], RUSSIAN[3:]), (ENGLISH,), None) != ""


def test_a_short_foreign_name_is_plausible() -> None:
    seen = usual(ENGLISH, ENGLISH, ENGLISH, "a")
    assert judge(seen, ("Лев Косарь",), None) == ""


@pytest.mark.parametrize(
    ("text", "script"), [(ENGLISH, "latin"), (RUSSIAN, "cyrillic"), (CHINESE, "han"), ("12.50 €", ""), ("", "")]
)
def test_scripts_are_told_from_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_a_price_that_became_a_name_is_implausible_once_five_pages_were_seen() -> None:
    assert "digits" in judge(usual_of(PRICES, [None] * 5), ("Scythe",), None)
    assert judge(usual_of(PRICES[:4], [None] * 4), ("Scythe",), None) == ""


def test_a_place_far_outside_is_implausible() -> None:
    seen = usual_of(PRICES, [(5_000 + 100 * i, 0) for i in range(5)])
    assert judge(seen, ("$5",), (20_000, 20_003)) == ""
    assert "at byte 900000" in judge(seen, ("$5",), (900_000, 900_003))


def test_judging_looks_only_at_the_beginning_of_long_texts() -> None:
    seen = usual(ENGLISH * 2_000, ENGLISH * 3_000, ENGLISH * 4_000)
    assert judge(seen, ("1" + ENGLISH * 2_500 + RUSSIAN * 5_000,), None) == ""


def test_what_was_always_a_number_must_be_one_even_from_the_first_choice_of_rules() -> None:
    prices = usual_of([(f"$ {n}.50",) for n in range(10, 20)], [None] * 10)
    assert judge(prices, ("Call us",), None, strictly=False)
    assert judge(prices, ("$ 3.50 plus freight",), None, strictly=False)
    assert not judge(prices, ("$ 3.50",), None, strictly=False)


def test_other_forms_bind_only_rules_of_second_choice() -> None:
    places = usual_of([(f"Harrowby, WI {n}",) for n in range(53_000, 53_010)], [None] * 10)
    assert not judge(places, ("Harrowby, Wisconsin",), None, strictly=False)
    assert judge(places, ("Harrowby, Wisconsin",), None)
