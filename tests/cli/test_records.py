import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.fetch.server import always, by_path, serve
from tests.fetch.server import page as answer
from typer.testing import CliRunner

from scythe.cli.records import records as app
from scythe.cli.sinks import TableRows
from scythe.output.rows import RowBatch, Shape

from .conftest import EMPTY_PAGE, Run

GOODS = ["Snath", "Grass blade", "Ditch blade", "Whetstone", "Peening jig", "Hay rake", "Gloves", "Basket"]
SHOP = "https://field.example/tools/"


def shop(goods: list[str], pager: str = "", menu: str = "") -> str:
    cards = "".join(
        f"<li class=product><a href='/tools/{n}'><img src='/img/{n}.jpg' alt='' width=200 height=150></a>"
        f"<h2><a href='/tools/{n}'>{name}</a></h2><p class=about>{name} made by hand in the valley.</p>"
        f"<span class=price>€{n + 10}.50</span></li>"
        for n, name in enumerate(goods)
    )
    return (
        f"<html><head><title>Hand tools</title></head><body><nav>{menu}</nav><main><h1>Hand tools</h1>"
        f"<ul class=products>{cards}</ul>{pager}</main><footer>Mill Lane 3</footer></body></html>"
    )


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `scythe records` in this process, where its model is loaded once."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "", check: int = 0) -> subprocess.CompletedProcess[str]:
        done = CliRunner().invoke(app, arguments, input=stdin)
        assert done.exit_code == check, f"{done.output}\n{done.exception!r}"
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    path = tmp_path / "tools.html"
    path.write_text(shop(GOODS), encoding="utf-8")
    return path


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_pipe_gets_one_row_of_csv_per_record_with_its_link_and_image(scythe: Run, tools: Path) -> None:
    rows = rows_of(scythe("records", "tools.html", "--url", SHOP).stdout)
    assert [row["title"] for row in rows] == GOODS
    assert rows[2]["price"] == "€12.50"
    assert rows[2]["link"] == "https://field.example/tools/2"
    assert rows[2]["image"] == "https://field.example/img/2.jpg"
    assert list(rows[0])[-2:] == ["link", "image"]


