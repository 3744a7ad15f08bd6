"""WARC files, damaged: what is sound is found, what is not is told, and what stands before and behind survives."""

import io
from datetime import UTC, datetime
from functools import cache

from tests.fuzz.groups.page import require_clean
from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.seeds import folder

from scythe.archive.results import StoredRaw
from scythe.batch.captures import UnitContents, read_captures
from scythe.batch.units import Unit
from scythe.output.warc import WarcFile, verify_warc
from scythe.output.warc_pieces import read_pieces, split_piece
from scythe.url import Url

MADE_AT = datetime(2026, 1, 2, tzinfo=UTC)
TOKENS = (
    *(
        b"WARC/1.1\r\n",
        b"WARC/1.0\r\n",
        b"\r\n\r\n",
        b"Content-Length: ",
        b"Content-Length: 99999999999\r\n",
        b"-1",
        b"\x1f\x8b\x08\x00",
    ),
    *(
        b"WARC-Type: response\r\n",
        b"WARC-Type: resource\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ),
    *(b"Content-Encoding: gzip\r\n", b"WARC-Target-URI: http://example.org/\r\n", b"Content-Type: text/html\r\n"),
)


def _raw(number: int, body: bytes) -> StoredRaw:
    headers = (("Content-Type", "text/html; charset=utf-8"), ("X-Number", str(number)))
    return StoredRaw(Url(f"https://example.org/{number}"), MADE_AT, 200, headers, body)


def write(bodies: list[bytes], *, packed: bool, first: int = 0) -> bytes:
    """Return a WARC file of some pages."""
    file = io.BytesIO()
    warc = WarcFile(file, made_at=MADE_AT, compressed=packed)
    for number, body in enumerate(bodies, first):
        warc.put(_raw(number, body))
    warc.close()
    return file.getvalue()


@cache
def files() -> tuple[bytes, ...]:
    """Return sound files, packed and not."""
    bodies = [b"<html><title>Page %d</title><p>Some words.</p></html>" % number for number in range(3)]
    ours = [write(bodies[:count], packed=packed) for count in (1, 3) for packed in (True, False)]
    return (*ours, _FOREIGN, b"WARC/1.0\r\n\r\n")


_FOREIGN = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.org/f>\r\nWARC-Date: 2026-01-02T00:00:00Z\r\n"
    b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
    b"Content-Type: application/http;msgtype=response\r\nContent-Length: 108\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"c\r\n<p>Hello</p>\r\n0\r\n\r\n\r\n\r\n"
)


def _captures(data: bytes, suffix: str = ".warc.gz") -> tuple[set[str], UnitContents]:
    path = folder("warc") / f"file{suffix}"
    path.write_bytes(data)
    found = UnitContents()
    urls = set()
    for number, capture in enumerate(read_captures(Unit(str(path), "file"), page_bytes=1_000_000, found=found)):
        if capture.number != number or not 0 <= capture.offset < len(data):
            raise Wrong(f"capture {capture.number} at {capture.offset} of {len(data)}")
        require_clean(capture.url, "an address")
        urls.add(capture.url)
    return urls, found


@target("warc.pieces", seeds=files, tokens=TOKENS)
def find_pieces(data: bytes) -> None:
    """Any file falls into pieces, in order and within it."""
    last = -1
    for piece in read_pieces(data):  # type: ignore[arg-type]  # bytes are searched and sliced as a map of a file is
        if not last < piece.offset < len(data):
            raise Wrong(f"a piece at {piece.offset} behind {last} of {len(data)}")
        last = piece.offset
        split_piece(piece)


@target("warc.check", seeds=files, tokens=TOKENS)
def check(data: bytes) -> None:
    """Any file is verified or complained of."""
    path = folder("warc") / "check.warc.gz"
    path.write_bytes(data)
    verified = verify_warc(path)
    if not verified.records and not verified.complaints:
        raise Wrong("no record, and no complaint")


@target("warc.captures", seeds=files, tokens=TOKENS)
@target("warc.captures-lines", seeds=files, tokens=TOKENS, shape="lines", kind=STRUCTURED)
def read_any(data: bytes) -> None:
    """Any file gives captures, each at its place."""
    _captures(data)


@target("warc.kept", seeds=files, tokens=TOKENS)
def keep_neighbours(data: bytes) -> None:
    """Damage in the middle of a packed file costs no record before or behind it, or is told."""
    before = write([b"<p>before</p>"], packed=True, first=100)
    after = write([b"<p>after</p>"], packed=True, first=200)
    urls, found = _captures(before + data + after)
    for url in ("https://example.org/100", "https://example.org/200"):
        if url not in urls and not found.damaged:
            raise Wrong(f"{url} was lost, and nobody says so")
