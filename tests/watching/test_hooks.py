import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.archive.visiting import HOST, SITE, later
from tests.watching.listing import record, visit, watch

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.retrieval import new_records
from scythe.engine.archive_thread import ArchiveThread
from scythe.errors import BadInput
from scythe.fetch import open_fetcher
from scythe.limits import LIMITS
from scythe.watching.events import Event, HookEvent
from scythe.watching.hooks import (
    Command,
    HookBatch,
    HookOptions,
    HookResult,
    Outbox,
    Webhook,
    make_batch,
    make_hooks,
    split,
)

pytestmark = pytest.mark.fault
PYTHON = f"'{sys.executable}' -S -c "
COLLECT = PYTHON + "'import sys; open(sys.argv[1], \"a\").write(sys.stdin.read())' {}"
BATCH = HookBatch("id1", HOST, f"{SITE}news", ('{"number": 1}', '{"number": 2}'), 2)


def titles(path: Path) -> list[str]:
    """Return the titles a command was told, in order."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)["fields"]["title"].removeprefix("Title of ") for line in lines]


class Desk:
    """An archive, an outbox on it, and what the outbox reported."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.clerk: ArchiveThread
        self.reports: list[HookEvent] = []

    async def report(self, event: Event) -> None:
        assert isinstance(event, HookEvent)
        self.reports.append(event)

    @asynccontextmanager
    async def tells(self, options: HookOptions, *watches: int, pause_s: float = 0.01) -> AsyncIterator[Outbox]:
        """Start an outbox; who leaves closes it."""
        clerk = self.clerk = ArchiveThread(self.archive)
        async with open_fetcher() as fetcher:
            outbox = Outbox(clerk, options, fetcher, self.report, first_pause_s=pause_s)
            await outbox.start(watches)
            yield outbox
        await clerk.close()

    def run(
        self, options: HookOptions, work: Callable[[Outbox], Awaitable[None]], *watches: int, pause_s: float = 0.01
    ) -> None:
        """Start an outbox, do some work beside it, and close it when everything was told."""

        async def inside() -> None:
            async with self.tells(options, *watches, pause_s=pause_s) as outbox:
                try:
                    async with asyncio.timeout(30.0):
                        await work(outbox)
                finally:
                    await outbox.close(10.0)

        asyncio.run(inside())

    async def visit(self, outbox: Outbox, number: int, *names: str, at: float) -> None:
        await self.clerk.ask(visit, self.archive, number, *names, at=later(at))
        outbox.note(number)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_archive(tmp_path / "archive.db") as archive:
        yield Desk(archive)


async def nothing(outbox: Outbox) -> None:
    """Let the outbox do what it does at its start."""


def test_a_command_is_told_every_record_that_is_new_and_none_of_the_first_visit(where: str, tmp_path: Path) -> None:
    with open_archive(where) as archive:
        desk, told = Desk(archive), tmp_path / "told"
        number = watch(archive)

        async def work(outbox: Outbox) -> None:
            await desk.visit(outbox, number, "b", "a", at=1)
            assert await outbox.drain(10.0)
            await desk.visit(outbox, number, "d", "c", "b", at=2)
            assert await outbox.drain(10.0)
            await desk.visit(outbox, number, "d", "c", "b", at=3)
            await desk.visit(outbox, number, "e", "d", at=4)

        desk.run(HookOptions(exec=(COLLECT.format(told),)), work, number)
        assert titles(told) == ["c", "d", "e"]
        assert desk.reports == []


@pytest.mark.parametrize(
    ("visits", "notify_first", "expected"),
    [
        (["ba"], True, "ab"),  # the first visit too, where that is asked for
        (["", "a"], False, "a"),  # what comes to a page that showed nothing at first
        (["ba", "cb"], False, "c"),
    ],
)
def test_what_a_command_is_told_of_the_first_visits(
    desk: Desk, tmp_path: Path, visits: list[str], notify_first: bool, expected: str
) -> None:
    number, told = watch(desk.archive), tmp_path / "told"

    async def work(outbox: Outbox) -> None:
        outbox.note(number)  # a visit that failed
        assert await outbox.drain(10.0)
        for turn, names in enumerate(visits):
            await desk.visit(outbox, number, *names, at=turn)
            assert await outbox.drain(10.0)

    desk.run(HookOptions(exec=(COLLECT.format(told),), notify_first=notify_first), work, number)
    assert titles(told) == list(expected)


