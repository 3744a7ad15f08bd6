"""Check a WARC file: a path comes in, the number of sound records and what is wrong with the others go out.

Damage is not followed: after a record that cannot be read the next one is looked for, so that one flipped bit costs one
record. Memory is bounded by the longest record that is checked.
"""

from __future__ import annotations

import mmap
import zlib
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import new as new_hash
from pathlib import Path

from scythe.archive.warc import END, SOFTWARE
from scythe.errors import BadInput
from scythe.limits import LIMITS

_GZIP = b"\x1f\x8b\x08"
_RECORD = b"WARC/1."
_HASHES = frozenset(("md5", "sha1", "sha256", "sha512"))
_STEP = 65_536
_COMPLAINTS = 1_000  # said one by one
_Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Verified:
    """What a WARC file holds, and what is wrong with it."""

    records: int  # that are whole and fit their digests
    complaints: tuple[str, ...] = ()
    unchecked: int = 0  # of the records: without any digest, as other programs may write them


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the file: one record's bytes, or what is wrong there."""

    offset: int
    record: bytes = b""
    why: str = ""


def verify_warc(path: Path | str) -> Verified:
    """Read every record of a WARC file and compare its digests. Raises BadInput when it cannot be opened."""
    checker = _Checker()
    try:
        with Path(path).open("rb") as file:
            if not file.seek(0, 2):
                return Verified(0, ("the file is empty",))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for piece in _gzip_pieces(content) if _is_compressed(content) else _plain_pieces(content):
                    checker.take(piece)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None
    return checker.finish()


class _Checker:
    """Counts records and complaints of one file."""

    def __init__(self) -> None:
        self.records = self.unchecked = self.more = 0
        self.complaints: list[str] = []
        self._is_ours = False
        self._stated: int | None = None

    def take(self, piece: _Piece) -> None:
        why = piece.why or self._judge(piece.record)
        if not why:
            self.records += 1
        elif len(self.complaints) < _COMPLAINTS:
            self.complaints.append(f"at byte {piece.offset}: {why}")
        else:
            self.more += 1

    def _judge(self, record: bytes) -> str:
        headers, block, why = _split_record(record)
        if why:
            return why
        checked, why = _compare_digests(headers, block)
        if why:
            return why
        self.unchecked += not checked
        if headers.get("warc-type") == "warcinfo":
            self._is_ours = self._is_ours or f"software: {SOFTWARE}/".encode() in block
        if headers.get("warc-target-uri") == END:
            number = block.partition(b"records: ")[2].strip()
            self._stated = int(number) if number.isdigit() else None
        return ""

    def finish(self) -> Verified:
        if self.more:
            self.complaints.append(f"and {self.more} more")
        if self._is_ours and self._stated is None:
            self.complaints.append("the end is missing: the file was cut off")
        elif self._stated is not None and self._stated != self.records:
            self.complaints.append(f"{self.records} of {self._stated} records are whole")
        return Verified(self.records, tuple(self.complaints), self.unchecked)


def _is_compressed(content: mmap.mmap) -> bool:
    return content[: len(_RECORD)] != _RECORD


def _gzip_pieces(content: mmap.mmap) -> Iterator[_Piece]:
    """Yield the records of a file in which each is a gzip member."""
    offset, size = 0, len(content)
    while offset < size:
        record, end, why = _inflate(content, offset, LIMITS.body_bytes + LIMITS.tag_bytes)
        yield _Piece(offset, record, why)
        offset = end if not why else _next_member(content, offset + 1)


def _next_member(content: mmap.mmap, offset: int) -> int:
    """Return where the next record begins that can be read, or the end of the file."""
    while (offset := content.find(_GZIP, offset)) >= 0:
        if _inflate(content, offset, len(_RECORD))[0].startswith(_RECORD):
            return offset
        offset += 1
    return len(content)


def _inflate(content: mmap.mmap, offset: int, most: int) -> tuple[bytes, int, str]:
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


def _plain_pieces(content: mmap.mmap) -> Iterator[_Piece]:
    """Yield the records of a file that is not compressed."""
    offset, size = 0, len(content)
    while offset < size:
        head_end = content.find(b"\r\n\r\n", offset, offset + LIMITS.header_bytes)
        headers = _read_headers(content[offset : head_end + 2]) if head_end >= 0 else {}
        end = head_end + 8 + int(headers.get("content-length", "0")) if headers else size + 1
        if end <= size and content[end - 4 : end] == b"\r\n\r\n":
            yield _Piece(offset, content[offset:end])
        else:
            yield _Piece(offset, why="damaged or cut off")
            found = content.find(b"\r\n\r\n" + _RECORD, offset)
            end = found + 4 if found >= 0 else size
        offset = end


def _read_headers(head: bytes) -> _Headers:
    """Return the headers of a record by name in lower case; nothing where it is no record."""
    if not head.startswith(_RECORD):
        return {}
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = headers.get("content-length", "")
    return headers if length.isascii() and length.isdigit() and len(length) < 16 else {}


def _split_record(record: bytes) -> tuple[_Headers, bytes, str]:
    """Return headers and block of a record, and why it is none."""
    head, _, rest = record.partition(b"\r\n\r\n")
    headers = _read_headers(head)
    if not headers:
        return {}, b"", "not a WARC record with a length"
    length = int(headers["content-length"])
    if len(rest) != length + 4 or not rest.endswith(b"\r\n\r\n"):
        return {}, b"", f"{max(len(rest) - 4, 0)} bytes instead of {length}"
    return headers, rest[:length], ""


def _compare_digests(headers: _Headers, block: bytes) -> tuple[bool, str]:
    """Tell whether there was a digest to compare with, and what does not fit."""
    checked = False
    for what, content in (("block", block), ("payload", _payload(headers, block))):
        name, _, value = headers.get(f"warc-{what}-digest", "").lower().partition(":")
        if content is None or name not in _HASHES:
            continue
        checked = True
        hashed = new_hash(name, content, usedforsecurity=False)
        if value.rstrip("=") not in (hashed.hexdigest(), b32encode(hashed.digest()).decode().lower().rstrip("=")):
            return True, f"the {what} of {headers.get('warc-target-uri', 'a record')} does not fit its digest"
    return checked, ""


def _payload(headers: _Headers, block: bytes) -> bytes | None:
    """Return what the payload digest of a record is of, or None where programs disagree on it."""
    if headers.get("warc-type") == "revisit":
        return None  # the digest is of what an earlier record holds
    if not headers.get("content-type", "").startswith("application/http"):
        return block
    head, _, payload = block.partition(b"\r\n\r\n")
    return None if b"\ntransfer-encoding:" in head.lower() else payload
