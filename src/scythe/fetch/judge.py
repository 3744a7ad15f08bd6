"""Is this response a page? A Response comes in; the same goes out, or a FetchFailed that says what it is instead."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

from scythe.errors import FetchFailed
from scythe.model import Response
from scythe.page.dates import mail_moment

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
    from scythe.page.sniff import sniff_bytes  # here: it brings the tree along, which fetching alone does not need

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
