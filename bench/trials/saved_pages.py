"""Save given pages as browsers and HTTrack save them, read them, and count the relevant images found and copied.

Pages are those of the folder `text` whose main text has images. Each is written with a picture for every image, once
with a folder `_files` beside it and once into the tree of a mirror; the page as it came tells which are relevant.
Images that share an address are one picture in several sizes, of which one is enough. Others lie outside: above the
folder, at the root, behind links, and pipes.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

from typer.testing import CliRunner

from bench.trials.harness import print_table
from scythe.cli.read import read as scythe_read
from scythe.fetch.saved_pages import SavedPictures
from scythe.output.document_writers import safe_name
from scythe.reader import read
from scythe.url import Url, absolute

SETS = ("fundus", "trafilatura")
_SRC = re.compile(r"""(<img\s[^<>]*?\bsrc\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_OUTSIDE = (
    "../secret.png", "../../secret.png", "{out}", "file://{out}", "page_files/link.png", "page_files/pipe.png",
    "page_files/up/secret.png", "%2e%2e/secret.png",
)  # fmt: skip
Name = Callable[[str, int], str]  # of the file of an image, relative to the page


def run(data: Path = Path("../shared/data/text"), pages: int = 200) -> int:
    """Print what was found and copied; counts what was missed and what came from outside."""
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, (url, html) in enumerate(_pages(data, pages)):
            for form in ("browser", "HTTrack"):
                total.update(_try(Path(folder) / f"{form}-{number}", form, url, html))
        outside = _try_outside(Path(folder))
    rows = [
        (
            form,
            pages,
            *(total[f"{form} {name}"] for name in ("before", "kept", "relevant", "copied")),
            _share(total, form),
        )
        for form in ("browser", "HTTrack")
    ]
    columns = ("relevant before", "and when saved", "relevant when saved", "copied", "%")
    print_table(("saved by", "pages", *columns), rows)
    print(f"copied from outside: {outside} of {len(_OUTSIDE)}")
    missed = sum(total[f"{form} relevant"] - total[f"{form} copied"] for form in ("browser", "HTTrack"))
    return outside + (1 if missed * 100 > sum(total[f"{form} relevant"] for form in ("browser", "HTTrack")) else 0)


def _share(total: Counter[str], form: str) -> str:
    return f"{100 * total[f'{form} copied'] / max(1, total[f'{form} relevant']):.2f}"


def _pages(data: Path, most: int) -> Iterator[tuple[str, str]]:
    for name in SETS:
        with lzma.open(data / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for page in map(json.loads, lines):
                if most and _relevant(page["html"], page["url"]):
                    most -= 1
                    yield page["url"], page["html"]


def _relevant(html: str, url: str) -> set[str]:
    """Return the images that matter, of those that stand in `src`: tools save no others."""
    named = {absolute(unescape(found[2][1:-1]), url) for found in _SRC.finditer(html)}
    relevant = (image for image in read(html, url).images if image.relevant)
    return {next(each for each in image.sources if each in named) for image in relevant if named & set(image.sources)}


def _try(folder: Path, form: str, url: str, html: str) -> Counter[str]:
    page = folder / "page.html"
    if form == "HTTrack":
        parts = urlsplit(url)
        page = folder / parts.netloc / (safe_name(parts.path.strip("/").replace("/", "_")[:60], "index") + "/page.html")
    names: dict[str, Path] = {}

    def save(found: re.Match[str]) -> str:
        src = absolute(unescape(found[2][1:-1]), url)
        if src is None:
            return found[0]
        if src not in names:
            stem = f"{len(names)} {safe_name(urlsplit(src).path.rpartition('/')[2][:40], 'image')}.png"
            where = page.parent / "page_files" if form == "browser" else folder / urlsplit(src).netloc / "images"
            names[src] = where / stem
            where.mkdir(parents=True, exist_ok=True)
            names[src].write_bytes(_picture(len(names)))
        local = os.path.relpath(names[src], page.parent)
        return f'{found[1]}"{escape(quote(f"./{local}" if form == "browser" else local))}"'

    page.parent.mkdir(parents=True)
    saved = _SRC.sub(save, html)
    mark = f"<!-- saved from url=({len(url):04}){url} -->\n" if form == "browser" else ""
    bare = url.partition("://")[2]
    mark = mark or f"<!-- Mirrored from {bare} by HTTrack Website Copier/3.x [XR&CO'2014] -->\n"
    page.write_text(mark + saved, encoding="utf-8", errors="replace")
    copied = _copied(page if form == "browser" else folder, folder / "out")
    beside = SavedPictures.beside(page, page.read_bytes(), url, folder)
    shown = [image.sources for image in read(page.read_bytes(), url).images if image.relevant]
    judged = {path for sources in shown for path in map(beside.find, sources) if path is not None}
    wanted = [names[src].resolve() for src in _relevant(html, url) if src in names]
    pictures = [{path for path in map(beside.find, one) if path is not None} for one in _pictures(shown)]
    found = [any(path.read_bytes() in copied for path in files) for files in pictures if files]
    shutil.rmtree(folder)
    counts = {"before": len(wanted), "kept": len(judged & set(wanted)), "relevant": len(found), "copied": sum(found)}
    return Counter({f"{form} {name}": count for name, count in counts.items()})


def _pictures(shown: list[tuple[Url, ...]]) -> list[set[Url]]:
    """Return the addresses of each picture: images that share one show the same, in another size."""
    pictures: list[set[Url]] = []
    for sources in shown:
        same = [one for one in pictures if not one.isdisjoint(sources)]
        pictures = [one for one in pictures if one.isdisjoint(sources)] + [set(sources).union(*same)]
    return pictures


def _copied(given: Path, out: Path) -> set[bytes]:
    """Read a page, or a folder, as people do, and return the pictures that were copied."""
    CliRunner().invoke(scythe_read, [str(given), "-o", f"{out}/"])
    return {each.read_bytes() for each in out.rglob("*_files/*")}


def _try_outside(folder: Path) -> int:
    """Return how many of the pictures outside of a page's folder were copied."""
    inner = folder / "inner"
    (inner / "page_files").mkdir(parents=True)
    secret = folder / "secret.png"
    secret.write_bytes(_picture(1))
    (inner / "page_files" / "link.png").symlink_to(secret)
    (inner / "page_files" / "up").symlink_to(folder)
    os.mkfifo(inner / "page_files" / "pipe.png")
    words = "Reapers walked the field before dawn. They cut the barley low. They bound it. It stood to dry. "
    given = [name.format(out=secret) for name in _OUTSIDE]
    images = "".join(f'<figure><img src="{name}" width="600" height="400"></figure><p>{words}</p>' for name in given)
    (inner / "page.html").write_text(f"<title>Out</title><article><h1>Out</h1><p>{words * 3}</p>{images}</article>")
    return len(_copied(inner / "page.html", folder / "out"))


def _picture(number: int) -> bytes:
    """Return a picture that no other number has."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    size = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + struct.pack(">I", number)[1:] * 8) * 8)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