def test_the_suffix_of_the_output_file_names_the_format(records: Run, tools: Path, tmp_path: Path) -> None:
    records("tools.html", "-o", "out.csv")
    records("-", "-o", "out.jsonl", stdin=shop(GOODS))
    records("tools.html", "-o", "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["title"] for row in rows_of((tmp_path / "out.csv").read_text(encoding="utf-8"))] == GOODS
    assert [row["title"] for row in table] == GOODS
    assert [row["title"] for row in lines] == GOODS
    assert list(table[0]) == list(lines[0])


def test_all_lists_come_with_their_number_and_kind(records: Run, tmp_path: Path) -> None:
    menu = "<ul>" + "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("Home", "Seeds", "Help")) + "</ul>"
    (tmp_path / "tools.html").write_text(shop(GOODS, menu=menu), encoding="utf-8")
    rows = json.loads(records("tools.html", "--everything", "-f", "json").stdout)
    assert {row["list"] for row in rows if row["kind"] != "menu"} >= {1}
    assert any(row["kind"] == "menu" for row in rows)
    assert next(iter(rows[0])) == "list"
    assert not any(row["kind"] == "menu" for row in json.loads(records("tools.html", "--all", "-f", "json").stdout))


def test_rows_of_several_pages_name_their_page(records: Run, tools: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text(EMPTY_PAGE, encoding="utf-8")
    done = records("tools.html", "empty.html", "missing.html", check=1)
    assert {row["page"] for row in rows_of(done.stdout)} == {"tools.html"}
    assert "empty.html: no records found" in done.stderr
    assert "missing.html: no such file" in done.stderr


def test_a_published_method_can_be_chosen(records: Run, tools: Path) -> None:
    assert "Whetstone" in records("tools.html", "--method", "mdr").stdout


def test_attributes_are_names_and_values(records: Run, root: Path) -> None:
    rows = rows_of(records(str(root / "examples" / "snath.html"), "--attributes").stdout)
    assert {"name": "Wood", "value": "Ash"} in rows
    assert {"name": "sku", "value": "FB-1042"} in rows


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("tools.html", "-o", "out.xlsx"), ".csv .jsonl"),
        (("tools.html", "-f", "xml"), "known formats are table, csv"),
        (("tools.html", "-f", "parquet"), "name it with -o"),
        (("tools.html", "--method", "depta"), "expected one of auto; mdr:threshold=0.3"),
        (("tools.html", "--attributes", "--follow", "2"), "--follow"),
        (("tools.html", "--all", "--list", "2"), "--list names one list"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_read(
    records: Run, tools: Path, arguments: tuple[str, ...], advice: str
) -> None:
    done = records(*arguments, check=2)
    assert advice in done.stderr
    assert done.stdout == ""


def test_a_page_without_records_is_an_exit_code_when_asked_for(records: Run, tools: Path) -> None:
    records("-", "--fail-on-empty", stdin=EMPTY_PAGE, check=3)
    done = records("tools.html", "--list", "9", "--fail-on-empty", check=3)
    assert "no list 9 found" in done.stderr


def test_a_terminal_gets_a_table_without_escapes_of_the_page(tmp_path: Path) -> None:
    goods = [*GOODS[:-1], "Bas\x1b]0;owned\x07ket [bold]"]
    (tmp_path / "tools.html").write_text(shop(goods), encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scythe", "records", "tools.html"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "120", "LINES": "50"},
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how a terminal ends on Linux
        pass
    os.close(ours)
    assert done.returncode == 0
    assert "list 1: products, 8 records" in shown.decode()
    assert b"]0;owned" in shown
    assert b"\x1b]0" not in shown
    assert "[bold]" in shown.decode()


def pages_of_a_shop() -> dict[str, bytes]:
    def pager(*numbers: int) -> str:
        return "<p class=pager>" + " ".join(f"<a href='/tools/?page={n}'>{n}</a>" for n in numbers) + "</p>"

    return {
        "/tools/": answer(shop(["Snath", "Blade", "Stone"], "<p><a href='/tools/?page=2'>Next page</a></p>").encode()),
        "/tools/?page=2": answer(shop(["Jig", "Rake", "Gloves"], f"{pager(1)} 2 {pager(3)}").encode()),
        "/tools/?page=3": answer(shop(["Basket", "Sack", "Twine"], f"{pager(1, 2)} 3").encode()),
    }


def test_a_list_is_followed_to_its_last_page(scythe: Run) -> None:
    with serve(by_path(pages_of_a_shop())) as server:
        done = scythe("records", server.url("/tools/"), "--follow", "9", "--delay", "0", "--allow-private", "-v")
        rows = rows_of(done.stdout)
        assert [row["title"] for row in rows] == "Snath Blade Stone Jig Rake Gloves Basket Sack Twine".split()
        assert rows[-1]["page"] == server.url("/tools/?page=3")
        assert "not followed: the last page" in done.stderr
        assert sum("robots.txt" in head for head in server.heads) == 1


def test_no_more_pages_are_followed_than_asked_for(records: Run) -> None:
    with serve(by_path(pages_of_a_shop())) as server:
        done = records(server.url("/tools/"), "--follow", "1", "--delay", "0", "--allow-private", "-v")
        assert len(rows_of(done.stdout)) == 6
        assert "the list continues at" in done.stderr


def test_robots_txt_ends_the_way(records: Run) -> None:
    pages = {**pages_of_a_shop(), "/robots.txt": answer(b"User-agent: *\nDisallow: /tools/?page=3\n")}
    with serve(by_path(pages)) as server:
        done = records(server.url("/tools/"), "--follow", "9", "--delay", "0", "--allow-private", "-v")
        assert len(rows_of(done.stdout)) == 6
        assert "robots.txt does not allow" in done.stderr


def test_read_adds_records_below_the_text(scythe: Run, tools: Path) -> None:
    marked = scythe("read", "tools.html", "-f", "md", "--records", "--url", SHOP).stdout
    plain = scythe("read", "tools.html", "--records").stdout
    assert "## Records 1: products, 8" in marked
    assert "| Whetstone |" in marked
    assert "Records 1: products, 8\ntitle\t" in plain
    assert "Records 1" not in scythe("read", "tools.html").stdout


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("--all",), "name a file, a folder or an address"),
        (("-", "--input-file", "-"), "a page or a list of addresses, not both"),
        (("--input-file", "missing.txt"), "--input-file missing.txt: no such file"),
    ],
)
def test_without_a_page_it_says_how_to_name_one(records: Run, arguments: tuple[str, ...], advice: str) -> None:
    done = records(*arguments, check=2)
    assert advice in done.stderr
    assert done.stdout == ""


