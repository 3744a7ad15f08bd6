"""Damaged archives by name: a folder comes in, an archive (or a WARC file) that is not what it should be goes out.

What only `ArchiveFailed` or a complaint may come of: cuts, flipped bits, missing parts, other versions.
"""

import gzip
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path

from tests.archive.visiting import NOW, begin, done, extracted, region
from tests.batch.warcs import http, record

from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, StoredRaw
from scythe.archive.retrieval import read_pages, read_raw
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Raw
from scythe.errors import ArchiveFailed
from scythe.output.warc import WarcFile
from scythe.url import Url

Make = Callable[[Path], Path]  # a folder -> the file to open in it
ARCHIVES: dict[str, Make] = {}
WARCS: dict[str, Make] = {}
PAGE_BYTES = 4_096  # of a database
HARMLESS = ("without an index", "with a torn journal")  # what is left of these is whole, and they say nothing


def fill(path: Path, pages: int = 40) -> Path:
    """Make an archive of a few hundred KB."""
    with open_archive(path) as archive:
        _, tasks = begin(archive, *(str(number) for number in range(pages)))
        for task in tasks:
            kept = replace(
                extracted(task.url, lists=(region((task.url, f"A record of {task.url}")),)),
                title=f"A title of {task.url}",
            )
            store_outcomes(archive, [done(task, extracted=kept, raw=Raw(200, (), task.url.encode() * 100))])
    return path


def complaints_about(path: Path) -> list[str]:
    """Return what opening, verifying and reading an archive complain about; nothing but ArchiveFailed may be raised."""
    complaints: list[str] = []
    try:
        with open_archive(path, create=False) as archive:
            complaints += verify_archive(archive)
            list(read_pages(archive, PageQuery()))
            list(read_raw(archive, PageQuery()))
    except ArchiveFailed as error:
        complaints.append(str(error))
    return complaints


@cache
def _whole() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return fill(Path(folder) / "whole.db").read_bytes()


def _damaged(name: str, damage: Callable[[bytes], bytes]) -> None:
    """Register an archive whose file is changed after it was closed."""

    def make(folder: Path) -> Path:
        path = folder / "damaged.db"
        path.write_bytes(damage(_whole()))
        return path

    ARCHIVES[name] = make


def _altered(name: str, *statements: str) -> None:
    """Register an archive whose tables are changed."""

    def make(folder: Path) -> Path:
        path = folder / "altered.db"
        path.write_bytes(_whole())
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(";".join(("PRAGMA foreign_keys = OFF", *statements)))
        return path

    ARCHIVES[name] = make


def flip(body: bytes, place: int, bit: int = 0) -> bytes:
    """Turn one bit over."""
    return body[:place] + bytes([body[place] ^ (1 << bit)]) + body[place + 1 :]


def _flip_many(body: bytes) -> bytes:
    dice, damaged = random.Random(11), bytearray(body)
    for _ in range(400):
        damaged[dice.randrange(PAGE_BYTES, len(body))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


for _share in (0.01, 0.3, 0.6, 0.9, 0.999):
    _damaged(f"cut at {_share}", lambda body, share=_share: body[: int(len(body) * share)])  # type: ignore[misc]
_damaged("cut to nothing", lambda body: b"")
_damaged("no database", lambda body: b"shopping list\n" * 1_000)
_damaged("noise behind its head", lambda body: body[:4_096] + b"\xff" * 99_999)
_damaged("flipped bit of a text", lambda body: flip(body, body.index(b"What is known") + 6))
_damaged("flipped bit of a title", lambda body: flip(body, body.index(b"A title of") + 6))
_damaged("flipped bit of a record", lambda body: flip(body, body.index(b"A record of") + 6))
_damaged("flipped bit of a body", lambda body: flip(body, body.index(b"\x28\xb5\x2f\xfd") + 6))
_damaged("flipped bit of the tree", lambda body: flip(body, 3 * PAGE_BYTES + 3))
_damaged("flipped bits by the hundred", _flip_many)
_damaged("pages in another order", lambda body: body[:8_192] + body[12_288:16_384] + body[8_192:12_288] + body[16_384:])
_damaged("zeros in the middle", lambda body: body[: len(body) // 2] + bytes(20_000) + body[len(body) // 2 + 20_000 :])
_altered("of a newer version", "UPDATE scythe_archive SET version = 99")
_altered("of a version below all", "UPDATE scythe_archive SET version = -1")
_altered("without a version", "DELETE FROM scythe_archive")
_altered("without its texts", "DELETE FROM extractions")
_altered("with a text changed", "UPDATE extractions SET text = text || ' '")
_altered("without an index", "DROP INDEX pages_body")
_altered("without a table", "DROP TABLE bodies")
_altered("of another program", "DROP TABLE scythe_archive", "CREATE TABLE bookmarks (url TEXT)")


def _torn_journal(folder: Path) -> Path:
    """Make half of the journal noise, as after a power cut; what came before it is whole."""
    path = folder / "torn.db"
    with open_archive(folder / "whole.db") as archive:
        _, tasks = begin(archive, *map(str, range(30)))
        for task in tasks:
            store_outcomes(archive, [done(task)])
        path.write_bytes((folder / "whole.db").read_bytes())
        journal = (folder / "whole.db-wal").read_bytes()
    path.with_name("torn.db-wal").write_bytes(journal[: len(journal) // 2] + random.Random(5).randbytes(5_000))
    return path


ARCHIVES["with a torn journal"] = _torn_journal


def _warc(name: str, make: Callable[[], bytes]) -> None:
    """Register a WARC file."""

    def write(folder: Path) -> Path:
        path = folder / "damaged.warc.gz"
        path.write_bytes(make())
        return path

    WARCS[name] = write


def _members(count: int = 20, *, compressed: bool = True) -> bytes:
    """Write a whole and right file."""
    file = BytesIO()
    warc = WarcFile(file, made_at=NOW, name="whole", compressed=compressed)
    for number in range(count):
        body = f"<p>page {number} {'reaped ' * 30}</p>".encode()
        warc.put(StoredRaw(Url(f"https://example.org/{number}"), NOW, 200, (("Content-Type", "text/html"),), body))
    warc.close()
    return file.getvalue()


def _member(**lies: object) -> bytes:
    """Write one record that lies."""
    told = record("https://example.org/lie", http(b"<p>one page</p>"), **lies)  # type: ignore[arg-type]
    return gzip.compress(told.replace(b"WARC-Payload-Digest: sha1:" + b"A" * 32 + b"\r\n", b""), mtime=0)


_warc("WARC cut in a record", lambda: _members()[:-60])
_warc("WARC with a flipped bit", lambda: flip(_members(), len(_members()) // 2))
_warc("WARC with a hole", lambda: _members()[:1_000] + bytes(500) + _members()[1_500:])
_warc("WARC of half a record", lambda: _members()[:150])
_warc("WARC not packed", lambda: _members(compressed=False)[:-40])
_warc("WARC packed as one", lambda: gzip.compress(_members(compressed=False)))
_warc("WARC with a long record", lambda: _member(length=10**12) + _members())
_warc("WARC with a negative length", lambda: _member(length=-5) + _members())
_warc("WARC without lengths", lambda: _member(length="many") + _members())
_warc("WARC of zeros", lambda: gzip.compress(bytes(9_000_000), 9) + _members())
_warc("WARC of noise", lambda: b"\x1f\x8b\x08" + random.Random(3).randbytes(5_000))
_warc("WARC of another version", lambda: _member(version="WARC/9.9") + _members())
_warc("WARC of nothing", lambda: b"")
