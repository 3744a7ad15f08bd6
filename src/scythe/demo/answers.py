"""The responses of the demo server: pages, pictures, style sheet, feeds, robots.txt and sitemaps."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time
from email.utils import format_datetime
from hashlib import blake2b
from html import escape
from random import Random
from typing import Protocol

from scythe.demo.build import DemoPage
from scythe.demo.page_parts import SITE_NAME
from scythe.demo.plan import PagePlan
from scythe.demo.world import ARTICLES, World

PART_LENGTH = 500  # addresses in one part of the sitemap
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@dataclass(frozen=True, slots=True)
class DemoRobots:
    """What robots.txt says."""

    disallow: tuple[str, ...] = ()
    crawl_delay_s: float | None = None
    names_sitemap: bool = True


def write_robots(world: World, robots: DemoRobots) -> bytes:
    """Write robots.txt."""
    lines = ["# The Field Post asks visitors to walk on the paths.", "User-agent: *"]
    lines += [f"Disallow: {path}" for path in robots.disallow] or ["Disallow:"]
    if robots.crawl_delay_s is not None:
        lines.append(f"Crawl-delay: {robots.crawl_delay_s:g}")
    if robots.names_sitemap:
        lines.append(f"\nSitemap: {world.base}/sitemap.xml")
    return ("\n".join(lines) + "\n").encode()


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
PATHS = ("/feed.xml", "/atom.xml", "/feed.json")


def write_feed(world: World, path: str) -> tuple[str, bytes] | None:
    """Write the feed at a path, with its content type; None where there is none."""
    writers = {"/feed.xml": _write_rss, "/atom.xml": _write_atom, "/feed.json": _write_json}
    if path not in writers:
        return None
    kinds = {"/feed.xml": "application/rss+xml", "/atom.xml": "application/atom+xml", "/feed.json": "application/json"}
    newest = world.ledger.newest(*ARTICLES)[:_LENGTH]
    return kinds[path], writers[path](world.base, newest).encode()


def _at(plan: PagePlan) -> datetime:
    return datetime.combine(plan.published, time(6), UTC)


def _write_rss(base: str, plans: list[PagePlan]) -> str:
    items = [
        f"<item><title>{escape(plan.title)}</title><link>{escape(base + plan.path)}</link>"
        f'<guid isPermaLink="true">{escape(base + plan.path)}</guid>'
        f"<pubDate>{format_datetime(_at(plan))}</pubDate><description>{escape(plan.teaser)}</description></item>"
        for plan in plans
    ]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{SITE_NAME}</title><link>{base}/</link><description>News from the fields</description><ttl>60</ttl>\n"
        + "\n".join(items)
        + "\n</channel></rss>\n"
    )


def _write_atom(base: str, plans: list[PagePlan]) -> str:
    entries = [
        f'<entry><title>{escape(plan.title)}</title><link href="{escape(base + plan.path)}"/>'
        f"<id>{escape(base + plan.path)}</id><updated>{_at(plan).isoformat()}</updated>"
        f"<author><name>{escape(plan.author)}</name></author><summary>{escape(plan.teaser)}</summary></entry>"
        for plan in plans
    ]
    updated = _at(plans[0]).isoformat() if plans else "2026-03-02T06:00:00+00:00"
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{SITE_NAME}</title><id>{base}/</id><updated>{updated}</updated>"
        f'<link rel="self" href="{base}/atom.xml"/>\n' + "\n".join(entries) + "\n</feed>\n"
    )


def _write_json(base: str, plans: list[PagePlan]) -> str:
    items = [
        {
            "id": base + plan.path,
            "url": base + plan.path,
            "title": plan.title,
            "summary": plan.teaser,
            "date_published": _at(plan).isoformat(),
        }
        for plan in plans
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": SITE_NAME, "home_page_url": f"{base}/"}
    return json.dumps(feed | {"items": items}, ensure_ascii=False)


_CSS = """
:root{color-scheme:light dark}
body{font:16px/1.55 Georgia,serif;margin:0;color:CanvasText;background:Canvas}
.top{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;padding:.8rem 4vw;border-bottom:3px double}
.top nav{flex-basis:100%}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:1rem;margin:0;padding:0;font-family:sans-serif;font-size:.9rem}
nav .submenu{display:none}
.page{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,1fr);gap:2rem;padding:1rem 4vw;max-width:76rem}
.page.barn{grid-template-columns:minmax(0,1fr) minmax(0,3fr)}
img{max-width:100%;height:auto}
figure{margin:1rem 0}figcaption{font-size:.85rem;opacity:.75}
.teaser,.card,.td-item{border-bottom:1px solid;padding:.8rem 0;list-style:none;overflow:hidden}
.teaser img,.card img,.td-item img{float:left;margin:0 1rem .5rem 0}
.price{font-weight:bold}.pagination{font-family:sans-serif;padding:1rem 0}
#cookie-consent{font-size:.8rem;padding:.5rem 4vw;background:#8883}
footer{padding:1rem 4vw;border-top:3px double;font-size:.85rem}
footer ul{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;padding:0}
table{border-collapse:collapse}td,th{border:1px solid;padding:.2rem .6rem}
@media(max-width:50rem){.page,.page.barn{display:block}}
"""
_LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 40"><text x="0" y="30" font-family="Georgia" '
    'font-size="26" fill="#8a5a2b">The Field Post</text></svg>'
)


def stylesheet() -> bytes:
    """Return the style sheet."""
    return _CSS.encode()


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


def write_pdf() -> bytes:
    """Write a PDF of one empty page."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    )
    body, places = b"%PDF-1.4\n", []
    for number, inside in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, inside)
    lines = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 4\n0000000000 65535 f \n" + lines
    return body + table + b"trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)


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


