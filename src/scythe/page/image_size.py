"""Measure the real size of images from their first bytes, fetched through the guard.

Only header fields are read, nothing is decoded. Every length in a header may lie: each step stays within the prefix
and moves forward, so any bytes take linear time and none raise.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.page_check import header, require_ok
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.page.tag_attributes import read_attributes

Sides = tuple[int, int]

_TURNED = frozenset({5, 6, 7, 8})  # EXIF orientations that swap width and height
_STANDALONE = frozenset({0x01, *range(0xD0, 0xD9)})  # JPEG markers without a length
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG start of frame, baseline to lossless
_BMP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
_JXL_RATIOS = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))  # ISO/IEC 18181-1, size header
_JXL_BITS = (9, 13, 18, 30)
_SVG_CHARS = 16_384  # of the opening tag of an SVG; real ones have a few hundred
_LENGTH = re.compile(r"[+-]?([0-9]{0,9}\.?[0-9]{0,9})(?:[eE]0)?([a-z%]{0,3})")
_CSS_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16.0}


@dataclass(frozen=True, slots=True)
class ImageSize:
    """What the header of an image says. Sides are pixels, turned as EXIF says, and at most `LIMITS.image_pixels`."""

    width: int
    height: int
    format: str
    file_bytes: int | None = None  # of the whole file, where somebody knows it


def probe_size(prefix: bytes, *, upright: bool = True) -> ImageSize | None:
    """Return the size of the image that `prefix` begins, or None if it is no image or says it further on.

    `upright=False` leaves EXIF and HEIF orientation aside.
    """
    for name, is_one, measure in _FORMATS:
        if is_one(prefix):
            sides = measure(prefix, upright)
            if sides is None or min(sides) < 1:
                return None
            most = LIMITS.image_pixels
            return ImageSize(min(sides[0], most), min(sides[1], most), name)
    return None


def _number(prefix: bytes, at: int, size: int, order: str = "big") -> int:
    """Return an unsigned number, 0 where the prefix ends before it."""
    part = prefix[at : at + size]
    return int.from_bytes(part, "little" if order == "little" else "big") if len(part) == size else 0


def _measure_png(prefix: bytes, upright: bool) -> Sides | None:
    at = 8
    for _ in range(4):  # a CgBI chunk comes before IHDR in files made for phones
        if prefix[at + 4 : at + 8] == b"IHDR":
            return _number(prefix, at + 8, 4), _number(prefix, at + 12, 4)
        at += 12 + _number(prefix, at, 4)
    return None


def _measure_gif(prefix: bytes, upright: bool) -> Sides:
    return _number(prefix, 6, 2, "little"), _number(prefix, 8, 2, "little")


def _measure_bmp(prefix: bytes, upright: bool) -> Sides | None:
    header = _number(prefix, 14, 4, "little")
    if header not in _BMP_HEADERS:  # text may begin with BM too
        return None
    if header == 12:
        return _number(prefix, 18, 2, "little"), _number(prefix, 20, 2, "little")
    height = _number(prefix, 22, 4, "little")
    return _number(prefix, 18, 4, "little"), min(height, 2**32 - height)  # negative: rows from top to bottom


def _measure_ico(prefix: bytes, upright: bool) -> Sides | None:
    count = min(_number(prefix, 4, 2, "little"), (len(prefix) - 6) // 16)
    sides = ((prefix[at] or 256, prefix[at + 1] or 256) for at in range(6, 6 + 16 * count, 16))
    return max(sides, default=None)


def _measure_tiff(prefix: bytes, upright: bool) -> Sides | None:
    tags = _tiff_tags(prefix, 0)
    width, height = tags.get(256, 0), tags.get(257, 0)
    return (height, width) if upright and tags.get(274) in _TURNED else (width, height)


def _tiff_tags(prefix: bytes, base: int) -> dict[int, int]:
    """Return the numbers in the first directory of a TIFF that begins at `base`; EXIF is such a TIFF."""
    order = "little" if prefix[base : base + 2] == b"II" else "big"
    at = base + _number(prefix, base + 4, 4, order)
    tags: dict[int, int] = {}
    for entry in range(at + 2, min(at + 2 + 12 * _number(prefix, at, 2, order), len(prefix)), 12):
        size = {1: 1, 3: 2, 4: 4}.get(_number(prefix, entry + 2, 2, order))
        if size is not None:
            tags.setdefault(_number(prefix, entry, 2, order), _number(prefix, entry + 8, size, order))
    return tags


def _measure_jpeg(prefix: bytes, upright: bool) -> Sides | None:
    """Walk the segments up to the frame; thumbnails lie inside of segments and are passed over with them."""
    at, turned = 2, None
    while 0 <= (at := prefix.find(b"\xff", at)) < len(prefix) - 9:
        marker = prefix[at + 1]
        if marker in (0x00, 0xFF):  # a stuffed byte, or a fill byte before the marker
            at += 1
        elif marker in _STANDALONE:
            at += 2
        elif marker in _FRAMES:
            height, width = _number(prefix, at + 5, 2), _number(prefix, at + 7, 2)
            return (height, width) if turned and upright else (width, height)
        elif marker in (0xD9, 0xDA):  # end of image, or pixels
            return None
        else:
            length = 2 + _number(prefix, at + 2, 2)
            if turned is None and marker == 0xE1 and prefix[at + 4 : at + 10] == b"Exif\0\0":  # the first one counts
                turned = _tiff_tags(prefix[: at + length], at + 10).get(274) in _TURNED
            at += length
    return None


def _measure_webp(prefix: bytes, upright: bool) -> Sides | None:
    kind = prefix[12:16] if len(prefix) >= 25 else b""
    if kind == b"VP8X" and len(prefix) >= 30:
        return _number(prefix, 24, 3, "little") + 1, _number(prefix, 27, 3, "little") + 1
    if kind == b"VP8L" and prefix[20:21] == b"\x2f":
        bits = _number(prefix, 21, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and prefix[23:26] == b"\x9d\x01\x2a":
        return _number(prefix, 26, 2, "little") & 0x3FFF, _number(prefix, 28, 2, "little") & 0x3FFF
    return None


def _boxes(prefix: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield kind, start and end of the content of ISO base media boxes, of the last one as far as it says it goes."""
    end = min(end, len(prefix))
    while at + 8 <= end:
        size, content = _number(prefix, at, 4), at + 8
        if size == 1:
            size, content = _number(prefix, at + 8, 8), at + 16
        last = end if size == 0 else at + size
        yield prefix[at + 4 : at + 8], content, last
        if last < content:
            return
        at = last


