import json
import lzma
from pathlib import Path

import pytest
from bench.command import app
from bench.cut_tables import Table, make_tables
from bench.cutting import paper_methods
from bench.parsers import Wanted, installed_parsers
from bench.patterns import choose_patterns
from bench.sites import SitePages, load_sites
from typer.testing import CliRunner

from bench import cut
from scythe.site.byte_rules import ByteCut

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


def test_every_way_cuts_the_whole_element_on_every_page(site: SitePages) -> None:
    for pattern in choose_patterns(site):
        for method in paper_methods():
            extract = method.make(pattern)
            for body, place in zip(site.bodies, pattern.ranges, strict=True):
                assert place is not None
                found = extract(body)
                spans = [found.span] if isinstance(found, ByteCut) else None
                assert spans == [place] if spans else found == [body[slice(*place)].decode()], method.name


@pytest.mark.parametrize("parser", installed_parsers(), ids=lambda parser: parser.name)
def test_every_parser_finds_the_element(parser: cut.Parser) -> None:
    body = b"""<![if x]><div class="a b"><div>x</div>y</div><h1 title="it's">z</h1>"""
    tree = parser.parse(body if parser.name != "html.parser" else body[9:])
    found = parser.find(tree, Wanted("div", (("class", "a b"),)))
    assert found.replace("\n", "") in ('<div class="a b"><div>x</div>y</div>', "xy")
    assert "z" in parser.find(tree, Wanted("h1", (("title", "it's"),)))
    assert parser.find(tree, Wanted("h6", ())) == ""


def test_a_run_gives_the_tables_of_the_paper(tables: dict[str, Table]) -> None:
    assert list(tables) == [
        "tables 3, 4", "table 5", "table 6", "table 7", "table 8", "table 9", "sizes", "second searches"
    ]  # fmt: skip
    for table in tables.values():
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows), table.name


def test_the_command_prints_tables_a_caution_and_the_machine(data: Path) -> None:
    done = CliRunner().invoke(app, ["cut", "--data", str(data), "--site-limit", "1", "--rounds", "1"])
    assert done.exit_code == 0
    assert "table 9: Effects of tags" in done.stdout
    assert "compare ways within one run" in done.stdout


def test_the_command_says_what_is_wrong_with_the_data(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["cut", "--data", str(tmp_path)])
    assert done.exit_code == 2
    assert "sites/NAME.jsonl.xz" in done.stderr
