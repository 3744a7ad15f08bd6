"""Columns of records of two makes: what speaks for their holding the same field, and what against it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe.reading.lists.column_names import Portrait, likeness
from scythe.reading.lists.value_kinds import PRICE, TEXT

PLAIN = Portrait(TEXT, 1.0, 4.0, False, False, "p", frozenset({"name"}), frozenset(), "")


def test_columns_of_another_kind_or_that_say_something_else_are_not_alike() -> None:
    assert likeness(PLAIN, replace(PLAIN, kind=PRICE)) == 0.0
    assert likeness(PLAIN, replace(PLAIN, said="Buy")) == 0.0
    assert likeness(replace(PLAIN, said="Sell"), replace(PLAIN, said="Buy")) == 0.0


def test_columns_that_say_the_same_in_every_record_are_one() -> None:
    assert likeness(replace(PLAIN, said="Buy"), replace(PLAIN, said="Buy", tag="a")) == 3.0


@pytest.mark.parametrize(
    ("change", "better"),
    [
        ({"fields": frozenset({"price"})}, True),
        ({"fields": frozenset({"author"})}, False),
    ],
)
def test_what_their_names_mean_counts_for_and_against(change: dict[str, frozenset[str]], better: bool) -> None:
    priced = replace(PLAIN, fields=frozenset({"price"}))
    assert (likeness(priced, replace(PLAIN, **change)) > likeness(priced, PLAIN)) is better
