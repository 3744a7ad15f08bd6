"""Load labelled images, one a row: a file of JSON lines comes in, pages of images with their labels go out by site."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from bench.pages import read_rows
from scythe.model import ImageContext, PageImages
from scythe.url import absolute


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """The images of one page and which of them are relevant."""

    site: str
    page: PageImages
    relevant: tuple[bool, ...]
    kind: str = ""  # of page: article, list, ...; "" where the set does not say


class RowsPage(Protocol):
    """A page as `bench_images.py` hands it over: one mapping of fields and one label an image."""

    site: str
    url: str
    images: Sequence[Mapping[str, Any]]
    labels: Sequence[int]


def load_rows(path: Path | str) -> dict[str, list[LabelledRows]]:
    """Read a set of labelled images, sites and pages in the order of the file. Raises BadInput, with the line."""
    rows_of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for site, url, row in read_rows(Path(path), _keyed):
        rows_of.setdefault((site, url), []).append(row)
    sites: dict[str, list[LabelledRows]] = {}
    for (site, url), rows in rows_of.items():
        relevant = tuple(bool(row["relevant"]) for row in rows)
        labelled = LabelledRows(site, rows_to_page(url, rows), relevant, str(rows[0].get("page_type", "")))
        sites.setdefault(site, []).append(labelled)
    return sites


def _keyed(row: dict[str, Any], place: str) -> tuple[str, str, dict[str, Any]]:
    missing = [name for name in ("relevant", "img_text") if name not in row]
    if missing:
        raise KeyError(f"{place} has no {' and no '.join(missing)}")
    return str(row["site"]), str(row.get("page_url") or ""), row


def page_of(page: RowsPage) -> PageImages:
    """Return a page of the scorer as every model sees it, labels left out."""
    return rows_to_page(page.url or "", page.images)


# what leaves nothing open behind it; `source` is missing, since some parsers put the image inside of it
_VOID = frozenset("area base br col embed hr img input link meta param track wbr amp-img path".split())
_MARK = re.compile(r"<(?:!--|(/?+)([a-zA-Z][^\s/>]{0,60}+))")
_REST = re.compile(r"""(?:[^>=]++|=\s{0,9}+"[^"]*+"|=\s{0,9}+'[^']*+'|=)*+>?+""")  # of a tag, behind its name


@lru_cache(maxsize=2_048)
def split_tags(text: str) -> tuple[str, str, str]:
    """Return the opening tags of grandparent, parent and image from markup that ends with the image's tag.

    Elements that are closed before the image, comments and text are passed over, as are `>` and `<` in quoted values.
    """
    open_tags: list[tuple[str, str]] = []
    last, at = "", 0
    while (mark := _MARK.search(text, at)) is not None:
        closes, name = mark.groups()
        if name is None:
            end = text.find("-->", mark.end())
            at = end + 3 if end >= 0 else len(text)
            continue
        rest = _REST.match(text, mark.end())
        at = rest.end() if rest else len(text)
        name = name.lower()
        if closes:
            _close(open_tags, name)
            continue
        last = text[mark.start() : at]
        if name not in _VOID and not last.endswith("/>"):
            open_tags.append((name, last))
    above = [tag for _, tag in open_tags if tag is not last]
    return (above[-2] if len(above) > 1 else "", above[-1] if above else "", last)


def _close(open_tags: list[tuple[str, str]], name: str) -> None:
    """Close the innermost open element of a name, and all inside of it; a stray end tag closes nothing."""
    for at in range(len(open_tags) - 1, max(-1, len(open_tags) - 50), -1):
        if open_tags[at][0] == name:
            del open_tags[at:]
            return


def rows_to_page(url: str, rows: Sequence[Mapping[str, Any]]) -> PageImages:
    """Return the rows of one page as every model sees images, labels left out."""
    first: Mapping[str, Any] = rows[0] if rows else {}
    return PageImages(
        url=url,
        title=str(first.get("title", "")),
        text_chars=int(first.get("ntext", 0)),
        has_meta=bool(first.get("hasmeta", 0)),
        images=tuple(_context(row, url) for row in rows),
    )


def _context(row: Mapping[str, Any], url: str) -> ImageContext:
    link, written = row.get("link"), str(row.get("src") or "")
    src = absolute(written, url) or written  # as pages have it; what is no address of the web stays as written
    return ImageContext(
        src=src,
        tags=split_tags(str(row["img_text"])),
        # the parser behind the rows took `source` for something that holds what follows it; on pages nothing does
        path=tuple(label for label in row.get("anc", ()) if label[:6] != "source"),
        link=None if link is None else str(link),
        is_figure=bool(row.get("fig", 0)),
        order=float(row.get("opos", 0.0)),
        text_before=float(row.get("tpos", 0.0)),
        is_lead=bool(row.get("og", 0)),
        is_stated=bool(row.get("ld", 0)),
        addresses=(src,) if src else (),
    )
