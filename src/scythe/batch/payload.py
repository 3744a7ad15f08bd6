"""Undo how a server packed a body that was kept as it came: a body and its headers come in, the plain body goes out."""

from __future__ import annotations

from scythe.limits import LIMITS

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
