"""Decode the bytes at which values of pages are said to stand, and count those that are not the value.

Pages are those of the folders `whole` and `sites` of DATA: read cold, and extracted by a site learned from the first of
them. Bytes are decoded with tags left out, references resolved and white space squeezed. Titles may have more around
them there (the name of the site), authors a word such as "by", dates stand in any form; those of an image are its tag.
"""

from __future__ import annotations

import itertools
import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from html import unescape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench.trials.harness import print_table
from scythe.model import Document, Span
from scythe.page.dates import find_days, to_iso
from scythe.reader import read
from scythe.site.site import Site

_LEARNED, _TRIED = 12, 20  # pages of a site
_SEED = 7
_KINDS = ("title", "author", "date", "text", "images", "attributes", "cells", "fields")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORTEST = 4  # letters of an address
_IN_QUOTES = re.compile("[\"'\\s]|(?:src|href)=")
Place = tuple[str, str, Span | None]  # kind of part, value, where it is said to stand


def sites_of(data: Path) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Yield the pages of each site."""
    for name, key in (("whole/sites.jsonl.xz", "site"), ("sites/swde.jsonl.xz", "id")):
        with lzma.open(data / name, "rt", encoding="utf-8") as lines:
            rows = (json.loads(line) for line in lines)
            for site, pages in itertools.groupby(rows, key=lambda row: row[key].rpartition("/")[0] or row[key]):
                yield site, [(row.get("url") or row["id"], row["html"].encode()) for row in pages]


def places_of(document: Document) -> Iterator[Place]:
    """Yield all values of a document with where they are said to stand."""
    where = document.where
    alone = {"title": [document.title], "author": document.metadata.authors, "date": [document.metadata.published]}
    for name, values in alone.items():
        yield from _paired(name, [value for value in values if value], where.get(name, ()))
    yield from _paired("images", ["\n".join(image.sources) for image in document.images], where.get("images", ()))
    yield from _paired("attributes", [value for _, value in document.attributes], where.get("attributes", ()))
    for record in (record for found in document.lists for record in found.records):
        yield from _paired("cells", record.fields, record.spans)
    for name, field in document.fields.items():
        if name not in (*alone, "text", "images", "records") and len(field.values) == 1:
            yield "fields", field.values[0], field.span
    yield from (("text", document.text, span) for span in where.get("text", ()))


def _paired(kind: str, values: Sequence[str], spans: Sequence[Span | None]) -> Iterator[Place]:
    for value, span in itertools.zip_longest(values, spans[: len(values)]):
        if value:
            yield kind, value, span


def is_there(kind: str, value: str, written: bytes, url: str) -> bool:
    """Say whether some bytes of a page are a value."""
    raw = written.decode("utf-8", "replace")
    if "\\u" in raw:  # in JSON
        raw = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), raw)
    if kind == "images":  # the tag of the image
        written_in = {unescape(part.strip()) for part in _IN_QUOTES.split(raw)}
        named = {part.split()[0] for each in written_in for part in (each, *each.split(",")) if part.strip()}
        ends = tuple(each.lstrip("./").replace(" ", "%20") for each in named | written_in if len(each) > _SHORTEST)
        return any(source.endswith(ends) for source in value.split("\n"))
    tree = LexborHTMLParser(f"<body>{raw}")
    tree.strip_tags(["script", "style", "noscript"])
    said, plain = _squeezed(tree.body.text() if tree.body is not None else ""), _squeezed(unescape(raw))
    if kind == "date":
        days = {day.isoformat() for text in (said, plain) for day, _, _ in _days(text)}
        return value[:10] in days or any((to_iso(text) or "")[:10] == value[:10] for text in (said, plain))
    if kind == "text":
        return "".join(said.split()) in "".join(value.split())
    spoken = _letters(value)
    return any(_letters(text) == spoken or (kind in ("title", "author") and spoken in _letters(text))
               for text in (said, plain))  # fmt: skip


def _days(text: str) -> tuple[tuple[date, int, int], ...]:
    return (*find_days(text), *find_days(text, is_month_first=True))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum()) or "".join(text.split())


def run(data: Path = Path("../shared/data"), values: int = 10_000, show: int = 0) -> int:
    """Try so many values, spread over all pages and kinds; counts those whose bytes are another text."""
    chance, pools = random.Random(_SEED), {kind: list[tuple[str, Place, bytes, str]]() for kind in _KINDS}
    count = 0
    for name, pages in sites_of(data):
        count += 1
        site = Site.learn(pages[:_LEARNED])
        for url, body in pages[:: max(1, len(pages) // _TRIED)]:
            for document in (read(body, url), site.extract(body, url)):
                for place in places_of(document):
                    pools[place[0]].append((name, place, body, url))
    total, rows, shown = Counter[str](), list[tuple[object, ...]](), 0
    for kind, pool in pools.items():
        some = chance.sample(pool, min(len(pool), values // len(_KINDS)))
        given = [one for one in some if one[1][2] is not None]
        wrong = [one for one in given if not is_there(kind, one[1][1], one[2][slice(*one[1][2])], one[3])]  # type: ignore[misc]
        total.update(values=len(some), given=len(given), wrong=len(wrong))
        rows.append((kind, len(some), f"{100 * len(given) / max(len(some), 1):.1f}", len(wrong)))
        for site_name, (_, value, span), body, url in wrong[:show]:
            shown += 1
            print(kind, site_name, url, repr(value[:80]), body[slice(*span)][:160])  # type: ignore[misc]
    print_table(("part", "values", "given %", "another text"), rows)
    print({"sites": count, **total, "given_share": round(total["given"] / max(total["values"], 1), 4)})
    return total["wrong"]