def _inside(prefix: bytes, kind: bytes, at: int, end: int) -> tuple[int, int]:
    """Return where the content of the first box of a kind lies, or an empty range."""
    return next(((start, last) for name, start, last in _boxes(prefix, at, end) if name == kind), (0, 0))


def _measure_heif(prefix: bytes, upright: bool) -> Sides | None:
    """Read the properties of the primary item of an AVIF or HEIC; the largest size where that is not told."""
    start, end = _inside(prefix, b"meta", 0, len(prefix))
    first, last = _inside(prefix, b"iprp", start + 4, end)
    if last > len(prefix):
        return None  # which of the sizes is meant comes last
    properties = list(_boxes(prefix, *_inside(prefix, b"ipco", first, last)))
    own = _primary_properties(prefix, (start + 4, end), (first, last))
    chosen = [properties[i] for i in own if 0 <= i < len(properties)] or properties
    sizes = [(_number(prefix, at + 4, 4), _number(prefix, at + 8, 4)) for kind, at, _ in chosen if kind == b"ispe"]
    width, height = max(sizes, key=lambda sides: sides[0] * sides[1], default=(0, 0))
    quarter = any(kind == b"irot" and prefix[at : at + 1] in (b"\1", b"\3") for kind, at, _ in chosen) and bool(own)
    return (height, width) if quarter and upright else (width, height)


def _primary_properties(prefix: bytes, meta: tuple[int, int], iprp: tuple[int, int]) -> list[int]:
    """Return which properties the primary item has, counted from 0 (ISO/IEC 23008-12, ipma)."""
    at, _ = _inside(prefix, b"pitm", *meta)
    primary = _number(prefix, at + 4, 4 if prefix[at : at + 1] == b"\1" else 2) if at else 0
    at, end = _inside(prefix, b"ipma", *iprp)
    id_size, own_size = (4 if prefix[at : at + 1] == b"\1" else 2), 1 + (_number(prefix, at + 1, 3) & 1)
    at += 8
    while at < min(end, len(prefix)):
        item, count = _number(prefix, at, id_size), _number(prefix, at + id_size, 1)
        at += id_size + 1
        if item == primary:
            mask = 0x7F if own_size == 1 else 0x7FFF  # the top bit says that readers must know it
            return [(_number(prefix, at + i * own_size, own_size) & mask) - 1 for i in range(count)]
        at += count * own_size
    return []


