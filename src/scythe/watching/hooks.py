"""Hooks for new records: run a command, post to a webhook, and write feed files, each at least once.

A cursor in the archive, per hook and page, moves when the hook accepts a batch; after a crash the same batch is sent
again under the same id. A failing hook delays neither the watch nor other hooks. No shell runs a command, and page
content only goes to its standard input.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import shlex
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import IO, Protocol

from scythe.archive.archive import Archive
from scythe.archive.observations import lists_of_watch
from scythe.archive.results import StoredRecord
from scythe.archive.retrieval import new_records, newest_records
from scythe.archive.schema import storable
from scythe.archive.watches import load_cursor, save_cursor, watch_rows
from scythe.engine.archive_thread import ArchiveThread
from scythe.errors import ArchiveFailed, BadInput, FetchFailed
from scythe.fetch import Fetcher
from scythe.fetch.guard import run_in_daemon
from scythe.fetch.page_check import describe_status, said_retry_s
from scythe.fetch.redirects import REDIRECTS, start_of
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import host
from scythe.watching.events import Event, HookEvent, record_events, to_line, to_plain
from scythe.watching.feed_files import feed_format, write_feed

Report = Callable[[Event], Awaitable[None]]  # who is told how hooks fare


@dataclass(frozen=True, slots=True)
class HookOptions:
    """What is to be done with new records."""

    exec: tuple[str, ...] = ()  # commands as one would type them, without what only a shell understands
    webhooks: tuple[str, ...] = field(default=(), repr=False)  # addresses; whoever knows one may post there
    secret: str = field(default="", repr=False)  # signs what is posted; empty: nothing is signed
    timeout_s: float = LIMITS.hook_s  # for one message
    notify_first: bool = False  # tell also what the first visit of a page finds, which is new only to us
    feeds: tuple[Path, ...] = ()  # files to write, .rss, .xml, .atom or .json
    feed_records: int = LIMITS.feed_records

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        if not 0 < self.timeout_s < float("inf"):
            raise BadInput(f"a hook needs a number of seconds above 0, not {self.timeout_s}")
        if self.feed_records < 1:
            raise BadInput(f"a feed has at least 1 record, not {self.feed_records}")
        for path in self.feeds:
            feed_format(path)


@dataclass(frozen=True, slots=True)
class HookBatch:
    """New records of one visit of one page, as they are told: the same ones under the same id, however often."""

    id: str
    site: str
    page: str
    lines: tuple[str, ...]  # JSON, as in the lines of events
    last: int  # number of its last record

    def message(self) -> bytes:
        """Return the whole batch as one JSON object."""
        head = to_line({"scythe": 1, "id": self.id, "site": self.site, "page": self.page})
        return f'{head[:-1]}, "records": [{", ".join(self.lines)}]}}'.encode()


@dataclass(frozen=True, slots=True)
class HookResult:
    """What came of telling a batch."""

    why: str = ""  # the reason when it failed; empty: the hook has it
    retry_after_s: float | None = None  # when it wants to be asked again; None: it did not say
    is_removed: bool = False  # it wants nothing more, ever


class Hook(Protocol):
    """What is told of new records."""

    @property
    def key(self) -> str:
        """What it is known by in an archive: the same in every run, no secret in it."""

    @property
    def name(self) -> str:
        """What it is called when people are told of it; no secret in it either."""

    async def tell(self, batch: HookBatch) -> HookResult:
        """Tell it of a batch. Never raises for what a receiver does."""


def make_key(kind: str, what: str) -> str:
    """Return the key of a hook: an archive shows who is told, but not the address where everybody could post."""
    return f"{kind} {hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:24]}"


def make_batch(records: Sequence[StoredRecord], beside: Sequence[StoredRecord] = ()) -> HookBatch | None:
    """Return the first batch of some new records of one page, None where there are none; `beside` are older ones.

    All records of one visit are stored at once, and a cursor only ever stands at the end of a batch: so a batch that is
    told again, after whatever happened, is the same one.
    """
    visit = [one for one in records[: LIMITS.hook_records] if one.first_seen == records[0].first_seen]
    if not visit:
        return None
    lines: list[str] = []
    size = 0
    for event in record_events(visit, beside):
        line = to_line(to_plain(event))
        size += len(line.encode()) + 2
        if lines and size > LIMITS.hook_bytes:
            break
        lines.append(line)
    first, last = visit[0], visit[len(lines) - 1]
    known_by = [first.site, first.first_seen.isoformat(), first.record, last.record]
    number = hashlib.sha256(json.dumps(known_by).encode()).hexdigest()[:32]
    return HookBatch(number, first.site, first.page, tuple(lines), last.record)


_GONE = 410


class Webhook:
    """An address to which batches are posted. 2xx means that the receiver has it; no redirect is followed."""

    def __init__(self, fetcher: Fetcher, url: str, *, secret: str = "", timeout_s: float = LIMITS.hook_s) -> None:
        try:
            self._url = start_of(url)
        except FetchFailed as error:
            raise BadInput(f"records cannot be posted there: {error.why}") from error
        self._fetcher = fetcher
        self._secret = secret.encode()
        self._timeout_s = timeout_s
        self.key = make_key("webhook", self._url)
        self.name = f"webhook at {host(self._url)}"  # the path often is the password

    async def tell(self, batch: HookBatch) -> HookResult:
        """Post a batch and judge the answer by its status; what the receiver says besides is not read."""
        body = batch.message()
        try:
            answer = await self._fetcher.post(self._url, body, self._headers(batch, body), timeout_s=self._timeout_s)
        except FetchFailed as error:
            return HookResult(error.why.replace(self._url, self.name))
        return _judge(answer)

    def _headers(self, batch: HookBatch, body: bytes) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "X-Scythe-Batch": batch.id}
        if self._secret:
            headers["X-Scythe-Signature"] = sign(self._secret, body)
        return headers


def sign(secret: bytes, body: bytes) -> str:
    """Return what proves that a body comes from someone who knows the secret."""
    return f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


def _judge(answer: Response) -> HookResult:
    if 200 <= answer.status < 300:
        return HookResult()
    if answer.status in REDIRECTS:
        return HookResult(
            f"{describe_status(answer.status)}: redirects are not followed, name the address they lead to"
        )
    return HookResult(describe_status(answer.status), said_retry_s(answer), is_removed=answer.status == _GONE)


_NAME_CHARS = 60
_TERM_S = LIMITS.hook_term_s


class Command:
    """A program that is started for each batch."""

    def __init__(self, command: str, *, timeout_s: float = LIMITS.hook_s) -> None:
        self._words = split(command)
        self._timeout_s = timeout_s
        self.key = make_key("exec", shlex.join(self._words))
        self.name = f"exec {shlex.join(self._words)[:_NAME_CHARS]}"

    async def tell(self, batch: HookBatch) -> HookResult:
        """Start the command, write the records to it and wait for its end; any exit code but 0 is a failure."""
        environment = os.environ | {
            "SCYTHE_SITE": storable(batch.site),
            "SCYTHE_PAGE": storable(batch.page),
            "SCYTHE_COUNT": str(len(batch.lines)),
            "SCYTHE_BATCH": batch.id,
        }
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=PIPE,
                stdout=_where_it_may_talk(),  # standard output is ours: events are written there
                env=environment,
                start_new_session=True,  # a group of its own: what it starts can be ended with it
            )
        except OSError as error:
            return HookResult(f"{self._words[0]} cannot be started: {error.strerror or error}")
        return await self._wait_for(process, "".join(f"{line}\n" for line in batch.lines).encode())

    async def _wait_for(self, process: Process, given: bytes) -> HookResult:
        try:
            async with asyncio.timeout(self._timeout_s):
                await process.communicate(given)  # one that reads no further is fine: its exit code tells
        except TimeoutError:
            return HookResult(f"it did not end within {self._timeout_s:g} s")
        finally:
            await end_group(process)
        return HookResult() if process.returncode == 0 else HookResult(_how_it_ended(process.returncode))


def split(command: str) -> list[str]:
    """Return the words of a command, quotes and backslashes read as a shell reads them. Raises BadInput."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"the command {command!r} cannot be read: {error}") from error
    if not words or "\0" in command:
        raise BadInput("a command to run needs the name of a program")
    return words


