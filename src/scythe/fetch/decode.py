"""Bounded inflation: the chunks of a coded body come in, at most `max_bytes` of plain body go out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

STEP_BYTES = 65_536  # the most that one decoding step may produce, so that memory never exceeds limit + one step
ACCEPTED = "gzip, deflate"  # what we ask for; both come with Python and can be asked for N bytes at a time
_RATIO_FREE_BYTES = 1_000_000  # a small body may be as dense as it likes: 1 MB harms nobody


class Coding(Protocol):
    """One undone layer: bytes in, pieces of at most `STEP_BYTES` out."""

    def feed(self, piece: bytes) -> Iterator[bytes]: ...
    def is_complete(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body without its content codings; `cut` says why it is not whole, or is empty."""

    body: bytes
    cut: str = ""


class _Zlib:
    """gzip (also several members in a row), zlib, or raw deflate as some servers send it."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._inflate: zlib._Decompress | None = None
        self._head = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            self._head += piece
            if len(self._head) < 2:
                return
            piece, self._head = self._head, b""
            self._inflate = self._open(piece)
        while True:
            plain = self._inflate.decompress(piece, STEP_BYTES)
            if plain:
                yield plain
            if self._inflate.eof:
                piece = self._inflate.unused_data
                if self._coding != "gzip" or not piece.startswith(b"\x1f\x8b"):
                    return  # what follows the last member is padding
                self._inflate = self._open(piece)
                continue
            piece = self._inflate.unconsumed_tail
            if not piece and len(plain) < STEP_BYTES:
                return

    def _open(self, head: bytes) -> zlib._Decompress:
        if self._coding == "gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        has_zlib_header = head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
        return zlib.decompressobj(zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS)

    def is_complete(self) -> bool:
        return self._inflate is not None and self._inflate.eof


class Decoder:
    """Undo the content codings of one body. Feed chunks until `is_full`, then `finish`."""

    def __init__(self, content_encoding: str, *, max_bytes: int, max_ratio: int, max_codings: int) -> None:
        names = [name for name in (part.strip().lower() for part in content_encoding.split(",")) if name]
        names = [name.removeprefix("x-") for name in names if name != "identity"]
        if len(names) > max_codings:
            raise ValueError(f"{len(names)} content codings, at most {max_codings} are undone")
        unknown = [name for name in names if name not in ("gzip", "deflate")]
        if unknown:
            raise ValueError(f"content coding {unknown[0]!r} was not asked for and cannot be undone")
        self._layers: list[Coding] = [_Zlib(name) for name in reversed(names)]
        self._max_bytes = max_bytes
        self._max_ratio = max_ratio
        self._body = bytearray()
        self._coded_bytes = 0
        self._cut = ""

    @property
    def is_full(self) -> bool:
        """True when no further chunk will be used."""
        return bool(self._cut)

    def feed(self, chunk: bytes) -> None:
        """Take the next chunk as it came from the server."""
        self._coded_bytes += len(chunk)
        if self._layers and self._coded_bytes == len(chunk) and self._is_mislabelled(chunk):
            self._layers = []
        try:
            for plain in self._undo(chunk, 0):
                self._keep(plain)
                if self._cut:
                    return
        except zlib.error:
            self._cut = "the compressed body is damaged"

    def _is_mislabelled(self, chunk: bytes) -> bool:
        """Tell whether a body labelled as compressed is plain markup: servers do that, and browsers show the page."""
        return chunk[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")

    def _undo(self, piece: bytes, layer: int) -> Iterator[bytes]:
        if layer == len(self._layers):
            yield piece
            return
        for plain in self._layers[layer].feed(piece):
            yield from self._undo(plain, layer + 1)  # as deep as there are codings: two

    def _keep(self, plain: bytes) -> None:
        room = self._max_bytes - len(self._body)
        self._body += plain[:room]
        if len(plain) > room:
            self._cut = f"longer than {self._max_bytes} bytes"
        elif len(self._body) > max(_RATIO_FREE_BYTES, self._max_ratio * self._coded_bytes):
            self._cut = f"inflates more than {self._max_ratio} times"

    def finish(self) -> Decoded:
        """Return what was decoded; a body that stopped in the middle of a coding is marked."""
        if not self._cut and self._coded_bytes and not all(layer.is_complete() for layer in self._layers):
            self._cut = "the compressed body stops before its end"
        return Decoded(bytes(self._body), self._cut)
