"""What the demo site tells crawlers: a world comes in, robots.txt and sitemaps (an index with packed parts) go out."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scythe.demo.world import World

PART_LENGTH = 500  # addresses in one part of the sitemap
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@dataclass(frozen=True, slots=True)
class Robots:
    """What robots.txt says."""

    disallow: tuple[str, ...] = ()
    crawl_delay_s: float | None = None
    names_sitemap: bool = True


def write_robots(world: World, robots: Robots) -> bytes:
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
