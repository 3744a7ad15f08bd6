"""Load the pages of whole sites: a folder or a file of JSON lines comes in, one `SitePages` per site goes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pages import find_sets, read_rows, set_name
from scythe.errors import BadInput


@dataclass(frozen=True, slots=True)
class SitePages:
    """The pages of one site, in the order of the file."""

    name: str
    category: str  # what the site's name says before a slash, or else the page set
    bodies: tuple[bytes, ...]  # UTF-8
    urls: tuple[str | None, ...]
    gold: tuple[dict[str, list[str]], ...]  # field -> accepted values; empty where the page set has none


def load_sites(data: Path, *, limit: int | None = None) -> list[SitePages]:
    """Read the first `limit` sites of each page set at `data`. Raises BadInput where there are none."""
    found = [site for path in find_sets(data, "sites") for site in _load(path)[:limit]]
    if not found:
        raise BadInput(f"{data} holds no pages")
    return found


@dataclass(frozen=True, slots=True)
class _Page:
    site: str
    body: bytes
    url: str | None
    gold: dict[str, list[str]]


def _load(path: Path) -> list[SitePages]:
    sites: dict[str, list[_Page]] = {}
    for page in read_rows(path, _page):
        sites.setdefault(page.site, []).append(page)
    return [
        SitePages(
            name=name,
            category=_category(name, path),
            bodies=tuple(page.body for page in pages),
            urls=tuple(page.url for page in pages),
            gold=tuple(page.gold for page in pages),
        )
        for name, pages in sites.items()
    ]


def _page(row: dict[str, Any], place: str) -> _Page:
    given = row.get("gold")
    gold = {str(name): [str(v) for v in values] for name, values in given.items()} if isinstance(given, dict) else {}
    site = f"{row['vertical']}/{row['site']}" if row.get("vertical") else str(row["site"])
    return _Page(site, str(row["html"]).encode("utf-8", "replace"), row.get("url") or None, gold)


def _category(name: str, path: Path) -> str:
    category, slash, _ = name.partition("/")
    return category if slash else set_name(path)
