"""No user name and no password of an address is printed, written or archived, whatever is done with it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from scythe.cli.main import app
from scythe.errors import BadInput, FetchFailed
from scythe.page.page import Page

SECRET = "s3cr3tword"
PAGE = f"http://ann:{SECRET}@127.0.0.1:9/page"
BASE = f"postgresql://ann:{SECRET}@127.0.0.1:9/db"
HTML = "<title>A title</title><main><h1>A title</h1><p>Some words.</p><a href='next'>on</a><img src=a.png alt=b></main>"

COMMANDS = [
    *(f"{verb} {PAGE}" for verb in ("read", "records", "annotate", "suggest", "mcp", "demo", "reed")),
    f"ui --no-browser {PAGE}",
    f"learn {PAGE} -o site.json",
    f"batch {PAGE} -o table",
    f"cut page.html {PAGE}",
    f"check {PAGE} page.html",
    f"explain page.html {PAGE}",
    f"read page.html --url {PAGE} -o page.jsonl",
    f"read page.html --url {PAGE} -o page.md",
    f"read page.html --url http://ann:{SECRET}@[/",
    f"read page.html -o {PAGE}",
    "read -i list.txt -o list.jsonl",
    f"records page.html --url {PAGE} -f jsonl",
    f"suggest page.html --url {PAGE} -f jsonl",
    f"learn page.html --url {PAGE} -o site.json",
    f"crawl {PAGE} --archive crawl.db -o crawl.jsonl --delay 0",
    f"crawl http://127.0.0.1:9/ --archive {BASE}",
    f"crawl http://127.0.0.1:9/ --archive crawl.db -o {BASE}",
    f"watch http://127.0.0.1:9/ --archive {BASE}",
    f"watch http://127.0.0.1:9/ --archive watch.db --webhook {PAGE}",
    f"export {PAGE}",
    f"export crawl.db -o {PAGE}",
    *(f"{verb} --archive {where}" for verb in ("status", "schedule", "worker") for where in (PAGE, BASE)),
    f"ui --no-browser --archive {BASE}",
]  # fmt: skip


def test_no_command_tells_or_keeps_a_password_of_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(HTML)
    (tmp_path / "list.txt").write_text(f"{PAGE}\nhttp://ann:{SECRET}@[bad/\nHTTP://ann:x/{SECRET}@h.example/\n")
    telling = []
    for command in COMMANDS:
        done = CliRunner().invoke(app, command.split())
        if SECRET in done.output or (done.exception and SECRET in str(done.exception)):
            telling.append(command.replace(SECRET, "***"))
    (tmp_path / "list.txt").unlink()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert (telling, kept) == ([], [])
    assert not [path for path in tmp_path.rglob("*") if SECRET in path.name]


def test_no_error_says_the_password_of_an_address() -> None:
    failed = FetchFailed(PAGE, "refused")
    assert SECRET not in f"{failed} {failed.url} {failed.args} {BadInput(f'not {PAGE!r}')}"


def test_what_a_page_names_is_not_prefixed_with_the_name_of_who_asked() -> None:
    page = Page.from_text(HTML, url=PAGE)
    assert page.url == "http://127.0.0.1:9/page"
    assert page.base == page.url
