"""Values from pages and servers -> what a database can hold: hashes of 16 bytes, text without holes, seconds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b

HASH_BYTES = 16  # two of 10^9 different texts are equal with a chance of 10^-21


def digest(body: bytes) -> bytes:
    """Return the hash by which an archive knows `body`."""
    return blake2b(body, digest_size=HASH_BYTES).digest()


def digest_text(text: str) -> bytes:
    """Return the hash of a text; half characters, which JSON may bring, count as they are."""
    return digest(text.encode("utf-8", "surrogatepass"))


def checksum(values: Iterable[str | None]) -> bytes:
    """Return the hash of several storable texts, in order."""
    return digest("\x00".join(["\x00" if value is None else value for value in values]).encode())


def storable(text: str) -> str:
    """Return `text` with U+FFFD for what databases refuse: NUL (PostgreSQL) and halves of characters (both)."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def seconds(at: datetime) -> float:
    """Return the seconds since 1970 of an aware time."""
    return at.timestamp()


def moment(at: float) -> datetime:
    """Return the UTC time of so many seconds since 1970."""
    return datetime.fromtimestamp(at, UTC)