def test_a_page_whose_first_records_were_known_tells_what_comes(desk: Desk, tmp_path: Path) -> None:
    one, other, told = watch(desk.archive, "news"), watch(desk.archive, "front"), tmp_path / "told"
    visit(desk.archive, one, "b", "a", at=later(1))

    async def work(outbox: Outbox) -> None:
        await desk.clerk.ask(visit, desk.archive, other, "b", "a", at=later(2))  # brings nothing new: not noted
        await desk.visit(outbox, other, "c", "b", "a", at=3)

    desk.run(HookOptions(exec=(COLLECT.format(told),)), work, one, other)
    assert titles(told) == ["c"]


def test_a_first_visit_that_nobody_noted_is_told_apart_from_the_second(desk: Desk, tmp_path: Path) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    options = HookOptions(exec=(COLLECT.format(told),))
    desk.run(options, nothing, number)
    visit(desk.archive, number, *(f"r{n}" for n in range(250)), at=later(1))  # and here the process was killed
    visit(desk.archive, number, "b", "a", "r0", at=later(2))
    desk.run(options, nothing, number)
    assert titles(told) == ["a", "b"]


@pytest.mark.parametrize("notify_first", [False, True])
def test_a_new_hook_is_not_told_what_is_long_known(desk: Desk, tmp_path: Path, notify_first: bool) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    visit(desk.archive, number, "b", "a", at=later(1))

    async def work(outbox: Outbox) -> None:
        await desk.visit(outbox, number, "c", "b", at=2)

    desk.run(HookOptions(exec=(COLLECT.format(told),), notify_first=notify_first), work, number)
    assert titles(told) == ["c"]


def test_what_was_stored_while_nobody_told_is_told_at_the_next_start(desk: Desk, tmp_path: Path) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    options = HookOptions(exec=(COLLECT.format(told),))
    visit(desk.archive, number, "a", at=later(1))
    desk.run(options, nothing, number)
    visit(desk.archive, number, "b", "a", at=later(2))
    visit(desk.archive, number, "c", "b", at=later(3))
    desk.run(options, nothing, number)
    desk.run(options, nothing, number)
    assert titles(told) == ["b", "c"]


def test_processes_that_watch_different_pages_do_not_tell_for_each_other(desk: Desk, tmp_path: Path) -> None:
    told = tmp_path / "told"
    options = HookOptions(exec=(COLLECT.format(told),))
    one, other = watch(desk.archive, "news"), watch(desk.archive, "sport")
    visit(desk.archive, one, "a", at=later(1))
    visit(desk.archive, other, "x", at=later(1))
    desk.run(options, nothing, one, other)
    visit(desk.archive, one, "b", at=later(2))
    visit(desk.archive, other, "y", at=later(3))
    desk.run(options, nothing, other)
    assert titles(told) == ["y"]
    desk.run(options, nothing, one)
    assert titles(told) == ["y", "b"]


def test_a_command_that_fails_is_tried_again_and_people_are_told_once(desk: Desk, tmp_path: Path) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    script = tmp_path / "fails.py"
    script.write_text(
        "import pathlib, sys\n"
        f"tries = pathlib.Path({str(tmp_path / 'tries')!r})\n"
        "tries.write_text((tries.read_text() if tries.exists() else '') + 'x')\n"
        "if len(tries.read_text()) < 4: sys.exit(3)\n"
        f"open({str(told)!r}, 'a').write(sys.stdin.read())\n"
    )
    visit(desk.archive, number, "a", at=later(1))

    async def work(outbox: Outbox) -> None:
        await desk.visit(outbox, number, "c", "b", "a", at=2)
        while titles(told) != ["b", "c"] or len(desk.reports) < 2:
            await asyncio.sleep(0.02)

    desk.run(HookOptions(exec=(f"'{sys.executable}' -S '{script}'",)), work, number)
    assert [(event.what, event.why) for event in desk.reports] == [
        ("failed", "it ended with exit code 3"),
        ("recovered", ""),
    ]
    assert desk.reports[0].next_at is not None


