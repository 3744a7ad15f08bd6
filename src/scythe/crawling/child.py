"""A process with pipes, in an event loop: a command comes in, its input and its two outputs go out.

asyncio has this, too, but until Python 3.12.4 whoever is cancelled while a process starts may wait for ever: it waits
for the end of pipes that were never connected. A loop that ends cancels whatever runs.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from typing import IO

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.05  # between two looks whether a process has ended
_PIPE = subprocess.PIPE


class Child:
    """A process that was started. Use `start_child`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self.stdin: asyncio.WriteTransport
        self._process = process
        self._pipes: list[asyncio.BaseTransport] = []

    @property
    def returncode(self) -> int | None:
        """How it ended; None: it runs."""
        return self._process.poll()

    async def wait(self) -> int:
        """Wait until it has ended."""
        pause_s = _FIRST_PAUSE_S
        while (code := self._process.poll()) is None:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return code

    def kill(self) -> None:
        """End it at once; nothing happens where it has ended."""
        self._process.kill()

    def close(self) -> None:
        """Let go of the pipes."""
        for pipe in self._pipes:
            pipe.close()

    async def connect(self, stdin: IO[bytes], *outputs: IO[bytes]) -> None:
        """Read and write the pipes in this loop."""
        loop = asyncio.get_running_loop()
        self.stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, stdin)
        self._pipes.append(self.stdin)
        for pipe, reader in zip(outputs, (self.stdout, self.stderr), strict=True):
            transport, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, reader), pipe)
            self._pipes.append(transport)


async def start_child(command: Sequence[str], environment: Mapping[str, str]) -> Child:
    """Start a process. Raises OSError where there is no room for one more."""
    process = subprocess.Popen(  # noqa: S603  (the command is ours)
        command, stdin=_PIPE, stdout=_PIPE, stderr=_PIPE, env=environment, bufsize=0
    )
    child = Child(process)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    pipes = (process.stdin, process.stdout, process.stderr)
    try:
        await child.connect(*pipes)
    except BaseException:
        process.kill()
        process.wait()
        child.close()
        for pipe in pipes:
            pipe.close()
        raise
    return child
