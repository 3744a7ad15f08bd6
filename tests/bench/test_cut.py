from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from bench.command import app
from bench.cut_tables import Summary, Table, format_cell, make_tables
from bench.cutting import by_regex, count_seconds, paper_methods
from bench.parsers import Wanted, installed_parsers
from bench.patterns import choose_patterns
from bench.sites import SitePages, load_sites
from typer.testing import CliRunner

from bench import cut
from scythe.errors import BadInput
from scythe.site.cut.cutter import Cut
from scythe.site.cut.hints import HintOptions

PAGES = 14


def make_page(number: int) -> str:
    rows = "".join(f"<div class='row'>Sheaf {number}.{row} was bound and carried home.</div>" for row in range(60))
    return (
        f"<html><head><title>{number}</title></head><body><ul class='menu'><li>Home</li></ul>{'<p>x</p>' * number}"
        f'<h1 class="title">Field {number}</h1><span class="price">{number} crowns</span>'
        f"<div id=\"text\">{rows}{'<div>more</div>' * (number % 3)}</div><!-- end --><div class='row'>foot</div>"
        f"{'<p>Other fields lie around.</p>' * 200}</body></html>"
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "sites"
    folder.mkdir()
    rows = [{"site": f"field/{name}", "html": make_page(n)} for name in ("north", "south") for n in range(PAGES)]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / "fields.jsonl.xz").write_bytes(lzma.compress(body))
    return tmp_path


@pytest.fixture
def site(data: Path) -> SitePages:
    return load_sites(data)[0]


@pytest.fixture
def tables(data: Path) -> dict[str, Table]:
    return {table.name: table for table in make_tables(cut.run(data, site_limit=1, rounds=1))}


def test_sites_are_told_apart_and_named_by_category(data: Path) -> None:
    sites = load_sites(data)
    assert [(site.name, site.category, len(site.bodies)) for site in sites] == [
        ("field/north", "field", PAGES),
        ("field/south", "field", PAGES),
    ]
    assert len(load_sites(data, limit=1)) == 1


def test_pages_without_a_site_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"html": "<p>"}\n')
    with pytest.raises(BadInput, match="site"):
        load_sites(path)
    path.write_text("")
    with pytest.raises(BadInput, match="no pages"):
        load_sites(path)


def test_patterns_are_unique_tags_with_their_best_hints(site: SitePages) -> None:
    patterns = {pattern.rule.opening: pattern for pattern in choose_patterns(site)}
    assert set(patterns) == {b'<h1 class="title">', b'<span class="price">', b'<div id="text">'}
    title, text = patterns[b'<h1 class="title">'], patterns[b'<div id="text">']
    assert (title.group, title.size, title.rule.inner_tag_count, title.rule.end_marker) == ("H", "value", 1, b"</h1>")
    assert (text.group, text.size, text.rule.inner_tag_count) == ("div", "body", -1)
    assert text.rule.end_marker == b"</div><!"
    assert title.rule.starting_position == min(body.index(b"<h1") for body in site.bodies)
    assert title.wanted == Wanted("h1", (("class", "title"),))


def test_every_way_cuts_the_whole_element_on_every_page(site: SitePages) -> None:
    for pattern in choose_patterns(site):
        for method in paper_methods():
            extract = method.make(pattern)
            for body, place in zip(site.bodies, pattern.ranges, strict=True):
                assert place is not None
                found = extract(body)
                spans = [found.span] if isinstance(found, Cut) else None
                assert spans == [place] if spans else found == [body[slice(*place)].decode()], method.name


def test_an_unclosed_element_ends_the_regular_expression_with_the_page(site: SitePages) -> None:
    pattern = choose_patterns(site)[0]
    body = pattern.rule.opening + b"open"
    assert by_regex(pattern)(body) == [body.decode()]