def test_a_page_whose_records_are_not_taken_holds_up_no_other(desk: Desk, tmp_path: Path) -> None:
    bad, good, told = watch(desk.archive, "bad"), watch(desk.archive, "good"), tmp_path / "told"
    script = tmp_path / "choosy.py"
    script.write_text(
        "import os, sys\n"
        "if os.environ['SCYTHE_PAGE'].endswith('/bad'): sys.exit(1)\n"
        f"open({str(told)!r}, 'a').write(sys.stdin.read())\n"
    )
    visit(desk.archive, bad, "a", at=later(1))
    visit(desk.archive, good, "x", at=later(1))

    async def work(outbox: Outbox) -> None:
        await desk.visit(outbox, bad, "b", at=2)
        for number in range(5):
            await desk.visit(outbox, good, f"y{number}", at=3 + number)
        while len(titles(told)) < 5:
            await asyncio.sleep(0.02)

    desk.run(HookOptions(exec=(f"'{sys.executable}' -S '{script}'",)), work, bad, good)
    assert titles(told) == [f"y{number}" for number in range(5)]
    assert [event.what for event in desk.reports] == ["failed"]


def test_one_hook_that_fails_holds_up_no_other(desk: Desk, tmp_path: Path) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    visit(desk.archive, number, "a", at=later(1))

    async def work(outbox: Outbox) -> None:
        await desk.visit(outbox, number, "b", "a", at=2)

    desk.run(HookOptions(exec=("/no/such/program", COLLECT.format(told))), work, number, pause_s=60.0)
    assert titles(told) == ["b"]
    assert "/no/such/program cannot be started: No such file" in desk.reports[0].why
    assert desk.reports[0].waiting == 1


def test_pauses_grow_and_end_at_a_bound(desk: Desk) -> None:
    async def pauses() -> list[float]:
        async with open_fetcher() as fetcher:
            outbox = Outbox(ArchiveThread(desk.archive), HookOptions(), fetcher, desk.report)
            wanted = [(1, None), (2, None), (3, None), (1, 600.0), (1_000, None), (1, 1e9)]
            return [outbox._pause_s(failures, wanted_s) for failures, wanted_s in wanted]

    assert asyncio.run(pauses()) == [5.0, 10.0, 20.0, 600.0, LIMITS.hook_pause_s, LIMITS.hook_pause_s]


def test_feed_files_show_the_first_visit_and_what_comes(desk: Desk, tmp_path: Path) -> None:
    number, path = watch(desk.archive), tmp_path / "new.json"

    async def work(outbox: Outbox) -> None:
        await desk.visit(outbox, number, "b", "a", at=1)
        await desk.visit(outbox, number, "c", "b", at=2)

    desk.run(HookOptions(feeds=(path,)), work, number)
    feed = json.loads(path.read_text())
    assert [item["title"] for item in feed["items"]] == ["Title of c", "Title of b", "Title of a"]
    assert (feed["title"], feed["home_page_url"]) == ("New on site.example", f"{SITE}news")


def test_a_feed_file_that_cannot_be_written_is_reported_once(desk: Desk, tmp_path: Path) -> None:
    number = watch(desk.archive)
    (tmp_path / "file").write_text("")

    async def work(outbox: Outbox) -> None:
        for turn in range(3):
            await desk.visit(outbox, number, str(turn), at=turn)
            while outbox._lines[0].failures <= turn:
                await asyncio.sleep(0.01)

    desk.run(HookOptions(feeds=(tmp_path / "file" / "new.rss",)), work, number)
    assert [(event.what, event.hook) for event in desk.reports] == [("failed", "feed new.rss")]


