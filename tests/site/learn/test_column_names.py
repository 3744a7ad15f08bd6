"""Columns of a region: each has a name of its own, and not more places than can be looked at."""

from __future__ import annotations

from collections import Counter

import pytest

from scythe.site.learn import list_groups
from scythe.site.learn.list_groups import _names, _prune
from scythe.site.rules import ColumnRules


def test_a_name_that_is_taken_gets_a_number() -> None:
    counts = [Counter(["price"]), Counter({"price": 3, "old": 1}), Counter(["price"]), Counter(["price"])]
    assert _names(counts) == ["price", "old", "price_2", "price_3"]


def test_the_commonest_places_stay_and_one_of_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_groups, "_PLACES", 2)
    rules = [ColumnRules("title", (">a", ">b", ">c")), ColumnRules("price", (">d", ">e"))]
    counts = [Counter({">a": 9, ">b": 8, ">c": 1}), Counter({">d": 2, ">e": 3})]
    assert [column.places for column in _prune(rules, counts)] == [(">a", ">b"), (">e",)]
    monkeypatch.setattr(list_groups, "_PLACES", 5)
    assert _prune(rules, counts) == tuple(rules)
