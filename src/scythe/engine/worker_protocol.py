"""The messages between a run and its extraction processes, and the limits of those processes.

A message is two lengths (4 bytes each, big endian), a JSON object and raw parts, whose lengths are in its "parts".
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, BinaryIO

from scythe.crawl_model import Extracted
from scythe.model import Record, RecordList
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


_LENGTHS = struct.Struct(">II")
_HEAD_BYTES = 64_000_000  # of the object; a profile travels in a part
_BODY_BYTES = 1_000_000_000  # of the parts


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    head: dict[str, Any]
    parts: tuple[bytes, ...] = ()


class BrokenFrame(Exception):
    """What came is no frame: the other side died while it wrote, or something else writes to the pipe."""


def write_frame(head: dict[str, Any], parts: Sequence[bytes] = ()) -> list[bytes]:
    """Return the pieces to write, in order."""
    head = {**head, "parts": [len(part) for part in parts]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return [_LENGTHS.pack(len(text), sum(head["parts"])) + text, *parts]


def read_frame(stream: BinaryIO) -> Message | None:
    """Read a frame from a blocking stream; None at its end. Raises BrokenFrame where it ends or differs midway."""
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    head_bytes, body_bytes = _unpack(lengths)
    text, body = stream.read(head_bytes), stream.read(body_bytes)
    if len(text) < head_bytes or len(body) < body_bytes:
        raise BrokenFrame("the pipe ended within a frame")
    return _frame(text, body)


async def receive_frame(stream: asyncio.StreamReader) -> Message | None:
    """Do what `read_frame` does without blocking."""
    import asyncio  # here: workers only read and write pipes, and start sooner without it

    try:
        lengths = await stream.readexactly(_LENGTHS.size)
        head_bytes, body_bytes = _unpack(lengths)
        text = await stream.readexactly(head_bytes)
        body = await stream.readexactly(body_bytes) if body_bytes else b""
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise BrokenFrame("the pipe ended within a frame") from None
    return _frame(text, body)


def _unpack(lengths: bytes) -> tuple[int, int]:
    if len(lengths) < _LENGTHS.size:
        raise BrokenFrame("the pipe ended within a frame")
    head_bytes, body_bytes = _LENGTHS.unpack(lengths)
    if head_bytes > _HEAD_BYTES or body_bytes > _BODY_BYTES:
        raise BrokenFrame(f"a frame of {head_bytes} and {body_bytes} bytes")
    return head_bytes, body_bytes


def _frame(text: bytes, body: bytes) -> Message:
    try:
        head = json.loads(text)
        lengths = head.pop("parts")
        if sum(lengths) != len(body):
            raise BrokenFrame(f"parts of {sum(lengths)} bytes in a body of {len(body)}")
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise BrokenFrame(f"no frame: {type(error).__name__}") from None
    if len(lengths) == 1:
        return Message(head, (body,))
    parts, start = [], 0
    for length in lengths:
        parts.append(body[start : start + length])
        start += length
    return Message(head, tuple(parts))


PIPE_BYTES = 1_048_576  # what an ordinary user may ask for


class WorkerLoop:
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

    @classmethod
    def prepare(cls) -> None:
        """Do what must be done once the limits hold and before the first message."""

    def run(self) -> None:
        """Obey until the input ends."""
        self._send({"ready": os.getpid()})
        while not self._is_ill and (message := read_frame(self._in)) is not None:
            allow_cpu(self._cpu_s)
            self._obey(message)

    def _obey(self, message: Message) -> None:
        raise NotImplementedError

    def _send(self, head: dict[str, Any], parts: Sequence[bytes] = ()) -> None:
        self._out.write(b"".join(write_frame(head, parts)))
        self._out.flush()


def widen_pipe(descriptor: int) -> None:
    """Let a pipe hold some pages, so that both sides wait less for each other; not every system can."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (AttributeError, OSError):
        return


_TEXTS = ("title", "text", "markdown", "html", "rest")  # of an Extracted: each travels as a part of its own
_PLAIN = tuple(f.name for f in fields(Extracted) if f.name not in (*_TEXTS, "lists"))


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


@dataclass(frozen=True, slots=True)
class NamedUrl:
    """An address that a page, a sitemap or a feed names, and that was not answered before by the same worker."""

    url: Url
    how: str = "link"  # link, paging, canonical, feed, sitemap, frame, refresh ...
    kind: str = "page"  # what is expected there, one of visits.KINDS
    is_nofollow: bool = False
    rank: int = 0  # lower is to be asked for sooner


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


