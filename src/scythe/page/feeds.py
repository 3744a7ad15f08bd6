"""Read RSS, Atom and RDF feeds (by feedparser) and JSON Feed.

feedparser would treat a string as a URL or file name, and parses broken XML by regular expressions: it only gets bytes
without a document type, and only the beginning of broken feeds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from time import struct_time
from typing import Any
from xml.parsers import expat

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.dates import to_iso
from scythe.page.encoding import decode
from scythe.page.head import squeeze
from scythe.url import Url, absolute

_ROOT = re.compile(rb"<(?:[A-Za-z][A-Za-z0-9]{0,20}:)?(rss|feed|RDF)[\s>]")
_JSON = b"jsonfeed.org/version"
_HEAD_BYTES = 4_096
_DECLARATION = re.compile(r"[\ufeff\s]*+<\?xml[\s?][^<>]*+>")
_PERIODS_S = {"hourly": 3_600, "daily": 86_400, "weekly": 604_800, "monthly": 2_629_800, "yearly": 31_557_600}
_LONGEST_S = 31_557_600.0
# what feedparser may raise on feeds made to break it: it calls for dates, addresses and encodings without a guard
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, AssertionError, ArithmeticError, RecursionError)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NAME = re.compile(rb"</?[a-zA-Z][^\t\n\f\r />]*+")
_SPACE = rb"[\t\n\f\r ]*+"
_ATTRIBUTE_START = re.compile(
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:" + _SPACE + rb"=" + _SPACE + rb"(?:([\"'])|[^\t\n\f\r >]*+))?+"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed."""

    url: Url
    title: str = ""
    id: str = ""
    published: datetime | None = None  # UTC
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """What a feed says."""

    entries: tuple[Entry, ...] = ()
    title: str = ""
    ttl_s: float | None = None  # how long it asks not to be asked again
    updated: datetime | None = None
    next: Url | None = None  # older entries
    losses: tuple[Loss, ...] = ()
    why: str = ""  # it is none, or empty: the reason


def is_feed(body: bytes, content_type: str | None = None) -> bool:
    """Say whether a body is a feed, by its first bytes; the header alone proves nothing."""
    head = body[:_HEAD_BYTES].replace(b"\0", b"")
    if head.lstrip(b"\xef\xbb\xbf\xff\xfe\t\n\r ").startswith(b"{"):
        return _JSON in head
    root = _ROOT.search(head)
    return root is not None and b"<html" not in head[: root.start()].lower()


def read_feed(body: bytes, url: str, content_type: str | None = None) -> Feed:
    """Read a feed that came from `url`. Takes no more than its bytes: nothing is opened, no entity expanded."""
    losses: list[Loss] = []
    if len(body) > LIMITS.feed_bytes:
        losses.append(Loss("bytes beyond the size limit of a feed", len(body) - LIMITS.feed_bytes))
        body = body[: LIMITS.feed_bytes]
    if not is_feed(body, content_type):
        return Feed(losses=tuple(losses), why="not a feed")
    if _JSON in body[:_HEAD_BYTES] and b"<" not in body[:1]:
        return _read_json(body, url, losses)
    return _read_xml(body, url, content_type, losses)


def _read_xml(body: bytes, url: str, content_type: str | None, losses: list[Loss]) -> Feed:
    import feedparser  # takes 0.1 s to load, and most crawls read no feed

    # decoded by the labels of the web: feedparser would take any codec of Python, some of which make markup of text
    text = decode(body, content_type).text
    declaration = _DECLARATION.match(text)
    body = _without_doctype(text[declaration.end() if declaration else 0 :].encode())
    if _has_crowded_tag(body):
        return Feed(losses=tuple(losses), why=f"cannot be read: a tag has more than {LIMITS.tag_attributes} attributes")
    if not _is_well_formed(body) and len(body) > LIMITS.broken_feed_bytes:
        losses.append(Loss("bytes of a broken feed beyond the size limit", len(body) - LIMITS.broken_feed_bytes))
        body = body[: LIMITS.broken_feed_bytes]
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        parsed: Any = feedparser.parse(
            BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        AssertionError,
        ArithmeticError,
        RecursionError,
    ) as error:
        # what it raises on feeds made to break it; each of these was seen
        return Feed(losses=tuple(losses), why=f"cannot be read: {type(error).__name__}")
    entries = _settle((_xml_entry(entry, url) for entry in parsed.entries), losses)
    said = parsed.feed
    return Feed(
        entries,
        _text(dict.get(said, "title")),
        _ttl_s(said),
        _moment(dict.get(said, "updated_parsed") or dict.get(said, "published_parsed")),
        _next(dict.get(said, "links"), url),
        tuple(losses),
        "" if entries else "has no entry with an address",
    )


