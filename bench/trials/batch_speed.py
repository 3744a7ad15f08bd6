"""Measure `scythe batch` on WARC files that are made once: rows, kills, Ray, and speed against trafilatura.

The pages are those of trial sites (`bench.trial_site`), one seed and design per host, 60 to 120 KB each, in the order
in which a crawler of all hosts at once would have met them. A half is in `big.warc.gz`, the rest in `part-N.warc.gz`.
Between the pages are responses that are none: pages that are missing, redirects, pictures. `expected.jsonl` says of
every page its address, the digest of its body, its title, and the words that no other page of its host has. What is
measured, each under a name for `--only`:

rows      a whole batch, its sites learned first: how busy the cores are while it extracts, and that every page of the
          generator is a row, once, with its own title and words
kill      the same batch, killed with all its processes as soon as some units are done, and run again: the same rows
ray       the same batch on Ray: the same rows
speed     pages a second against trafilatura, over the same files with the same number of processes, both reading with
          fastwarc; for scythe by parts, for trafilatura as it is, and as fast as its settings make it
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from bench.trial_pages import TrialPage, build_pages, spell
from bench.trial_runs import descendants
from bench.trials.harness import trial_folder
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
_KEPT = Path(tempfile.gettempdir()) / "scythe-batch-warcs"
NAMES = ("rows", "kill", "ray", "speed")
TABLES = ("documents", "images", "records")
PARTS = ("text", "text,images", "text,records", "text,images,records")
FAST = {"fast": True, "include_comments": False, "include_tables": False}
_FILES = 7  # of the smaller ones that speed is measured on: a worker takes a while to import all it needs
_WAIT_S = 0.05


@dataclass(frozen=True)
class Settings:
    """What is measured on."""

    folder: Path
    processes: int
    files: int


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


def run_batch(inputs: Sequence[Path], out: Path, *more: str) -> dict[str, Any]:
    """Run `scythe batch`; return its counts and the seconds of the whole command."""
    began = time.monotonic()
    done = subprocess.run(_command(inputs, out, *more), stdout=subprocess.PIPE, check=True)
    return {**json.loads(done.stdout), "command_s": time.monotonic() - began}


def _command(inputs: Sequence[Path], out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "scythe", "batch", *map(str, inputs), "-o", str(out), "--json", *more]


def check_rows(out: Path, expected: Sequence[Expected]) -> dict[str, int]:
    """Count what is wrong with the table of documents."""
    rows = _read(out, "documents", ["url", "title", "text"]).to_pylist()
    urls = Counter(row["url"] for row in rows)
    by_url = {row["url"]: row for row in rows}
    known = [one for one in expected if one.url in by_url]
    return {
        "rows": len(rows),
        "missing": len(expected) - len(known),
        "twice": sum(count > 1 for count in urls.values()),
        "unknown": len(urls) - len(known),
        "other titles": sum(by_url[one.url]["title"] != one.title for one in known if not one.is_list),
        "without their own words": sum(one.words not in by_url[one.url]["text"] for one in known if not one.is_list),
    }


def _read(out: Path, table: str, columns: list[str] | None = None) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    files = sorted((out / table).glob("*.parquet"))
    return pa.concat_tables([parquet.read_table(file, columns=columns) for file in files])


def differences(one: Path, other: Path) -> dict[str, str]:
    """Say in which tables two batches differ, in any row or cell."""
    found = {}
    for table in TABLES:
        mine, theirs = _read(one, table), _read(other, table)
        order = [(name, "ascending") for name in ("file", "offset")]
        if not mine.sort_by(order).equals(theirs.sort_by(order)):
            found[table] = f"{mine.num_rows} and {theirs.num_rows} rows"
    return found


def measure_rows(said: Settings, out: Path) -> None:
    files = sorted(said.folder.glob("*.warc.gz"))
    counts = run_batch(files, out, "--processes", str(said.processes))
    pages = counts["documents"]
    told = ("responses", "documents", "images", "records", "failed", "skipped", "how", "fields", "learned")
    print("batch:", {name: counts[name] for name in told})
    print(f"  the command took {counts['command_s']:.1f} s, of which extracting {counts['seconds']:.1f} s")
    if not counts["resumed"]:
        busy = counts["cpu_s"] / counts["seconds"] / said.processes
        rates = _rates(counts["seconds"] / pages, counts["cpu_s"] / pages)
        print(f"  extracting: {rates}, {busy:.0%} of {said.processes} cores busy")
    print(f"  rows: {check_rows(out, read_expected(said.folder))}")


def measure_kill(said: Settings, whole: Path, out: Path) -> None:
    """Kill a run in the middle, with all its processes, and take it up."""
    files = sorted(said.folder.glob("*.warc.gz"))
    more = ("--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
    units = len(list((whole / "_done").glob("*.json")))
    process = subprocess.Popen(_command(files, out, *more), stdout=subprocess.DEVNULL, start_new_session=True)
    while len(list((out / "_done").glob("*.json"))) < units // 2 and process.poll() is None:
        time.sleep(_WAIT_S)
    for pid in (*descendants(process.pid), process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    kept = len(list((out / "_done").glob("*.json")))
    counts = run_batch(files, out, *more)
    print(f"killed after {kept} of {units} units; the next run took up {counts['resumed']}; "
          f"rows differ in {differences(whole, out) or 'nothing'}")  # fmt: skip


def measure_ray(said: Settings, whole: Path, out: Path) -> None:
    files = sorted(said.folder.glob("*.warc.gz"))
    more = ("--engine", "ray", "--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
    counts = run_batch(files, out, *more)
    print(f"ray: {counts['documents']} rows, extracting {counts['seconds']:.1f} s, command {counts['command_s']:.1f} s")
    print(f"  rows differ in {differences(whole, out) or 'nothing'}")


def read_by_trafilatura(path: str, settings: dict[str, bool]) -> tuple[int, int, float]:
    """Extract the text of every page of a file; return the pages, the characters and the CPU seconds."""
    import trafilatura
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    began, pages, chars = time.process_time(), 0, 0
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            sent = record.http_headers
            if sent is None or sent.status_code != 200 or "html" not in sent.get("Content-Type", ""):
                continue
            text = trafilatura.extract(record.reader.read(), url=record.headers["WARC-Target-URI"], **settings)
            pages, chars = pages + 1, chars + len(text or "")
    return pages, chars, time.process_time() - began


def measure_speed(said: Settings, whole: Path, out: Path) -> None:
    """Extract the same files with both, in as many processes, and print how fast that was."""
    files = sorted(said.folder.glob("part-*.warc.gz"))[: said.files]
    ours: dict[str, tuple[float, float]] = {}
    for number, parts in enumerate(PARTS):
        more = ("--parts", parts, "--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
        counts = run_batch(files, out / str(number), *more)
        pages = counts["documents"]
        ours[parts] = (counts["seconds"] / pages, counts["cpu_s"] / pages)
        print(f"scythe, {parts}: {pages} pages, {_rates(*ours[parts])}")
    for name, settings in (("as it is", {}), ("fast", FAST)):
        began = time.monotonic()
        with ProcessPoolExecutor(said.processes, mp_context=get_context("spawn")) as pool:
            results = list(pool.map(read_by_trafilatura, map(str, files), [settings] * len(files)))
        pages = sum(result[0] for result in results)
        theirs = ((time.monotonic() - began) / pages, sum(result[2] for result in results) / pages)
        print(f"trafilatura, {name}: {pages} pages, {_rates(*theirs)}")
        for parts, (wall_s, cpu_s) in ours.items():
            print(f"  scythe, {parts}: {theirs[0] / wall_s:.1f} times as fast, {theirs[1] / cpu_s:.1f} times by CPU")


def _rates(wall_s: float, cpu_s: float) -> str:
    return f"{1 / wall_s:.0f} pages/s, {1e3 * cpu_s:.2f} ms CPU a page"


def run(
    *,
    folder: Path = _KEPT,
    out: Path | None = None,
    pages: int = 20_000,
    hosts: int = 10,
    processes: int = 2,
    files: int = _FILES,
    only: str = ",".join(NAMES),
) -> None:
    """`folder` has the WARC files, made where there are none; speed is measured on `files` of them."""
    if not (folder / EXPECTED).exists():
        make_warcs(folder, pages, hosts)
    with trial_folder(out) as (tables, _):
        settings, whole = Settings(folder, processes, files), tables / "whole"
        measure_rows(settings, whole)  # the others compare with it; where it is done it takes no time
        for name, step in {"kill": measure_kill, "ray": measure_ray, "speed": measure_speed}.items():
            if name in only.split(","):
                shutil.rmtree(tables / name, ignore_errors=True)
                step(settings, whole, tables / name)
