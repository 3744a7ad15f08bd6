"""WARC files to try batches on, some of them broken on purpose."""

import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

DATE = "2026-03-04T05:06:07Z"


WORDS = "river mill wheel flood dawn stone grain sack miller bridge winter barley field rope horse lantern".split()


def tale(number: int) -> str:
    """A page with a title, a date, a text that no other page has, and a picture."""
    random = Random(number)
    said = [" ".join(random.choices(WORDS, k=30)) for _ in range(6)]
    paragraphs = "".join(f"<p>In the year {number} the {words}.</p>" for words in said)
    return f"""<!doctype html><html lang="en"><head><title>Tale {number} of the mill</title></head><body>
<header><a href="/">The Mill</a> <img class="logo" src="/logo.png" width="120" height="40"></header>
<article><h1>Tale {number} of the mill</h1><time datetime="2026-01-{number % 28 + 1:02}">January</time>
<div class="drawing"><img class="plate" src="/plates/{number}.jpg" width="640" height="480" alt="Plate {number}"></div>
<div class="body">{paragraphs}</div></article>
<footer><p>All rights reserved by the miller and his heirs.</p></footer></body></html>"""


def tales(first: int, last: int, host: str = "mill.example") -> list[tuple[str, bytes]]:
    """Addresses and bodies, as a site is learned from."""
    return [(f"https://{host}/tales/{number}.html", tale(number).encode()) for number in range(first, last + 1)]


def http(
    body: bytes, *, status: str = "200 OK", kind: str = "text/html", more: Mapping[str, str] | None = None
) -> bytes:
    """A response as it came over the wire."""
    headers = {"Content-Type": kind, **(more or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def record(
    url: str, block: bytes, *, kind: str = "response", length: object = None, version: str = "WARC/1.0"
) -> bytes:
    """One record; `length` may lie."""
    lines = [version, f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", f"WARC-Date: {DATE}"]
    lines += [f"WARC-Payload-Digest: sha1:{'A' * 32}", "Content-Type: application/http"]
    lines += [f"Content-Length: {len(block) if length is None else length}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def page(number: int, host: str = "mill.example") -> bytes:
    """The record of a page of the invented site."""
    return record(f"https://{host}/tales/{number}.html", http(tale(number).encode()))


def write(path: Path, records: Iterable[bytes], *, packed: bool = True) -> Path:
    path.write_bytes(b"".join(gzip.compress(each, 6, mtime=0) if packed else each for each in records))
    return path
