"""The responses of the demo server: pages, pictures, style sheet, feeds, robots.txt and sitemaps."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import UTC, datetime, time
from email.utils import format_datetime
from hashlib import blake2b
from html import escape
from importlib.resources import files
from random import Random

from scythe.demo.build import DemoPage
from scythe.demo.page_parts import markup
from scythe.demo.world import ARTICLES, World

PART_LENGTH = 500  # addresses in one part of the sitemap
_FED = 20  # entries of a feed


def write_map(world: World, path: str) -> tuple[str, bytes] | None:
    """Write the sitemap at a path, with its content type; None where there is none."""
    parts = _parts(world)
    if path == "/sitemap.xml":
        return "application/xml", str(markup("files.xml").sitemaps(world.base, parts)).encode()
    if path not in parts:
        return None
    entries = [(world.base + each, world.ledger.by_path.get(each)) for each in parts[path]]
    return "application/gzip", gzip.compress(str(markup("files.xml").addresses(entries)).encode(), mtime=0)


def _parts(world: World) -> dict[str, tuple[str, ...]]:
    """Return the paths of the parts with the pages each of them names: what people come for first."""
    about = [plan.path for plan in world.ledger.by_path.values() if plan.kind == "about"]
    kinds = {"content": [plan.path for plan in world.ledger.content], "pages": [*world.ledger.lists, *about]}
    return {
        f"/sitemap-{kind}-{at // PART_LENGTH + 1}.xml.gz": tuple(paths[at : at + PART_LENGTH])
        for kind, paths in kinds.items()
        for at in range(0, len(paths), PART_LENGTH)
    }


def write_rss(world: World) -> bytes:
    """Write a feed of the newest articles."""
    plans = world.ledger.newest(*ARTICLES)[:_FED]
    dates = [format_datetime(datetime.combine(plan.published, time(6), UTC)) for plan in plans]
    return str(markup("files.xml").feed(world.base, list(zip(plans, dates, strict=True)))).encode()


def draw(path: str) -> bytes:
    """Draw the picture at a path: hills under a sky, always the same ones."""
    if not path.startswith("/img/"):
        return str(markup("files.xml").logo()).encode()
    random = Random(path.rpartition("-")[0] or path)
    sky, sun = random.randrange(180, 230), random.randrange(80, 560)
    hills = []
    for layer in range(3):
        heights = [200 + layer * 50 + random.randrange(-40, 40) for _ in range(6)]
        line = " ".join(f"L{x * 128} {y}" for x, y in enumerate(heights))
        hills.append((line, f"hsl({random.randrange(60, 120)} {45 - layer * 5}% {62 - layer * 14}%)"))
    return str(markup("files.xml").hills(sky, sun, hills)).encode()


Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer before it is put on the wire."""

    body: bytes = b""
    status: int = 200
    headers: Headers = ()
    wait_s: float = 0.0  # before the first byte
    stop_at: int | None = None  # bytes of the body after which the connection is closed, whatever was announced
    is_kept: bool = True  # the same for every request, so that it can be made once


@dataclass(frozen=True)
class ServedSite:
    """Everything a server knows: the pages of a world and what leads to them."""

    world: World

    def answer(self, target: str, design: int, visits: int = 0) -> Answer:
        """Answer a request for a path with its query, which was asked for so often before."""
        path = target.partition("?")[0]
        if page := self.world.page(target, design):
            return answer_page(page)
        if page := self.world.page(path, design):
            return answer_page(page, is_kept=False)  # there is no end of queries
        return self._answer_file(path) or answer_missing(path)

    def _answer_file(self, path: str) -> Answer | None:
        if path == "/robots.txt":
            return Answer(self.write_robots(), headers=(("Content-Type", "text/plain"),))
        if path.startswith("/img/") or path in ("/assets/logo.svg", "/favicon.ico"):
            return Answer(draw(path), headers=(("Content-Type", "image/svg+xml"),), is_kept=False)
        if path == "/assets/site.css":
            return Answer((files("scythe.demo") / "site.css").read_bytes(), headers=(("Content-Type", "text/css"),))
        if path.startswith("/assets/"):
            return Answer(b"", headers=(("Content-Type", "text/javascript"),))
        if path == "/feed.xml":
            body = write_rss(self.world)
            return Answer(body, headers=(("Content-Type", "application/rss+xml"), ("ETag", tag_of(body))))
        if written := write_map(self.world, path):
            kind, body = written
            return Answer(body, headers=(("Content-Type", kind), ("ETag", tag_of(body))))
        return None

    def write_robots(self) -> bytes:
        """Write robots.txt."""
        about = "# The Field Post asks visitors to walk on the paths."
        return f"{about}\nUser-agent: *\nDisallow:\n\nSitemap: {self.world.base}/sitemap.xml\n".encode()


def answer_page(page: DemoPage, *, is_kept: bool = True) -> Answer:
    """Answer with a page, with what a client needs to ask whether it changed."""
    published = datetime.combine(page.gold_published, time(), UTC) if page.gold_published else None
    dated = (("Last-Modified", format_datetime(published, usegmt=True)),) if published else ()
    headers = (("Content-Type", page.content_type), ("ETag", tag_of(page.html)), *dated)
    return Answer(page.html, headers=headers, is_kept=is_kept)


def answer_missing(path: str, status: int = 404) -> Answer:
    """Answer that there is nothing."""
    what = "is not here" if status == 404 else "was removed"
    page = f"<!doctype html><title>{status}</title><h1>Not found</h1><p>The page {escape(path)} {what}."
    return answer_plainly(page.encode(), status)


def answer_plainly(body: bytes, status: int = 200) -> Answer:
    """Answer with markup that says nothing about its age; such answers are many, so none is kept."""
    return Answer(body, status, (("Content-Type", "text/html; charset=utf-8"),), is_kept=False)


def tag_of(body: bytes) -> str:
    """Return the entity tag of a body."""
    return f'"{blake2b(body, digest_size=8).hexdigest()}"'