def _measure_jxl(prefix: bytes, upright: bool) -> Sides | None:
    if prefix[:2] == b"\xff\x0a":
        return _jxl_sides(prefix, 2)
    for kind, at, _ in _boxes(prefix, 12, len(prefix)):
        if kind in (b"jxlc", b"jxlp"):
            at += 4 if kind == b"jxlp" else 0
            return _jxl_sides(prefix, at + 2) if prefix[at : at + 2] == b"\xff\x0a" else None
    return None


def _jxl_sides(prefix: bytes, at: int) -> Sides | None:
    bits = int.from_bytes(prefix[at : at + 10], "little")

    def take(count: int) -> int:
        nonlocal bits
        taken, bits = bits & (1 << count) - 1, bits >> count
        return taken

    def take_side(is_small: int) -> int:
        return 8 * (1 + take(5)) if is_small else 1 + take(_JXL_BITS[take(2)])

    if len(prefix) < at + 4:
        return None
    is_small = take(1)
    height = take_side(is_small)
    ratio = take(3)
    if not ratio:
        return take_side(is_small), height
    across, down = _JXL_RATIOS[ratio - 1]
    return height * across // down, height


def _measure_svg(prefix: bytes, upright: bool) -> Sides | None:
    attributes = read_attributes(_svg_tag(prefix))
    width, height = _pixels(attributes.get("width", "")), _pixels(attributes.get("height", ""))
    box = [_pixels(part) for part in attributes.get("viewbox", "")[:200].replace(",", " ").split()[-2:]]
    across, down = box if len(box) == 2 else (0.0, 0.0)
    if across and down:  # what is not given follows from the proportions, as CSS has it
        width, height = width or height * across / down or across, height or width * down / across or down
    return round(width), round(height)


def _svg_tag(prefix: bytes) -> str:
    """Return text that begins with the opening tag of an SVG, past declarations and comments, or an empty text."""
    text = prefix.decode("utf-16" if prefix[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    at = text.find("<")
    while at >= 0 and text[at + 1 : at + 2] in ("!", "?"):
        closing = "-->" if text.startswith("<!--", at) else ">"
        end = text.find(closing, at)
        at = text.find("<", end) if end >= 0 else -1
    name = re.match(r"<(?:[\w-]{1,40}:)?svg(?=[\s/>])", text[at : at + 60]) if at >= 0 else None
    return text[at : at + _SVG_CHARS] if name else ""


def _pixels(text: str) -> float:
    """Return a length of an SVG in pixels, 0 where it is relative or none."""
    found = _LENGTH.fullmatch(text.strip()[:40])
    number, unit = found.groups() if found else ("", "")
    is_number = number.strip(".") != "" and unit in _CSS_PX and not text.strip().startswith("-")
    return min(float(number) * _CSS_PX[unit], LIMITS.image_pixels) if is_number else 0.0


def _begins(*signatures: bytes, at: int = 0) -> Callable[[bytes], bool]:
    return lambda prefix: prefix.startswith(signatures, at)


_FORMATS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes, bool], Sides | None]], ...] = (
    ("png", _begins(b"\x89PNG\r\n\x1a\n"), _measure_png),
    ("jpeg", _begins(b"\xff\xd8\xff"), _measure_jpeg),
    ("gif", _begins(b"GIF87a", b"GIF89a"), _measure_gif),
    ("webp", lambda prefix: prefix[:4] == b"RIFF" and prefix[8:12] == b"WEBP", _measure_webp),
    ("avif", _begins(b"ftypavif", b"ftypavis", at=4), _measure_heif),
    (
        "heif",
        _begins(*(b"ftyp" + brand for brand in (b"heic", b"heix", b"mif1", b"msf1", b"heim")), at=4),
        _measure_heif,
    ),
    ("jxl", _begins(b"\xff\x0a", b"\0\0\0\x0cJXL \r\n\x87\n"), _measure_jxl),
    ("bmp", _begins(b"BM"), _measure_bmp),
    ("ico", _begins(b"\0\0\1\0", b"\0\0\2\0"), _measure_ico),
    ("tiff", _begins(b"II*\0", b"MM\0*"), _measure_tiff),
    ("svg", lambda prefix: b"<" in prefix[:4_096], _measure_svg),
)

Size = tuple[int | None, int | None]