async def end_group(process: Process) -> None:
    """End a command that still runs, and all that it started: first it is asked to, then it is made to."""
    if process.returncode is not None:
        return
    if process.stdin is not None and not process.stdin.transport.is_closing():
        process.stdin.transport.abort()  # else one that left the group could hold up the end by not reading
    try:
        _signal(process, signal.SIGTERM)
        await _is_over(process)
    finally:
        _signal(process, signal.SIGKILL)  # also what outlived the command itself
        await _is_over(process)


async def _is_over(process: Process) -> None:
    """Wait for the end of a process, but not forever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_TERM_S):
            await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of them are gone
        os.killpg(process.pid, number)


def _where_it_may_talk() -> IO[str] | int:
    """Return our standard error, unless there is none."""
    try:
        sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        return DEVNULL
    return sys.stderr


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        return f"it was ended by signal {-code}"
    return f"it ended with exit code {code}"


class FeedFile:
    """A file with the newest records of all pages, written anew whenever there are others."""

    def __init__(self, path: Path, most: int, now: Callable[[], datetime]) -> None:
        self._path, self._most, self._now = path, most, now
        self._title, self._home = "", ""
        self.name = f"feed {path.name}"

    async def write(self, clerk: ArchiveThread, watches: Collection[int]) -> None:
        """Write the file. Raises ArchiveFailed and OSError."""
        rows = [row for row in await clerk.ask(watch_rows, clerk.archive) if row.id in watches]
        hosts = list(dict.fromkeys(host(row.url) for row in rows))
        if rows:  # it is named after the page, or the site, or the first of several
            more = f" and {len(hosts) - 1} more" if len(hosts) > 1 else ""
            self._title, self._home = f"New on {hosts[0]}{more}", rows[0].url
        records = await clerk.ask(newest_records, clerk.archive, self._most, watches=sorted(watches))
        named = partial(write_feed, title=self._title, home=self._home, now=self._now(), most=self._most)
        await run_in_daemon(partial(named, self._path, records), "scythe-feed")


_FIRST_PAUSE_S = 5.0  # after a failure; twice as long after each further one
_AT_ONCE = 100  # pages whose cursors are looked at in one call: others want the archive too
_LOOK_S = 0.02  # between two looks at whether hooks are done
_BESIDE = 30  # older records of a page, by which the own links of new ones are told
_REST_S = 1.0  # between two times that a feed file is written
_FILE = 0  # stands for the pages of a feed file, which tells of all of them together
_NOTHING = -1  # where a cursor stands before the first record; 0: there is no cursor
_BEHIND_FIRST = -2  # or where it stands until the first visit of the page is known: behind what that one finds


@dataclass(slots=True)
class _FeedPage:
    """A page that may have records a hook was not told of."""

    due: float = 0.0  # by the loop's clock, not before
    failures: int = 0  # in a row


@dataclass(slots=True)
class _Line:
    """The pages waiting for one hook, and how it fares."""

    hook: Hook | FeedFile
    pages: dict[int, _FeedPage] = field(default_factory=dict)
    due: float = 0.0
    failures: int = 0  # in a row, of whatever page
    has_failed: bool = False  # and people were told so
    is_removed: bool = False
    is_busy: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Outbox:
    """Tells hooks what is new in an archive. `start` it, `note` every visit that is stored, `close` it at the end."""

    def __init__(
        self,
        clerk: ArchiveThread,
        options: HookOptions,
        fetcher: Fetcher,
        report: Report,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        first_pause_s: float = _FIRST_PAUSE_S,
    ) -> None:
        """Raise BadInput where a command or an address cannot be meant."""
        self._clerk = clerk
        self._report = report
        self._notify_first = options.notify_first
        self._timeout_s = options.timeout_s
        self._is_closing = False
        self._now = now
        self._first_pause_s = first_pause_s
        feeds = [FeedFile(path, options.feed_records, now) for path in dict.fromkeys(options.feeds)]
        self._lines = [*map(_Line, make_hooks(options, fetcher)), *map(_Line, feeds)]
        self._watches: set[int] = set()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, watches: Collection[int]) -> None:
        """Begin: a hook that is new to a page learns of what comes from now on; others of what they were not told."""
        pages = sorted(watches)
        self._watches.update(pages)
        for line in self._lines:
            if isinstance(line.hook, FeedFile):
                line.pages[_FILE] = _FeedPage()
                continue
            for at in range(0, len(pages), _AT_ONCE):
                some = pages[at : at + _AT_ONCE]
                behind = await self._clerk.ask(begin_cursors, self._clerk.archive, line.hook, some, self._notify_first)
                line.pages.update((watch, _FeedPage()) for watch in behind)
        self._tasks = [asyncio.create_task(self._work(line), name=line.hook.name) for line in self._lines]

    def note(self, watch: int) -> None:
        """Take note that a visit to a page was stored; of one that brought nothing new there is no need to."""
        self._watches.add(watch)
        for line in self._lines:
            if not line.is_removed:
                line.pages.setdefault(_FILE if isinstance(line.hook, FeedFile) else watch, _FeedPage())
                line.woken.set()

    async def drain(self, within_s: float) -> bool:
        """Wait until every hook that works has been told everything; return whether none is behind."""
        await self._wait_while(lambda line: line.is_busy or (bool(line.pages) and not line.has_failed), within_s)
        return not any(line.pages or line.is_busy for line in self._lines)

    async def close(self, within_s: float = 5.0) -> None:
        """Give hooks a moment to take what is new, let them finish what they began, then end.

        What they were not told they are told next time.
        """
        if self._tasks:
            for line in self._lines:
                if isinstance(line.hook, FeedFile) and not line.failures:
                    line.due = 0.0
                    line.woken.set()
            await self.drain(within_s)
            self._is_closing = True
            await self._wait_while(lambda line: line.is_busy, self._timeout_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def _wait_while(self, is_wanted: Callable[[_Line], bool], within_s: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while loop.time() < until and any(map(is_wanted, self._lines)):
            await asyncio.sleep(_LOOK_S)

    async def _work(self, line: _Line) -> None:
        while not line.is_removed and not self._is_closing:
            watch, page = await self._next(line)
            line.is_busy = True
            try:
                told = await self._tell_some(line.hook, watch)
            finally:
                line.is_busy = False
            if told is None:
                await self._settle(line)
            elif not told.why:
                line.failures, line.due = 0, 0.0
                line.pages.setdefault(watch, _FeedPage())  # there may be more
            else:
                await self._fail(line, watch, page, told)

    async def _next(self, line: _Line) -> tuple[int, _FeedPage]:
        """Wait for the page that has waited longest and take it off the line."""
        loop = asyncio.get_running_loop()
        while True:
            line.woken.clear()
            watch = min(line.pages, key=lambda number: line.pages[number].due, default=None)
            wait_s = None if watch is None else max(line.due, line.pages[watch].due) - loop.time()
            if watch is not None and wait_s is not None and wait_s <= 0:
                return watch, line.pages.pop(watch)
            try:
                async with asyncio.timeout(wait_s):
                    await line.woken.wait()
            except TimeoutError:
                continue

    async def _tell_some(self, hook: Hook | FeedFile, watch: int) -> HookResult | None:
        """Tell a hook the next batch of a page and move its cursor; None: it knows everything."""
        try:
            if isinstance(hook, FeedFile):
                await hook.write(self._clerk, self._watches)
                return None
            batch = await self._clerk.ask(next_batch, self._clerk.archive, hook, watch, self._notify_first)
            if batch is None:
                return None
            told = await hook.tell(batch)
            if not told.why:
                await self._clerk.ask(save_cursor, self._clerk.archive, cursor_name(hook, watch), batch.last)
            return told
        except ArchiveFailed as error:
            return HookResult(str(error))
        except OSError as error:
            return HookResult(error.strerror or str(error))

    async def _settle(self, line: _Line) -> None:
        if isinstance(line.hook, FeedFile):
            line.failures, line.due = 0, asyncio.get_running_loop().time() + _REST_S
        if line.has_failed and not line.pages:
            line.has_failed = False
            await self._report(HookEvent(self._now(), "", "", "recovered", line.hook.name))

    async def _fail(self, line: _Line, watch: int, page: _FeedPage, told: HookResult) -> None:
        """Let a hook rest, longer each time, and let another page try first then."""
        now = asyncio.get_running_loop().time()
        line.failures, page.failures = line.failures + 1, page.failures + 1
        pause_s = self._pause_s(line.failures, told.retry_after_s)
        line.due = now + pause_s
        page.due = now + self._pause_s(page.failures, told.retry_after_s)
        line.pages[watch] = page
        if told.is_removed:
            line.is_removed = True
            await self._report(HookEvent(self._now(), "", "", "removed", line.hook.name, told.why, len(line.pages)))
            line.pages.clear()
        elif not line.has_failed:
            line.has_failed = True
            again, waiting = self._now() + timedelta(seconds=pause_s), len(line.pages.keys() - {_FILE})
            await self._report(HookEvent(self._now(), "", "", "failed", line.hook.name, told.why, waiting, again))

    def _pause_s(self, failures: int, wanted_s: float | None) -> float:
        growing_s = self._first_pause_s * 2.0 ** min(failures - 1, 30)
        return min(max(growing_s, wanted_s or 0.0), LIMITS.hook_pause_s)


def make_hooks(options: HookOptions, fetcher: Fetcher) -> list[Hook]:
    """Return the hooks that options name, each once. Raises BadInput."""
    hooks: list[Hook] = [Command(command, timeout_s=options.timeout_s) for command in options.exec]
    for url in options.webhooks:
        hooks.append(Webhook(fetcher, url, secret=options.secret, timeout_s=options.timeout_s))
    return list({hook.key: hook for hook in hooks}.values())


def cursor_name(hook: Hook, watch: int) -> str:
    """Return the name under which an archive keeps where a hook stands on a page."""
    return f"{hook.key} {watch}"


def begin_cursors(archive: Archive, hook: Hook, watches: Sequence[int], notify_first: bool) -> list[int]:
    """Give cursors to pages that have none for this hook; return the others, which may have something to tell."""
    behind = []
    for watch in watches:
        name = cursor_name(hook, watch)
        if load_cursor(archive, name):
            behind.append(watch)
        elif newest := newest_records(archive, 1, watches=[watch]):
            save_cursor(archive, name, newest[0].record)
        elif notify_first or lists_of_watch(archive, watch):
            save_cursor(archive, name, _NOTHING)
        else:
            save_cursor(archive, name, _BEHIND_FIRST)
    return behind


def next_batch(archive: Archive, hook: Hook, watch: int, notify_first: bool) -> HookBatch | None:
    """Return the next records of a page that a hook was not told of."""
    name = cursor_name(hook, watch)
    position = load_cursor(archive, name) or _BEHIND_FIRST  # a page that is watched since just now has none
    if position == _BEHIND_FIRST:
        position = _NOTHING if notify_first else end_of_first_visit(archive, watch)
        if position == _BEHIND_FIRST:
            return None
        save_cursor(archive, name, position)
    records = new_records(archive, position, watches=[watch], limit=LIMITS.hook_records)
    return make_batch(records, newest_records(archive, _BESIDE, watches=[watch])) if records else None


def end_of_first_visit(archive: Archive, watch: int) -> int:
    """Return the number of the last record that the first visit of a page found."""
    regions = lists_of_watch(archive, watch)
    if not regions:
        return _BEHIND_FIRST  # nothing was ever found there: it is still to come
    first_at = min(region.first_at for region in regions)
    position = _NOTHING
    while records := new_records(archive, position, watches=[watch], limit=LIMITS.hook_records):
        for record in records:
            if record.first_seen != first_at:
                return position
            position = record.record
    return position
