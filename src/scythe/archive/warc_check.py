"""Check a WARC file: a path comes in, the number of sound records and what is wrong with the others go out.

One flipped bit costs one record. Memory is bounded by the longest record that is checked.
"""

from __future__ import annotations

import mmap
from base64 import b32encode
from dataclasses import dataclass
from hashlib import new as new_hash
from pathlib import Path

from scythe.archive.warc import END, SOFTWARE
from scythe.archive.warc_pieces import Headers, Piece, read_pieces, split_record
from scythe.errors import BadInput

_HASHES = frozenset(("md5", "sha1", "sha256", "sha512"))
_COMPLAINTS = 1_000  # said one by one


@dataclass(frozen=True, slots=True)
class Verified:
    """What a WARC file holds, and what is wrong with it."""

    records: int  # that are whole and fit their digests
    complaints: tuple[str, ...] = ()
    unchecked: int = 0  # of the records: without any digest, as other programs may write them


def verify_warc(path: Path | str) -> Verified:
    """Read every record of a WARC file and compare its digests. Raises BadInput when it cannot be opened."""
    checker = _Checker()
    try:
        with Path(path).open("rb") as file:
            if not file.seek(0, 2):
                return Verified(0, ("the file is empty",))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for piece in read_pieces(content):
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

    def take(self, piece: Piece) -> None:
        why = piece.why or self._judge(piece.record)
        if not why:
            self.records += 1
        elif len(self.complaints) < _COMPLAINTS:
            self.complaints.append(f"at byte {piece.offset}: {why}")
        else:
            self.more += 1

    def _judge(self, record: bytes) -> str:
        headers, block, why = split_record(record)
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
            self._stated = int(number) if number.isdigit() and len(number) < 16 else None
        return ""

    def finish(self) -> Verified:
        if self.more:
            self.complaints.append(f"and {self.more} more")
        if self._is_ours and self._stated is None:
            self.complaints.append("the end is missing: the file was cut off")
        elif self._stated is not None and self._stated != self.records:
            self.complaints.append(f"{self.records} of {self._stated} records are whole")
        return Verified(self.records, tuple(self.complaints), self.unchecked)


def _compare_digests(headers: Headers, block: bytes) -> tuple[bool, str]:
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


def _payload(headers: Headers, block: bytes) -> bytes | None:
    """Return what the payload digest of a record is of, or None where programs disagree on it."""
    if headers.get("warc-type") == "revisit":
        return None  # the digest is of what an earlier record holds
    if not headers.get("content-type", "").startswith("application/http"):
        return block
    head, _, payload = block.partition(b"\r\n\r\n")
    return None if b"\ntransfer-encoding:" in head.lower() else payload
