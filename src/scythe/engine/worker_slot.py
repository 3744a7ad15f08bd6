"""A process that is replaced when it dies, and the tasks that it is given.

If a process dies, the task under way is told so and never retried; those behind it go to a new process. asyncio's
subprocesses are not used: before Python 3.12.4, cancelling one while it starts can hang.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any, Generic, TypeVar

from scythe.engine.worker_protocol import BrokenFrame, Caps, Message, receive_frame
from scythe.errors import ScytheError
from scythe.memory import SELDOM

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


_AHEAD = 4  # tasks sent before the first is answered, so that a worker never waits for the next
_BACKLOG = 8  # tasks that wait: who has not asked for a page yet waits, too
_STARTS = 3  # in a row that may fail before those who wait are told
_START_S = 60.0  # to become ready
_END_S = 5.0  # to end by itself once its input is closed
_SAID_BYTES = 4_000  # of what a worker wrote before it died
_SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class WorkerTask(ABC, Generic[Answer]):
    """Something wanted from a worker, and the answer that somebody waits for."""

    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future(), kw_only=True
    )

    @property
    def is_wanted(self) -> bool:
        """False: whoever asked is gone, so it need not be sent."""
        return not self.answer.cancelled()

    @abstractmethod
    def to_frames(self, told: set[str]) -> list[bytes]:
        """Return what to send; `told` is kept for the process: what earlier tasks have told it."""

    @abstractmethod
    def take(self, message: Message) -> None:
        """Settle this task by the message that answers it."""

    @abstractmethod
    def blame(self, why: str) -> None:
        """Settle this task: a process died of it."""

    def settle(self, answer: Answer) -> bool:
        """Give the answer; False where nobody waits for it any longer."""
        if self.answer.done():
            return False
        self.answer.set_result(answer)
        return True

    def fail(self, error: ScytheError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Slot:
    """Holds at most one process at a time, started when there is something to do."""

    def __init__(self, caps: Caps, module: str) -> None:
        self.deaths = 0
        self._caps = caps
        self._module = module  # that the process runs
        self._waiting: deque[WorkerTask[Any]] = deque()  # the first ones were sent, in this order
        self._life: asyncio.Task[None] | None = None
        self._worker: WorkerHandle | None = None
        self._failed_starts = 0

    @property
    def pid(self) -> int | None:
        return self._worker.pid if self._worker is not None else None

    @property
    def is_alive(self) -> bool:
        """Whether there is a process, or one is being started."""
        return self._life is not None and not self._life.done()

    async def ask(self, task: WorkerTask[Answer]) -> Answer:
        """Wait for the answer to one task. Raises ScytheError if no process starts."""
        self.put(task)
        return await task.answer

    async def until_free(self) -> None:
        """Wait while so many tasks wait that one more would only do so, too."""
        while len(wanted := [task.answer for task in self._waiting if not task.answer.done()]) >= _BACKLOG:
            await asyncio.wait(wanted[:1])

    def put(self, task: WorkerTask[Any]) -> None:
        """Take in a task behind those that wait."""
        self._waiting.append(task)
        if not self.is_alive:
            self._life = asyncio.create_task(self._live())
            self._life.add_done_callback(self._let_go)
        elif self._worker is not None:
            self._worker.send(self._waiting)

    async def close(self) -> None:
        """End the process and cancel what waits; nobody will take an answer that is still being worked on."""
        if self._worker is not None:
            self._worker.hang_up()
            if self._waiting:
                self._worker.kill("no longer needed")
        if self._life is not None:
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)

    def _let_go(self, life: asyncio.Task[None]) -> None:
        """Tell those who came while a life was being ended that nobody will answer: the loop itself may be ending."""
        if not life.cancelled() and life.exception() is None:
            return
        why = ScytheError(f"no worker for extraction starts: {life.exception()}") if not life.cancelled() else None
        while self._waiting:
            task = self._waiting.popleft()
            if why is None:
                task.answer.cancel()
            else:
                task.fail(why)

    async def _live(self) -> None:
        """Keep a process at work as long as anything waits."""
        while self._waiting:
            worker = await WorkerHandle.start(self._caps, self._module)
            self._worker = worker
            try:
                await worker.serve(self._waiting)
            except asyncio.CancelledError:
                worker.dismiss()
                raise
            finally:
                self._worker = None
                why = await worker.end()
            self._account(worker, why)

    def _account(self, worker: WorkerHandle, why: str) -> None:
        """Blame the task a worker died of. One that never was ready, or died of learning, died of no page."""
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= _STARTS:
                self._failed_starts = 0
                while self._waiting:
                    self._waiting.popleft().fail(ScytheError(f"no worker for extraction starts: {why}"))
            return
        self._failed_starts = 0
        if worker.is_ill:
            return
        self.deaths += 1
        if worker.owes and self._waiting:  # what came while it was ending was never sent to it
            self._waiting.popleft().blame(why)


# runs a module as `-m` does; looking for garbage while modules are imported takes a sixth of the start
_START = (
    f"import gc; gc.set_threshold({SELDOM}); import runpy, sys; "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


class WorkerHandle:
    """The parent's side of one process."""

    def __init__(self, process: Child, caps: Caps) -> None:
        self.is_ready = False
        self.is_ill = False  # it will end by itself, having answered
        self._process = process
        self._caps = caps
        self._told: set[str] = set()
        self._sent = 0  # tasks that were sent and not answered
        self._since = time.monotonic()  # the last sign of life, or the sending after which one is due
        self._why = ""
        self._said = bytearray()
        self._helpers = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]

    @classmethod
    async def start(cls, caps: Caps, module: str) -> WorkerHandle:
        # -P: a file of the folder we are in must not pass for a module
        command = (sys.executable, "-P", "-c", _START, module, str(caps.cpu_s), str(caps.memory_bytes))
        environment = {**os.environ, **_SINGLE_THREADED, "PYTHONUNBUFFERED": "1"}
        return cls(await start_child(command, environment), caps)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def owes(self) -> bool:
        """Whether it was sent something that it has not answered."""
        return self._sent > 0

    async def serve(self, waiting: deque[WorkerTask[Any]]) -> None:
        """Settle what waits with the answers that come, until the process ends."""
        try:
            while (message := await receive_frame(self._process.stdout)) is not None:
                self._since = time.monotonic()
                self._take(message, waiting)
                self.send(waiting)
        except BrokenFrame as error:
            self._why = self._why or f"the worker sent {error}"

    def send(self, waiting: deque[WorkerTask[Any]]) -> None:
        """Send what waits, a few tasks ahead of the answers."""
        while self.is_ready and not self.is_ill and self._sent < min(_AHEAD, len(waiting)):
            task = waiting[self._sent]
            if not task.is_wanted:
                del waiting[self._sent]
                continue
            if not self._sent:
                self._since = time.monotonic()
            self._sent += 1
            self._process.stdin.writelines(task.to_frames(self._told))

    def dismiss(self) -> None:
        """End a process whose answers nobody wants any more: one that has nothing to do ends by itself at once."""
        if not self.is_ready or self._sent:
            self.kill("no longer needed")

    def hang_up(self) -> None:
        """Close the input, upon which the process ends."""
        self._process.stdin.close()

    async def end(self) -> str:
        """Wait until the process is gone, by force if it must be, and say why it ended."""
        self.hang_up()
        try:
            await asyncio.wait_for(self._process.wait(), _END_S)
        except TimeoutError:
            self.kill("did not end")
            await self._process.wait()
        for helper in self._helpers:
            helper.cancel()
        await asyncio.gather(*self._helpers, return_exceptions=True)
        self._process.close()
        return self._why or _reason(self._process.returncode or 0, self._caps, bytes(self._said))

    def _take(self, message: Message, waiting: deque[WorkerTask[Any]]) -> None:
        if message.kind == "ready":
            self.is_ready = True
        else:
            waiting[0].take(message)
            waiting.popleft()
            self._sent -= 1
            self.is_ill = message.kind == "last answer"

    async def _listen(self) -> None:
        """Keep the last of what the process says on standard error, for the reason of a death."""
        while said := await self._process.stderr.read(_SAID_BYTES):
            self._said += said
            del self._said[:-_SAID_BYTES]

    async def _watch(self) -> None:
        """End the process when one answer takes too long."""
        pause_s = min(1.0, self._caps.wall_s / 4)
        while True:
            await asyncio.sleep(pause_s)
            is_busy = self._sent > 0 or not self.is_ready
            limit_s = self._caps.wall_s if self.is_ready else _START_S
            if is_busy and time.monotonic() - self._since > limit_s:
                self.kill(f"took more than {limit_s:g} s")
                return

    def kill(self, why: str) -> None:
        """End the process at once."""
        self._why = why
        self._process.kill()


def _reason(code: int, caps: Caps, said: bytes) -> str:
    """Say why a process ended, from how it ended and the last it said."""
    if code == -signal.SIGXCPU:
        return f"took more than {caps.cpu_s:g} s of CPU"
    last = said.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"the worker was ended by {name}" + (f": {last}" if last else "")
    return f"the worker ended with code {code}" + (f": {last}" if last else "")