class OddCorner(Protocol):
    """Some addresses that are answered in their own way."""

    def holds(self, target: str) -> bool:
        """Tell whether an address lies in this corner."""

    @property
    def answer(self) -> Callable[[str, int, int], Answer | None]:
        """What answers there: target, how often it was asked for before, design."""


@dataclass(frozen=True)
class ServedSite:
    """Everything a server knows: the pages of a world, what leads to them, and its odd corners."""

    world: World
    robots: DemoRobots = field(default_factory=DemoRobots)
    corners: Sequence[OddCorner] = ()

    def answer(self, target: str, design: int, visits: int = 0) -> Answer:
        """Answer a request for a path with its query."""
        path = target.partition("?")[0]
        for corner in self.corners:
            if corner.holds(target) and (found := corner.answer(target, visits, design)):
                return found
        if page := self.world.page(target, design):
            return answer_page(page)
        if page := self.world.page(path, design):
            return replace(answer_page(page), is_kept=False)  # there is no end of queries
        return self._answer_file(path) or answer_missing(path)

    def _answer_file(self, path: str) -> Answer | None:
        if path == "/robots.txt":
            return Answer(write_robots(self.world, self.robots), headers=(("Content-Type", "text/plain"),))
        if path.startswith("/img/") or path in ("/assets/logo.svg", "/favicon.ico"):
            return Answer(draw(path), headers=(("Content-Type", "image/svg+xml"),), is_kept=False)
        if path == "/assets/site.css":
            return Answer(stylesheet(), headers=(("Content-Type", "text/css"),))
        if path.startswith("/assets/"):
            return Answer(b"", headers=(("Content-Type", "text/javascript"),))
        if written := write_feed(self.world, path) or write_map(self.world, path):
            kind, body = written
            return Answer(body, headers=(("Content-Type", kind), ("ETag", tag_of(body))))
        return None


def answer_page(page: DemoPage) -> Answer:
    """Answer with a page, with what a client needs to ask whether it changed."""
    published = datetime.combine(page.gold_published, time(), UTC) if page.gold_published else None
    dated = (("Last-Modified", format_datetime(published, usegmt=True)),) if published else ()
    return Answer(page.html, headers=(("Content-Type", page.content_type), ("ETag", tag_of(page.html)), *dated))


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
