"""Which rules are taken for proven by what pages said before."""

from __future__ import annotations

import pytest

from scythe.page.source import Source, read_source
from scythe.site.monitor import RECOLLECTED, follow_best, is_consistent, pick_shown, prove, sketch
from scythe.site.rules import ELEMENT, FieldRules, Layout, Profile, Rule, Usual, Way

PRICES = [f"${n}.50" for n in range(10, 16)]
USUAL = Usual(pages=8, present=8, shortest=4, longest=6, middle=5, form="digits+no letters")


def page(price: str, maker: str = "Canon") -> Source:
    html = (
        f'<body><h1>{maker.upper()}</h1><p class=cost>{price}</p><b>{maker}</b><a href="/by?who=Q &amp; R">x</a></body>'
    )
    return read_source(html.encode())


def rules(name: str, *literals: bytes) -> FieldRules:
    ways = tuple(Way(ELEMENT, (Rule("tag", literal),), needed=1) for literal in literals)
    return FieldRules(name, ways)


SOURCES = [page(price) for price in PRICES]
SHOWN = [{"price": (price,)} for price in PRICES]


def test_rules_that_give_back_every_value_are_proven() -> None:
    assert prove(rules("price", b"<p"), SOURCES, SHOWN, USUAL) == rules("price", b"<p")


def test_too_few_pages_prove_nothing() -> None:
    few = [*SHOWN[: RECOLLECTED - 1], *[{}] * (len(SOURCES) - RECOLLECTED + 1)]
    assert prove(rules("price", b"<p"), SOURCES, few, USUAL) is None


def test_one_value_that_is_not_given_back_disproves() -> None:
    assert prove(rules("price", b"<p"), [*SOURCES, page("$9.99")], [*SHOWN, {"price": ("$9.00",)}], USUAL) is None


def test_the_same_words_in_capitals_are_another_place() -> None:
    shown = [{"maker": ("Canon",)}] * len(SOURCES)
    assert prove(rules("maker", b"<h1"), SOURCES, shown, Usual()) is None
    assert prove(rules("maker", b"<h1", b"<b"), SOURCES, shown, Usual()) == rules("maker", b"<b")


def test_an_implausible_value_elsewhere_disproves() -> None:
    sources, shown = [*SOURCES, page("ask us")], [*SHOWN, {}]
    assert prove(rules("price", b"<p"), sources, shown, USUAL) is None
    assert prove(rules("price", b"<p"), sources, shown, Usual()) is not None


def test_reading_is_consistent_where_most_pages_say_what_they_said() -> None:
    changed = [{"price": ("$1",)}, *SHOWN[1:]]
    assert is_consistent(rules("price", b"<p"), SOURCES, changed)
    assert not is_consistent(rules("price", b"<h1"), SOURCES, SHOWN)
    assert is_consistent(rules("price", b"<h1"), SOURCES, [{}] * len(SOURCES))


def test_dates_are_compared_as_dates() -> None:
    sources = [page(f"{n} March 2026") for n in range(1, 6)]
    recalled = [{"date": (f"2026-03-0{n}",)} for n in range(1, 6)]
    assert is_consistent(rules("date", b"<p"), sources, recalled)


@pytest.mark.parametrize(("text", "same"), [("one two three", True), ("zero one two three", False), ("four", False)])
def test_texts_are_compared_by_their_ends(text: str, same: bool) -> None:
    assert is_consistent(rules("text", b"<p"), [page("one two three")], [{"text": sketch(text)}]) == same


def test_a_text_with_one_end_in_common_is_the_same() -> None:
    long = "hay " * 60
    assert is_consistent(rules("text", b"<p"), [page(f"{long} end")], [{"text": sketch(f"{long} more at the end")}])


def test_what_the_page_still_shows_goes_before_what_rules_give_now() -> None:
    source = page("$12.50")
    assert pick_shown(source, {"price": ("$12.50",)}, {"price": ("$1",)}) == {"price": ("$12.50",)}
    assert pick_shown(source, {"price": ("$99",)}, {"price": ("$12.50",)}) == {"price": ("$12.50",)}
    assert pick_shown(source, {"price": ("$99",)}, {}) == {}


def test_values_of_attributes_count_as_shown() -> None:
    assert pick_shown(page("$1"), {"who": ("/by?who=Q & R",)}, {}) == {"who": ("/by?who=Q & R",)}


def test_the_layout_that_gives_most_is_followed() -> None:
    first = Layout("a", (rules("price", b"<p"),))
    second = Layout("b", (rules("price", b"<b"), rules("maker", b"<h1")))
    found = follow_best(Profile((first, second)), page("$5"), {"price", "maker"})
    assert found == {"price": ("Canon",), "maker": ("CANON",)}
    assert follow_best(Profile((first, second)), page("$5"), {"maker"}) == {"maker": ("CANON",)}
