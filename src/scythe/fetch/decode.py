"""Bounded inflation: the chunks of a coded body come in, at most `max_bytes` of plain body go out."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from scythe.fetch.codings import DAMAGES, is_mislabelled, open_codings

_RATIO_FREE_BYTES = 1_000_000  # a small body may be as dense as it likes: 1 MB harms nobody
_HEAD_BYTES = 64  # looked at to tell a coded body from one that is only labelled so


@dataclass(frozen=True, slots=True)
class Decoded:
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

    def finish(self) -> Decoded:
        """Return what was decoded; a body that stopped in the middle of a coding is marked."""
        if self._head:
            head = self._head
            self._judge(head)
            self._inflate(head)
        if not self._cut and self._coded_bytes and not all(layer.is_complete() for layer in self._layers):
            self._cut = "the compressed body stops before its end"
        return Decoded(self._body.getvalue(), self._cut)
