"""Count the pages of whole sites on which a crawl's archive, the site learned then, and reading cold agree.

Its file is sites.jsonl.xz of the folder `whole`. A site is learned page by page, as a crawl does. What is stored is
what came of each page then, or where it was read, what the refill at the end of the crawl makes of it; it is compared
with what the saved site extracts from the same page. Markdown of cut pages is compared with that of reading them cold,
where both found the same text; how often that is so is said for the record: learning is there to be better.
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

_IMAGE = re.compile(r"!\[[^]]*\]\([^)]*\)")
_LINK = re.compile(r"\]\(([^)\s]*)")
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) .*$", re.MULTILINE)
_COLUMNS = ("site", "pages", "title %", "author %", "date %", "text %", "text F1", "archive %")
_OF_COLD = ("cut", "as cold %", "links %", "headings %", "items %")  # the last three of the pages with the same text
_PARTS = ("text", "markdown", "images", "records", "attributes")


def run(data: Path, pages: int = 100) -> None:
    """Print for each site how often the ways agree, and whether the archive gives what was put into it."""
    print_table((*_COLUMNS, *_OF_COLD), (_compare(site, some) for site, some in load_sites(data, pages).items()))


def _compare(key: str, pages: Pages) -> tuple[Any, ...]:
    site, stored = Site.begin(DEFAULT_FIELDS), list[Document | None]()
    for url, body in pages:
        read_before = site.cost.read
        document = site.extract(body, url)
        stored.append(document if site.cost.read == read_before else None)
    site.finish()
    saved, agreed, shared = Site.from_json(site.to_json()), Counter[str](), 0.0
    for (url, body), before in zip(pages, stored, strict=True):
        ours, now = before or site.extract(body, url, "tree"), saved.extract(body, url)
        agreed.update(name for name, same in _same(ours, now) if same)
        agreed["archive"] += _is_kept(ours, url)
        shared += _f1(ours.text, now.text)
        if now.how.get("text", "").startswith("cut"):
            agreed["cut"] += 1
            cold = read(body, url)
            if cold.text.split() == now.text.split():
                agreed["as cold"] += 1
                agreed.update(name for name, same in _same_markdown(cold, now) if same)
    of_all = [f"{100 * agreed[name] / len(pages):.1f}" for name in ("title", "author", "date", "text")]
    of_same = [f"{100 * agreed[name] / max(agreed['as cold'], 1):.1f}" for name in ("links", "headings", "items")]
    kept, as_cold = 100 * agreed["archive"] / len(pages), 100 * agreed["as cold"] / max(agreed["cut"], 1)
    return (
        key,
        len(pages),
        *of_all,
        f"{shared / len(pages):.4f}",
        f"{kept:.1f}",
        agreed["cut"],
        f"{as_cold:.1f}",
        *of_same,
    )


def _same(one: Document, other: Document) -> Iterator[tuple[str, bool]]:
    yield "title", " ".join(one.title.split()) == " ".join(other.title.split())
    yield "author", one.metadata.author == other.metadata.author
    yield "date", one.metadata.published[:10] == other.metadata.published[:10]
    yield "text", one.text.split() == other.text.split()


def _same_markdown(cold: Document, ours: Document) -> Iterator[tuple[str, bool]]:
    texts = [_IMAGE.sub("", document.markdown) for document in (cold, ours)]  # a picture above the text is none of it
    for name, pattern in (("links", _LINK), ("headings", _HEADING), ("items", _ITEM)):
        yield name, Counter(pattern.findall(texts[0])) == Counter(pattern.findall(texts[1]))


def _is_kept(document: Document, url: str) -> bool:
    """Say whether a document comes back as it was from what an archive keeps of it."""
    kept = to_document(to_extracted(document, _PARTS), Url(url))
    names = ("title", "text", "markdown", "metadata", "images", "attributes", "lists")
    return all(getattr(kept, name) == getattr(document, name) for name in names)


def _f1(one: str, other: str) -> float:
    words = [Counter(text.split()) for text in (one, other)]
    both = (words[0] & words[1]).total()
    return 2 * both / (words[0].total() + words[1].total()) if both else float(not any(words))
