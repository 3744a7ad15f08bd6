"""Frames between the crawl and its extraction workers: a JSON object and raw parts in, bytes of a pipe out, and back.

A frame is two lengths (4 bytes each, big endian), a JSON object, and the parts one behind the other; the object's
"parts" has their lengths. JSON cannot name code, and bodies and texts need not be quoted.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import asyncio

_LENGTHS = struct.Struct(">II")
_HEAD_BYTES = 64_000_000  # of the object; a profile travels in a part
_BODY_BYTES = 1_000_000_000  # of the parts


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    head: dict[str, Any]
    parts: tuple[bytes, ...] = ()


class BrokenFrame(Exception):
    """What came is no frame: the other side died while it wrote, or something else writes to the pipe."""


def write_frame(head: dict[str, Any], parts: Sequence[bytes] = ()) -> list[bytes]:
    """Return the pieces to write, in order."""
    head = {**head, "parts": [len(part) for part in parts]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return [_LENGTHS.pack(len(text), sum(head["parts"])) + text, *parts]


def read_frame(stream: BinaryIO) -> Frame | None:
    """Read a frame from a blocking stream; None at its end. Raises BrokenFrame where it ends or differs midway."""
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    head_bytes, body_bytes = _unpack(lengths)
    text, body = stream.read(head_bytes), stream.read(body_bytes)
    if len(text) < head_bytes or len(body) < body_bytes:
        raise BrokenFrame("the pipe ended within a frame")
    return _frame(text, body)


async def receive_frame(stream: asyncio.StreamReader) -> Frame | None:
    """Do what `read_frame` does without blocking."""
    import asyncio  # here: workers only read and write pipes, and start sooner without it

    try:
        lengths = await stream.readexactly(_LENGTHS.size)
        head_bytes, body_bytes = _unpack(lengths)
        text = await stream.readexactly(head_bytes)
        body = await stream.readexactly(body_bytes) if body_bytes else b""
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise BrokenFrame("the pipe ended within a frame") from None
    return _frame(text, body)


def _unpack(lengths: bytes) -> tuple[int, int]:
    if len(lengths) < _LENGTHS.size:
        raise BrokenFrame("the pipe ended within a frame")
    head_bytes, body_bytes = _LENGTHS.unpack(lengths)
    if head_bytes > _HEAD_BYTES or body_bytes > _BODY_BYTES:
        raise BrokenFrame(f"a frame of {head_bytes} and {body_bytes} bytes")
    return head_bytes, body_bytes


def _frame(text: bytes, body: bytes) -> Frame:
    try:
        head = json.loads(text)
        lengths = head.pop("parts")
        if sum(lengths) != len(body):
            raise BrokenFrame(f"parts of {sum(lengths)} bytes in a body of {len(body)}")
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise BrokenFrame(f"no frame: {type(error).__name__}") from None
    if len(lengths) == 1:
        return Frame(head, (body,))
    parts, start = [], 0
    for length in lengths:
        parts.append(body[start : start + length])
        start += length
    return Frame(head, tuple(parts))
