"""Write feed files of new records: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1.

A record keeps its id, and an unchanged file is not written, so that conditional requests work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from pathlib import Path

from scythe.archive.results import StoredRecord
from scythe.atomic_files import replacing
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.url import host
from scythe.watching.events import RecordEvent, record_events

_FORMATS = {".rss": "rss", ".xml": "rss", ".atom": "atom", ".json": "json"}
_TITLE_CHARS = 200
_GENERATOR = "scythe"
# What XML 1.0 (section 2.2) does not allow, or advises against: controls, halves of characters, non-characters.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One record as all three formats tell it."""

    id: str
    url: str  # its own, or that of the page which lists it
    title: str
    summary: str  # its other fields, one line each; plain text
    seen: datetime
    published: datetime
    site: str
    category: str
    image: str


def feed_format(path: Path) -> str:
    """Return the format of a feed file by its suffix: rss, atom or json. Raises BadInput."""
    found = _FORMATS.get(Path(path).suffix.lower())
    if found is None:
        raise BadInput(f"a feed file ends in {', '.join(_FORMATS)}, not as {Path(path).name!r} does")
    return found


def write_feed(
    path: Path,
    records: Sequence[StoredRecord],
    *,
    title: str,
    home: str,
    now: datetime,
    most: int = LIMITS.feed_records,
) -> bool:
    """Write the newest records (given newest first) to a feed file; return False where it says the same already.

    A reader sees the old file or the whole new one. Raises BadInput for an unknown suffix, OSError.
    """
    write = {"rss": _rss, "atom": _atom, "json": _json}[feed_format(path)]
    body = write([_entry(event) for event in record_events(records[:most])], _one_line(title), home, now).encode()
    try:
        if path.read_bytes() == body:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, sync=True) as file:
        file.write(body)
    return True


def _entry(event: RecordEvent) -> _Entry:
    titles = [name for name in event.fields if name.startswith("title")] or list(event.fields)
    heading = titles[0] if titles else ""
    title = _one_line(event.fields.get(heading, "")) or event.link or f"record {event.number}"
    rest = [f"{name}: {' '.join(text.split())}" for name, text in event.fields.items() if name != heading]
    return _Entry(
        id=_id(event),
        url=event.link or event.page,
        title=title if len(title) <= _TITLE_CHARS else f"{title[: _TITLE_CHARS - 1]}…",
        summary="\n".join(rest),
        seen=event.first_seen.astimezone(UTC),
        published=_published(event.published, event.first_seen.astimezone(UTC)),
        site=event.site,
        category=_one_line(event.region),
        image=event.images[0] if event.images else "",
    )


def _id(event: RecordEvent) -> str:
    """Return a tag (RFC 4151): who names it, since when, and what, so that no two records ever have the same."""
    name = host(f"http://{event.site}/") or "scythe.invalid"
    authority = name if re.fullmatch(r"[a-z0-9.-]+", name) else "scythe.invalid"
    return f"tag:{authority},{event.first_seen.astimezone(UTC):%Y-%m-%d}:record/{event.number}"


def _published(text: str, seen: datetime) -> datetime:
    """Return when a record was published: when it says so, but never after it was seen."""
    if text == seen.date().isoformat():
        return seen  # on that day: readers sort by it
    try:
        said = datetime.fromisoformat(text)
        said = said.replace(tzinfo=UTC) if said.tzinfo is None else said.astimezone(UTC)
    except (ValueError, OverflowError):
        return seen
    return min(said, seen)


def _rss(entries: Sequence[_Entry], title: str, home: str, now: datetime) -> str:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<rss version="2.0">', "<channel>"]
    lines += [_tag("title", title), _tag("link", home), _tag("description", f"What is new on {home}")]
    if entries:
        lines.append(_tag("lastBuildDate", _mail_date(_updated(entries, now))))
    lines.append(_tag("generator", _GENERATOR))
    for one in entries:
        lines += ["<item>", _tag("title", one.title), _tag("link", one.url)]
        lines.append(f'<guid isPermaLink="false">{_xml(one.id)}</guid>')
        lines += [_tag("pubDate", _mail_date(one.published)), _tag("category", one.category)]
        # a description is HTML: what a page says is escaped once as such and once more as XML
        lines += [_tag("description", escape(one.summary).replace("\n", "<br>\n"))] if one.summary else []
        lines.append("</item>")
    return "\n".join([*lines, "</channel>", "</rss>", ""])


def _atom(entries: Sequence[_Entry], title: str, home: str, now: datetime) -> str:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<feed xmlns="http://www.w3.org/2005/Atom">']
    lines += [_tag("id", home), _tag("title", title), _tag("updated", _moment(_updated(entries, now)))]
    lines += [f'<link rel="alternate" href="{_xml(home)}"/>', _tag("generator", _GENERATOR)]
    lines.append(f"<author>{_tag('name', host(home) or _GENERATOR)}</author>")
    for one in entries:
        lines += ["<entry>", _tag("id", one.id), _tag("title", one.title), _tag("updated", _moment(one.seen))]
        lines += [_tag("published", _moment(one.published)), f'<link rel="alternate" href="{_xml(one.url)}"/>']
        lines += [f"<author>{_tag('name', one.site)}</author>"] if one.site else []
        lines.append(f'<category term="{_xml(one.category)}"/>')
        lines += [_tag("summary", one.summary)] if one.summary else []
        lines.append("</entry>")
    return "\n".join([*lines, "</feed>", ""])


def _json(entries: Sequence[_Entry], title: str, home: str, now: datetime) -> str:
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": title, "home_page_url": home}
    items = [_item(one) for one in entries]
    text = json.dumps(feed | {"items": items}, ensure_ascii=False, indent=1)
    return _NO_XML.sub("\ufffd", text) + "\n"


def _item(one: _Entry) -> dict[str, object]:
    item: dict[str, object] = {"id": one.id, "url": one.url, "title": one.title}
    item |= {"content_text": one.summary or one.title, "date_published": _moment(one.published)}
    item |= {"date_modified": _moment(one.seen), "tags": [one.category], "authors": [{"name": one.site}]}
    return item | ({"image": one.image} if one.image else {})


def _updated(entries: Sequence[_Entry], now: datetime) -> datetime:
    """Return when the feed last changed, to be the same until it does; an empty one knows only the day."""
    empty = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return max((one.seen for one in entries), default=empty)


def _moment(at: datetime) -> str:
    return at.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _mail_date(at: datetime) -> str:
    return format_datetime(at.replace(microsecond=0), usegmt=True)


def _tag(name: str, text: str) -> str:
    return f"<{name}>{_xml(text)}</{name}>"


def _xml(text: str) -> str:
    """Escape text for XML. In titles, readers of RSS agree most on references by number (RSS profile, rssboard.org)."""
    text = _NO_XML.sub("\ufffd", text).replace("\r", "\n")
    return text.replace("&", "&#x26;").replace("<", "&#x3C;").replace(">", "&#x3E;").replace('"', "&#x22;")


def _one_line(text: str) -> str:
    return " ".join(text.split())
