"""The responses of the demo server: pages, pictures, style sheet, feeds, robots.txt and sitemaps."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from email.utils import format_datetime
from hashlib import blake2b
from html import escape
from importlib.resources import files
from random import Random

from scythe.demo.build import DemoPage
from scythe.demo.page_parts import SITE_NAME
from scythe.demo.plan import PagePlan
from scythe.demo.world import ARTICLES, World

PART_LENGTH = 500  # addresses in one part of the sitemap
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def write_map(world: World, path: str) -> tuple[str, bytes] | None:
    """Write the sitemap at a path, with its content type; None where there is none."""
    parts = _parts(world)
    if path == "/sitemap.xml":
        inside = "\n".join(f"<sitemap><loc>{world.base}{name}</loc></sitemap>" for name in parts)
        return "application/xml", _wrap("sitemapindex", inside)
    if path not in parts:
        return None
    body = _wrap("urlset", "\n".join(_entries(world, parts[path])))
    return "application/gzip", gzip.compress(body, mtime=0)


def _parts(world: World) -> dict[str, tuple[str, ...]]:
    """Return the paths of the parts with the pages each of them names: what people come for first."""
    about = [plan.path for plan in world.ledger.by_path.values() if plan.kind == "about"]
    kinds = {"content": [plan.path for plan in world.ledger.content], "pages": [*world.ledger.lists, *about]}
    return {
        f"/sitemap-{kind}-{at // PART_LENGTH + 1}.xml.gz": tuple(paths[at : at + PART_LENGTH])
        for kind, paths in kinds.items()
        for at in range(0, len(paths), PART_LENGTH)
    }


def _entries(world: World, paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        plan = world.ledger.by_path.get(path)
        dated = f"<lastmod>{plan.published:%Y-%m-%d}</lastmod>" if plan else ""
        yield f"<url><loc>{escape(world.base + path)}</loc>{dated}</url>"


def _wrap(name: str, inside: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{name} {_SPACE}>\n{inside}\n</{name}>\n'.encode()


_LENGTH = 20  # entries of a feed


def _at(plan: PagePlan) -> datetime:
    return datetime.combine(plan.published, time(6), UTC)


def write_rss(world: World) -> bytes:
    """Write a feed of the newest articles."""
    base = world.base
    items = [
        f"<item><title>{escape(plan.title)}</title><link>{escape(base + plan.path)}</link>"
        f'<guid isPermaLink="true">{escape(base + plan.path)}</guid>'
        f"<pubDate>{format_datetime(_at(plan))}</pubDate><description>{escape(plan.teaser)}</description></item>"
        for plan in world.ledger.newest(*ARTICLES)[:_LENGTH]
    ]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{SITE_NAME}</title><link>{base}/</link><description>News from the fields</description><ttl>60</ttl>\n"
        + "\n".join(items)
        + "\n</channel></rss>\n"
    ).encode()


_LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 40"><text x="0" y="30" font-family="Georgia" '
    'font-size="26" fill="#8a5a2b">The Field Post</text></svg>'
)


def draw(path: str) -> bytes:
    """Draw the picture at a path: hills under a sky, always the same ones."""
    if not path.startswith("/img/"):
        return _LOGO.encode()
    random = Random(path.rpartition("-")[0] or path)
    sky, sun = random.randrange(180, 230), random.randrange(80, 560)
    hills = []
    for layer in range(3):
        heights = [200 + layer * 50 + random.randrange(-40, 40) for _ in range(6)]
        line = " ".join(f"L{x * 128} {y}" for x, y in enumerate(heights))
        colour = f"hsl({random.randrange(60, 120)} {45 - layer * 5}% {62 - layer * 14}%)"
        hills.append(f'<path d="M0 360 {line} L640 360 Z" fill="{colour}"/>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360">'
        f'<rect width="640" height="360" fill="hsl({sky} 60% 85%)"/><circle cx="{sun}" cy="80" r="36" fill="#f6d36b"/>'
        + "".join(hills)
        + "</svg>"
    ).encode()


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
