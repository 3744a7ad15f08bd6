"""A file that a child and its parent both see: what the child does now, so that its death can be explained."""

import mmap
import struct
from pathlib import Path
from typing import NamedTuple

_HEAD = struct.Struct("<QQdQQQ")
_COUNTS = struct.Struct("<QQ")  # the first two of these
_ROOM = 4_000_000  # bytes of an input that are kept


class Seen(NamedTuple):
    """How far a child has come."""

    inputs: int = 0
    size: int = 0  # of the input at hand
    slowest_s: float = 0.0  # CPU
    slowest_size: int = 0
    defects: int = 0
    peak_bytes: int = 0  # of memory; 0 until the child is warm


class Shared:
    """The file, mapped. The child writes, the parent reads; what was written survives the death of the child."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            with path.open("wb") as file:
                file.truncate(_HEAD.size + _ROOM)
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _HEAD.size + _ROOM)

    def put_input(self, data: bytes, inputs: int) -> None:
        """Keep the input that is tried next, and how many were tried before."""
        part = data[:_ROOM]
        self._map[_HEAD.size : _HEAD.size + len(part)] = part
        _COUNTS.pack_into(self._map, 0, inputs, len(part))

    def put(self, seen: Seen) -> None:
        """Write how far the child has come."""
        _HEAD.pack_into(self._map, 0, *seen)

    def get(self) -> Seen:
        """Read how far the child has come."""
        return Seen(*_HEAD.unpack_from(self._map, 0))

    def input(self) -> bytes:
        """Return the input at hand."""
        return self._map[_HEAD.size : _HEAD.size + self.get().size]

    def close(self) -> None:
        self._map.close()
