"""The events of a watch, and their JSON lines.

Every line begins with `kind`, `at` (UTC), `site` and `page`, followed by the fields of the event. Keys are added, never
renamed or removed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from math import isfinite
from typing import ClassVar

from scythe.archive.results import StoredRecord
from scythe.limits import LIMITS
from scythe.model import Record, RecordList
from scythe.output.rows import told
from scythe.reading.lists.own_link import own_links
from scythe.watching.relative_dates import read_moment

# What JSON may hold as it is, but a terminal obeys (DEL, C1 controls, marks that turn the direction of writing),
# an editor takes for a new line (U+2028, U+2029, U+0085), or UTF-8 cannot say (halves of characters).
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")
_DATES = ("date", "time", "published", "posted")  # so begin the names of columns that say when


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on one watched page."""

    kind: ClassVar[str] = ""
    at: datetime  # UTC
    site: str  # its key
    page: str  # its address


@dataclass(frozen=True, slots=True)
class RecordEvent(Event):
    """A new record was archived."""

    kind: ClassVar[str] = "record"
    number: int  # of the record in the archive; later ones have higher numbers
    region: str  # what it is part of: list, table, products, articles, ...
    fields: dict[str, str]  # column -> text, only those that it fills
    link: str  # its own address; empty: it has none
    links: tuple[str, ...]  # all of them
    images: tuple[str, ...]
    published: str  # ISO 8601, as precisely as the record says; empty: it does not say
    first_seen: datetime
    is_cut: bool = False  # True: it is longer than what can be told; the archive has all of it


@dataclass(frozen=True, slots=True)
class VisitEvent(Event):
    """A page was visited."""

    kind: ClassVar[str] = "visit"
    new: int  # records never seen before
    shown: int  # that its regions show
    known: int  # seen again
    requests: int = 1  # that the visit took, older pages included
    regions: int = 0  # found on the page
    next_at: datetime | None = None  # the next visit; None: there is none
    expected: float = 0.0  # new records by then
    risk: float = 0.0  # 0..1, share of the records until then that will be missed
    rate: float = 0.0  # records a day, at present
    why: str = ""  # what set the next visit
    status: int | None = None
    is_unchanged: bool = False  # the server said that nothing changed


@dataclass(frozen=True, slots=True)
class ListEvent(Event):
    """A region appeared, vanished or looks different."""

    kind: ClassVar[str] = "list"
    what: str  # found, redesigned, gone, back
    number: int  # of the region on its page
    region: str  # what it is called
    shown: int = 0


@dataclass(frozen=True, slots=True)
class GapEvent(Event):
    """Nothing known was left on a page, and older pages were followed back until something was."""

    kind: ClassVar[str] = "gap"
    number: int
    region: str
    pages: int  # that were followed back
    recovered: int  # records that only they still had
    is_closed: bool = True  # False: not found yet, the next visit tries again


@dataclass(frozen=True, slots=True)
class LostEvent(Event):
    """Records came and went between two visits, and no older page has them."""

    kind: ClassVar[str] = "lost"
    number: int
    region: str
    lost: int  # at least so many; 0: nobody can tell
    why: str = ""


@dataclass(frozen=True, slots=True)
class TroubleEvent(Event):
    """A visit failed."""

    kind: ClassVar[str] = "trouble"
    why: str
    status: int | None = None  # None: no answer
    attempts: int = 1  # that failed in a row
    next_at: datetime | None = None  # None: it is given up


@dataclass(frozen=True, slots=True)
class MovedEvent(Event):
    """A page moved for good; from now on it is visited at its new address."""

    kind: ClassVar[str] = "moved"
    to: str


@dataclass(frozen=True, slots=True)
class DocumentEvent(Event):
    """The page of a new record was archived."""

    kind: ClassVar[str] = "document"
    url: str
    title: str = ""
    stored: str = ""  # new, changed, same, duplicate, cut; empty: there is no page, `why` says the reason
    why: str = ""


@dataclass(frozen=True, slots=True)
class HookEvent(Event):
    """A hook began to fail, works again, or was given up. Site and page are empty where the fault is not of one."""

    kind: ClassVar[str] = "hook"
    what: str  # failed, recovered, removed
    hook: str  # its name: never an address with a secret in it
    why: str = ""
    waiting: int = 0  # pages with records that it has not got yet; they are in the archive
    next_at: datetime | None = None  # of the next try


