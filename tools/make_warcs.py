"""Make a set of WARC files to try `scythe batch` on: `python -m tools.make_warcs FOLDER [--pages N] [--hosts H]`.

The pages are those of trial sites (tools/trial_site.py), one seed and design per host, 60 to 120 KB each, in the order
in which a crawler of all hosts at once would have met them. A half is in `big.warc.gz`, the rest in `part-N.warc.gz`.
Between the pages are responses that are none: pages that are missing, redirects, pictures. `expected.jsonl` says of
every page its address, the digest of its body, its title, and the words that no other page of its host has. The same
arguments give the same bytes, but for the version of scythe in the first record.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from itertools import zip_longest
from pathlib import Path
from random import Random

from tools.trial_site import TrialPage, build_pages, spell

from scythe.archive.results import StoredRaw
from scythe.output.warc import WarcFile
from scythe.url import Url, absolute

EXPECTED = "expected.jsonl"
BIG = "big.warc.gz"
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_SMALLEST, _LARGEST = 60_000, 120_000  # bytes of a page, as far as filling can make it
_PARTS = 7  # smaller files
_OTHERS_EVERY = 50  # pages between two responses that are none
_PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(200)


@dataclass(frozen=True)
class Expected:
    """What must come out of one page."""

    url: str
    file: str
    sha1: str  # of the body
    title: str
    words: str  # that no other page of the host has; on list pages they need not be part of the text
    is_list: bool


@dataclass(frozen=True)
class Numbered:
    """A page, its host, and its number on it."""

    host: str
    number: int
    page: TrialPage

    @property
    def url(self) -> Url:
        found = absolute(f"https://{self.host}{self.page.path}")
        assert found is not None
        return found


def host_pages(host: int, hosts: int, count: int) -> Iterator[Numbered]:
    """Yield the pages of one host."""
    page_bytes = _SMALLEST + (_LARGEST - _SMALLEST) * host // max(hosts - 1, 1)
    name = f"site-{host:02}.scythe.example"
    made = build_pages(count, page_bytes, seed=host + 1, design=host % 2)
    return (Numbered(name, number, page) for number, page in enumerate(made))


def crawled(pages: int, hosts: int) -> Iterator[Numbered]:
    """Yield all pages, one of each host in turn."""
    shares = [pages // hosts + (host < pages % hosts) for host in range(hosts)]
    sites = (host_pages(host, hosts, share) for host, share in enumerate(shares))
    return (one for turn in zip_longest(*sites) for one in turn if one is not None)


def make_warcs(folder: Path, pages: int, hosts: int) -> list[Path]:
    """Write the files into `folder`; return their paths, the big one first."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / BIG, *(folder / f"part-{number}.warc.gz" for number in range(_PARTS))]
    places = [0] * _PARTS + list(range(1, 1 + _PARTS))  # drawn: neither host nor kind of page goes by the file
    random = Random(1)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        warcs = [WarcFile(file, made_at=_BEGAN, name=path.name) for file, path in zip(files, paths, strict=True)]
        ledger = stack.enter_context((folder / EXPECTED).open("w", encoding="utf-8"))
        for number, one in enumerate(crawled(pages, hosts)):
            place = random.choice(places)
            warcs[place].put(_response(one, number))
            ledger.write(json.dumps(asdict(_expected(one, paths[place].name))) + "\n")
            if number % _OTHERS_EVERY == 0:
                for other in _no_pages(one, number):
                    warcs[place].put(other)
        for warc in warcs:
            warc.close()
    return paths


def _response(one: Numbered, number: int) -> StoredRaw:
    headers = (("Content-Type", one.page.content_type), ("Server", "trial"))
    return StoredRaw(one.url, _when(number), 200, headers, one.page.body)


def _no_pages(one: Numbered, number: int) -> Iterator[StoredRaw]:
    """Yield responses that a batch must count and leave out."""
    html, when = ("Content-Type", "text/html"), _when(number)
    missing = b"<!doctype html><title>Not found</title><h1>Not found</h1><p>There is no such page.</p>"
    yield StoredRaw(_sibling(one, "/missing.html"), when, 404, (html,), missing)
    yield StoredRaw(_sibling(one, "/old"), when, 301, (html, ("Location", one.url)), b"")
    yield StoredRaw(_sibling(one, "/p.png"), when, 200, (("Content-Type", "image/png"),), _PICTURE)


def _sibling(one: Numbered, path: str) -> Url:
    found = absolute(path, one.url)
    assert found is not None
    return found


def _when(number: int) -> datetime:
    return _BEGAN + timedelta(seconds=number)


def _expected(one: Numbered, file: str) -> Expected:
    digest = sha1(one.page.body, usedforsecurity=False).hexdigest()
    words = spell(one.number).decode()
    return Expected(one.url, file, digest, one.page.title, words, one.page.path.count("/") == 1)


def read_expected(folder: Path) -> list[Expected]:
    """Return what must come out of the files in `folder`."""
    with (folder / EXPECTED).open(encoding="utf-8") as lines:
        return [Expected(**json.loads(line)) for line in lines]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=10)
    said = parser.parse_args(arguments)
    began = time.monotonic()
    paths = make_warcs(said.folder, said.pages, said.hosts)
    size = sum(path.stat().st_size for path in paths)
    print(f"{said.pages} pages of {said.hosts} hosts in {len(paths)} files, {size / 1e6:.1f} MB packed")
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
