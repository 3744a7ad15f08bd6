"""What is remembered of pages, and how a page that comes back is known."""

from __future__ import annotations

import json

import pytest

from scythe.errors import BadInput
from scythe.page.source import read_source
from scythe.site.monitor import PAGES, Memory

SCYTHE = {"name": ("Long hay scythe",), "price": ("$48.50",), "maker": ("Reaper & Sons",)}
SICKLE = {"name": ("Small garden sickle",), "price": ("$12.00",), "maker": ("Reaper & Sons",)}


def page(title: str, *paragraphs: str) -> bytes:
    inner = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<html><head><title>{title}</title></head><body><h1>Offers</h1>{inner}</body></html>".encode()


def filled() -> Memory:
    memory = Memory(["name", "price", "maker"])
    memory.remember("https://hay.test/1", SCYTHE)
    memory.remember("https://hay.test/2", SICKLE)
    return memory


def test_a_page_is_known_by_its_address() -> None:
    source = read_source(page("Everything new"))
    assert filled().recall("https://hay.test/2", source) == SICKLE


def test_a_page_without_address_is_known_by_its_title_and_one_more_value() -> None:
    source = read_source(page("Long hay scythe | Tools", "Only $48.50 today"))
    assert filled().recall(None, source) == SCYTHE


def test_a_page_that_only_mentions_another_is_not_taken_for_it() -> None:
    source = read_source(page("Stone for blades", "Goes with: Long hay scythe", "$48.50"))
    assert filled().recall(None, source) == {}


def test_a_page_that_is_named_like_another_but_shows_nothing_of_it_is_new() -> None:
    assert filled().recall("https://hay.test/9", read_source(page("Long hay scythe, a story", "Once"))) == {}


def test_a_title_with_two_remembered_names_says_nothing() -> None:
    source = read_source(page("Long hay scythe and Small garden sickle", "$48.50 $12.00"))
    assert filled().recall(None, source) == {}


def test_only_named_fields_with_short_values_are_remembered() -> None:
    memory = Memory(["name"])
    memory.remember("a", {"name": ("x" * 5_000,), "price": ("$1",)})
    memory.remember("b", {"name": ()})
    assert memory.dump() == {"pages": []}


def test_the_oldest_page_goes_first() -> None:
    memory = Memory(["name"])
    for number in range(PAGES + 5):
        memory.remember(f"u{number}", {"name": (f"thing {number}",)})
        memory.remember("u0", {"name": ("thing 0",)})
    kept = [entry[0] for entry in memory.dump()["pages"]]  # type: ignore[index,attr-defined]
    assert len(kept) == PAGES
    assert kept[-1] == "u0"
    assert "u1" not in kept


def test_memory_survives_json() -> None:
    state = json.loads(json.dumps(filled().dump()))
    assert Memory.load(state, ["name", "price", "maker"]).dump() == state
    assert Memory.load({}, []).dump() == {"pages": []}


@pytest.mark.parametrize("state", [{"pages": 1}, {"pages": [1]}, {"pages": [["u", 1]]}, {"pages": [["u", {"a": [1]}]]}])
def test_a_damaged_memory_is_refused(state: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Memory.load(state, [])


@pytest.mark.parametrize("body", [b"<p>Long hay scythe</p>", b"<title> ... </title><h1>!</h1><p>$48.50"])
def test_a_page_without_a_name_is_not_known_again(body: bytes) -> None:
    assert filled().recall(None, read_source(body)) == {}


def test_nothing_is_known_again_where_nothing_is_remembered() -> None:
    assert Memory(["name"]).recall(None, read_source(page("Long hay scythe", "$48.50"))) == {}
