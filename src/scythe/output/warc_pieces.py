"""Split a WARC file into records, continuing after damaged ones."""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from scythe.limits import LIMITS

_GZIP = b"\x1f\x8b\x08"
_RECORD = b"WARC/1."
_BETWEEN = b"\r\n\r\n" + _RECORD
_STEP = 65_536
_START = 4_096  # within so many bytes a member has shown what it holds; a name in its head may go on without end
RECORD_BYTES = LIMITS.body_bytes + LIMITS.tag_bytes  # of a record that is looked at as a whole
Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class WarcPiece:
    """A stretch of the file: one record's bytes, or what is wrong there."""

    offset: int
    record: bytes = b""
    why: str = ""


def read_pieces(content: mmap.mmap, begin: int = 0) -> Iterator[WarcPiece]:
    """Yield what a file holds from `begin` on, where a record should be."""
    return _gzip_pieces(content, begin) if is_compressed(content) else _plain_pieces(content, begin)


def is_compressed(content: mmap.mmap) -> bool:
    """Say whether records are packed, each as a gzip member, by how the file begins."""
    return content[: len(_RECORD)] != _RECORD


def _gzip_pieces(content: mmap.mmap, offset: int) -> Iterator[WarcPiece]:
    """Yield the records of a file in which each is a gzip member."""
    size = len(content)
    while offset < size:
        record, end, why = _inflate(content, offset, RECORD_BYTES)
        yield WarcPiece(offset, record, why)
        offset = end if not why else _next_member(content, offset + 1)


def next_piece(content: mmap.mmap, offset: int) -> int:
    """Return where the next record begins from `offset` on, or the end of the file.

    In a file that is not packed a page may hold what looks like a record.
    """
    if is_compressed(content):
        return _next_member(content, offset)
    found = content.find(_BETWEEN, max(offset - 4, 0))
    return found + 4 if found >= 0 else len(content)


def _next_member(content: mmap.mmap, offset: int) -> int:
    """Return where the next record begins that can be read, or the end of the file."""
    while (offset := content.find(_GZIP, offset)) >= 0:
        if _inflate(content[offset : offset + _START], 0, len(_RECORD))[0].startswith(_RECORD):
            return offset
        offset += 1
    return len(content)


def _inflate(content: mmap.mmap | bytes, offset: int, most: int) -> tuple[bytes, int, str]:
    """Return what a gzip member holds, at most so much of it, where it ends, and why it cannot be read."""
    member = zlib.decompressobj(zlib.MAX_WBITS + 16)
    parts: list[bytes] = []
    got, at, step = 0, offset, min(_STEP, most + 1_000)
    while not member.eof and got < most:
        waiting = content[at : at + step]
        if not waiting:
            return b"".join(parts), at, "the record is cut off"
        at += len(waiting)
        try:
            parts.append(member.decompress(waiting, most - got))
        except zlib.error as error:
            return b"".join(parts), at, f"damaged: {error}"
        got += len(parts[-1])
    why = "" if member.eof else f"longer than {most} bytes, not checked"
    return b"".join(parts), at - len(member.unused_data), why


def _plain_pieces(content: mmap.mmap, offset: int) -> Iterator[WarcPiece]:
    """Yield the records of a file that is not compressed."""
    size = len(content)
    while offset < size:
        head_end = content.find(b"\r\n\r\n", offset, offset + LIMITS.header_bytes)
        headers = _read_headers(content[offset : head_end + 2]) if head_end >= 0 else {}
        end = head_end + 8 + int(headers.get("content-length", "0")) if headers else size + 1
        if end <= size and content[end - 4 : end] == b"\r\n\r\n":
            why = "" if end - offset < RECORD_BYTES else f"longer than {RECORD_BYTES} bytes, not checked"
            yield WarcPiece(offset, content[offset : min(end, offset + RECORD_BYTES)], why)
        else:
            yield WarcPiece(offset, why="damaged or cut off")
            end = next_piece(content, offset + 1)
        offset = end


def _read_headers(head: bytes) -> Headers:
    """Return the headers of a record by name in lower case; nothing where it is no record."""
    if not head.startswith(_RECORD):
        return {}
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = headers.get("content-length", "")
    return headers if length.isascii() and length.isdigit() and len(length) < 16 else {}


def split_record(record: bytes) -> tuple[Headers, bytes, str]:
    """Return headers and block of a record, and why it is none."""
    head, _, rest = record.partition(b"\r\n\r\n")
    headers = _read_headers(head)
    if not headers:
        return {}, b"", "not a WARC record with a length"
    length = int(headers["content-length"])
    if len(rest) != length + 4 or not rest.endswith(b"\r\n\r\n"):
        return {}, b"", f"{max(len(rest) - 4, 0)} bytes instead of {length}"
    return headers, rest[:length], ""


def split_piece(piece: WarcPiece) -> tuple[list[bytes], str]:
    """Return the records of a piece, of which there should be one, and what is wrong with the rest, or nothing."""
    records: list[bytes] = []
    content, at = piece.record, 0
    while at < len(content) and not piece.why:
        head_end = content.find(b"\r\n\r\n", at, at + LIMITS.header_bytes)
        headers = _read_headers(content[at:head_end]) if head_end >= 0 else {}
        end = head_end + 8 + int(headers["content-length"]) if headers else 0
        if not headers or content[end - 4 : end] != b"\r\n\r\n":
            return records, split_record(content[at:])[2] or "damaged"
        records.append(content[at:end])
        at = end
    return records, piece.why
