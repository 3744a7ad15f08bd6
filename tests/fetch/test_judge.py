from datetime import UTC, datetime

import pytest

from scythe.errors import FetchFailed
from scythe.fetch import require_page
from scythe.fetch.page_check import other_than_page, retry_after_s
from scythe.model import Response
from scythe.url import Url

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def response(body: bytes = b"<p>x", *, status: int = 200, **headers: str) -> Response:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(url=Url("https://example.org/"), status=status, headers=pairs, body=body, fetched_at=NOW)


def test_a_page_passes() -> None:
    given = response(Content_Type="text/html")
    assert require_page(given) is given


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/json", "application/pdf", "image/png"])
def test_markup_passes_whatever_its_label(content_type: str) -> None:
    assert require_page(response(b"<!doctype html><p>x", Content_Type=content_type))


@pytest.mark.parametrize("content_type", ["", "text/html", "text/html; charset=utf-8", "application/octet-stream"])
@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"%PDF-1.7", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (b"GIF89a", "GIF"),
        (b"PK\x03\x04", "ZIP"),
        (b"RIFF....WEBP", "WebP"),
        (b"....ftypmp42", "MP4"),
        (b"....ftypavif", "AVIF"),
        (b"\x1f\x8b\x08", "gzip"),
        (bytes(range(32)) * 10, "binary data"),
        (b"\x00" * 100, "binary data"),
    ],
)
def test_other_files_are_named_whatever_their_label(body: bytes, what: str, content_type: str) -> None:
    with pytest.raises(FetchFailed, match=f"not a page but {what}"):
        require_page(response(body, Content_Type=content_type))


@pytest.mark.parametrize("content_type", ["", "text/html", "image/png", "application/pdf", "nonsense", "text/html;;;"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-9", "shift_jis"]
)
def test_markup_passes_in_any_encoding(encoding: str, content_type: str) -> None:
    body = "<title>a page</title><p>and its text".encode(encoding)
    assert other_than_page(body, content_type) == ""


def test_plain_text_passes() -> None:
    for text in ("Just words.\n" * 50, "Wörter ohne Auszeichnung", "", "\n"):
        assert other_than_page(text.encode(), "text/plain") == other_than_page(text.encode("utf-16")) == ""


def test_an_image_without_a_known_signature_goes_by_its_label() -> None:
    assert other_than_page(b"\x00\x01\x02", "image/x-icon") == "image/x-icon"


@pytest.mark.parametrize(("status", "words"), [(404, "404 Not Found"), (500, "500 Internal"), (799, "answered 799")])
def test_an_error_status_is_named(status: int, words: str) -> None:
    with pytest.raises(FetchFailed, match=words):
        require_page(response(status=status))


@pytest.mark.parametrize(
    ("status", "value", "expected"),
    [
        (404, "10", None),
        (429, "10", 10),
        (503, "", 60),
        (503, "-5", 60),
        (503, "soon", 60),
        (503, "999999999999", 86_400),
        (503, "Thu, 01 Jan 2026 00:02:00 GMT", 120),
        (503, "Wed, 31 Dec 2025 00:00:00 GMT", 0),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        (503, "Thu, 01 Jan 2026 00:02:00 -0000", 120),
        (503, "1 Jan 0 0:2949672960", 60),
        (503, "Fri, 31 Dec 9999 23:59:59 -1200", 60),
    ],
)
def test_retry_after_is_read_within_bounds(status: int, value: str, expected: float | None) -> None:
    assert retry_after_s(response(status=status, Retry_After=value), now=NOW) == expected
