"""Tell a command of new records: a batch comes in, lines of JSON go to its standard input.

No shell reads the command, and nothing of a page is ever part of it: what pages say goes to its input, and the site,
the page and the number of records to its environment.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import IO

from scythe.archive.hashes import storable
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.watching.hooks import Batch, Told, make_key

_NAME_CHARS = 60
_TERM_S = LIMITS.hook_term_s


class Command:
    """A program that is started for each batch."""

    def __init__(self, command: str, *, timeout_s: float = LIMITS.hook_s) -> None:
        self._words = split(command)
        self._timeout_s = timeout_s
        self.key = make_key("exec", shlex.join(self._words))
        self.name = f"exec {shlex.join(self._words)[:_NAME_CHARS]}"

    async def tell(self, batch: Batch) -> Told:
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
            return Told(f"{self._words[0]} cannot be started: {error.strerror or error}")
        return await self._wait_for(process, "".join(f"{line}\n" for line in batch.lines).encode())

    async def _wait_for(self, process: Process, given: bytes) -> Told:
        try:
            async with asyncio.timeout(self._timeout_s):
                await process.communicate(given)  # one that reads no further is fine: its exit code tells
        except TimeoutError:
            return Told(f"it did not end within {self._timeout_s:g} s")
        finally:
            await end_group(process)
        return Told() if process.returncode == 0 else Told(_how_it_ended(process.returncode))


def split(command: str) -> list[str]:
    """Return the words of a command, quotes and backslashes read as a shell reads them. Raises BadInput."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"the command {command!r} cannot be read: {error}") from error
    if not words or "\0" in command:
        raise BadInput("a command to be run needs the name of a program")
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
