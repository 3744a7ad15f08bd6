"""The law of cutting: a cut is what the tree holds at that place, or it is in doubt."""

from __future__ import annotations

from html.entities import html5
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.property.soup import layout_of, make_filler, make_page, make_way

from scythe.extension import native
from scythe.page.blocks import KIND
from scythe.page.source import RAW, read_source
from scythe.site.cut.cutter import Cut, Cutter
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import TAKES, Rule, Way

STATES = {"cut", "absent", "doubt"}
FAULTS = (0.0, 0.1, 0.3, 1.0)


def make_case(random: Random) -> tuple[bytes, list[Way]]:
    page = make_page(random, random.choice([3, 8, 20, 60]), faults=random.choice(FAULTS))
    if random.random() < 0.1:
        page = make_filler(random, 30).encode() + page
    ways = (make_way(random, page) for _ in range(8))
    return page, [way for way in ways if way is not None]


def disagreement(page: bytes, ways: list[Way]) -> tuple[bytes, Way, Cut, tuple[str, ...]] | None:
    source = read_source(page) if ways else None
    for way in ways:
        cut = Cutter(layout_of(way)).cut_field(page, 0, thorough=True)
        if source is None or cut.state == "doubt":
            continue
        truth = follow(source, way, loosely=False).values
        if cut.values != truth:
            return page, way, cut, truth
    return None


def test_a_cut_is_what_the_tree_holds_or_doubt() -> None:
    random = Random(20)
    cases = [make_case(random) for _ in range(400)]
    assert sum(len(ways) for _, ways in cases) > 2_000
    assert [found for case in cases if (found := disagreement(*case))] == []


@pytest.mark.parametrize("cuts", [20_000, pytest.param(200_000, marks=pytest.mark.soak)])
def test_thousands_of_cuts_are_what_the_tree_holds_or_doubt(cuts: int) -> None:
    random = Random(21)
    done = 0
    while done < cuts:
        page, ways = make_case(random)
        done += len(ways)
        assert disagreement(page, ways) is None


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(use_true_random=False))
def test_no_page_makes_a_cut_wrong(random: Random) -> None:
    assert disagreement(*make_case(random)) is None


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=300), st.binary(min_size=1, max_size=3), st.integers(-2, 2), st.sampled_from(TAKES))
def test_any_bytes_can_be_cut(page: bytes, anchor: bytes, nth: int, take: str) -> None:
    rule = Rule("tag", anchor, step=b"<p", nth=nth, reach=100)
    cutter = Cutter(layout_of(Way(take, (rule,), needed=1, attribute="a")))
    for body in (page, b"<p>" + page, page.replace(b"a", b"<")):
        assert {cutter.cut_field(body, 0, thorough=thorough).state for thorough in (True, False)} <= STATES


@pytest.mark.skipif(native is None, reason="the compiled extension is not built")
def test_character_references_are_those_of_the_standard() -> None:
    assert native is not None
    numbers = [f"#{code}" for code in (0, 9, 38, 127, *range(128, 160), 0xD800, 0x10FFFF, 0x110000, 10**30)]
    names = [*html5, *(f"{name};" for name in numbers), *(f"#x{code:X}" for code in (0x80, 0xA0, 0x1F600, 0xFFFF))]
    for follower in ("", " ", "x", "=", ";", "1", "&amp;"):
        run = "|".join(f"&{name}{follower}" for name in names)
        tree = LexborHTMLParser(f'<p title="{run}">{run}</p>').css_first("p")
        assert tree is not None
        assert native.read_run(run.encode(), False) == " ".join(tree.text().split())
        assert native.read_run(run.encode(), True) == " ".join((tree.attributes["title"] or "").split())


@pytest.mark.skipif(native is None, reason="the compiled extension is not built")
def test_the_extension_and_the_walk_of_the_tree_know_the_same_tags() -> None:
    assert native is not None
    table = native.tag_table()
    assert {name for name in KIND if name.isalnum()} <= table.keys()
    assert [name for name, (kind, _) in table.items() if kind != KIND.get(name, 1)] == []
    marked = {name for name, (_, traits) in table.items() if traits >> 1 & 1}
    assert marked == RAW - {"plaintext"}
