"""Cut against tree on sites whose pages were damaged in 24 ways: what a cut says is what the tree holds, or it is told.

The judge is a process without the extension. It parses the same bytes with lexbor, follows the same rules in Python,
and knows nothing of the page map in C; nobody writes into the page. `python -m bench.trials cut-differences` runs many.
"""

import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from tests.page.lexbor_trees import by_lexbor, first_difference, nodes_of

from scythe.page.map import PageMap
from scythe.site.extract import in_ascii_bytes
from scythe.site.site import Site

LEARNED = 12  # pages of a site that it is learned from
CHUNK = 100  # pages for the judge at once
Made = Callable[[Random, bytes, bytes], bytes]  # of a page and another one of its site
Said = dict[str, tuple[str, ...]]
_TAG = re.compile(rb"<[a-zA-Z/][^<>]*>")
_OPENING = re.compile(rb"<(p|div|ul|li|section|article|span|a|table|tr|td|h[1-6])\b[^<>]*>", re.I)
_CLOSING = re.compile(rb"</(p|div|ul|li|section|article|span|a|table|tr|td|h[1-6])\s*>", re.I)


def _place(chance: Random, page: bytes, pattern: re.Pattern[bytes] = _TAG) -> re.Match[bytes] | None:
    """Return a tag of the page, any of them."""
    at = chance.randrange(len(page) + 1)
    return pattern.search(page, at) or pattern.search(page)


def _insert(*pieces: str) -> Made:
    """Return what puts one of some pieces before a tag of a page."""

    def made(chance: Random, page: bytes, other: bytes) -> bytes:
        found = _place(chance, page)
        at = found.start() if found else len(page)
        return page[:at] + chance.choice(pieces).encode() + page[at:]

    return made


def _change(pattern: re.Pattern[bytes], change: Callable[[bytes], bytes]) -> Made:
    """Return what changes one tag of a page."""

    def made(chance: Random, page: bytes, other: bytes) -> bytes:
        found = _place(chance, page, pattern)
        return page[: found.start()] + change(found[0]) + page[found.end() :] if found else page

    return made


def _wrap(before: str, behind: str) -> Made:
    """Return what puts two pieces around a part of a page that begins and ends at tags."""

    def made(chance: Random, page: bytes, other: bytes) -> bytes:
        tags = [found.start() for found in _TAG.finditer(page)] or [0]
        first = chance.randrange(len(tags))
        a, b = tags[first], tags[min(len(tags) - 1, first + chance.randrange(1, 40))]
        return page[:a] + before.encode() + page[a:b] + behind.encode() + page[b:]

    return made


def _swap(chance: Random, page: bytes, other: bytes) -> bytes:
    found = _place(chance, page)
    following = _TAG.search(page, found.end()) if found else None
    if found is None or following is None:
        return page
    between = page[found.end() : following.start()]
    return page[: found.start()] + following[0] + between + found[0] + page[following.end() :]


def _join(chance: Random, page: bytes, other: bytes) -> bytes:
    return page[: chance.randrange(len(page) + 1)] + other[chance.randrange(len(other) + 1) :]


def _repeat(chance: Random, page: bytes, other: bytes) -> bytes:
    at = chance.randrange(len(page) + 1)
    piece = page[at : at + chance.choice((50, 500, 5_000))]
    to = chance.randrange(len(page) + 1)
    return page[:to] + piece + page[to:]


def _noise(chance: Random, page: bytes, other: bytes) -> bytes:
    damaged = bytearray(page)
    for _ in range(chance.randrange(1, 20)):
        damaged[chance.randrange(len(damaged))] = chance.choice(b"<>\"'=/&;-! \n\t\x0c\x01\x7f\xc3\xff0aZ")
    return bytes(damaged)