def test_what_is_no_page_is_told_and_the_rest_is_read(records: Run, tools: Path, tmp_path: Path) -> None:
    (tmp_path / "paper.html").write_bytes(b"%PDF-1.7 \x00\x01")
    done = records("paper.html", "tools.html")
    assert "scythe: paper.html: no records found: not HTML: looks like PDF" in done.stderr
    assert records("paper.html", "--fail-on-empty", check=3).stdout == ""
    assert [row["title"] for row in rows_of(done.stdout)] == GOODS


def test_rows_that_cannot_be_written_are_a_failure(records: Run, tools: Path, tmp_path: Path) -> None:
    done = records("tools.html", "-o", "nowhere/out.parquet", check=1)
    assert done.stderr.startswith("scythe: cannot be written: ")
    assert list(tmp_path.iterdir()) == [tools]


def test_a_download_that_broke_off_is_told(records: Run) -> None:
    body = shop(GOODS).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100)
    with serve(always(head + body)) as server:
        done = records(server.url("/"), "--allow-private")
    assert f"incomplete: download ended early, bytes received ({len(body)})" in done.stderr
    assert [row["title"] for row in rows_of(done.stdout)] == GOODS


def next_page(where: str) -> str:
    return f"<nav class=pagination><a class=next rel=next href='{where}'>Next page</a></nav>"


@pytest.mark.parametrize(
    ("first", "second", "robots", "why"),
    [
        ("http://other.example/tools/?after=b", "", b"", "the last page"),
        ("/tools/?after=b", "/tools/?after=a", b"", "/tools/?after=a leads back"),
        ("/tools/?page=2", "", b"User-agent: *\nCrawl-delay: 3600", "robots.txt asks for 3600 s before each page"),
        ("/tools/?page=9", "", b"", "the page repeats an earlier one"),
        ("/tools/?page=8", "", b"", "/tools/?page=8 leads back"),
    ],
)
def test_it_is_told_where_a_list_is_followed_no_further(
    records: Run, first: str, second: str, robots: bytes, why: str
) -> None:
    start = shop(["Snath", "Blade", "Stone"], next_page(first))
    pages = {
        "/robots.txt": answer(robots),
        "/tools/?after=a": answer(start.encode()),
        "/tools/?after=b": answer(shop(["Jig", "Rake", "Gloves"], next_page(second)).encode()),
        "/tools/?page=8": answer(b"", "Location: /tools/?after=a", status="302 Found"),
        "/tools/?page=9": answer(start.encode()),
    }
    with serve(by_path(pages)) as server:
        done = records(server.url("/tools/?after=a"), "--follow", "9", "--delay", "0", "--allow-private", "-v")
    assert why in done.stderr
    assert [row["title"] for row in rows_of(done.stdout)][:3] == ["Snath", "Blade", "Stone"]
    assert len(rows_of(done.stdout)) == (6 if second else 3)


def test_a_list_that_goes_on_at_another_port_is_asked_for_its_own_robots_txt(records: Run) -> None:
    forbidding = {"/robots.txt": answer(b"User-agent: *\nDisallow: /"), "/tools/?after=c": answer(b"not to be had")}
    with serve(by_path(forbidding)) as other:
        pages = {
            "/tools/?after=a": answer(shop(["Snath", "Blade", "Stone"], next_page("?after=b")).encode()),
            "/tools/?after=b": answer(
                shop(["Jig", "Rake", "Gloves"], next_page(other.url("/tools/?after=c"))).encode()
            ),
        }
        with serve(by_path(pages)) as server:
            done = records(server.url("/tools/?after=a"), "--follow", "9", "--delay", "0", "--allow-private", "-v")
        assert f"robots.txt does not allow {other.url('/tools/?after=c')}" in done.stderr
        assert [head.split()[1] for head in other.heads] == ["/robots.txt"]
    assert len(rows_of(done.stdout)) == 6


def test_columns_for_which_a_terminal_is_too_narrow_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    columns = tuple(f"column {number}" for number in range(40))
    rows = TableRows(Shape())
    rows.put(RowBatch("", columns, (tuple(f"cell {number}" for number in range(40)),), number=1, kind="products"))
    rows.close()
    shown = " ".join(capsys.readouterr().out.split())
    assert "not shown, -f csv has them: column " in shown
    assert "column 39" in shown
