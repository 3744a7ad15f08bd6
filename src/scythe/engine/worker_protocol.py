"""The messages between a run and its extraction processes, and the limits of those processes.

A message is its length (4 bytes, big endian), then in MessagePack what kind it is of, and a record.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import struct
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from scythe.crawl_model import Extracted
from scythe.site.learning_cost import LearningCost
from scythe.url import Url

if TYPE_CHECKING:
    import asyncio


def describe(error: Exception) -> str:
    """Say what went wrong and where in this package, without a word of the page."""
    trace, where = error.__traceback__, ""
    while trace is not None:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} in {where}"


def allow_cpu(seconds: float) -> None:
    """Let this process use so many seconds more; the system ends it by SIGXCPU when they are used up."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(time.process_time() + seconds) + 1  # the limit has whole seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def limit_memory(memory_bytes: int) -> None:
    """Let allocations beyond so many bytes of address space fail, which Python reports as MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if hard < 0 else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


_LENGTH = struct.Struct(">I")
_FRAME_BYTES = 1_000_000_000
_Raw = tuple[str, msgspec.Raw]
T = TypeVar("T")


class BrokenFrame(Exception):
    """What came is no frame: the other side died while it wrote, or something else writes to the pipe."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: what kind it is of, and a record that `read` makes of its bytes."""

    kind: str
    content: bytes

    def read(self, of: type[T]) -> T:
        """Return the record. Raises BrokenFrame where it is none of this type."""
        try:
            return msgspec.msgpack.decode(self.content, type=of)
        except msgspec.DecodeError:
            raise BrokenFrame(f"no {of.__name__} in {self.kind!r:.40}") from None


def write_frame(kind: str, content: object = None) -> bytes:
    """Return a message; halves of characters, which JSON in a page may bring, become question marks."""
    try:
        frame = msgspec.msgpack.encode((kind, content))
    except UnicodeEncodeError:
        frame = msgspec.msgpack.encode((kind, _without_halves(msgspec.to_builtins(content, builtin_types=(bytes,)))))
    return _LENGTH.pack(len(frame)) + frame


def _without_halves(plain: Any) -> Any:
    if isinstance(plain, str):
        return plain.encode("utf-8", "replace").decode()
    if isinstance(plain, dict):
        return {_without_halves(name): _without_halves(value) for name, value in plain.items()}
    return list(map(_without_halves, plain)) if isinstance(plain, list | tuple) else plain


def read_frame(stream: BinaryIO) -> Message | None:
    """Read a frame from a blocking stream; None at its end. Raises BrokenFrame where it ends or differs midway."""
    length = stream.read(_LENGTH.size)
    if not length:
        return None
    size = _size(length)
    frame = stream.read(size)
    if len(frame) < size:
        raise BrokenFrame("the pipe ended within a frame")
    return _message(frame)


async def receive_frame(stream: asyncio.StreamReader) -> Message | None:
    """Do what `read_frame` does without blocking."""
    import asyncio  # here: workers only read and write pipes, and start sooner without it

    length = b""
    try:
        length = await stream.readexactly(_LENGTH.size)
        return _message(await stream.readexactly(_size(length)))
    except asyncio.IncompleteReadError as error:
        if not length and not error.partial:
            return None
        raise BrokenFrame("the pipe ended within a frame") from None


def _size(length: bytes) -> int:
    if len(length) < _LENGTH.size:
        raise BrokenFrame("the pipe ended within a frame")
    size: int = _LENGTH.unpack(length)[0]
    if size > _FRAME_BYTES:
        raise BrokenFrame(f"a frame of {size} bytes")
    return size


def _message(frame: bytes) -> Message:
    try:
        kind, content = msgspec.msgpack.decode(frame, type=_Raw)
    except msgspec.DecodeError as error:
        raise BrokenFrame(f"no frame: {type(error).__name__}") from None
    return Message(kind, bytes(content))


PIPE_BYTES = 1_048_576  # what an ordinary user may ask for


