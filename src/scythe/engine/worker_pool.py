"""A pool of extraction processes that replaces processes which die.

All pages of a site go to one worker, which learns the site. If it dies, the page under way is reported as failed and
never retried; the rest go to a new worker with the last profile. asyncio's subprocesses are not used: before Python
3.12.4, cancelling one while it starts can hang.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Any

from scythe.engine.worker_protocol import (
    BrokenFrame,
    Caps,
    Job,
    Message,
    SiteSetup,
    WorkerAnswer,
    pack_job,
    pack_setup,
    receive_frame,
    unpack_answer,
    write_frame,
)
from scythe.errors import ScytheError

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


_AHEAD = 4  # asks sent before the first is answered, so that a worker never waits for the next
_BACKLOG = 8  # asks that wait: who has not asked for a page yet waits, too
_STARTS = 3  # in a row that may fail before those who wait are told
_START_S = 60.0  # to become ready
_END_S = 5.0  # to end by itself once its input is closed
_SAID_BYTES = 4_000  # of what a worker wrote before it died
WORKER = "scythe.engine.worker_process"  # the module that every worker process runs
SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(slots=True)
class SiteProfiles:
    """What all workers together found out about sites: what a fresh worker must be told."""

    setups: dict[str, SiteSetup] = field(default_factory=dict)  # as they were last renewed
    profiles: dict[str, str] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)  # sites whose profile is still to be passed on
    unlearnable: set[str] = field(default_factory=set)  # learning them ended a worker

    def brief(self, site: SiteSetup) -> SiteSetup:
        profile = self.profiles.get(site.key, site.profile)
        site = self.setups.get(site.key, site)
        return replace(site, profile=profile, learns=site.learns and site.key not in self.unlearnable)

    def note(self, site: str, answer: WorkerAnswer) -> WorkerAnswer:
        """Keep the profile of an answer, and pass one on that was learned between two answers."""
        if answer.profile is not None:
            self.profiles[site] = answer.profile
        elif site in self.untold:
            answer = replace(answer, profile=self.profiles[site])
        self.untold.discard(site)
        return answer

    def renew(self, site: SiteSetup) -> None:
        """Take what is said of a site in place of what was; without a profile, what was learned of it stays."""
        if site.profile is not None:
            self.profiles[site.key] = site.profile
            self.untold.discard(site.key)
        self.setups[site.key] = site

    def forget(self, site: str) -> None:
        """Forget a site that was left, but not that it must not be learned."""
        self.setups.pop(site, None)
        self.profiles.pop(site, None)
        self.untold.discard(site)


@dataclass(slots=True, eq=False)
class Ask:
    """Something wanted from a worker: a job done, or else a site learned, left or taken up anew."""

    site: SiteSetup
    job: Job | None = None
    learn: bool = False
    leave: bool = False
    renew: bool = False
    answer: asyncio.Future[WorkerAnswer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, answer: WorkerAnswer) -> bool:
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

    def __init__(self, caps: Caps, sites: SiteProfiles) -> None:
        self.sites = 0  # that were given to this slot
        self.deaths = 0
        self._caps = caps
        self._known = sites
        self._waiting: deque[Ask] = deque()  # the first ones were sent, in this order
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

    async def ask(self, ask: Ask) -> WorkerAnswer:
        """Wait for the answer to one ask."""
        self.put(ask)
        return await ask.answer

    async def until_free(self) -> None:
        """Wait while so many asks wait that one more would only do so, too."""
        while len(wanted := [ask.answer for ask in self._waiting if not ask.answer.done()]) >= _BACKLOG:
            await asyncio.wait(wanted[:1])

    def put(self, ask: Ask) -> None:
        """Take in an ask behind those that wait."""
        self._waiting.append(ask)
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
            ask = self._waiting.popleft()
            if why is None:
                ask.answer.cancel()
            else:
                ask.fail(why)

    async def _live(self) -> None:
        """Keep a process at work as long as anything waits."""
        while self._waiting:
            worker = await WorkerHandle.start(self._caps, self._known)
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
        """Answer the page a worker died of. One that never was ready, or died of learning, died of no page."""
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
        if worker.learns is not None:
            self._known.unlearnable.add(worker.learns)
        elif worker.owes and self._waiting:  # what came while it was ending was never sent to it
            ask = self._waiting.popleft()
            if ask.learn:
                self._known.unlearnable.add(ask.site.key)
            ask.settle(WorkerAnswer(why=why, died=True))


class WorkerHandle:
    """The parent's side of one process."""

    def __init__(self, process: Child, caps: Caps, sites: SiteProfiles) -> None:
        self.is_ready = False
        self.is_ill = False  # it will end by itself, having answered
        self.learns: str | None = None  # the site it learns between two answers
        self._process = process
        self._caps = caps
        self._known = sites
        self._entered: set[str] = set()
        self._sent = 0  # asks that were sent and not answered
        self._since = time.monotonic()  # the last sign of life, or the sending after which one is due
        self._why = ""
        self._said = bytearray()
        self._helpers = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]

    @classmethod
    async def start(cls, caps: Caps, sites: SiteProfiles) -> WorkerHandle:
        # -P: a file of the folder we are in must not pass for a module
        command = (sys.executable, "-P", "-m", WORKER, str(caps.cpu_s), str(caps.memory_bytes))
        environment = {**os.environ, **SINGLE_THREADED, "PYTHONUNBUFFERED": "1"}
        return cls(await start_child(command, environment), caps, sites)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def owes(self) -> bool:
        """Whether it was sent something that it has not answered."""
        return self._sent > 0

    async def serve(self, waiting: deque[Ask]) -> None:
        """Settle what waits with the answers that come, until the process ends."""
        try:
            while (frame := await receive_frame(self._process.stdout)) is not None:
                self._since = time.monotonic()
                self._take(frame, waiting)
                self.send(waiting)
        except BrokenFrame as error:
            self._why = self._why or f"the worker sent {error}"

    def send(self, waiting: deque[Ask]) -> None:
        """Send what waits, a few asks ahead of the answers."""
        while self.is_ready and not self.is_ill and self._sent < min(_AHEAD, len(waiting)):
            ask = waiting[self._sent]
            if ask.job is not None and ask.answer.cancelled():  # its run has ended
                del waiting[self._sent]
                continue
            if not self._sent and self.learns is None:
                self._since = time.monotonic()
            self._sent += 1
            if ask.site.key not in self._entered or ask.renew:
                self._process.stdin.writelines(write_frame(*pack_setup(self._known.brief(ask.site))))
                self._entered.add(ask.site.key)
            self._process.stdin.writelines(write_frame(*self._pack(ask)))

    def dismiss(self) -> None:
        """End a process whose answers nobody wants any more: one that has nothing to do ends by itself at once."""
        if not self.is_ready or self._sent or self.learns is not None:
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

    def _pack(self, ask: Ask) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        if ask.job is not None:
            return pack_job(ask.job)
        if ask.leave:
            self._entered.discard(ask.site.key)
        return {"do": "finish", "site": ask.site.key, "learn": ask.learn, "leave": ask.leave}, ()

    def _take(self, frame: Message, waiting: deque[Ask]) -> None:
        head = frame.head
        if "ready" in head:
            self.is_ready = True
        elif "learned" in head:
            self.learns = None
            if frame.parts:
                self._known.profiles[head["learned"]] = frame.parts[0].decode()
                self._known.untold.add(head["learned"])
        else:
            ask, answer = waiting.popleft(), unpack_answer(frame)
            self._sent -= 1
            self.is_ill = head.get("ill", False)
            self.learns = ask.site.key if head.get("learns") else None
            answer = self._known.note(ask.site.key, answer)
            if not ask.settle(answer) and answer.profile is not None:
                self._known.untold.add(ask.site.key)

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
            is_busy = self._sent > 0 or self.learns is not None or not self.is_ready
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


