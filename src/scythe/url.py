"""Addresses: any text from a page in, an absolute http(s) `Url` or None out; and what one looks like."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NewType
from urllib.parse import urljoin, urlsplit, urlunsplit

from scythe.limits import LIMITS

Url = NewType("Url", str)

_STRIP = "\t\n\r\f \x00"
_QUOTE = {ord(c): f"%{ord(c):02X}" for c in ' "<>`{}|\\^'} | {i: f"%{i:02X}" for i in (*range(32), 127)}
# addresses that need no work, nine of ten on real pages: the general way takes 16 us each
_PLAIN = re.compile(
    r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)++(?::[1-5][0-9]{4}|:[1-9][0-9]{1,3})?+(?:[/?#][!#-;=?-\[\]_a-z~]*+)?+"
)
_PLAIN_PATH = re.compile(r"/(?!/)[!#-;=?-\[\]_a-z~]*+")
# no colon: no scheme; no empty query, which the general way drops
_PLAIN_NAME = re.compile(r"[0-9A-Z_a-z][!#-.0-9=A-Z\[\]_a-z~-]*+(?:[/?#][!#-:=?-\[\]_a-z~]*+)?+(?<!\?)")
_SHAPED = 2_000  # characters of an address that make its shape
_SEGMENTS = 12  # of its path
_DIGITS = re.compile(r"[0-9]+")
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{1,4}$")
_JOINTS = re.compile(r"[-_+.,~ ]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


def absolute(text: str, base: str | None = None) -> Url | None:
    """Return the absolute http(s) address `text` stands for on a page at `base`, or None if it stands for none."""
    text = text.strip(_STRIP)
    if not text or len(text) > LIMITS.url_chars:
        return None
    if text[-1] != "#":
        if _PLAIN.fullmatch(text):
            return Url(text)
        if base and "/." not in text and (origin := _origin(base)):
            if _PLAIN_PATH.fullmatch(text):
                return _bounded(origin + text)
            if _PLAIN_NAME.fullmatch(text) and "//" not in text and "?#" not in text and (folder := _folder(base)):
                return _bounded(folder + text)
    try:
        parts = urlsplit(text)
        if base and not (parts.scheme and parts.netloc):  # joined, what is whole would lose a `;` at its end
            parts = urlsplit(urljoin(base, text))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        parts.port  # noqa: B018  (raises ValueError on a port out of range)
        url = urlunsplit(parts).translate(_QUOTE)
        if "[" in parts.netloc:  # quoted, or without a user before it, what is in the brackets may be no number
            urlsplit("//" + urlsplit(url).netloc.rpartition("@")[2])
        return _bounded(url)
    except ValueError:
        return None


def _bounded(url: str) -> Url | None:
    """Return an address unless joining or quoting made it longer than any."""
    return Url(url) if len(url) <= LIMITS.url_chars else None


@lru_cache(maxsize=256)
def _origin(base: str) -> str:
    """Return scheme and host of a plain address, or an empty string."""
    return "/".join(_bare(base).split("/", 3)[:3]) if _PLAIN.fullmatch(base) else ""


@lru_cache(maxsize=256)
def _folder(base: str) -> str:
    """Return what a plain relative address is put behind, or an empty string."""
    path = _bare(base)
    if path.count("/") == 2:
        return path + "/"
    return path[: path.rfind("/") + 1] if path.count("//") == 1 and "/." not in path else ""


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


def host(url: str) -> str:
    """Return the host name of `url` in lower case, or an empty string."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def url_shape(url: str) -> str:
    """Return what an address looks like: `/2021/03/some-title/?p=7` is `/9/9/a-a/?p`.

    A number is `9`, a word `a`, words joined `a-a`, words with a number `a-9`; a file suffix and the names of query
    parameters stay.
    """
    path, query = _path_and_query(url[:_SHAPED])
    segments = path.split("/")
    shape = "/".join(_segment_shape(segment) for segment in segments[:_SEGMENTS])
    if len(segments) > _SEGMENTS:
        shape += "/..."
    names = sorted({piece.partition("=")[0] for piece in query.split("&") if piece}) if query else []
    return shape + ("?" + "&".join(_DIGITS.sub("9", name) for name in names[:_SEGMENTS]) if names else "")


def _path_and_query(url: str) -> tuple[str, str]:
    if _PLAIN.fullmatch(url):  # nine of ten; the general way takes four times as long
        path, _, query = url.partition("#")[0].partition("?")
        _, slash, path = path[8:].partition("/")
        return slash + path, query
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.path, parts.query


@lru_cache(maxsize=4_096)
def _segment_shape(segment: str) -> str:
    if not segment:
        return ""
    segment = _ESCAPE.sub("x", segment.replace("%20", "-"))  # not a number, whatever its digits
    suffix = _SUFFIX.search(segment.lower())
    stem, ending = (segment[: suffix.start()], suffix[0]) if suffix else (segment, "")
    if stem.isdigit():
        return "9" + ending
    joined = _JOINTS.search(stem.strip("-_. ")) is not None
    tail = "-9" if _DIGITS.search(stem) else "-a" if joined else ""
    return "a" + tail + ending
