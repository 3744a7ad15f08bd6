"""Blocks of code in documents, and a desk to try them out at: servers, files and commands that documents speak of."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.forked import Forked
from tests.stand_in import PRICE, VARIABLE, Places

from scythe.demo.serve import DemoOptions, serve_demo, serve_live

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = ("sh", "bash", "shell")
_STORIES = 12
_GOODS = 10
_PATIENCE_S = 300  # for all commands of a block, on a busy machine


@dataclass(frozen=True)
class Block:
    document: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def blocks_of(document: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a Markdown file."""
    language: str | None = None
    start, lines = 0, []
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        fence = re.match(r"^\s*```(\S*)", line)
        if fence and language is None:
            language, start, lines = fence[1], number, []
        elif fence:
            yield Block(document, start, language or "", "\n".join(lines))
            language = None
        elif language is not None:
            lines.append(line)


class _Sink(BaseHTTPRequestHandler):
    """Takes whatever is posted."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def open_places(pantry: Path) -> Iterator[Places]:
    """Serve a site, a list that grows and a place to post to, until the block ends."""
    with (
        serve_demo(DemoOptions(pages=40)) as site,
        serve_live(every_s=3600.0) as live,
        ThreadingHTTPServer(("127.0.0.1", 0), _Sink) as sink,
    ):
        threading.Thread(target=sink.serve_forever, daemon=True).start()
        story = next(path for path in site.world.paths if path.startswith("/news/2") and path.endswith(".html"))
        yield Places(
            site=site.url,
            story=site.url.rstrip("/") + story,
            live=live.urls[0],
            sink=f"http://127.0.0.1:{sink.server_address[1]}/hook",
            database="",
            pantry=str(pantry),
        )
        sink.shutdown()


def fill_pantry(pantry: Path, places: Places, forked: Forked) -> None:
    """Make one file of each kind that documents take for granted, by the commands that make them."""

    def scythe(*arguments: str) -> None:
        forked.run(arguments, pantry).check_returncode()

    scythe("demo", "--save", "site", "--pages", "120")
    saved = pantry / "saved"
    saved.mkdir()
    stories, goods = sorted(pantry.glob("site/news/**/*.html")), sorted(pantry.glob("site/shop/*.html"))
    for page in (*stories[:_STORIES], *goods[:_GOODS]):
        shutil.copy(page, saved)
    shutil.copy(stories[0], saved / "story.html")
    shutil.copy(saved / "story.html", pantry / "page.html")
    shutil.copy(ROOT / "examples" / "tools.html", pantry / "shop.html")
    shutil.copy(ROOT / "examples" / "snath.html", pantry / "plough.html")
    shutil.rmtree(pantry / "site")
    scythe("learn", "saved/", "-o", "site.json")
    here = ("--allow-private", "--delay", "0", "--quiet")
    scythe("crawl", places.site, "--limit", "16", "--raw", "--archive", "site.db", "-o", "site.warc.gz", *here)
    scythe("watch", places.live, "--once", "--archive", "watch.scythe.db", *here)
    scythe("annotate", "site.json", "--template", "saved/", "-o", "labels.csv")
    for source, copy in (
        ("site.json", "news.json"),
        ("watch.scythe.db", "my.db"),
        ("labels.csv", "ann.csv"),
        ("labels.csv", "bo.csv"),
    ):
        shutil.copy(pantry / source, pantry / copy)
    priced = next(page for page in sorted(saved.iterdir()) if PRICE in page.read_text(encoding="utf-8"))
    (pantry / "shop.csv").write_text(f"page,price\nshop/{priced.name},{PRICE}\n", encoding="utf-8")
    arrivals = (f"news.example,{1_600_000_000 + 1_800 * number}" for number in range(4_000))
    (pantry / "news.csv").write_text("\n".join(("site,unix_time", *arrivals)) + "\n")
    (pantry / "meta.json").write_text('{"news": {"P": 30}}')
    (pantry / "addresses.txt").write_text(f"{places.story}\n{places.site}\n")
    shutil.copy(pantry / "addresses.txt", pantry / "urls.txt")


def lay_out(folder: Path, pantry: Path, forked: Forked) -> Path:
    """Put the commands that documents use into a folder, which goes before all others in PATH, and return it."""
    folder.mkdir()
    python = sys.executable
    commands = {
        "python": f'''export PYTHONPATH="{ROOT}:$PYTHONPATH"
            case "$*" in "-m bench"*) ;;  # needs page sets: tests/bench
            *" serve"*) timeout -s INT 4 {python} "$@"; true;; *) exec {python} "$@";; esac''',
        "make": f"""for target; do
            [[ "$target" == *=* ]] || grep -q "^$target:" {ROOT}/Makefile || exit 2  # each has tests of its own
            done""",
        "pip": "true",  # the extras that are named are looked up
        "curl": f"cat {pantry}/page.html",
        "wget": "true",  # of other hosts
        **dict.fromkeys(("mail", "notify-me"), "cat >/dev/null"),
        "watch": 'shift 2; exec "$@"',
    }
    if not shutil.which("jq"):
        commands["jq"] = "cat"
    for name, script in commands.items():
        (folder / name).write_text(f"#!/usr/bin/env bash\n{textwrap.dedent(script)}\n")
        (folder / name).chmod(0o755)
    forked.lay_out(folder, "stand_in")
    return folder


def settle_places(block: Block, request: pytest.FixtureRequest) -> Places:
    """Return where the things of a block are; a database is only started where one is spoken of."""
    places: Places = request.getfixturevalue("places")
    if "postgresql://" in block.document.read_text(encoding="utf-8"):
        return replace(places, database=request.getfixturevalue("postgres_url"))
    return places


def run_shell(block: Block, places: Places) -> str:
    """Run a block of shell commands and return what it said if one of them failed, or nothing."""
    if not Path("saved").exists():
        shutil.copytree(Path(places.pantry) / "saved", "saved")
    environment = os.environ | {
        "PATH": f"{places.pantry}/bin{os.pathsep}{os.environ['PATH']}",
        VARIABLE: places.dump(),
        "SCYTHE_ARCHIVE": places.database,  # as an earlier block may have said
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", block.text],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=_PATIENCE_S,
        env=environment,
    )
    return f"{block.where} ended with {done.returncode}:\n{done.stdout}" if done.returncode else ""