def _xml_entry(entry: Any, base: str) -> Entry | None:
    url = absolute(_string(dict.get(entry, "link")), base) or absolute(_permalink(entry), base)
    if url is None:
        return None
    return Entry(
        url,
        _text(dict.get(entry, "title")),
        _string(dict.get(entry, "id"))[: LIMITS.url_chars],
        _moment(dict.get(entry, "published_parsed")),
        _moment(dict.get(entry, "updated_parsed")),
    )


def _permalink(entry: Any) -> str:
    """Return the id where it is an address: RSS says it is one unless told otherwise."""
    name = _string(dict.get(entry, "id"))
    return name if name.startswith(("http://", "https://")) else ""


def _settle(found: Iterator[Entry | None], losses: list[Loss]) -> tuple[Entry, ...]:
    entries: dict[tuple[Url, str], Entry] = {}
    bad = beyond = 0
    for entry in found:
        if entry is None:
            bad += 1
        elif len(entries) >= LIMITS.feed_entries:
            beyond += 1
        else:
            entries.setdefault((entry.url, entry.id), entry)
    for what, count in (("entries without an address", bad), ("entries beyond the limit", beyond)):
        if count:
            losses.append(Loss(what, count))
    return tuple(entries.values())


def _read_json(body: bytes, url: str, losses: list[Loss]) -> Feed:
    try:
        feed = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return Feed(losses=tuple(losses), why="its JSON is broken")
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list):
        return Feed(losses=tuple(losses), why="its JSON has no items")
    entries = _settle((_json_entry(item, url) for item in items), losses)
    why = "" if entries else "has no entry with an address"
    older = absolute(_string(feed.get("next_url")), url)
    return Feed(entries, _text(feed.get("title")), next=older, losses=tuple(losses), why=why)


def _json_entry(item: object, base: str) -> Entry | None:
    if not isinstance(item, dict):
        return None
    url = absolute(_string(item.get("url")), base) or absolute(_permalink(item), base)
    if url is None:
        return None
    published, updated = (_iso_moment(_string(item.get(name))) for name in ("date_published", "date_modified"))
    return Entry(url, _text(item.get("title")), _string(item.get("id"))[: LIMITS.url_chars], published, updated)


def _without_doctype(body: bytes) -> bytes:
    """Cut a document type with all it declares: no feed needs one, and only there are entities made."""
    start = body[:_HEAD_BYTES].find(b"<!DOCTYPE")
    root = _ROOT.search(body, max(start, 0))
    return body[:start] + body[root.start() :] if start >= 0 and root else body


def _has_crowded_tag(body: bytes) -> bool:
    """Say whether a tag has so many attributes that the standard library, which looks for each among all, is slow."""
    shortest = 2 * LIMITS.tag_attributes  # bytes that so many attributes take
    pieces = (piece for piece in body.split(b"<") if len(piece) > shortest)
    return any(_count_attributes(b"<" + piece) > LIMITS.tag_attributes for piece in pieces)


def _count_attributes(tag: bytes) -> int:
    """Return how many attributes a tag has, at most one more than the limit; long values are skipped fast."""
    name = _NAME.match(tag)
    at, count = name.end() if name else 0, 0
    while count <= LIMITS.tag_attributes and (match := _ATTRIBUTE_START.match(tag, at)):
        count += 1
        at = match.end()
        if match[1]:
            at = tag.find(match[1], at) + 1
            if not at:
                break
    return count


def _is_well_formed(body: bytes) -> bool:
    parser = expat.ParserCreate()
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError):
        return False
    return True


def _next(links: object, base: str) -> Url | None:
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and link.get("rel") == "next":
            return absolute(_string(link.get("href")), base)
    return None


def _ttl_s(feed: Any) -> float | None:
    ttl = _string(dict.get(feed, "ttl")).strip()
    if ttl.isdecimal() and ttl.isascii() and len(ttl) < 9:
        return min(int(ttl) * 60.0, _LONGEST_S)
    period = _PERIODS_S.get(_string(dict.get(feed, "sy_updateperiod")).strip().lower())
    times = _string(dict.get(feed, "sy_updatefrequency")).strip()
    return period / max(int(times), 1) if period and times.isdecimal() and len(times) < 6 else period


def _moment(parsed: object) -> datetime | None:
    if not isinstance(parsed, struct_time):
        return None
    try:
        return datetime(*parsed[:5], min(parsed.tm_sec, 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _iso_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(to_iso(text))
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text(value: object) -> str:
    return squeeze(_TAG.sub("", _string(value)[:8_000]))