def test_a_feed_file_that_can_be_written_again_is_written_by_itself_and_reported(desk: Desk, tmp_path: Path) -> None:
    number, folder = watch(desk.archive), tmp_path / "feeds"
    folder.write_text("in the way")
    visit(desk.archive, number, "a", at=later(1))

    async def work(outbox: Outbox) -> None:
        while not desk.reports:
            await asyncio.sleep(0.01)
        folder.unlink()
        folder.mkdir()
        while len(desk.reports) < 2:  # nothing more was noted: it tries again
            await asyncio.sleep(0.01)

    desk.run(HookOptions(feeds=(folder / "new.json",)), work, number)
    assert [(event.what, event.hook) for event in desk.reports] == [
        ("failed", "feed new.json"),
        ("recovered", "feed new.json"),
    ]
    assert [item["title"] for item in json.loads((folder / "new.json").read_text())["items"]] == ["Title of a"]


def test_an_archive_that_cannot_be_read_fails_every_feed_file_and_says_why(desk: Desk, tmp_path: Path) -> None:
    number, paths = watch(desk.archive), (tmp_path / "a.rss", tmp_path / "b.rss")

    async def work(outbox: Outbox) -> None:
        while not all(path.exists() for path in paths):
            await asyncio.sleep(0.01)
        desk.clerk.abandon()
        outbox.note(number)
        while len(desk.reports) < 2:
            await asyncio.sleep(0.01)

    desk.run(HookOptions(feeds=paths), work, number)
    reports = sorted((event.what, event.hook) for event in desk.reports)  # each file waits for itself
    assert reports == [("failed", "feed a.rss"), ("failed", "feed b.rss")]
    assert all(event.why for event in desk.reports)
    assert all(path.exists() for path in paths)  # as they were written before


def test_a_feed_of_pages_that_are_watched_no_longer_is_empty(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    desk.run(HookOptions(feeds=(path,)), nothing, 77)
    assert json.loads(path.read_text())["items"] == []


# batches ----------------------------------------------------------------------------------------------------------


def test_a_batch_told_again_is_the_same_though_more_has_come_since() -> None:
    before = make_batch([record(n, first_seen=later(1)) for n in (1, 2, 3)])
    more = [record(n, first_seen=later(1)) for n in (1, 2, 3)] + [record(4, first_seen=later(2))]
    after = make_batch(more)
    assert before == after
    assert before is not None
    assert (before.last, len(before.lines)) == (3, 3)


def test_where_nothing_is_new_there_is_no_batch() -> None:
    assert make_batch([]) is None


def test_batches_are_bounded_in_number_and_length() -> None:
    many = make_batch([record(n, first_seen=later(1)) for n in range(1, 200)])
    long = make_batch([record(n, first_seen=later(1), fields={"text": "x" * 40_000}) for n in range(1, 101)])
    assert many is not None
    assert many.last == LIMITS.hook_records
    assert long is not None
    assert 1 < long.last < 100
    assert len(long.message()) <= LIMITS.hook_bytes + 1_000


def test_a_message_is_one_object() -> None:
    batch = make_batch([record(n, first_seen=later(1)) for n in (1, 2)])
    assert batch is not None
    plain = json.loads(batch.message())
    assert (plain["scythe"], plain["id"], plain["site"], plain["page"]) == (1, batch.id, HOST, f"{SITE}news")
    assert [one["number"] for one in plain["records"]] == [1, 2]


# commands ---------------------------------------------------------------------------------------------------------


def tell(command: str, batch: HookBatch = BATCH, **more: float) -> HookResult:
    return asyncio.run(Command(command, **more).tell(batch))


def test_a_command_gets_records_as_lines_and_the_page_in_its_environment(tmp_path: Path) -> None:
    script = (
        "import os, sys; print(sys.argv, {k: v for k, v in os.environ.items() if k[:6] == 'SCYTHE'}, sys.stdin.read())"
    )
    path = tmp_path / "script.py"
    path.write_text(f"import sys; sys.stdout = open({str(tmp_path / 'out')!r}, 'w')\n{script}\n")
    assert tell(f"'{sys.executable}' -S '{path}' 'two words' $HOME") == HookResult()
    said = (tmp_path / "out").read_text()
    assert "'two words', '$HOME'" in said
    assert f"'SCYTHE_PAGE': '{SITE}news'" in said
    assert f"'SCYTHE_SITE': '{HOST}'" in said
    assert "'SCYTHE_COUNT': '2'" in said
    assert said.endswith('{"number": 1}\n{"number": 2}\n\n')


def test_what_a_command_says_goes_to_standard_error(root: Path) -> None:
    code = (
        "import asyncio, sys; from scythe.watching.hooks import Command; from scythe.watching.hooks import HookBatch\n"
        "asyncio.run(Command('echo said').tell(HookBatch('i', 's', 'p', (), 0)))"
    )
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("", "said\n")


@pytest.mark.parametrize("name", ["SCYTHE_SITE", "SCYTHE_PAGE"])
def test_no_name_of_a_page_keeps_a_command_from_being_started(name: str) -> None:
    odd = HookBatch("id1", "a\0b\ud800", "http://x/\0\udfff$(reboot)`;", ("{}",), 1)
    assert tell(f"sh -c 'test -n \"${name}\"'", odd) == HookResult()


def test_a_command_that_reads_nothing_is_no_failure() -> None:
    long = HookBatch("id1", HOST, SITE, ("x" * 1_000_000,), 1)
    assert tell("true", long) == HookResult()
    assert tell("false", long) == HookResult("it ended with exit code 1")
    assert tell("sh -c 'exec <&-; exit 0'", long) == HookResult()


def test_a_command_that_is_killed_says_so() -> None:
    assert tell("sh -c 'kill -9 $$'") == HookResult("it was ended by signal 9")


def lives_on(pid: int) -> bool:
    """Say whether a process is still there after the moment that dying takes."""
    for _ in range(500):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except (FileNotFoundError, ProcessLookupError):
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "], ids=["obeys", "ignores"])
def test_a_command_that_does_not_end_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stubborn: str
) -> None:
    monkeypatch.setattr("scythe.watching.hooks._TERM_S", 0.3)
    pids = tmp_path / "pids"
    script = tmp_path / "hangs.sh"
    script.write_text(f"{stubborn}sleep 60 & echo $! $$ > {pids}; wait; sleep 60")
    long = HookBatch("id1", HOST, SITE, ("x" * 1_000_000,), 1)
    told = tell(f"sh {script}", long, timeout_s=0.5)
    assert told == HookResult("it did not end within 0.5 s")
    assert [lives_on(int(pid)) for pid in pids.read_text().split()] == [False, False]


