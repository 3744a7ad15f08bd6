"""Hooks for new records: run a command or post to a webhook.

A hook gets every new record at least once; its position is in the archive (outbox.py). No shell runs the command, and
page content only goes to its standard input.
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
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from scythe.archive.results import StoredRecord
from scythe.archive.schema import storable
from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Fetcher
from scythe.fetch.page_check import describe_status, header, retry_after_s
from scythe.fetch.redirects import REDIRECTS, start_of
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import host
from scythe.watching.events import Event, record_events, to_line, to_plain
from scythe.watching.feed_files import feed_format

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
    wanted_s = retry_after_s(answer) if header(answer, "Retry-After") else None
    return HookResult(describe_status(answer.status), wanted_s, is_removed=answer.status == _GONE)


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
