"""The page map is the tree of the HTML standard with places in the bytes; lexbor builds the same from any markup."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.shapes import damage_page
from tests.page.lexbor_trees import attributes_of, by_lexbor, first_difference, nodes_of
from tests.page.map_faults import faults_of
from tests.property.soup import make_page

from scythe.extension import native
from scythe.page.tree_map import TreeMap

pytestmark = pytest.mark.skipif(native is None, reason="the extension is not built: no C compiler was found")
if native is not None:
    from scythe.page.map import CONTINUES, FOREIGN, IMPLIED, IN_TEMPLATE, MOVED, MUTED, PageMap

# what the standard makes of a source, construct by construct: [source, tree]. A tree is written as `name(children)`,
# text in quotes, attributes in brackets; `=name` is an element that no tag opened; comments only part texts.
CASES: dict[str, list[list[str]]] = json.loads((Path(__file__).parent / "map_cases.json").read_bytes())
DOCTYPES = CASES.pop("13.2.6.4.1: doctypes, and whether a table may stand in a paragraph behind them")
DEPARTURES = CASES.pop("lexbor departs from the standard")
EXPECTED = [case for cases in CASES.values() for case in cases]
BUNDLED = sorted((Path(__file__).resolve().parent.parent / "pages").glob("*/*/page.html"))


def tree_of(m: "PageMap") -> str:
    """Write the tree as the cases do, from the columns."""
    inside: list[list[tuple[int, int, int, str]]] = [[] for _ in range(len(m))]
    for run, row in enumerate(m.run_row.tolist()):
        if not m.run_flags[run] & CONTINUES:
            text = m.run_text(run).replace("\n", "\\n")
            inside[row].append((run, 1, 0, f'"{text}"'))
    written = ""
    for row in range(len(m) - 1, -1, -1):
        parts = " ".join(part for *_, part in sorted(inside[row]))
        written = ("=" if m.flags[row] & IMPLIED else "") + m.tags[m.tag[row]]
        if said := attributes_of(m.element(row).attributes):
            written += f"[{said}]"
        if parts:
            written += f"({parts})"
        if row:
            inside[m.parent[row]].append((int(m.run_from[row]), 0, row, written))
    return written


@pytest.mark.parametrize(("source", "tree"), EXPECTED + DEPARTURES)
def test_the_tree_is_that_of_the_standard(source: str, tree: str) -> None:
    page_map = PageMap(source.encode())
    assert tree_of(page_map) == tree
    assert faults_of(page_map) == []


@pytest.mark.parametrize("source", [source for source, _ in EXPECTED if not source.startswith("\ufeff")])
def test_lexbor_builds_the_same_tree(source: str) -> None:
    assert nodes_of(PageMap(source.encode()).root) == by_lexbor(source.encode())


@pytest.mark.parametrize(("doctype", "is_quirky"), DOCTYPES)
def test_in_quirks_mode_a_table_may_stand_in_a_paragraph(doctype: str, is_quirky: bool) -> None:
    page_map = PageMap(f"{doctype}<p>a<table><td>b".encode())
    (table,) = page_map.find("table")
    assert table.parent.tag == ("p" if is_quirky else "body")


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.parent.name)
def test_bundled_pages_and_what_damage_makes_of_them_are_built_as_lexbor_does(path: Path) -> None:
    body, dice = path.read_bytes().decode("utf-8", "replace").encode(), Random(7)
    assert first_difference(body) is None
    for _ in range(25):
        damaged = bytearray(body)
        for _ in range(dice.randrange(1, 12)):
            at = dice.randrange(len(damaged))
            damaged[at : at + dice.randrange(12)] = dice.choice((b"", b"", b"<b>", b"</div>", b"<p>", b"<", b">", b'"'))
        text = damaged.decode("utf-8", "replace").encode()
        assert faults_of(PageMap(text)) == []
        assert first_difference(text) is None


def soup(dice: Random) -> bytes:
    size, faults = dice.randrange(2, 40), dice.choice((0.1, 0.4, 1.0))
    return make_page(dice, size, faults=faults).replace(b"\0", b"")  # of which no page has any


@pytest.mark.parametrize("count", [2_000, pytest.param(200_000, marks=pytest.mark.soak)])
def test_markup_by_chance_is_built_as_lexbor_does(count: int) -> None:
    dice, exactly = Random(11), 0
    for _ in range(count):
        source = soup(dice)
        assert first_difference(source) is None, source
        exactly += nodes_of(PageMap(source).root) == by_lexbor(source)
    assert exactly > count * 0.97


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_pages_in_disorder_are_built_as_lexbor_does(count: int) -> None:
    """The damage is that of a fuzz target, for more of it: `python -m tests.fuzz page.map-soup --inputs 1000000`."""
    dice, seeds, exactly = Random(24), [path.read_bytes()[:6_000] for path in BUNDLED], 0
    for _ in range(count):
        page = damage_page(dice, dice.choice(seeds)[dice.randrange(3_000) :], seeds).replace(b"\0", b"")
        source = page.decode("utf-8", "replace").encode()
        page_map = PageMap(source)
        if not page_map.losses:
            assert first_difference(source) is None, source
            exactly += nodes_of(page_map.root) == by_lexbor(source)
    assert exactly > count * 0.6


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400) | st.builds(Random, st.integers()).map(soup))
def test_any_bytes_have_a_map_that_keeps_its_laws(source: bytes) -> None:
    page_map = PageMap(source)
    assert faults_of(page_map) == []
    nodes = nodes_of(page_map.root)
    runs = (run for run in range(len(page_map.run_start)) if is_shown(page_map, run))
    shown = "".join(map(page_map.run_text, runs))
    assert "".join(said for _, tag, said in nodes if tag == "-text") == shown
    assert sum(tag != "-text" for _, tag, _ in nodes) == int((page_map.flags & IN_TEMPLATE == 0).sum())


def is_shown(m: "PageMap", run: int) -> bool:
    """Say whether a text begins with a run and is in no template."""
    row = m.run_row[run]
    is_first = not m.run_flags[run] & CONTINUES
    return bool(
        is_first and not m.flags[row] & IN_TEMPLATE and (m.tags[m.tag[row]] != "template" or m.flags[row] & FOREIGN)
    )


def test_offsets_lead_to_tags_and_texts() -> None:
    source = b"<div id=a>one <b>two</b> &amp; three</div><ul><li>x<li>y</ul><br><template><p>z</template>"
    m = PageMap(source)
    spans = {
        m.tags[m.tag[row]]: (source[m.start[row] : m.inner[row]], source[m.close[row] : m.end[row]])
        for row in range(len(m))
    }
    assert spans["div"] == (b"<div id=a>", b"</div>")
    assert spans["b"] == (b"<b>", b"</b>")
    assert spans["li"] == (b"<li>", b"")  # which no tag closes
    assert spans["br"] == (b"<br>", b"")
    assert spans["html"] == spans["body"] == (b"", b"")
    (lists,) = m.find("ul")
    assert source[slice(*lists.span)] == b"<ul><li>x<li>y</ul>"
    assert [source[a:b] for a, b in zip(m.run_start, m.run_end, strict=True)] == [
        b"one ", b"two", b" &amp; three", b"x", b"y", b"z",
    ]  # fmt: skip
    assert m.run_text(2) == " & three"


def test_flags_say_what_is_special_about_an_element() -> None:
    m = PageMap(b"<table><b>a</b></table><p><i>b<p>c</i><svg><g>d</g></svg><template><u>e</u></template>")
    flags = {m.tags[m.tag[row]]: int(m.flags[row]) for row in range(len(m))}
    assert flags["html"] == IMPLIED
    assert flags["b"] & MOVED
    assert flags["i"] == MOVED  # the last one, which is built again
    assert flags["svg"] == flags["g"] == FOREIGN | MUTED
    assert flags["template"] == MUTED
    assert flags["u"] == IN_TEMPLATE | MUTED


def test_equal_places_have_equal_keys_and_paths() -> None:
    m = PageMap(b"<ul><li class='a b' id=n1><b>x</b><li class=a id=n22><b>y</b><li class=c><b>z</b></ul>")
    rows = {name: [row for row in range(len(m)) if m.tags[m.tag[row]] == name] for name in ("li", "b")}
    first, second, other = rows["li"]
    assert m.key[first] == m.key[second] != m.key[other]  # runs of digits are the same
    assert len({int(m.key[row]) for row in rows["b"]}) == 1
    assert m.path[rows["b"][0]] == m.path[rows["b"][1]] != m.path[rows["b"][2]]


def test_runs_of_equal_words_have_equal_hashes() -> None:
    m = PageMap(b"<p>one  two<p> one\ntwo <p>one three")
    assert m.run_hash[0] == m.run_hash[1] != m.run_hash[2]


def test_what_has_an_attribute_is_found_whatever_the_letter_case() -> None:
    m = PageMap(b"<p class='a Byline'>x<p ID=q>y<template><p class=byline></template>")
    assert [node.text() for node in m.having("class", "BYLINE")] == ["x"]
    assert [node.text() for node in m.having("id")] == ["y"]
    assert m.having("class", "none") == []


def test_handles_know_their_neighbours() -> None:
    m = PageMap(b"<div>a<b>c</b>d<i></i></div>")
    (div,) = m.find("div")
    forward, node = [], div.first_child
    while node is not None:
        forward.append(node)
        node = node.next
    assert [node.tag for node in forward] == ["-text", "b", "-text", "i"]
    backward, node = [], div.last_child
    while node is not None:
        backward.append(node)
        node = node.prev
    assert backward == forward[::-1]
    assert {node.parent for node in forward} == {div}
    assert len({node.mem_id for node in forward}) == 4
    assert re.sub(r"\s", "", div.html) == "<div>a<b>c</b>d<i></i></div>"
    with pytest.raises(IndexError):
        m.element(99)


@pytest.mark.parametrize("make", [PageMap, TreeMap.parse])
def test_what_elements_say_of_some_attributes(make):
    page = make(b"<link REL=next rel=prev href='/a&amp;b'><link rel><template><link rel=no></template><link href=/c>")
    assert page.said("link", "rel", "href") == [("next", "/a&b"), ("", None), (None, "/c")]
    assert page.said("x-none", "rel") == []