def test_one_that_left_its_group_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.watching.hooks._TERM_S", 0.3)
    pids = tmp_path / "pids"
    script = tmp_path / "escapes.sh"
    script.write_text(f"setsid sh -c 'echo $$ > {pids}; exec sleep 60' & sleep 60")
    long = HookBatch("id1", HOST, SITE, ("x" * 1_000_000,), 1)
    told = tell(f"sh {script}", long, timeout_s=0.5)
    assert told.why == "it did not end within 0.5 s"
    os.kill(int(pids.read_text()), signal.SIGKILL)


def test_closing_lets_a_command_finish_what_it_began(desk: Desk, tmp_path: Path) -> None:
    number, told, begun = watch(desk.archive), tmp_path / "told", tmp_path / "begun"
    options = HookOptions(exec=(f"sh -c 'touch {begun}; sleep 0.3; cat >> {told}'",))
    visit(desk.archive, number, "a", at=later(1))

    async def inside() -> None:
        async with desk.tells(options, number) as outbox:
            await desk.visit(outbox, number, "b", at=2)
            await desk.visit(outbox, number, "c", at=3)
            while not begun.exists():
                await asyncio.sleep(0.01)
            await outbox.close(0.0)

    asyncio.run(inside())
    assert titles(told) == ["b"]
    desk.run(options, nothing, number)
    assert titles(told) == ["b", "c"]


def test_closing_ends_a_command_that_runs_too_long(desk: Desk, tmp_path: Path) -> None:
    number, pids = watch(desk.archive), tmp_path / "pids"
    visit(desk.archive, number, "a", at=later(1))

    options = HookOptions(exec=(f"sh -c 'echo $$ > {pids}; exec sleep 60'",), timeout_s=0.5)

    async def inside() -> None:
        async with desk.tells(options, number) as outbox:
            await desk.visit(outbox, number, "b", at=2)
            while not pids.exists() or not pids.read_text():
                await asyncio.sleep(0.02)
            await outbox.close(0.0)

    asyncio.run(inside())
    assert not lives_on(int(pids.read_text()))


