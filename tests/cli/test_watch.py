"""`scythe watch`: what is printed, which code it ends with, what the archive has then."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser
import pytest
from tests.cli.conftest import Run, Terminal
from tests.watching.board import Board, Stand, open_stand

from scythe.archive.open import open_archive
from scythe.archive.watches import hasten_watch, watch_rows
from scythe.cli.watch import Showing, cells, describe, kinds_of, when
from scythe.errors import BadInput
from scythe.watching.events import VisitEvent

pytestmark = pytest.mark.fault
OWN = ("--allow-private", "--delay", "0")
SOON = ("--floor", "1s", "--max-delay", "1s")
Watching = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    monkeypatch.chdir(tmp_path)
    board = Board()
    board.add(10)
    with open_stand(tmp_path, board) as stand:
        yield stand


@pytest.fixture
def watch(scythe: Run) -> Watching:
    """Run the command; return its exit code, its events and what it said besides."""

    def run(*arguments: str) -> tuple[int, list[dict[str, Any]], str]:
        done = scythe("watch", *arguments, check=None)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    return run


def make_due(place: str) -> None:
    """Have every page of an archive visited at once, whenever it is due."""
    with open_archive(place) as archive:
        assert [hasten_watch(archive, row.id) for row in watch_rows(archive)] == [True]


def test_events_are_lines_of_json(stand: Stand, watch: Watching) -> None:
    code, events, said = watch(stand.url, *OWN, "--once")
    kinds = [event["kind"] for event in events]
    assert (code, kinds[0], kinds.count("record")) == (0, "visit", 10)
    assert said == "scythe: 1 visit, 10 new records, 0 failures; everything is in watch.scythe.db\n"
    assert Path("watch.scythe.db").exists()


def test_a_list_can_be_named_and_one_that_is_not_there_is_told(stand: Stand, watch: Watching) -> None:
    _, events, _ = watch(stand.url, *OWN, "--once", "--list", "1")
    _, missing, _ = watch(stand.url, *OWN, "--once", "--list", "jobs", "--archive", "b.db")
    assert sum(event["kind"] == "record" for event in events) == 10
    assert [event["kind"] for event in missing] == ["trouble", "list"]
    assert "no list that was chosen" in missing[0]["why"]


def test_without_an_address_the_archive_says_what_is_watched(stand: Stand, watch: Watching) -> None:
    watch(stand.url, *OWN, "--once", *SOON, "--archive", "a.db")
    stand.board.add(3)
    make_due("a.db")
    code, events, _ = watch(*OWN, "--once", "--archive", "a.db", "--events", "record")
    assert code == 0
    assert [event["number"] for event in events] == [11, 12, 13]


def test_a_host_whose_robots_txt_cannot_be_read_is_asked_once_and_left_for_a_while(watch: Watching) -> None:
    _, events, said = watch("http://127.0.0.1:9/", "--once", "--archive", "a.db")
    assert [event["kind"] for event in events] == ["trouble"]
    assert "robots.txt could not be fetched" in events[0]["why"]
    assert "1 failure" in said


def test_nothing_to_watch_is_told_and_makes_no_archive(stand: Stand, watch: Watching) -> None:
    code, _, said = watch("--archive", "none.db")
    assert code == 1
    assert "none.db" in said
    assert not Path("none.db").exists()
    watch(stand.url, *OWN, "--once")
    assert watch("--forget", stand.url)[0] == 0
    assert watch(*OWN)[0] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("example.org", "--policy", "astrology"), "unknown policy 'astrology'"),
        (("ftp://example.org/",), "is not an address"),
        (("example.org", "--max-delay", "soon"), "expected a duration such as"),
        (("example.org", "--events", "record,noise"), "'noise' is not a kind of event"),
        (("example.org", "--feed", "new.doc"), "new.doc"),
        (("--forget",), "name the pages to stop watching"),
    ],
)
def test_what_cannot_be_meant_is_refused(stand: Stand, watch: Watching, arguments: tuple[str, ...], said: str) -> None:
    code, events, words = watch(*arguments, "--once")
    assert (code, events) == (2, [])
    assert said in " ".join(words.split())


def test_a_feed_file_and_a_command_get_what_is_new(stand: Stand, watch: Watching) -> None:
    wants = (*OWN, "--once", *SOON, "--feed", "new.atom")
    copy = f"{sys.executable} -c \"import sys; open('told.jsonl', 'a').write(sys.stdin.read())\""
    watch(stand.url, *wants, "--exec", copy)
    stand.board.add(2)
    make_due("watch.scythe.db")
    watch(stand.url, *wants, "--exec", copy)
    told = [json.loads(line) for line in Path("told.jsonl").read_text().splitlines()]
    assert [record["link"].split("/")[-1] for record in told] == ["111-council", "112-orchard"]
    assert len(feedparser.parse(Path("new.atom").read_bytes()).entries) == 12


def test_an_interrupt_ends_in_good_order_and_the_same_command_goes_on(stand: Stand, watch: Watching) -> None:
    command = [
        sys.executable,
        "-m",
        "scythe",
        "watch",
        stand.url,
        *OWN,
        "--json",
        "--floor",
        "1s",
        "--max-delay",
        "1s",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith('{"kind": "visit"')
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "everything is in watch.scythe.db" in said
    stand.board.add(1)
    make_due("watch.scythe.db")
    _, events, _ = watch(stand.url, *OWN, "--once", "--events", "record")
    assert [str(event["link"]).split("/")[-1] for event in events] == ["111-council"]


def test_kinds_of_events_are_read() -> None:
    assert kinds_of(None) is None
    assert kinds_of("record, lost") == {"record", "lost"}
    with pytest.raises(BadInput):
        kinds_of(" , ")


def test_the_table_shows_pages_and_what_is_new(stand: Stand) -> None:
    from rich.console import Console

    from scythe.watching.watch import Watch

    stand.visit()
    watch = Watch(stand.archive, clock=stand.clock())
    watch.rows = {row.id: row for row in watch_rows(stand.archive)}
    showing = Showing(is_table=True)
    for event in stand.events:
        asyncio.run(showing.take(event))
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(showing._table(watch))
    shown = console.export_text()
    console.file.close()
    assert "1 page, 0 visits, 0 new records" in shown
    assert "/news" in shown
    assert "new: The harbour beside the council" in shown


def test_who_looks_at_a_watch_sees_its_table_until_it_ends(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    from scythe.watching.watch import Watch

    watch = Watch(stand.archive, clock=stand.clock())
    monkeypatch.setenv("TERM", "xterm")

    async def look(showing: Showing) -> str:
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        async with showing.over(watch):
            await asyncio.sleep(0)  # one round, in which the table is drawn
        return terminal.getvalue()

    shown = asyncio.run(look(Showing(is_table=True)))
    assert "0 pages, 0 visits, 0 new records" in shown
    assert "\x1b[?25h" in shown  # the cursor is back
    assert asyncio.run(look(Showing(is_table=True, quiet=True))) == ""


def test_quiet_shows_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    event = VisitEvent(datetime(2026, 5, 4, tzinfo=UTC), "a.example", "https://a.example/news", 1, 10, 9)
    asyncio.run(Showing(is_table=False, quiet=True).take(event))
    assert capsys.readouterr().out == ""
    asyncio.run(Showing(is_table=False).take(event))
    assert json.loads(capsys.readouterr().out)["page"] == "https://a.example/news"


def test_a_row_says_when_a_page_is_due_and_what_it_brought(stand: Stand) -> None:
    stand.visit()
    row = watch_rows(stand.archive)[0]
    now = stand.clock().now()
    visit = next(event for event in stand.events if event.kind == "visit")
    assert cells(row, visit, now)[2] == "10"
    assert when(None, now) == "never"
    assert when(now, now) == "now"
    assert "visit" in describe(visit)
