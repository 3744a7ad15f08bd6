"""Lists and records as a program uses them."""

import copy
import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import scythe
from scythe.model import LIST_KINDS, Record, RecordList
from scythe.reading.lists import find_lists
from scythe.url import Url

LINK = Url("https://example.org/rye")
GOODS = RecordList(
    (Record(("Rye", "3 EUR"), (LINK,)), Record(("Oats", ""))), ("title", "price"), "products", 0.9, "li(b,i)"
)
ROWS = [{"title": "Rye", "price": "3 EUR"}, {"title": "Oats", "price": ""}]
API = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api.md"


def test_a_record_is_a_mapping_by_the_names_of_the_columns() -> None:
    rye, oats = GOODS.records
    assert (rye["price"], oats["price"], rye.get("weight", "?")) == ("3 EUR", "", "?")
    assert dict(rye) == ROWS[0]
    assert "title" in rye
    assert [*rye.values()] == [*rye.fields]
    with pytest.raises(KeyError, match="weight"):
        rye["weight"]


def test_a_record_without_a_list_is_true_and_has_no_columns() -> None:
    lonely = Record(("Rye",))
    assert lonely
    assert dict(lonely) == {}


def test_records_are_equal_whatever_their_columns_are_called() -> None:
    renamed = replace(GOODS, columns=("name", "cost"))
    assert renamed.records == GOODS.records
    assert renamed.records[0]["cost"] == "3 EUR"
    assert hash(renamed.records[0]) == hash(GOODS.records[0])


@pytest.mark.parametrize("twin", [copy.deepcopy(GOODS), pickle.loads(pickle.dumps(GOODS))])
def test_copies_know_their_columns(twin: RecordList) -> None:
    assert twin == GOODS
    assert twin.records[0]["title"] == "Rye"


def test_a_list_becomes_dictionaries_a_table_and_a_frame() -> None:
    assert GOODS.to_dicts() == ROWS
    assert GOODS.to_arrow().to_pylist() == ROWS
    assert GOODS.to_pandas().to_dict("records") == ROWS
    empty = RecordList((), ("title", "price"))
    assert empty.to_dicts() == []
    assert empty.to_arrow().schema == pa.schema({"title": pa.string(), "price": pa.string()})
    assert [*empty.to_pandas().columns] == ["title", "price"]


def test_half_a_character_does_not_break_a_table() -> None:
    assert RecordList((Record(("\ud83d",)),), ("a\udc00",)).to_arrow().to_pylist() == [{"a?": "?"}]


@pytest.mark.parametrize(("package", "call"), [("pyarrow", GOODS.to_arrow), ("pandas", GOODS.to_pandas)])
def test_a_missing_package_is_named(package: str, call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(scythe.MissingExtra, match=package):
        call()  # type: ignore[operator]


def test_plain_values_have_no_columns_twice() -> None:
    plain = json.loads(json.dumps(GOODS.to_dict()))
    assert plain["records"][0] == {"fields": ["Rye", "3 EUR"], "links": [LINK], "images": [], "html": ""}
    assert plain["columns"] == ["title", "price"]


def test_the_kinds_of_lists_are_those_that_reading_gives_and_the_reference_names() -> None:
    given = {kind for kind, _ in find_lists._ALL} | {"list", "menu"}
    assert given == set(LIST_KINDS)
    line = next(line for line in API.read_text(encoding="utf-8").splitlines() if line.startswith("| `kind` | `str` |"))
    assert {kind for kind in LIST_KINDS if f"`{kind}`" in line} == set(LIST_KINDS)
    assert set(LIST_KINDS) > find_lists.MENUS
