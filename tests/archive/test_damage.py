"""What is not what was stored is in no export: it is left out and named, whatever was damaged, and nothing else is."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.archive.visiting import begin, done, extracted, later, region
from typer.testing import CliRunner

from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages, read_records
from scythe.cli.main import app
from scythe.crawl_model import Raw
from scythe.errors import ArchiveFailed
from scythe.output.archive_export import export_archive

PAGES = 12
DAMAGED = {  # a table, a column, and what is done to the value
    "one bit of a text": ("extractions", "text", lambda text: "v" + text[1:]),
    "one bit of Markdown": ("extractions", "markdown", lambda text: text[:-1] + "/"),
    "one bit of HTML": ("extractions", "html", lambda text: text.replace("<p>", "<q>")),
    "a title": ("extractions", "title", lambda text: text + "."),
    "a kind": ("extractions", "kind", lambda text: "product"),
    "what else is known, not JSON": ("extractions", "rest", lambda text: text + "]"),
    "a text that is none": ("extractions", "text", lambda text: b"\xff\xfe" + text.encode()),
    "a half of a character": ("extractions", "text", lambda text: text.encode()[:-1] + b"\xc3"),
    "the fields of a record": ("records", "fields", lambda text: text.replace("record", "recore")),
    "the links of a record": ("records", "links", lambda text: text.replace("http", "ftp:")),
    "the HTML of a record": ("records", "html", lambda text: text + " "),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive whose last page has the text of the first one."""
    path = tmp_path_factory.mktemp("whole") / "a.db"
    with open_archive(path) as archive:
        _, tasks = begin(archive, *(str(number) for number in range(PAGES)))
        for task in tasks:
            lists = (region((task.url, f"A record of {task.url}")),)
            more = {"markdown": f"# {task.url}", "html": f"<p>{task.url}</p>", "kind": "article", "lists": lists}
            text = extracted(tasks[0].url if task is tasks[-1] else task.url).text
            kept = extracted(task.url, text=text, **more)
            store_outcomes(archive, [done(task, extracted=kept, raw=Raw(200, (), task.url.encode() * 100))])
        (again,) = [task for task in tasks if task is tasks[1]]
        store_outcomes(archive, [done(again, extracted=extracted("new", **more), body="new", at=later(9))])
    return path


@pytest.fixture
def damaged(whole: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy with one damaged value."""
    path = tmp_path / "a.db"
    path.write_bytes(whole.read_bytes())
    table, column, change = DAMAGED[request.param]
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        number, value = database.execute(
            f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1 LIMIT 1"
        ).fetchone()
        changed = change(value)
        if isinstance(changed, bytes):
            database.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE rowid = ?", (changed, number))
        else:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, number))
    return path


def lines(path: Path, what: str, *more: str) -> tuple[int, set[str], str]:
    """Export as a user does; return exit code, lines and complaints."""
    done = CliRunner().invoke(app, ["export", str(path), "--what", what, "-f", "jsonl", *more])
    return done.exit_code, set(done.stdout.splitlines()), done.stderr


@pytest.mark.parametrize("damaged", DAMAGED, indirect=True)
def test_what_is_damaged_is_left_out_and_named_and_all_else_is_as_it_was(damaged: Path, whole: Path) -> None:
    codes = set()
    left_out = 0
    for what in ("pages", "records"):
        _, expected, _ = lines(whole, what)
        code, found, said = lines(damaged, what)
        codes.add(code)
        left_out += len(expected - found)
        if code == 0:
            assert found == expected
        else:
            assert "left out: damaged in the archive" in said
            altered = {json.loads(line)["url"] for line in found - expected} if what == "pages" else found - expected
            assert len(altered) <= 1  # a page without its damaged record
    assert 1 in codes
    assert left_out in (1, 2, 3)
    done = CliRunner().invoke(app, ["check", str(damaged)])
    assert done.exit_code == 1


@pytest.mark.parametrize("damaged", ["one bit of a text", "a text that is none"], indirect=True)
def test_readers_that_cannot_leave_anything_out_say_so(damaged: Path, tmp_path: Path) -> None:
    with open_archive(damaged, create=False) as archive:
        with pytest.raises(ArchiveFailed, match=r"not what was stored|cannot be read"):
            list(read_pages(archive, PageQuery()))
        assert len(list(read_records(archive, PageQuery()))) == PAGES
        for suffix in ("csv", "parquet", "jsonl"):
            done = export_archive(archive, tmp_path / f"pages.{suffix}")
            assert done.count == PAGES - len(done.damaged)
            assert 1 <= len(done.damaged) <= 2


def test_a_whole_archive_is_said_to_be_whole(whole: Path) -> None:
    done = CliRunner().invoke(app, ["check", str(whole)])
    assert (done.exit_code, done.stdout) == (0, f"{whole}: everything is as it was stored\n")
    assert json.loads(CliRunner().invoke(app, ["check", str(whole), "--json"]).stdout) == {"ok": True, "trouble": []}
    assert CliRunner().invoke(app, ["check", str(whole), "page.html"]).exit_code == 2


def test_a_kept_response_is_compared_with_its_hash(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        rows = database.execute("SELECT hash, packed FROM bodies ORDER BY size LIMIT 2").fetchall()
        database.execute("UPDATE bodies SET packed = ? WHERE hash = ?", (rows[1][1], rows[0][0]))  # of another page
    with open_archive(path, create=False) as archive:
        done = export_archive(archive, tmp_path / "pages.warc.gz")
    assert (done.count, len(done.damaged)) == (PAGES - 1, 1)
