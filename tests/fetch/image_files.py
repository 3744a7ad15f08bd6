"""Headers of images of every format, written out byte by byte; none has pixels."""

import struct


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5s", 13, b"IHDR", width, height, b"\x08\x02\0\0\0") + bytes(4)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\xf7\0\0"


def bmp(width: int, height: int) -> bytes:
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, height) + bytes(28)


def ico(*sides: tuple[int, int]) -> bytes:
    entries = b"".join(struct.pack("<BB14x", width % 256, height % 256) for width, height in sides)
    return b"\0\0\1\0" + struct.pack("<H", len(sides)) + entries


def tiff(width: int, height: int, orientation: int = 1, order: str = "<") -> bytes:
    rows = [(256, 4, width), (257, 3, height), (274, 3, orientation)]
    first = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8) + struct.pack(order + "H", len(rows))
    kinds = {3: "HHIHxx", 4: "HHII"}
    return first + b"".join(struct.pack(order + kinds[kind], tag, kind, 1, value) for tag, kind, value in rows)


def segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def jpeg(width: int, height: int, *, frame: int = 0xC0, orientation: int = 0, before: bytes = b"") -> bytes:
    exif = segment(0xE1, b"Exif\0\0" + tiff(1, 1, orientation, ">")) if orientation else b""
    thumbnail = segment(0xE0, b"JFXX\0\x10" + b"\xff\xd8" + segment(0xC0, struct.pack(">BHHB", 8, 9, 9, 3)))
    sized = segment(frame, struct.pack(">BHHB", 8, height, width, 3) + bytes(9))
    return b"\xff\xd8" + exif + thumbnail + before + segment(0xC4, bytes(20)) + sized


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF" + bytes(4) + b"WEBPVP8 " + bytes(4) + b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", width, height)


def webp_lossless(width: int, height: int) -> bytes:
    bits = width - 1 | (height - 1) << 14
    return b"RIFF" + bytes(4) + b"WEBPVP8L" + bytes(4) + b"\x2f" + struct.pack("<I", bits)


def webp_extended(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF" + bytes(4) + b"WEBPVP8X" + bytes(8) + sides


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", len(content) + 8, kind) + content


def avif(width: int, height: int, *, turned: bool = False, brand: bytes = b"avif") -> bytes:
    """Return an image whose first property is a larger one of another item."""
    other = box(b"ispe", struct.pack(">III", 0, 9_000, 9_000))
    own = box(b"ispe", struct.pack(">III", 0, width, height))
    shared = box(b"ipco", other + own + box(b"irot", b"\1"))
    uses = struct.pack(">IIHBBHB", 0, 2, 1, 1, 1, 2, 2 if turned else 1) + (b"\x02\x83" if turned else b"\x82")
    meta = box(b"pitm", struct.pack(">IH", 0, 2)) + box(b"iprp", shared + box(b"ipma", uses))
    return box(b"ftyp", brand + bytes(4)) + box(b"meta", bytes(4) + meta)


def jxl(width: int, height: int) -> bytes:
    """Return a bare codestream whose sides take 13 bits each."""
    bits = 0b010 | (height - 1) << 3
    bits |= 0b01 << 19 | (width - 1) << 21
    return b"\xff\x0a" + bits.to_bytes(8, "little")


def jxl_boxed(width: int, height: int) -> bytes:
    return b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl " + bytes(4)) + box(b"jxlc", jxl(width, height))


def svg(attributes: str, before: str = "") -> bytes:
    return f'{before}<svg xmlns="http://www.w3.org/2000/svg" {attributes}><path d="M0 0"/></svg>'.encode()


WRITERS = (png, gif, bmp, tiff, jpeg, webp_lossy, webp_lossless, webp_extended, avif, jxl, jxl_boxed)
