"""Read what shim.c wrote down: a file comes in, calls in their order go out."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OPEN, CREATE, WRITE, SYNC, TRUNCATE, RENAME, UNLINK, MKDIR, CLOSE, MAP, TOLD, PLACE = "ocwstrumxpLP"
NAMES = {
    OPEN: "open",
    CREATE: "create",
    WRITE: "write",
    SYNC: "sync",
    TRUNCATE: "truncate",
    RENAME: "rename",
    UNLINK: "unlink",
    MKDIR: "mkdir",
    CLOSE: "close",
    MAP: "map",
}
_HEAD = struct.Struct("<cBHHQQQ")


@dataclass(frozen=True, slots=True)
class Call:
    """One call that went well, a line of the ledger, or a place: a call that is about to be made."""

    kind: str
    is_done: bool
    path: str
    other: str  # what a file was renamed to
    inode: int
    offset: int  # of a truncation: the new length
    content: bytes


def read_trace(path: Path) -> Iterator[Call]:
    """Yield the calls; one that was cut off with its process is left out."""
    content, at = path.read_bytes(), 0
    while at + _HEAD.size <= len(content):
        kind, is_done, path_length, other_length, length, inode, offset = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        path_end, other_end = at + path_length, at + path_length + other_length
        end = other_end + length
        if end > len(content):
            return
        yield Call(
            kind.decode(),
            bool(is_done),
            content[at:path_end].decode("utf-8", "surrogateescape"),
            content[path_end:other_end].decode("utf-8", "surrogateescape"),
            inode,
            offset,
            content[other_end:end],
        )
        at = end


def places(calls: list[Call]) -> list[str]:
    """Return the kind of each call that was counted, also of one that failed: place n is number n - 1 of these."""
    return [call.path for call in calls if call.kind == PLACE]