class WorkerLoop(ABC):
    """The process's side of the pipes: obeys messages until there are no more, or memory ran out once."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO, cpu_s: float) -> None:
        self._in, self._out = pipe_in, pipe_out
        self._cpu_s = cpu_s
        self._is_ill = False  # what half-built things still hold is not known: a fresh process goes on

    @classmethod
    def main(cls, arguments: Sequence[str]) -> None:
        """Run as a process: the arguments are the caps, in seconds and bytes."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which lets us finish
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit_memory(int(arguments[1]))
        widen_pipe(0)
        pipe_out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what anything prints must not get between the frames
        cls.prepare()
        cls(sys.stdin.buffer, pipe_out, float(arguments[0])).run()

    @classmethod  # noqa: B027 (most have nothing to prepare)
    def prepare(cls) -> None:
        """Do what must be done once the limits hold and before the first message."""

    def run(self) -> None:
        """Obey until the input ends."""
        self._send("ready", os.getpid())
        while not self._is_ill and (message := read_frame(self._in)) is not None:
            allow_cpu(self._cpu_s)
            self._obey(message)

    @abstractmethod
    def _obey(self, message: Message) -> None:
        """Do what a message asks for."""

    def _send(self, kind: str, content: object) -> None:
        self._out.write(write_frame(kind, content))
        self._out.flush()

    def _answer(self, content: object) -> None:
        """Answer a message; where memory ran out this is the last answer."""
        self._send("last answer" if self._is_ill else "answer", content)


def widen_pipe(descriptor: int) -> None:
    """Let a pipe hold some pages, so that both sides wait less for each other; not every system can."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (AttributeError, OSError):
        return


@dataclass(frozen=True, slots=True)
class Caps:
    """What one page may cost. A worker that needs more is ended, and its page is answered with the reason."""

    cpu_s: float = 30.0
    memory_bytes: int = 2_000_000_000  # of address space, of a worker as a whole
    wall_s: float = 90.0


@dataclass(frozen=True, slots=True)
class SiteSetup:
    """What a worker must know of a site before its first page."""

    key: str
    parts: tuple[str, ...] = ("text", "images", "records")  # what to extract, of options.PARTS
    profile: str | None = None  # what was learned of it before, as Site.to_json writes it
    start: str = ""  # address
    learns: bool = True  # False: nothing is to be learned from its pages
    is_learner: bool = True  # False: another process learns it; pages are kept for the time when that has ended
    tells_again: bool = False  # name addresses on every page that has them, not only on the first
    methods: tuple[str, ...] = ()  # published ones by which its pages are read; none: as learned


@dataclass(frozen=True, slots=True)
class Job:
    """One response to extract from."""

    site: SiteSetup
    url: str
    body: bytes
    kind: str = "page"  # or "sitemap", "feed"
    content_type: str = ""
    status: int = 200
    is_whole: bool = True  # False: a limit or a broken connection cut the body; nothing is learned from it
    robots_tag: str = ""  # the X-Robots-Tag header


class NamedUrl(NamedTuple):
    """An address that a page, a sitemap or a feed names, and that was not answered before by the same worker."""

    url: Url
    how: str = "link"  # link, paging, canonical, feed, sitemap, frame, refresh ...
    kind: str = "page"  # what is expected there, one of visits.KINDS
    is_nofollow: bool = False
    rank: int = 0  # lower is to be asked for sooner


@dataclass(frozen=True, slots=True)
class FinishedSite:
    """A site to be learned, or left."""

    site: str
    pages: tuple[tuple[str, bytes], ...] = ()  # to learn from, besides those that the worker has kept
    learn: bool = False
    leave: bool = False


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """What came of one job. Of a page that could not be extracted only `why` is set."""

    extracted: Extracted | None = None
    found: tuple[NamedUrl, ...] = ()
    profile: str | None = None  # of the site, where it changed
    why: str = ""  # nothing was extracted: the reason
    died: bool = False  # the worker died of it, so it must not be tried again
    directives: tuple[str, ...] = ()  # of the page to robots: noindex, nofollow
    canonical: Url | None = None
    drift: int = 0  # things that stopped matching at the site
    cpu_s: float = 0.0
    learning: LearningCost | None = None  # of a site that is left
