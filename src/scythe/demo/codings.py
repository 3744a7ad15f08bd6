"""Pack the bodies of the demo site in the content codings of the web."""

from __future__ import annotations

import gzip
import sys
import zlib


def pack(body: bytes, coding: str) -> bytes:
    """Return a body in a coding; each is a core dependency or part of Python."""
    if coding == "gzip":
        return gzip.compress(body, mtime=0)
    if coding == "deflate":
        return zlib.compress(body)
    if coding == "br":
        import brotli

        packed: bytes = brotli.compress(body, quality=5)
        return packed
    return _pack_zstd(body)


def _pack_zstd(body: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(body)
