"""Read sitemaps by string search: nothing is expanded or opened, and truncated files give what they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scythe.fetch.decode import Decoder
from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.dates import to_iso
from scythe.page.encoding import decode
from scythe.url import Url, absolute

_HEAD_CHARS = 65_536  # in which the root element must begin
_ROOT = re.compile(r"<(?:([A-Za-z_][\w.-]{0,50}):)?(urlset|sitemapindex)[\s/>]")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_OFTEN = frozenset("always hourly daily weekly monthly yearly never".split())
_CDATA = "<![CDATA["


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One address of a sitemap."""

    url: Url
    modified: str = ""  # ISO 8601 as precise as it was given
    often: str = ""  # always, hourly, daily, weekly, monthly, yearly, never
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists."""

    urls: tuple[MapEntry, ...] = ()
    sitemaps: tuple[Url, ...] = ()
    losses: tuple[Loss, ...] = ()
    why: str = ""  # it is none, or empty: the reason


def read_sitemap(body: bytes, url: str, content_type: str | None = None) -> Sitemap:
    """Read a sitemap, an index of sitemaps or a list with an address per line, packed by gzip or not. Never raises."""
    losses: list[Loss] = []
    if body.startswith(b"\x1f\x8b"):
        body = _unpack(body, losses)
    if len(body) > LIMITS.sitemap_bytes:
        losses.append(Loss("bytes beyond the size limit of a sitemap", len(body) - LIMITS.sitemap_bytes))
        body = body[: LIMITS.sitemap_bytes]
    text = _without_comments(decode(body, content_type).text)
    root = _ROOT.search(text[:_HEAD_CHARS])
    if root is not None:
        return _collect(_entries(text, root.end(), root[1]), root[2] == "sitemapindex", url, losses)
    if "<" in text[:_HEAD_CHARS]:
        return Sitemap(losses=tuple(losses), why="neither a sitemap nor a list of addresses")
    return _collect(({"loc": line} for line in text.splitlines() if line.strip()), False, None, losses)


def _unpack(body: bytes, losses: list[Loss]) -> bytes:
    decoder = Decoder("gzip", max_bytes=LIMITS.sitemap_bytes, max_ratio=LIMITS.inflate_ratio, max_codings=1)
    decoder.feed(body)
    decoded = decoder.finish()
    if decoded.cut:
        losses.append(Loss(f"the packed sitemap: {decoded.cut}", 1))
    return decoded.body


def _collect(entries: Iterator[dict[str, str]], is_index: bool, base: str | None, losses: list[Loss]) -> Sitemap:
    urls: dict[Url, MapEntry] = {}
    sitemaps: dict[Url, None] = {}
    bad = beyond = 0
    for entry in entries:
        url = absolute(_plain(entry.get("loc", "")), base)
        if url is None:
            bad += 1
        elif len(urls) + len(sitemaps) >= LIMITS.sitemap_urls:
            beyond += 1
        elif is_index or entry.get("") == "sitemap":
            sitemaps[url] = None
        elif url not in urls:
            urls[url] = _map_entry(url, entry)
    for what, count in (("addresses in a sitemap that are none", bad), ("addresses beyond the limit", beyond)):
        if count:
            losses.append(Loss(what, count))
    why = "" if urls or sitemaps else "lists no address"
    return Sitemap(tuple(urls.values()), tuple(sitemaps), tuple(losses), why)


def _map_entry(url: Url, entry: dict[str, str]) -> MapEntry:
    often = entry.get("changefreq", "").strip().lower()
    priority = entry.get("priority", "").strip()
    known = re.fullmatch(r"0?\.[0-9]{1,6}|[01](?:\.[0-9]{0,6})?", priority)
    return MapEntry(
        url,
        to_iso(_plain(entry.get("lastmod", ""))),
        often if often in _OFTEN else "",
        min(float(priority), 1.0) if known else None,
    )


def _entries(text: str, at: int, prefix: str | None) -> Iterator[dict[str, str]]:
    """Yield what each url or sitemap element says; only elements of the root's own namespace count, not image:loc."""
    entry: dict[str, str] = {}
    for found in _elements(prefix or "").finditer(text, at):
        name = found[2]
        if name in ("url", "sitemap"):
            if "loc" in entry:
                yield entry
            entry = {} if found[1] else {"": name}
        elif not found[1] and name not in entry:
            value = _value(text, found.end())
            if value is not None:
                entry[name] = value
    if "loc" in entry:
        yield entry


@lru_cache(maxsize=64)
def _elements(prefix: str) -> re.Pattern[str]:
    start = re.escape(prefix) + ":" if prefix else ""
    return re.compile(rf"<(/?){start}(url|sitemap|loc|lastmod|changefreq|priority)(?:[\s/][^<>]*+)?+>")


def _value(text: str, at: int) -> str | None:
    """Return the text of an element whose content begins at `at`; None where the file ends inside it."""
    space = len(text[at : at + 64]) - len(text[at : at + 64].lstrip())
    if text.startswith(_CDATA, at + space):
        start = at + space + len(_CDATA)
        end = text.find("]]>", start, start + 4 * LIMITS.url_chars)
        return text[start:end].replace("&", "&amp;") if end >= 0 else None
    end = text.find("<", at, at + 4 * LIMITS.url_chars)
    return text[at:end] if end >= 0 else None


def _plain(value: str) -> str:
    return _REFERENCE.sub(_resolve, value.strip()) if "&" in value else value.strip()


def _resolve(found: re.Match[str]) -> str:
    name, decimal, hexadecimal = found.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _without_comments(text: str) -> str:
    if "<!--" not in text:
        return text
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        pieces.append(text[at:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(pieces)
        at = end + 3
    return "".join([*pieces, text[at:]])