class Pool:
    """Some workers. Use `open_pool`."""

    def __init__(self, workers: int, caps: Caps) -> None:
        self._sites = SiteProfiles()
        self._slots = [Slot(caps, self._sites) for _ in range(max(1, workers))]
        self._slot_of: dict[str, Slot] = {}

    async def work(self, job: Job) -> WorkerAnswer:
        """Extract one response; a page that cannot be extracted says `why`. Raises ScytheError if no worker starts."""
        return await self._slot(job.site.key).ask(Ask(job.site, job))

    async def warm(self, site: SiteSetup) -> None:
        """Start the worker of a site before its first page is there: that takes the better part of a second."""
        await self._slot(site.key).ask(Ask(site))

    async def renew(self, site: SiteSetup) -> None:
        """Go on with what `site` says now; its addresses are named again. Starts the worker if it does not run."""
        self._sites.renew(site)
        await self._slot(site.key).ask(Ask(site, renew=True))

    async def until_free(self, site: SiteSetup) -> None:
        """Wait while the worker of a site has more to do than it will get done in the time of a request."""
        await self._slot(site.key).until_free()

    async def finish_sample(self, site: SiteSetup) -> WorkerAnswer:
        """Learn a site from the pages there are, once no more will come; the answer has its profile, if any."""
        return await self._ask_last(Ask(site, learn=True))

    async def close_site(self, site: SiteSetup) -> WorkerAnswer:
        """Return the profile of a site as it is now, if it changed since it was last answered, and forget the site."""
        try:
            return await self._ask_last(Ask(site, leave=True))
        finally:
            self._forget(site)

    async def _ask_last(self, ask: Ask) -> WorkerAnswer:
        """Ask for what was learned by a worker; where it is gone a fresh one would know nothing."""
        slot = self._slot(ask.site.key)
        return await slot.ask(ask) if slot.is_alive else self._sites.note(ask.site.key, WorkerAnswer())

    def drop_site(self, site: SiteSetup) -> None:
        """Forget a site without waiting for the worker, which may have to do with another one."""
        if site.key in self._slot_of:
            slot, leave = self._slot(site.key), Ask(site, leave=True)
            leave.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())  # nobody asks
            if slot.is_alive:
                slot.put(leave)
            self._forget(site)

    def _forget(self, site: SiteSetup) -> None:
        self._slot_of.pop(site.key).sites -= 1
        self._sites.forget(site.key)

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        return [slot.pid for slot in self._slots if slot.pid is not None]

    @property
    def deaths(self) -> int:
        """How many workers died of a page or were ended for it."""
        return sum(slot.deaths for slot in self._slots)

    async def close(self) -> None:
        """End the workers; what is still waiting is cancelled."""
        await asyncio.gather(*(slot.close() for slot in self._slots))

    def _slot(self, site: str) -> Slot:
        """Return the worker of a site; a new site gets the one with the fewest."""
        if site not in self._slot_of:
            self._slot_of[site] = min(self._slots, key=lambda slot: slot.sites)
            self._slot_of[site].sites += 1
        return self._slot_of[site]


@asynccontextmanager
async def open_pool(workers: int = 1, caps: Caps | None = None) -> AsyncIterator[Pool]:
    """Open workers for extraction; each starts with its first job and ends with the pool, or with this process."""
    pool = Pool(workers, caps or Caps())
    try:
        yield pool
    finally:
        await pool.close()
