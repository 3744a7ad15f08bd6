"""What people want done with new records: commands, addresses and files come in, checked, as the hooks of a watch.

A hook is told of every new record at least once, page by page. It keeps nothing in memory: where it stands is in the
archive (watching/outbox.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from scythe.archive.stored import StoredRecord
from scythe.errors import BadInput
from scythe.limits import LIMITS
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
class Batch:
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
class Told:
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

    async def tell(self, batch: Batch) -> Told:
        """Tell it of a batch. Never raises for what a receiver does."""


def make_key(kind: str, what: str) -> str:
    """Return the key of a hook: an archive shows who is told, but not the address where everybody could post."""
    return f"{kind} {hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:24]}"


def make_batch(records: Sequence[StoredRecord], beside: Sequence[StoredRecord] = ()) -> Batch | None:
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
    return Batch(number, first.site, first.page, tuple(lines), last.record)