MUTATIONS: dict[str, Made] = {
    "a comment that ends in a tag": _insert("<!-- see <name-->", "<!-- <a href='x'-->", "<!--<b--!>", "<!--><p-->"),
    "a comment without an end": _insert("<!--", "<!-- a", "<!-", "<!x"),
    "CDATA": _insert("<![CDATA[ <p>a</p> ]]>", "<svg><![CDATA[ <p>a</p> ]]></svg>", "<![CDATA["),
    "a script in a script": _insert("<script><!-- <script> x </script> --> </script>", "<script><!--<script></script>"),
    "text without markup": _insert("<textarea><p>a</p></textarea>", "<xmp><b></xmp>", "<title><p></title>", "<style>"),
    "a tag cut off": _insert("<div class=", "<a href='", '<p title="', "</di", "<"),
    "tags in attributes": _insert("<img alt='<b>a</b><p>' src=a.png>", '<a href="/x?<p>">a</a>', "<p x=<b>"),
    "a select with a table": _insert("<select><table></select>", "<select><option><table><tr><td>x</select>"),
    "formatting left open": _insert("<b>", "<a href=x>", "<b><i><u>", "<font size=1><p>", "<nobr>"),
    "text in a table": _insert("<table>x<tr><td>y</table>", "<table><tr>x<p>y</p>", "<table><form><tr><td>"),
    "foreign elements": _insert("<svg><g><p>x", "<math><mi><b>x</math>", "<svg><title><div></svg>", "<svg><desc>"),
    "odd ends": _insert("</p>", "</br>", "</div></div>", "</body>", "</html>", "</table>", "</h2>", "</form>"),
    "references": _insert("&lt;p&gt;", "&notit; &copy &#x41;&#0;", "&amp", "&#xD800;&#1114112;"),
    "a tag less at an end": _change(_CLOSING, lambda tag: b""),
    "a tag less at a beginning": _change(_OPENING, lambda tag: b""),
    "a tag twice": _change(_TAG, lambda tag: tag * 2),
    "a tag in capitals": _change(_TAG, lambda tag: tag.upper()),
    "an attribute twice": _change(_OPENING, lambda tag: tag[:-1] + b" class=z id=y class=x / hidden=''>"),
    "a part in a template": _wrap("<template>", "</template>"),
    "a part in noscript": _wrap("<noscript>", "</noscript>"),
    "tags change places": _swap,
    "joined with another page": _join,
    "a part again": _repeat,
    "noise": _noise,
}


class Difference(NamedTuple):
    """A field that is cut, and that the tree has otherwise."""

    url: str
    mutation: str
    name: str
    cut: tuple[str, ...]
    tree: tuple[str, ...]
    body: bytes


def cut_page(site: Site, url: str, body: bytes) -> Said:
    """Return what rules alone say of a page: fields and records that are not in doubt."""
    document = site.extract(body, url, "cut")
    said = {name: field.values for name, field in document.fields.items() if field.values and name != "images"}
    said["records"] = tuple(value for one in document.lists for row in one.records for value in row.fields)
    return said


_sites: dict[str, Site] = {}  # of the judge, by profile


def judge_pages(profile: str, pages: Sequence[tuple[str, bytes]]) -> list[Said]:
    """Return what the tree has for the same rules: to be called in a process without the extension."""
    from scythe.extension import native

    assert native is None
    if profile not in _sites:
        _sites.clear()
        _sites[profile] = Site.from_json(profile)
    return [cut_page(_sites[profile], url, body) for url, body in pages]


@contextmanager
def judge() -> Iterator[ProcessPoolExecutor]:
    """Start the process that judges."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with patch.dict(os.environ, {"SCYTHE_NO_EXTENSION": "1"}):
            pool.submit(os.getpid).result()
        yield pool


def mutate(chance: Random, pages: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, str, bytes]]:
    """Yield pages damaged in all ways by turns, without end: which way, the address and the page."""
    number = 0
    while True:
        for name, made in MUTATIONS.items():
            url, body = pages[number % len(pages)]
            for _ in range(chance.choice((1, 1, 2, 4))):
                body = made(chance, body, chance.choice(pages)[1])
            number += 1
            yield name, url, body


def compare_site(
    pool: ProcessPoolExecutor, pages: Sequence[tuple[str, bytes]], count: int, seed: int, seen: Counter[str]
) -> Iterator[Difference]:
    """Learn a site and yield what differs on so many damaged pages of it; `seen` counts outcomes."""
    learned = Site.learn(pages[:LEARNED])
    profile = learned.to_json()
    made = mutate(Random(seed), pages[LEARNED:] or pages)
    while count > 0 and (chunk := list(islice(made, min(CHUNK, count)))):
        count -= len(chunk)
        site = Site.from_json(profile)
        ours = [cut_page(site, url, body) for _, url, body in chunk]
        theirs = pool.submit(judge_pages, profile, [(url, body) for _, url, body in chunk]).result()
        for (name, url, body), cut, tree in zip(chunk, ours, theirs, strict=True):
            seen[name] += 1
            seen["pages"] += 1
            seen["fields cut"] += len(cut)
            seen["fields in doubt"] += len(set(tree) - set(cut))
            differing = [field for field in cut if cut[field] != tree.get(field, ())]
            if not differing:
                continue
            why = excuse(body)
            seen[why or "differing"] += 1
            if not why:
                yield from (Difference(url, name, field, cut[field], tree.get(field, ()), body) for field in differing)


def excuse(body: bytes) -> str:
    """Say why lexbor is no judge of a page, where it is none."""
    source = in_ascii_bytes(body)
    page_map = PageMap(source)
    if page_map.losses:
        return "beyond a limit"
    if nodes_of(page_map.root) != by_lexbor(source) and first_difference(source) is None:
        return "lexbor departs from the standard"
    return ""


def keep(difference: Difference, folder: Path, number: int) -> None:
    """Write a page that differs into a folder."""
    (folder / f"{number:03}-{difference.name}.html").write_bytes(difference.body)
