"""Write stored responses as WARC files, and verify the digests of WARC files.

A file begins with a `warcinfo` record and ends with a `metadata` record that counts the others, so truncation is
noticed. Each record is its own gzip member: one flipped bit costs one record.
"""

from __future__ import annotations

import mmap
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import new as new_hash
from hashlib import sha1
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scythe.archive.results import StoredRaw
from scythe.errors import BadInput
from scythe.output.warc_pieces import Headers, WarcPiece, read_pieces, split_record
from scythe.version import version

SOFTWARE = "scythe"
END = "urn:scythe:end"  # address of the record that counts the others
_FORMAT = "WARC/1.1"
_CONFORMS = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
# what no longer holds of a body that was decoded; the names are those that replay tools know
_OF_TRANSFER = frozenset(("content-encoding", "transfer-encoding", "content-length"))
_LINE_BREAKS = {code: " " for code in (*range(32), 127) if code != 9}  # a header is one line


class WarcFile:
    """A WARC file under way. The same responses in the same order give the same records, whoever writes them."""

    def __init__(self, file: IO[bytes], *, made_at: datetime, name: str = "", compressed: bool = True) -> None:
        self._writer: Any = WARCWriter(file, gzip=compressed, warc_version=_FORMAT)
        self._made_at = made_at
        self._info = _identify(f"warcinfo {name} {made_at.isoformat()}")
        self.responses = 0
        software = f"{SOFTWARE}/{version()}"
        fields = {"software": software, "format": "WARC File Format 1.1", "conformsTo": _CONFORMS}
        headers = {"WARC-Record-ID": self._info, "WARC-Date": _date(made_at)}
        if name:
            headers["WARC-Filename"] = _one_line(name)
        self._put("", "warcinfo", headers, _fields(fields))

    def put(self, raw: StoredRaw) -> None:
        """Write one response."""
        digest = sha1(raw.body, usedforsecurity=False).hexdigest()
        headers = {
            "WARC-Record-ID": _identify(f"{raw.url} {raw.fetched_at.isoformat()} {digest}"),
            "WARC-Date": _date(raw.fetched_at),
            "WARC-Warcinfo-ID": self._info,
        }
        if not raw.is_complete:
            headers["WARC-Truncated"] = "unspecified"
        self._put(raw.url, "response", headers, raw.body, _WarcHead(raw))
        self.responses += 1

    def close(self) -> None:
        """Write the record that says how many there are; the file itself stays open."""
        headers = {
            "WARC-Record-ID": _identify(f"end {self._info} {self.responses}"),
            "WARC-Date": _date(self._made_at),
            "WARC-Warcinfo-ID": self._info,
        }
        self._put(END, "metadata", headers, _fields({"records": str(self.responses + 2)}))

    def _put(self, url: str, kind: str, headers: dict[str, str], block: bytes, head: _WarcHead | None = None) -> None:
        record = self._writer.create_warc_record(
            _one_line(url),
            kind,
            payload=BytesIO(block),
            length=len(block),
            warc_headers_dict=headers,
            http_headers=head,
        )
        self._writer.write_record(record)


class _WarcHead(StatusAndHeaders):  # type: ignore[misc]  # warcio has no types
    """The head of an HTTP response as it would have come with the decoded body."""

    def __init__(self, raw: StoredRaw) -> None:
        named = (
            (f"X-Archive-Orig-{name}" if name.lower() in _OF_TRANSFER else name, value) for name, value in raw.headers
        )
        kept = [(_one_line(name), _one_line(value)) for name, value in named]
        super().__init__(_status_line(raw.status), [*kept, ("Content-Length", str(len(raw.body)))], "HTTP/1.1")

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        """Write headers byte by byte as they came; warcio would percent-encode what is not ASCII."""
        text = self.to_str()
        try:
            body = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            body = text.encode("utf-8", "replace")
        self.headers_buff = body + b"\r\n"


def _status_line(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} "


def _one_line(text: str) -> str:
    return text.translate(_LINE_BREAKS)


def _fields(fields: dict[str, str]) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()


def _identify(text: str) -> str:
    return f"<{uuid5(NAMESPACE_URL, text).urn}>"


def _date(moment: datetime) -> str:
    """Return a moment in UTC as WARC 1.1 writes it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


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

    def take(self, piece: WarcPiece) -> None:
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