def pack_setup(site: SiteSetup) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    head: dict[str, Any] = {"do": "enter", "site": site.key, "wanted": site.parts, "start": site.start}
    head |= {"learns": site.learns, "learner": site.is_learner, "again": site.tells_again, "methods": site.methods}
    return head, (site.profile.encode(),) if site.profile else ()


def unpack_setup(frame: Message) -> SiteSetup:
    head = frame.head
    profile = frame.parts[0].decode() if frame.parts else None
    flags = (head["learns"], head["learner"], head["again"], tuple(head["methods"]))
    return SiteSetup(head["site"], tuple(head["wanted"]), profile, head["start"], *flags)


def pack_job(job: Job) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    head: dict[str, Any] = {"do": "extract", "site": job.site.key, "url": job.url, "kind": job.kind}
    head |= {"type": job.content_type, "status": job.status, "whole": job.is_whole, "robots": job.robots_tag}
    return head, (job.body,)


def unpack_job(frame: Message, site: SiteSetup) -> Job:
    head = frame.head
    said = (head["kind"], head["type"], head["status"], head["whole"], head["robots"])
    return Job(site, head["url"], frame.parts[0], *said)


def pack_answer(answer: WorkerAnswer) -> tuple[dict[str, Any], list[bytes]]:
    """Return head and parts; texts and profile are parts, so that nothing long is quoted."""
    head: dict[str, Any] = {"why": answer.why, "died": answer.died, "drift": answer.drift, "cpu": answer.cpu_s}
    if answer.found:
        head["found"] = [_pack_named(each) for each in answer.found]
    if answer.directives:
        head["directives"] = answer.directives
    if answer.canonical:
        head["canonical"] = answer.canonical
    if answer.learning is not None:
        head["learning"] = asdict(answer.learning)
    parts: list[bytes] = []
    if answer.profile is not None:
        head["profile"] = True
        parts.append(answer.profile.encode())
    if answer.extracted is not None:
        _pack_extracted(answer.extracted, head, parts)
    return head, parts


def unpack_answer(frame: Message) -> WorkerAnswer:
    head, parts = frame.head, list(frame.parts)
    profile = parts.pop(0).decode() if head.get("profile") else None
    return WorkerAnswer(
        _unpack_extracted(head["extracted"], parts) if "extracted" in head else None,
        tuple(_unpack_named(each) for each in head.get("found", ())),
        profile,
        head["why"],
        head["died"],
        tuple(head.get("directives", ())),
        head.get("canonical"),
        head["drift"],
        head["cpu"],
        LearningCost(**head["learning"]) if "learning" in head else None,
    )


def _pack_named(named: NamedUrl) -> str | list[Any]:
    """Return the address alone where all else is as usual, which it mostly is."""
    if named.how == "link" and named.kind == "page" and not named.is_nofollow and not named.rank:
        return named.url
    return [named.url, named.how, named.kind, named.is_nofollow, named.rank]


def _unpack_named(packed: str | list[Any]) -> NamedUrl:
    return NamedUrl(Url(packed)) if isinstance(packed, str) else NamedUrl(*packed)


def _pack_extracted(extracted: Extracted, head: dict[str, Any], parts: list[bytes]) -> None:
    plain: dict[str, Any] = {name: getattr(extracted, name) for name in _PLAIN}
    texts: dict[str, Any] = {name: text for name in _TEXTS if (text := getattr(extracted, name)) is not None}
    plain["texts"] = list(texts)
    parts += [text.encode("utf-8", "replace") for text in texts.values()]
    if extracted.lists:
        plain["lists"] = True
        lists = [listed.to_dict() for listed in extracted.lists]
        parts.append(json.dumps(lists, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    head["extracted"] = plain


def _unpack_extracted(plain: dict[str, Any], parts: list[bytes]) -> Extracted:
    texts: dict[str, Any] = {name: parts.pop(0).decode() for name in plain.pop("texts")}
    lists = tuple(map(_list, json.loads(parts.pop(0)))) if plain.pop("lists", False) else ()
    return Extracted(**texts, **plain, lists=lists)


def _list(plain: dict[str, Any]) -> RecordList:
    records = tuple(
        Record(tuple(one["fields"]), tuple(one["links"]), tuple(one["images"]), one["html"]) for one in plain["records"]
    )
    return RecordList(records, tuple(plain["columns"]), plain["kind"], plain["score"], plain["pattern"])
