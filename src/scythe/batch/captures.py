"""Read the responses of WARC and HTML files, in file order.

Sound files are read in one pass; after damage, records are searched one by one, so that it costs only those it hits.
"""

from __future__ import annotations

import io
import mmap
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from scythe.batch.units import FAILURES, FailedCapture, Unit
from scythe.errors import MissingExtra
from scythe.fetch.page_check import sniff_bytes
from scythe.limits import LIMITS
from scythe.output.warc_pieces import RECORD_BYTES, is_compressed, next_piece, read_pieces, split_piece
from scythe.page import Page
from scythe.page.encoding import decode, is_utf8
from scythe.url import absolute

_LINE_BYTES = 1_000  # of the line that says how long a chunk is
_SIZE_DIGITS = 8  # of it: four gigabytes
_HEAD_BYTES = 256
_HEX = frozenset(b"0123456789abcdefABCDEF")


def undo_codings(body: bytes, transfer: str, content: str, max_bytes: int) -> tuple[bytes, str]:
    """Return the body without its codings, as far as it could be unpacked, and why it is not whole, or nothing."""
    why = ""
    if "chunked" in transfer.lower():
        body, why = undo_chunks(body)
    if content.strip().lower() in ("", "identity"):
        return body, why
    from scythe.fetch.decode import Decoder

    try:
        decoder = Decoder(content, max_bytes=max_bytes, max_ratio=LIMITS.inflate_ratio, max_codings=LIMITS.codings)
    except ValueError as error:  # no coding that we know; "utf-8" and the like say nothing about packing
        return (body, why) if b"<" in body[:_HEAD_BYTES] else (b"", str(error))
    decoder.feed(body)
    decoded = decoder.finish()
    return decoded.body, decoded.cut or why


def undo_chunks(body: bytes) -> tuple[bytes, str]:
    """Join the chunks of a body. One that has none, as other programs leave the header, is returned as it is."""
    parts: list[bytes] = []
    at = 0
    while (size := _read_size(body, at)) is not None:
        begin = body.index(b"\n", at) + 1
        if size == 0:
            return b"".join(parts), ""
        parts.append(body[begin : begin + size])
        at = begin + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1  # what stands behind a chunk; some servers send only half of it
    return (b"".join(parts), "chunks that do not end") if parts else (body, "")


def _read_size(body: bytes, at: int) -> int | None:
    """Return how long the chunk is whose line begins there; None where there is no such line."""
    end = body.find(b"\n", at, at + _LINE_BYTES)
    if end < 0:
        return None
    digits = body[at:end].partition(b";")[0].strip()
    return int(digits, 16) if 0 < len(digits) <= _SIZE_DIGITS and _HEX.issuperset(digits) else None


_GZIP = b"\x1f\x8b\x08"
_PAGES = ("text/html", "application/xhtml+xml")
_LOOKED_AT = 3  # records, to see whether several are packed as one
_KIND = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")


@dataclass(frozen=True, slots=True)
class Capture:
    """What one server sent once, or one HTML file. Where `why` is set it is no page to extract from, and why not."""

    number: int  # of the capture in its unit, from 0
    offset: int  # of the record in its file; of an HTML file 0
    file: str
    url: str = ""  # empty: an HTML file that does not say where it comes from
    body: bytes = field(default=b"", repr=False)
    content_type: str = ""
    status: int = 200
    date: str = ""  # as the record says
    digest: str = ""  # of the payload, as the record says
    truncated: str = ""  # why the body is not whole
    why: str = ""
    is_bad: bool = False  # it should be a page but cannot be read

    def in_utf8(self) -> bytes:
        """Return the body in UTF-8; places in it are then not those in the page as it came."""
        return self.body if is_utf8(self.body) else decode(self.body, self.content_type).text.encode()


@dataclass(slots=True)
class UnitContents:
    """What a unit held besides captures; complete when all captures were read."""

    others: Counter[str] = field(default_factory=Counter)  # records that are no responses, by type
    damaged: int = 0  # stretches in which no record could be read
    damages: list[FailedCapture] = field(default_factory=list)  # the first ones
    captures: int = 0