# options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"timeout_s": 0.0},
        {"timeout_s": float("inf")},
        {"feeds": (Path("new.html"),)},
        {"feed_records": 0},
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        HookOptions(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["", "  ", "echo 'open", "a\0b"])
def test_commands_that_cannot_be_read_are_refused(command: str) -> None:
    with pytest.raises(BadInput):
        split(command)


@pytest.mark.parametrize("url", ["ftp://example.org/", "example", "https://ann:secret@example.org/hook", "file:///etc"])
def test_addresses_that_cannot_be_posted_to_are_refused_without_repeating_a_secret(url: str) -> None:
    async def make() -> None:
        async with open_fetcher() as fetcher:
            Webhook(fetcher, url)

    with pytest.raises(BadInput) as caught:
        asyncio.run(make())
    assert "secret" not in str(caught.value)


def test_a_hook_that_is_named_twice_is_one_and_its_name_tells_no_secret() -> None:
    async def make() -> list[tuple[str, str]]:
        async with open_fetcher() as fetcher:
            options = HookOptions(exec=("true", "true"), webhooks=("https://example.org/T0KEN",) * 2, secret="s3cret")
            assert "T0KEN" not in repr(options)
            assert "s3cret" not in repr(options)
            return [(hook.key, hook.name) for hook in make_hooks(options, fetcher)]

    hooks = asyncio.run(make())
    assert len(hooks) == 2
    assert "T0KEN" not in str(hooks)


# killed -----------------------------------------------------------------------------------------------------------

WATCHER = """
import asyncio, sys
from tests.archive.visiting import later
from tests.watching.listing import visit
from scythe.archive.open import open_archive
from scythe.engine.archive_thread import ArchiveThread
from scythe.fetch import open_fetcher
from scythe.watching.hooks import HookOptions
from scythe.watching.hooks import Outbox

async def report(event):
    print(event, file=sys.stderr)

async def main(place, number, told, first):
    with open_archive(place) as archive:
        clerk = ArchiveThread(archive)
        async with open_fetcher() as fetcher:
            outbox = Outbox(clerk, HookOptions(exec=(f"tee -a {told}",)), fetcher, report, first_pause_s=0.01)
            await outbox.start([number])
            print("begun", flush=True)
            for turn in range(first, first + 1_000):
                await clerk.ask(visit, archive, number, f"r{turn}", at=later(turn))
                outbox.note(number)
                print(turn, flush=True)
                await asyncio.sleep(0.01)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
"""


def test_a_killed_watch_tells_every_record_all_the_same(desk: Desk, tmp_path: Path, root: Path) -> None:
    number, told = watch(desk.archive), tmp_path / "told"
    visit(desk.archive, number, "first", at=later(0))
    environment = os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    place = str(tmp_path / "archive.db")
    for turn, wait_s in enumerate((0.05, 0.11, 0.16)):
        command = [sys.executable, "-c", WATCHER, place, str(number), str(told), str(1 + 1_000 * turn)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=root
        ) as writer:
            assert writer.stdout is not None
            assert all(writer.stdout.readline() for _ in range(3))  # it has begun, and visited twice
            time.sleep(wait_s)  # the moment is what is tested
            writer.send_signal(signal.SIGKILL)
    time.sleep(0.2)  # a command that outlived its watch ends by itself

    async def catch_up(outbox: Outbox) -> None:
        assert await outbox.drain(25.0)

    desk.run(HookOptions(exec=(f"tee -a {told}",)), catch_up, number)
    stored = [
        one.fields[0].removeprefix("Title of ") for one in new_records(desk.archive, 0, watches=[number], limit=9_999)
    ]
    assert len(stored) > 3
    assert set(titles(told)) == set(stored) - {"first"}
    assert len(titles(told)) <= len(stored) + 3  # one batch told twice for each kill, at most
