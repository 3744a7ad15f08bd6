"""Load the pages of whole sites: a folder or a file of JSON lines comes in, one `SitePages` per site goes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scythe.bench.pages import find_sets, read_rows, set_name
from scythe.errors import BadInput


@dataclass(frozen=True, slots=True)
class SitePages:
    """The pages of one site, in the order of the file."""

    name: str
    category: str  # what the site's name says before a slash, or else the page set
    bodies: tuple[bytes, ...]  # UTF-8
    urls: tuple[str, ...]  # empty texts where the page set has none


def load_sites(data: Path, *, limit: int | None = None) -> list[SitePages]:
    """Read the first `limit` sites of each page set at `data`. Raises BadInput where there are none."""
    found = [site for path in find_sets(data, "sites") for site in _load(path)[:limit]]
    if not found:
        raise BadInput(f"{data} holds no pages")
    return found


def _load(path: Path) -> list[SitePages]:
    pages: dict[str, list[tuple[bytes, str]]] = {}
    for site, body, url in read_rows(path, _page):
        pages.setdefault(site, []).append((body, url))
    return [
        SitePages(name, _category(name, path), tuple(body for body, _ in rows), tuple(url for _, url in rows))
        for name, rows in pages.items()
    ]


def _page(row: dict[str, Any], place: str) -> tuple[str, bytes, str]:
    return str(row["site"]), str(row["html"]).encode("utf-8", "replace"), str(row.get("url") or "")


def _category(name: str, path: Path) -> str:
    category, slash, _ = name.partition("/")
    return category if slash else set_name(path)