@pytest.mark.parametrize("parser", installed_parsers(), ids=lambda parser: parser.name)
def test_every_parser_finds_the_element(parser: cut.Parser) -> None:
    body = b"""<![if x]><div class="a b"><div>x</div>y</div><h1 title="it's">z</h1>"""
    tree = parser.parse(body if parser.name != "html.parser" else body[9:])
    found = parser.find(tree, Wanted("div", (("class", "a b"),)))
    assert found.replace("\n", "") in ('<div class="a b"><div>x</div>y</div>', "xy")
    assert "z" in parser.find(tree, Wanted("h1", (("title", "it's"),)))
    assert parser.find(tree, Wanted("h6", ())) == ""


def test_values_that_are_hard_to_write_are_written_safely() -> None:
    wanted = Wanted("p", (("title", "a\"b'c\n"),))
    assert wanted.css == 'p[title="a\\"b\'c\\a "]'
    assert wanted.xpath == "//p[@title]"
    assert Wanted("p", (("title", 'a"b'),)).xpath == "//p[@title='a\"b']"


def test_second_searches_are_counted_where_the_element_comes_earlier(site: SitePages) -> None:
    pattern = next(pattern for pattern in choose_patterns(site) if pattern.group == "H")
    later_and_later = count_seconds(pattern, site.bodies, HintOptions())
    assert (later_and_later.pages, later_and_later.first, later_and_later.rest) == (PAGES, 0, 0)
    assert later_and_later.searched < later_and_later.before
    halves = SitePages("s", "s", site.bodies[7:] + site.bodies[:7], site.urls, site.gold)
    (pattern,) = [pattern for pattern in choose_patterns(halves) if pattern.group == "H"]
    earlier = count_seconds(pattern, halves.bodies, HintOptions())
    assert (earlier.first, earlier.rest) == (2, 0)  # the first that lies so early is an outlier, the second is not
    assert earlier.searched > later_and_later.searched


def test_a_run_gives_the_tables_of_the_paper(tables: dict[str, Table]) -> None:
    assert list(tables) == [
        "tables 3, 4", "table 5", "table 6", "table 7", "table 8", "table 9", "sizes", "second searches"
    ]  # fmt: skip
    for table in tables.values():
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows), table.name


def test_every_way_is_compared_with_the_fastest_parser(tables: dict[str, Table]) -> None:
    sizes = {row[0]: dict(zip(tables["sizes"].columns, row, strict=True)) for row in tables["sizes"].rows}
    assert sizes["lexbor, one parse per element"]["value"] > sizes["lexbor, one parse per page"]["value"]  # type: ignore[operator]
    assert all(sizes[method.name]["right %"] == 100 for method in paper_methods())
    assert all(sizes[method.name]["wrong %"] == 0 for method in paper_methods())
    assert sizes["end marker"]["value x"] > 1  # type: ignore[operator]
    assert sizes["simple"]["middle"] is None


def test_pages_without_unique_tags_give_empty_tables(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"site": "a", "html": "<p>x<p>y"}\n')
    done = cut.run(path, rounds=1)
    assert Summary(done).fastest([]) is None
    assert make_tables(done)[-1].rows == ()


def test_the_command_prints_tables_a_caution_and_the_machine(data: Path) -> None:
    done = CliRunner().invoke(app, ["cut", "--data", str(data), "--site-limit", "1", "--rounds", "1"])
    assert done.exit_code == 0
    assert "table 9: Effects of tags" in done.stdout
    assert "compare ways within one run" in done.stdout


def test_the_command_gives_json(data: Path) -> None:
    done = CliRunner().invoke(app, ["cut", "--data", str(data), "--site-limit", "1", "--rounds", "1", "--json"])
    answer = json.loads(done.stdout)
    assert {"machine", "caution", "tables"} == set(answer)
    assert answer["tables"][0]["rows"][-1][:3] == ["all", 1, PAGES]


def test_the_command_says_what_is_wrong_with_the_data(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["cut", "--data", str(tmp_path)])
    assert done.exit_code == 2
    assert "sites/NAME.jsonl.xz" in done.stderr


def test_numbers_are_written_with_three_digits_that_count() -> None:
    assert [format_cell(cell) for cell in (None, "a", 7, 0.1234, 12.34, 123.4)] == [
        "-",
        "a",
        "7",
        "0.123",
        "12.3",
        "123",
    ]