KINDS: dict[str, type[Event]] = {one.kind: one for one in Event.__subclasses__()}


def to_plain(event: Event) -> dict[str, object]:
    """Return an event as plain values for JSON, in the order in which they are documented."""
    plain: dict[str, object] = {"kind": event.kind}
    return plain | {one.name: _plain(getattr(event, one.name)) for one in fields(event)}


def to_json(event: Event) -> str:
    """Return an event as one line of JSON that is safe to show on a terminal, without a line end."""
    return to_line(to_plain(event))


def to_line(plain: dict[str, object]) -> str:
    """Return plain values as one line: all that a terminal could obey is escaped, and nothing but halves of
    characters is lost."""
    return _UNSAFE.sub(_escape, json.dumps(plain, ensure_ascii=False, allow_nan=False))


def record_events(records: Sequence[StoredRecord], beside: Sequence[StoredRecord] = ()) -> list[RecordEvent]:
    """Return the events of new records as the archive has them.

    Which of its links is a record's own is told by what the others of its list have: `beside` are some that are not
    new.
    """
    links = own_addresses((*records, *beside))
    return [_record_event(record, links[record.record]) for record in records]


def own_addresses(records: Iterable[StoredRecord]) -> dict[int, str]:
    """Return the own link of each record by its number: where none is sure the first, where there is none nothing."""
    lists: dict[tuple[str, str], dict[int, StoredRecord]] = defaultdict(dict)
    for record in records:
        lists[record.page, record.kind][record.record] = record
    found: dict[int, str] = {}
    for (_, kind), ones in lists.items():
        columns = tuple(dict.fromkeys(name for one in ones.values() for name in one.columns))
        rows = tuple(_row(one, columns) for one in ones.values())
        for number, row, own in zip(ones, rows, own_links(RecordList(rows, columns, kind)), strict=True):
            found[number] = own or next(iter(row.links), "")
    return found


def _row(record: StoredRecord, columns: tuple[str, ...]) -> Record:
    texts = dict(zip(record.columns, record.fields, strict=True))
    return Record(tuple(texts.get(name, "") for name in columns), record.links)


def _record_event(record: StoredRecord, link: str) -> RecordEvent:
    texts = {name: text for name, text in zip(record.columns, record.fields, strict=True) if text}
    told_texts = _within(texts)
    links, images = record.links[: LIMITS.told_addresses], record.images[: LIMITS.told_addresses]
    return RecordEvent(
        at=record.first_seen,
        site=record.site,
        page=record.page,
        number=record.record,
        region=record.kind,
        fields=told_texts,
        link=link,
        links=links,
        images=images,
        published=published(texts, record.first_seen),
        first_seen=record.first_seen,
        is_cut=told_texts != texts or len(links) < len(record.links) or len(images) < len(record.images),
    )


def published(texts: dict[str, str], seen: datetime) -> str:
    """Return when a record says that it was published, in ISO 8601; empty where no column says it in a known form.

    It has a time of day only where the record names one, and a zone only where that is known: `seen` tells when
    "3 hours ago" was.
    """
    for name, text in texts.items():
        if name.startswith(_DATES) and (moment := read_moment(text, seen.timestamp())) and moment.at is not None:
            said = datetime.fromtimestamp(moment.at, UTC).replace(tzinfo=None)
            if moment.day:
                return said.date().isoformat()
            return said.isoformat(timespec="seconds") + ("Z" if moment.has_zone else "")
    return ""


def _within(texts: dict[str, str]) -> dict[str, str]:
    """Return texts that are not longer together than what can be told, each with its share."""
    if sum(map(len, texts.values())) + sum(map(len, texts)) <= LIMITS.told_texts_chars:
        return texts
    share = LIMITS.told_texts_chars // min(2 * len(texts), LIMITS.told_addresses)
    return {name[:share]: text[:share] for name, text in list(texts.items())[: LIMITS.told_addresses // 2]}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return told(value)
    if isinstance(value, float):
        return round(value, 4) if isfinite(value) else None
    return value


def _escape(found: re.Match[str]) -> str:
    if "\ud800" <= found[0] <= "\udfff":  # half a character, at which strict readers stop
        return "\ufffd"
    return f"\\u{ord(found[0]):04x}"
