"""Check whether a response is a web page, and say what it is instead: an error, a PDF, a picture ..."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from http import HTTPStatus

from scythe.errors import FetchFailed
from scythe.model import Response
from scythe.package_files import packaged_text

_MAIL_CHARS = 100  # of a header that are looked at


def mail_moment(text: str) -> datetime | None:
    """Return the moment that a date of a mail or an HTTP header stands for, in UTC; None where it is none."""
    moment = _parse_mail(text)
    try:
        return moment and (moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError:  # the first or the last hours that there are
        return None


_MONTH = re.compile("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)


def _parse_mail(text: str) -> datetime | None:
    if _MONTH.search(text[:_MAIL_CHARS]) is None:
        return None
    from email.utils import parsedate_to_datetime  # 5 ms, and who reads a page needs none of it

    try:
        return parsedate_to_datetime(text[:_MAIL_CHARS])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


PLAIN_TEXT = "plain text"

# the bytes that a format begins with, a letter for each, and its name
_SIGNATURES: tuple[tuple[bytes, str], ...] = tuple(
    (begin.encode("latin-1"), name) for begin, name in json.loads(packaged_text("scythe.fetch", "signatures.json"))
)
_FIRST_BYTES = frozenset(signature[0] for signature, _ in _SIGNATURES)
_BY_BOX = {b"RIFF": {b"WEBP": "WebP image", b"AVI ": "AVI video", b"WAVE": "WAV audio"}}
_TAG = re.compile(r"<[a-zA-Z!/?]")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF|urlset|sitemapindex)[\s>]")
_HTML_TAG = re.compile(r"<(?:!doctype\s+html|html|head|body|div|p|a|table|span|h1)[\s>/]", re.IGNORECASE)
_HEAD_CHARS = 4_096


def sniff_bytes(head: bytes, content_type: str | None = None) -> str:
    """Return the binary format that the first bytes show, or "" where they may be text."""
    for signature, name in _SIGNATURES if head and head[0] in _FIRST_BYTES else ():
        # two letters may begin a text too; a real bitmap has a zero among its first reserved bytes
        if head.startswith(signature) and (signature != b"BM" or head[6:10] == b"\0\0\0\0"):
            return name
    by_box = _BY_BOX.get(head[:4], {}).get(head[8:12], "")
    if by_box:
        return by_box
    if head[4:8] == b"ftyp":
        return "AVIF image" if head[8:12] in (b"avif", b"avis") else "MP4 media"
    declared = _declared(content_type)
    if (
        declared.partition("/")[0] in ("image", "audio", "video", "font")
        and declared != "image/svg+xml"
        and b"<" not in head
    ):
        return declared
    return ""


def sniff_text(text: str, content_type: str | None = None) -> str:
    """Return what a text is when it is not HTML: plain text, JSON, an XML feed; "" means HTML."""
    declared = _declared(content_type)
    if declared == "text/plain":
        return PLAIN_TEXT
    head = text[:_HEAD_CHARS].lstrip("\ufeff\t\n\r\f ")
    if _is_json(head, text, declared):
        return "JSON"
    if head.startswith(("<?xml", "<rss", "<feed", "<rdf:RDF", "<urlset", "<sitemapindex")):
        feed = _FEED.search(head)
        if feed and not _HTML_TAG.search(head[: feed.start()]):
            return "XML feed or sitemap"
    if head and _TAG.search(text) is None and _REFERENCE.search(text) is None:
        return PLAIN_TEXT
    return ""


def is_html(opening: str, content_type: str | None = None) -> bool:
    """Say whether the first 4 096 characters of a text show already that `sniff_text` takes it for HTML."""
    return _TAG.search(opening) is not None and not sniff_text(opening, content_type)


def _is_json(head: str, text: str, declared: str) -> bool:
    if not head.startswith(("{", "[")):
        return False
    if declared.endswith("json"):
        return True
    tail = text[-_HEAD_CHARS:].rstrip()
    opener = head[1:].lstrip()[:1]
    return tail.endswith(("}", "]")) and opener in ('"', "{", "[", "}", "]") and _TAG.search(head) is None


def _declared(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


_DAY_S = 86_400.0
_HEAD_BYTES = 1_024


def header(response: Response, name: str) -> str:
    """Return the first header of that name, or an empty string."""
    wanted = name.lower()
    return next((value for key, value in response.headers if key.lower() == wanted), "")


def require_page(response: Response) -> Response:
    """Return the response when it is a page to read; raise `FetchFailed` when its status or its bytes say otherwise."""
    require_ok(response)
    what = other_than_page(response.body, header(response, "Content-Type"))
    if what:
        raise FetchFailed(response.url, f"not a page but {what}")
    return response


def require_ok(response: Response) -> Response:
    """Return the response; raise `FetchFailed` when its status is an error."""
    if response.status >= 400:
        raise FetchFailed(response.url, describe_status(response.status), retry_after_s=retry_after_s(response))
    return response


def other_than_page(body: bytes, content_type: str = "") -> str:
    """Name what the bytes are when they are no text to read, or return an empty string. Bytes overrule the header."""
    head = body[:_HEAD_BYTES]
    what = sniff_bytes(head, content_type)
    if not what and b"<" not in head and _is_binary(head):
        return "binary data"
    return what


def _is_binary(head: bytes) -> bool:
    """Tell by its control bytes: text has none, except for UTF-16, which says so at its beginning."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return sum(byte < 9 or 13 < byte < 27 for byte in head) > len(head) / 20


def describe_status(status: int) -> str:
    """Say in words what a status means."""
    try:
        return f"the server answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"the server answered {status}"


def said_retry_s(response: Response) -> float | None:
    """Return what a server itself says of when to try again; None where it does not."""
    return retry_after_s(response) if header(response, "Retry-After") else None


def retry_after_s(response: Response, *, now: datetime | None = None) -> float | None:
    """Return after how many seconds trying again makes sense (0 to one day), or None when it is pointless."""
    if response.status not in (408, 425, 429) and response.status < 500:
        return None
    text = header(response, "Retry-After").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _DAY_S)
    at = mail_moment(text)
    if at is None:
        return 60.0  # the server did not say: a minute is polite
    return min(max((at - (now or datetime.now(UTC))).total_seconds(), 0.0), _DAY_S)