def read_captures(
    unit: Unit, *, page_bytes: int = LIMITS.body_bytes, address: str = "", found: UnitContents | None = None
) -> Iterator[Capture]:
    """Yield the captures of a unit; what else is in it goes into `found`. Raises OSError where a file cannot be read.

    `address` is that of HTML files that do not say their own.
    """
    found = found if found is not None else UnitContents()
    if unit.files:
        yield from _read_files(unit, page_bytes, address, found)
        return
    with Path(unit.path).open("rb") as file:
        if not file.seek(0, 2):
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield from _WarcReader(unit, file, content, page_bytes, found).read()


def require_warc() -> None:
    """Raise MissingExtra where WARC files cannot be read."""
    try:
        import fastwarc.warc  # noqa: F401
    except ImportError:
        raise MissingExtra("WARC files need the package fastwarc: pip install 'webscythe[batch]'") from None


def _read_files(unit: Unit, page_bytes: int, address: str, found: UnitContents) -> Iterator[Capture]:
    for number, name in enumerate(unit.files):
        found.captures += 1
        try:
            with Path(name).open("rb") as file:
                body = file.read(page_bytes + 1)
        except OSError as error:
            yield Capture(number, 0, name, why=f"cannot be read: {error.strerror or error}", is_bad=True)
            continue
        if len(body) > page_bytes:
            yield Capture(number, 0, name, why=_too_long(page_bytes), is_bad=True)
        else:
            yield Capture(number, 0, name, Page.from_bytes(body).metadata.canonical or address, body, "text/html")


def _too_long(page_bytes: int) -> str:
    return f"longer than {page_bytes} bytes"


@lru_cache(maxsize=256)  # a sample is read record by record, and a look costs as much as four of them
def _packs_several(path: str, changed_ns: int) -> bool:
    """Say whether several records of a file are packed as one."""
    with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        first = islice(read_pieces(content, next_piece(content, 0)), _LOOKED_AT)
        return any(len(split_piece(piece)[0]) > 1 for piece in first)


