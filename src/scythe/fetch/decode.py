"""Decode compressed bodies (gzip, deflate, brotli, zstd) up to a limit."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STEP_BYTES = 65_536  # about the most that one decoding step may produce, so that memory stays near the limit
_SLICE_BYTES = 16_384
_MOST_FRAMES = 10_000  # of one body: tools that write in blocks make one per 64 KB

_GZIP = (b"\x1f\x8b",)
# A frame, and the sixteen magic numbers of frames to be skipped (RFC 8878, 3.1.1 and 3.1.2).
_ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes((n, 0x2A, 0x4D, 0x18)) for n in range(0x50, 0x60)))
_ZSTD_WINDOW_LOG = 23  # RFC 9659: a decoder on the web gives a window of 8 MB, no more
_BROTLI_STEP_BYTES = 32_768  # brotli makes up to twice as many
_BROTLI_SLICE_BYTES = 1_024  # what a damaged stream gave is lost with the slice that shows the damage


class Shredded(Exception):
    """A body consists of more pieces than any tool writes."""


DAMAGES: tuple[type[Exception], ...] = (zlib.error, brotli.error, zstd.ZstdError, Shredded)


class Coding(Protocol):
    """One undone layer: bytes in, pieces of about `STEP_BYTES` at most out."""

    def feed(self, piece: bytes) -> Iterator[bytes]: ...
    def is_complete(self) -> bool: ...


class CodedStream(Protocol):
    """One stream that knows its own end, and what came behind it."""

    def feed(self, piece: bytes) -> Iterator[bytes]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def rest(self) -> bytes: ...


class _ZlibFrame:
    def __init__(self, window: int) -> None:
        self._inflate = zlib.decompressobj(window)

    def feed(self, piece: bytes) -> Iterator[bytes]:
        while not self._inflate.eof:
            plain = self._inflate.decompress(piece, STEP_BYTES)
            if plain:
                yield plain
            piece = self._inflate.unconsumed_tail
            if not piece and len(plain) < STEP_BYTES:
                return

    @property
    def is_over(self) -> bool:
        return self._inflate.eof

    @property
    def rest(self) -> bytes:
        return self._inflate.unused_data


class _ZstdFrame:
    def __init__(self) -> None:
        self._inflate = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})

    def feed(self, piece: bytes) -> Iterator[bytes]:
        while not self._inflate.eof:
            plain = self._inflate.decompress(piece, STEP_BYTES)
            if plain:
                yield plain
            if self._inflate.needs_input:
                return
            piece = b""

    @property
    def is_over(self) -> bool:
        return self._inflate.eof

    @property
    def rest(self) -> bytes:
        return self._inflate.unused_data


class _Frames:
    """Frames in a row, each of which begins with a magic number; what follows the last one is padding."""

    def __init__(self, open_frame: Callable[[], CodedStream], magic: tuple[bytes, ...]) -> None:
        self._open_frame = open_frame
        self._magic = magic
        self._frame: CodedStream | None = None
        self._head = b""  # of a next frame, perhaps
        self._frames = 0
        self._is_padding = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        for start in range(0, len(piece), _SLICE_BYTES):  # each frame copies what is left of it
            yield from self._feed_slice(piece[start : start + _SLICE_BYTES])

    def _feed_slice(self, piece: bytes) -> Iterator[bytes]:
        piece, self._head = self._head + piece, b""
        while piece and not self._is_padding:
            if self._frame is not None and self._frame.is_over:
                if len(piece) < len(self._magic[0]) and any(magic.startswith(piece) for magic in self._magic):
                    self._head = piece
                    return
                if not piece.startswith(self._magic):
                    self._is_padding = True
                    return
            if self._frame is None or self._frame.is_over:
                self._frame = self._next_frame()
            yield from self._frame.feed(piece)
            piece = self._frame.rest

    def _next_frame(self) -> CodedStream:
        self._frames += 1
        if self._frames > _MOST_FRAMES:
            raise Shredded(f"more than {_MOST_FRAMES} frames")
        return self._open_frame()

    def is_complete(self) -> bool:
        return self._frame is not None and self._frame.is_over and not self._head


class _Deflate:
    """zlib, or what some servers send instead: raw deflate, or gzip, neither of which could be taken for the other."""

    def __init__(self) -> None:
        self._frame: _ZlibFrame | None = None
        self._head = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        if self._frame is None:
            self._head += piece
            if len(self._head) < 2:
                return
            piece, self._head = self._head, b""
            self._frame = _ZlibFrame(_window(piece))
        yield from self._frame.feed(piece)

    def is_complete(self) -> bool:
        return self._frame is not None and self._frame.is_over


def _window(head: bytes) -> int:
    if head.startswith(_GZIP):
        return zlib.MAX_WBITS | 16
    has_zlib_header = head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
    return zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS


class _Brotli:
    def __init__(self) -> None:
        self._inflate = brotli.Decompressor()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        for start in range(0, len(piece), _BROTLI_SLICE_BYTES):
            if self._inflate.is_finished():
                return  # what follows is padding
            plain = self._inflate.process(piece[start : start + _BROTLI_SLICE_BYTES], _BROTLI_STEP_BYTES)
            while plain:  # nothing more comes of a slice once a step of it gives nothing
                yield plain
                plain = self._inflate.process(b"", _BROTLI_STEP_BYTES)

    def is_complete(self) -> bool:
        return bool(self._inflate.is_finished())


_CODINGS: dict[str, Callable[[], Coding]] = {
    "gzip": lambda: _Frames(lambda: _ZlibFrame(zlib.MAX_WBITS | 16), _GZIP),
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": lambda: _Frames(_ZstdFrame, _ZSTD),
}
ACCEPTED = ", ".join(_CODINGS)  # what we ask for
_BEGINNINGS = {"gzip": _GZIP, "zstd": _ZSTD}


def open_codings(content_encoding: str, most: int) -> list[Coding]:
    """Return what undoes a Content-Encoding header, in the order of undoing. Raises ValueError when nothing does."""
    names = coding_names(content_encoding)
    if len(names) > most:
        raise ValueError(f"{len(names)} content codings, at most {most} are decoded")
    unknown = [name for name in names if name not in _CODINGS]
    if unknown:
        raise ValueError(f"content coding {unknown[0][:40]!r} was not requested and cannot be decoded")
    return [_CODINGS[name]() for name in reversed(names)]


def coding_names(content_encoding: str) -> list[str]:
    """Return the codings a Content-Encoding header names, in the order they were applied."""
    names = (part.strip().lower().removeprefix("x-") for part in content_encoding.split(","))
    return [name for name in names if name and name != "identity"]


def is_mislabelled(content_encoding: str, head: bytes) -> bool:
    """Tell whether a body labelled as coded is plain text by its first bytes: servers do that, browsers show the page.

    Text has no control bytes; of coded bytes one in ten is one.
    """
    if any(byte < 9 or 13 < byte < 32 for byte in head):
        return False
    beginning = _BEGINNINGS.get(coding_names(content_encoding)[-1])
    if beginning is not None:
        return not head.startswith(beginning)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


_RATIO_FREE_BYTES = 1_000_000  # a small body may be as dense as it likes: 1 MB harms nobody
_HEAD_BYTES = 64  # looked at to tell a coded body from one that is only labelled so


@dataclass(frozen=True, slots=True)
class Inflated:
    """A body without its content codings; `cut` says why it is not whole, or is empty."""

    body: bytes
    cut: str = ""


class Decoder:
    """Undo the content codings of one body. Feed chunks until `is_full`, then `finish`."""

    def __init__(self, content_encoding: str, *, max_bytes: int, max_ratio: int, max_codings: int) -> None:
        self._layers = open_codings(content_encoding, max_codings)
        self._content_encoding = content_encoding
        self._max_bytes = max_bytes
        self._max_ratio = max_ratio
        self._head: bytes | None = b"" if self._layers else None  # first bytes, until there are enough to judge
        self._body = io.BytesIO()  # gives its bytes away without a copy
        self._coded_bytes = 0
        self._plain_bytes = 0
        self._cut = ""

    @property
    def is_full(self) -> bool:
        """True when no further chunk will be used."""
        return bool(self._cut)

    def feed(self, chunk: bytes) -> None:
        """Take the next chunk as it came from the server."""
        self._coded_bytes += len(chunk)
        if self._head is not None:
            chunk = self._head + chunk
            if len(chunk) < _HEAD_BYTES:
                self._head = chunk
                return
            self._judge(chunk)
        self._inflate(chunk)
        if not self._cut and self._coded_bytes > self._max_bytes + _RATIO_FREE_BYTES:
            self._cut = f"longer than {self._max_bytes} bytes"  # an endless body that inflates to next to nothing

    def _judge(self, head: bytes) -> None:
        """Forget the codings of a body that has none."""
        self._head = None
        if is_mislabelled(self._content_encoding, head[:_HEAD_BYTES]):
            self._layers = []

    def _inflate(self, chunk: bytes) -> None:
        try:
            for plain in self._undo(chunk, 0):
                self._keep(plain)
                if self._cut:
                    return
        except DAMAGES:
            self._cut = "the compressed body is damaged"

    def _undo(self, piece: bytes, layer: int) -> Iterator[bytes]:
        if layer == len(self._layers):
            yield piece
            return
        for plain in self._layers[layer].feed(piece):
            yield from self._undo(plain, layer + 1)  # as deep as there are codings: two

    def _keep(self, plain: bytes) -> None:
        room = self._max_bytes - self._plain_bytes
        self._plain_bytes += self._body.write(plain if len(plain) <= room else plain[:room])
        if len(plain) > room:
            self._cut = f"longer than {self._max_bytes} bytes"
        elif self._plain_bytes > max(_RATIO_FREE_BYTES, self._max_ratio * self._coded_bytes):
            self._cut = f"inflates more than {self._max_ratio} times"

    def finish(self) -> Inflated:
        """Return what was decoded; a body that stopped in the middle of a coding is marked."""
        if self._head:
            head = self._head
            self._judge(head)
            self._inflate(head)
        if not self._cut and self._coded_bytes and not all(layer.is_complete() for layer in self._layers):
            self._cut = "the compressed body stops before its end"
        return Inflated(self._body.getvalue(), self._cut)
