"""Ask for the real sizes of images: addresses come in, for each its size or the reason why there is none goes out.

Only first bytes are asked for, and no more are read whatever a server sends. Nothing here runs unless somebody asks
for real sizes; requests go through the same guard as pages.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.image_header import ImageSize, probe_size
from scythe.fetch.judge import header, require_ok
from scythe.fetch.options import FetchOptions
from scythe.limits import LIMITS
from scythe.model import Response

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
    user_agent: str = FetchOptions().user_agent


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