class _WarcReader:
    """Reads the records of one file that begin in the stretch of a unit."""

    def __init__(self, unit: Unit, file: Any, content: mmap.mmap, page_bytes: int, found: UnitContents) -> None:
        self._unit, self._file, self._content = unit, file, content
        self._end = len(content) if unit.end is None else min(unit.end, len(content))
        self._page_bytes = page_bytes
        self._found = found
        self._is_packed = is_compressed(content)
        self._is_grouped = self._is_packed and _packs_several(unit.path, os.fstat(file.fileno()).st_mtime_ns)
        self._resume = 0  # where reading in one go may begin again

    def read(self) -> Iterator[Capture]:
        begin = self._unit.begin
        self._resume = next_piece(self._content, begin) if begin else 0
        while self._resume < self._end:
            yield from self._search(self._resume) if self._is_grouped else self._read_on(self._resume)

    def _read_on(self, begin: int) -> Iterator[Capture]:
        """Read records in one go. One is passed on only when the next was found where it should be."""
        held: Capture | str = ""
        held_at, self._resume = begin, self._end
        try:
            for record in self._open(begin):
                at = record.stream_pos
                if at < held_at or (self._is_packed and self._content[at : at + 3] != _GZIP):
                    break  # several records are packed as one
                yield from self._count(held)
                if at >= self._end:
                    return
                held, held_at = self._take(record, at), at
        except OSError as error:
            if error.errno is not None:
                raise  # of the disk, not of the records
        yield from self._search(held_at)

    def _open(self, begin: int) -> Iterator[Any]:
        from fastwarc.warc import ArchiveIterator

        self._file.seek(begin)
        return iter(ArchiveIterator(self._file, parse_http=False, max_header_len=LIMITS.header_bytes))

    def _search(self, begin: int) -> Iterator[Capture]:
        """Look at records one by one, from one that may be damaged on to the next that is sound."""
        self._resume = self._end
        pieces = read_pieces(self._content, begin)
        for number, piece in enumerate(pieces):
            if piece.offset >= self._end:
                return
            if len(piece.record) >= RECORD_BYTES:
                following = next(pieces, None)
                yield from self._read_long(
                    piece.offset, following.offset if following is not None else len(self._content)
                )
                return
            records, why = split_piece(piece)
            if number and not why and not self._is_grouped:
                self._resume = piece.offset
                return
            for record in records:
                yield from self._count(self._take_bytes(record, piece.offset))
            if why:
                self._damage(piece.offset, why)

    def _take_bytes(self, content: bytes, offset: int) -> Capture | str:
        from fastwarc.warc import ArchiveIterator

        try:
            for record in ArchiveIterator(io.BytesIO(content), parse_http=False, max_header_len=LIMITS.header_bytes):
                return self._take(record, offset)
        except OSError as error:
            self._damage(offset, str(error))
        return ""

    def _read_long(self, begin: int, end: int) -> Iterator[Capture]:
        """Read one record, or many that were packed as one, that are too long to be held in memory."""
        self._resume = end
        try:
            for record in self._open(begin):
                if end <= record.stream_pos < len(self._content):
                    return
                yield from self._count(self._take(record, begin))
        except OSError as error:
            if error.errno is not None:
                raise
            self._damage(begin, str(error))

    def _damage(self, offset: int, why: str) -> None:
        self._found.damaged += 1
        if len(self._found.damages) < FAILURES:
            self._found.damages.append(FailedCapture(offset, why))

    def _count(self, taken: Capture | str) -> Iterator[Capture]:
        """Pass a capture on, or count the type of another record."""
        if isinstance(taken, str):
            if taken:
                self._found.others[taken] += 1
            return
        self._found.captures += 1
        yield taken

    def _take(self, record: Any, offset: int) -> Capture | str:
        """Return the capture of a record, its body only where it is a page; of others the type."""
        kind = str(record.record_type)
        if kind not in ("response", "resource"):
            return kind
        headers, sent, status, content_type = record.headers, None, 200, ""
        url = absolute(headers.get("WARC-Target-URI", "").strip("<>")) or ""
        if url and kind == "resource":
            content_type = headers.get("Content-Type", "")
        elif url:
            record.parse_http(max_header_len=LIMITS.header_bytes)
            sent = record.http_headers
            if sent is not None and sent.status_code is not None:
                status, content_type = sent.status_code, sent.get("Content-Type", "")
        capture = Capture(
            self._found.captures,  # those before it are counted by now
            offset,
            self._unit.path,
            url,
            content_type=content_type,
            status=status,
            date=headers.get("WARC-Date", ""),
            digest=headers.get("WARC-Payload-Digest", ""),
            truncated=headers.get("WARC-Truncated", ""),
        )
        if not url:
            return replace(capture, why="no address of the web")
        if kind == "resource":
            return self._take_body(record, capture, "", "")
        if sent is None or sent.status_code is None:
            return replace(capture, why="no HTTP response", is_bad=True)
        return self._take_body(record, capture, sent.get("Transfer-Encoding", ""), sent.get("Content-Encoding", ""))

    def _take_body(self, record: Any, capture: Capture, transfer: str, content: str) -> Capture:
        """Return the capture with its body, or with why it is no page."""
        kind = capture.content_type.partition(";")[0].strip().lower()
        if capture.status != 200:
            return replace(capture, why=f"status {capture.status}")
        if kind and kind not in _PAGES:
            return replace(capture, why=f"not HTML: {kind if _KIND.fullmatch(kind) else 'another type'}")
        if record.content_length > self._page_bytes:
            return replace(capture, why=_too_long(self._page_bytes), is_bad=True)
        body, cut = record.reader.read(), ""
        if transfer or content:
            body, cut = undo_codings(body, transfer, content, self._page_bytes)
        is_other = sniff_bytes(body[:4096]) or (not kind and b"<" not in body[:4096] and "an unknown type")
        if is_other:
            return replace(capture, why=f"not HTML: {is_other}")
        if not body:
            return replace(capture, why=cut or "empty", is_bad=bool(cut))
        return replace(capture, body=body, truncated=capture.truncated or cut)
