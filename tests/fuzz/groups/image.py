"""Images by their first bytes: any prefix comes in, a size within bounds (or none) goes out."""

import struct
from functools import cache

from tests.fuzz.registry import Wrong, target

from scythe.limits import LIMITS
from scythe.page.image_size import measure_data_url, probe_size


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body


@cache
def images() -> tuple[bytes, ...]:
    """Return the first bytes of images of every format, as their standards have them."""
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    ispe = _box(b"ispe", bytes(4), struct.pack(">II", 640, 480))
    meta = _box(
        b"meta",
        bytes(4),
        _box(b"pitm", bytes(4), b"\0\1"),
        _box(b"iprp", _box(b"ipco", ispe, _box(b"irot", b"\1")), _box(b"ipma", bytes(4), b"\0\0\0\1\0\1\2\1\2")),
    )
    return (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + bytes(9),
        b"\xff\xd8\xff\xe1" + struct.pack(">H", 2 + len(exif)) + exif + b"\xff\xc0\0\x11\x08\1\xe0\2\x80\3" + bytes(9),
        b"GIF89a\x80\2\xe0\1" + bytes(9),
        b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\2\0\xdf\1\0" + bytes(9),
        b"RIFF\x40\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x7f\xc2\x77\0" + bytes(9),
        b"RIFF\x40\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x80\2\xe0\1" + bytes(9),
        _box(b"ftyp", b"avif", bytes(4)) + meta,
        b"\xff\x0a" + bytes(range(16)),
        b"BM" + bytes(12) + struct.pack("<Iii", 40, 640, -480) + bytes(20),
        b"\0\0\1\0\2\0" + bytes([16, 16]) + bytes(14) + bytes([0, 0]) + bytes(14),
        b"II*\0\x08\0\0\0\x02\0\0\1\3\0\1\0\0\0\x80\2\0\0\1\1\3\0\1\0\0\0\xe0\1\0\0" + bytes(4),
        b'<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/" width="4in" viewBox="0 0 40 30"></svg>',
        b"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB",
        b"data:image/svg+xml,%3Csvg width='1e0' height='2px'/%3E",
    )


@target(
    "image.header",
    seeds=images,
    tokens=(
        *b"ispe ipma meta VP8X width= 1e9% viewBox='".split(),
        b"\xff\xff",
        b"\xff\xc0",
        b"\0\0\0\1",
        b"\0\0\0\0",
        b"\xff\xd8\xff\xe1",
    ),
)
def measure_image(data: bytes) -> None:
    """Any prefix has a size within bounds, or none."""
    for upright in (True, False):
        size = probe_size(data, upright=upright)
        if size is not None and not (
            1 <= size.width <= LIMITS.image_pixels and 1 <= size.height <= LIMITS.image_pixels
        ):
            raise Wrong(f"a size of {size}")
    measure_data_url("data:" + data.decode("latin-1").removeprefix("data:"))
