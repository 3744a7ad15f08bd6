"""Read pages of whole sites cold, cut and out of an archive, and count the pages on which each part agrees.

Its file is sites.jsonl.xz of the folder `whole`. A site is learned page by page, as a crawl does; then every page is
read cold and extracted by the site as it is learned then, which is what an archive holds after its refill.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.trials.harness import print_table
from bench.trials.refill import Pages, load_sites
from scythe.archive.stored_documents import to_document, to_extracted
from scythe.model import DEFAULT_FIELDS, Document
from scythe.reader import read
from scythe.site.site import Site
from scythe.url import Url

_LINK = re.compile(r"\]\(([^)\s]*)")
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) .*$", re.MULTILINE)
_COLUMNS = ("site", "pages", "cut", "title %", "author %", "date %", "text F1", "same text %", "archive %")
_OF_SAME = ("links %", "headings %", "items %")  # of the pages with the same text
_PARTS = ("text", "markdown", "images", "records", "attributes")


def run(data: Path, pages: int = 100) -> None:
    """Print for each site how often cold and learned agree, and whether the archive gives what was put into it."""
    print_table((*_COLUMNS, *_OF_SAME), (_compare(site, some) for site, some in load_sites(data, pages).items()))


def _compare(key: str, pages: Pages) -> tuple[Any, ...]:
    site = Site.begin(DEFAULT_FIELDS)
    for url, body in pages:
        site.extract(body, url)
    site.finish()
    agreed: Counter[str] = Counter()
    shared, cut = 0.0, 0
    for url, body in pages:
        cold, ours = read(body, url), site.extract(body, url, "tree")
        agreed.update(name for name, same in _same(cold, ours) if same)
        agreed["archive"] += _is_kept(ours, url)
        if cold.text.split() == ours.text.split():
            agreed["text"] += 1
            agreed.update(name for name, same in _same_markdown(cold, ours) if same)
        if ours.how.get("text", "").startswith("cut"):
            cut += 1
            shared += _f1(cold.text, ours.text)
    of_all = [f"{100 * agreed[name] / len(pages):.1f}" for name in ("title", "author", "date", "text", "archive")]
    of_same = [f"{100 * agreed[name] / max(agreed['text'], 1):.1f}" for name in ("links", "headings", "items")]
    return key, len(pages), cut, *of_all[:3], f"{shared / max(cut, 1):.3f}", *of_all[3:], *of_same


def _same(cold: Document, ours: Document) -> Iterator[tuple[str, bool]]:
    yield "title", " ".join(cold.title.split()) == " ".join(ours.title.split())
    yield "author", cold.metadata.author == ours.metadata.author
    yield "date", cold.metadata.published[:10] == ours.metadata.published[:10]


def _same_markdown(cold: Document, ours: Document) -> Iterator[tuple[str, bool]]:
    for name, pattern in (("links", _LINK), ("headings", _HEADING), ("items", _ITEM)):
        yield name, Counter(pattern.findall(cold.markdown)) == Counter(pattern.findall(ours.markdown))


def _is_kept(document: Document, url: str) -> bool:
    """Say whether a document comes back as it was from what an archive keeps of it."""
    kept = to_document(to_extracted(document, _PARTS), Url(url))
    names = ("title", "text", "markdown", "metadata", "images", "attributes", "lists")
    return all(getattr(kept, name) == getattr(document, name) for name in names)


def _f1(one: str, other: str) -> float:
    words = [Counter(text.split()) for text in (one, other)]
    both = (words[0] & words[1]).total()
    return 2 * both / (words[0].total() + words[1].total()) if both else float(not any(words))