_RANGE = re.compile(r"bytes[ =](\d{1,15})-\d{1,15}/(\d{1,15}|\*)")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """How much asking for sizes may cost, per page."""

    first_bytes: int = LIMITS.probe_bytes
    images: int = LIMITS.probed_images
    timeout_s: float = LIMITS.probe_s  # for all images together
    image_timeout_s: float = LIMITS.probe_image_s
    concurrency: int = 4  # hosts asked at the same time; each is asked for one image at a time
    allow_private: bool = False
    user_agent: str = ""  # empty: scythe's own


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found out about one address; `why` is empty where there is a size."""

    url: str
    size: ImageSize | None = None
    why: str = ""


def probe_images(urls: Sequence[str], *, options: ProbeOptions | None = None) -> list[Probe]:
    """Return a `Probe` for each address, in their order; an address that comes twice is asked once. Never raises.

    Starts an event loop of its own: inside a running one use `probe_all`.
    """
    return asyncio.run(probe_all(urls, options=options))


async def probe_all(
    urls: Sequence[str], *, options: ProbeOptions | None = None, look_up: guard.LookUp = guard.look_up
) -> list[Probe]:
    """Do the same inside a running event loop."""
    options = options or ProbeOptions()
    found = {url: measure_data_url(url, options.first_bytes) for url in urls if url[:5].lower() == "data:"}
    asked = list(dict.fromkeys(url for url in urls if url not in found))
    found |= {url: Probe(url, why=f"beyond the first {options.images} images") for url in asked[options.images :]}
    asked = asked[: options.images]
    if asked:
        found |= await _ask(asked, options, look_up)
    return [found[url] for url in urls]


async def _ask(urls: list[str], options: ProbeOptions, look_up: guard.LookUp) -> dict[str, Probe]:
    async with open_fetcher(_fetch_options(options), look_up=look_up) as fetcher:
        tasks = {url: asyncio.ensure_future(fetcher.settle(url)) for url in urls}
        _, late = await asyncio.wait(tasks.values(), timeout=options.timeout_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    too_late = f"not answered within the {options.timeout_s:g} s for the images of one page"
    return {
        url: Probe(url, why=too_late) if task in late else _judge(url, task.result()) for url, task in tasks.items()
    }


def _fetch_options(options: ProbeOptions) -> FetchOptions:
    return FetchOptions(
        timeout_s=options.image_timeout_s,
        allow_private=options.allow_private,
        user_agent=options.user_agent,
        concurrency=options.concurrency,
        accept="image/avif,image/webp,image/*;q=0.9,*/*;q=0.1",
        first_bytes=options.first_bytes,
    )


def _judge(url: str, result: Response | FetchFailed) -> Probe:
    if isinstance(result, FetchFailed):
        return Probe(url, why=result.why)
    try:
        require_ok(result)
    except FetchFailed as failure:
        return Probe(url, why=failure.why)
    part = _RANGE.match(header(result, "Content-Range")) if result.status == 206 else None
    if part and int(part[1]):
        return Probe(url, why="the server sent another part of the file than asked for")
    return _measured(url, result.body, _file_bytes(result, part))


def _file_bytes(response: Response, part: re.Match[str] | None) -> int | None:
    """Return the length of the whole file, where the server says it."""
    if part:
        return int(part[2]) if part[2] != "*" else None
    length = header(response, "Content-Length").strip()
    is_whole = response.status == 200 and not header(response, "Content-Encoding")
    return int(length) if is_whole and length.isascii() and length.isdigit() and len(length) < 16 else None


def measure_data_url(url: str, first_bytes: int = LIMITS.probe_bytes) -> Probe:
    """Measure an image that stands in its address, by the first part of it."""
    head, _, content = url[: 5 + 4 * first_bytes].partition(",")
    body = unquote_to_bytes(content)
    if head.rstrip().lower().endswith(";base64"):
        letters = _NOT_BASE64.sub(b"", body.replace(b"-", b"+").replace(b"_", b"/"))
        body = base64.b64decode(letters[: len(letters) // 4 * 4])
    return _measured(url, body[:first_bytes], None)


def _measured(url: str, prefix: bytes, file_bytes: int | None) -> Probe:
    size = probe_size(prefix)
    if size is None:
        return Probe(url, why=f"no image, or its size is not within its first {len(prefix)} bytes")
    return Probe(url, replace(size, file_bytes=file_bytes))


def real_sizes(probes: Sequence[Probe], declared: Sequence[Size] | None = None) -> list[Size]:
    """Return width and height of each probe as size rules want them; where unknown, those of `declared`, or None."""
    others = declared if declared is not None else [(None, None)] * len(probes)
    return [
        (probe.size.width, probe.size.height) if probe.size else other
        for probe, other in zip(probes, others, strict=True)
    ]
