"""Crawl a site on this machine with scythe and with Scrapy: a number of pages comes in, speed and losses go out.

scythe follows links, extracts title, text and images of every page and archives them; Scrapy only saves bodies. Both
ask the same server, which has a process of its own, one after the other, as often at once and without a pause. Then
both are killed once with SIGKILL, workers included, when half of the pages were asked for, and started again with the
same words.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cut_tables import Cell, Table
from bench.peers import release
from bench.trial_pages import START, TrialPage, load_pages, spell
from bench.trial_runs import Ledger, Timed, crawl_command, query, serve_trial, start, time_command
from scythe.errors import BadInput, ScytheError

PAGES, PAGE_BYTES = 1_000, 100_000
LEAST_PAGES = 42  # two lists of pages: fewer make no site
CONCURRENCY = 16
SCYTHE, SCRAPY = "scythe", "Scrapy"
STORED = "SELECT count(*) FROM pages p JOIN extractions e ON e.version = p.version"
_POLL_S = 0.005
_PATIENCE_S = 300.0  # until half of the pages were asked for, on a machine that others use too

Tick = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Crawled:
    """One crawl in peace."""

    who: str
    pages: int  # that were extracted and stored; of Scrapy, that were saved
    seconds: float  # of the whole command, start and learning included
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Killed:
    """One crawl that was killed half way and went on."""

    who: str
    pages: int  # of the site
    killed_at: int  # requests
    lost: int  # pages that are not there at the end
    doubled: int  # that are there twice
    asked_again: int  # requests for pages that had been asked for before


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """Everything that was measured."""

    pages: int
    page_bytes: int
    crawled: tuple[Crawled, ...]
    killed: tuple[Killed, ...]


def crawl_options(concurrency: int = CONCURRENCY, *, workers: int = 1, sitemaps: bool = False) -> list[str]:
    """Return the options of a crawl that is to be as fast as it can."""
    asked = str(concurrency)
    options = ["--delay", "0", "--concurrency", asked, "--per-host", asked, "--workers", str(workers)]
    options += ["--parts", "text,images", "--ignore-robots", "--no-feeds"]
    return [*options, "--sitemaps" if sitemaps else "--no-sitemaps"]


def spider_command(url: str, out: Path, *more: str, concurrency: int = CONCURRENCY) -> list[str]:
    """Return the command that saves the pages of a site with Scrapy."""
    return [
        sys.executable,
        "-m",
        "bench.trial_spider",
        url,
        str(out),
        "--concurrency",
        str(concurrency),
        *more,
    ]


def run(
    *, pages: int = PAGES, page_bytes: int = PAGE_BYTES, peers: bool = True, tick: Tick = lambda what, total: None
) -> CrawlRun:
    """Crawl, kill, and go on.

    Without `peers`, or where Scrapy is not installed, scythe is alone. `tick(what, total)` is called before each crawl.
    Raises BadInput for a number of pages that makes no site, ScytheError where a crawl fails.
    """
    if sys.platform == "win32":
        raise BadInput("bench crawl kills groups of processes, which Windows does not have")
    if pages < LEAST_PAGES:
        raise BadInput(f"a site of {pages} pages is too small to crawl: at least {LEAST_PAGES} were expected")
    kinds = (_Scythe, _Scrapy) if peers and release("scrapy") else (_Scythe,)
    with TemporaryDirectory(prefix="scythe-bench-") as name:
        folder = Path(name)
        made = load_pages(pages, page_bytes, folder)
        ledger = Ledger(folder / "ledger")
        site = ("--pages", str(pages), "--bytes", str(page_bytes), "--kept", name, "--ledger", str(ledger.path))
        with serve_trial(*site) as url:
            crawlers = [kind(url, folder, made) for kind in kinds]
            crawled, killed = [], []
            for crawler in crawlers:
                tick(f"{crawler.name}, {pages} pages", 2 * len(crawlers))
                crawled.append(crawler.crawl(ledger))
            for crawler in crawlers:
                tick(f"{crawler.name}, killed half way", 2 * len(crawlers))
                killed.append(crawler.crawl_killed(ledger))
    return CrawlRun(pages, page_bytes, tuple(crawled), tuple(killed))


class _Crawler(ABC):
    """What is crawled with, and where its pages end up."""

    name: str

    def __init__(self, url: str, folder: Path, pages: Sequence[TrialPage]) -> None:
        self.url = url
        self.folder = folder
        self.pages = pages

    @abstractmethod
    def command(self, place: Path) -> list[str]:
        """Return the command whose pages go to `place`."""

    @abstractmethod
    def count(self, place: Path, took: Timed) -> int:
        """Return how many pages came."""

    @abstractmethod
    def judge(self, place: Path) -> tuple[int, int]:
        """Return how many pages are missing and how many are there twice."""

    def crawl(self, ledger: Ledger) -> Crawled:
        """Crawl in peace."""
        place = self.folder / f"{self.name}-whole"
        took = time_command(self.command(place), ledger)
        return Crawled(self.name, self.count(place, took), took.seconds, took.cpu_s)

    def crawl_killed(self, ledger: Ledger) -> Killed:
        """Crawl, kill when half of the pages were asked for, and crawl on with the same words."""
        place, before = self.folder / f"{self.name}-killed", ledger.count()
        command = self.command(place)
        killed_at = kill_after(command, ledger, before + len(self.pages) // 2) - before
        time_command(command, ledger)
        paths = [asked.path for asked in ledger.read()[before:] if asked.path != "/robots.txt"]
        lost, doubled = self.judge(place)
        return Killed(self.name, len(self.pages), killed_at, lost, doubled, len(paths) - len(set(paths)))


def kill_after(command: Sequence[str], ledger: Ledger, requests: int) -> int:
    """Kill a command and all it started once so many requests were seen; return how many there are then."""
    process = start(command)
    assert process.stderr is not None
    until = time.monotonic() + _PATIENCE_S
    try:
        while ledger.count() < requests:
            if process.poll() is not None or time.monotonic() > until:
                raise ScytheError(f"too few requests before the kill: {' '.join(command)}")
            time.sleep(_POLL_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()
    return ledger.count()


class _Scythe(_Crawler):
    name = SCYTHE

    def command(self, place: Path) -> list[str]:
        return crawl_command(self.url, f"{place}.db", *crawl_options())

    def count(self, place: Path, took: Timed) -> int:
        return int(query(f"{place}.db", STORED)[0][0])

    def judge(self, place: Path) -> tuple[int, int]:
        """Compare the archive with the site, body by body, past the archive's own code."""
        rows = query(f"{place}.db", "SELECT u.url, p.body_hash FROM pages p JOIN urls u ON u.id = p.id")
        base = self.url.removesuffix(START)
        stored = [(str(url).removeprefix(base), bytes(value)) for url, value in rows]
        wanted = {(page.path, sha256(page.body).digest()) for page in self.pages}
        versions = int(query(f"{place}.db", "SELECT count(*) FROM versions")[0][0])
        return len(wanted - set(stored)), max(len(stored), versions) - len({path for path, _ in stored})


class _Scrapy(_Crawler):
    name = SCRAPY

    def command(self, place: Path) -> list[str]:
        more = ("--kept", f"{place}-queue") if place.name.endswith("killed") else ()
        return spider_command(self.url, place, *more)

    def count(self, place: Path, took: Timed) -> int:
        return sum(bool(times) for times in self._saved(place))

    def judge(self, place: Path) -> tuple[int, int]:
        saved = self._saved(place)
        return sum(not times for times in saved), sum(max(0, times - 1) for times in saved)

    def _saved(self, place: Path) -> list[int]:
        """Return how often each page was saved, told by what it says and no other does."""
        bodies = place.read_bytes()
        return [bodies.count(b"filed under %s." % spell(number)) for number in range(len(self.pages))]


def make_tables(done: CrawlRun) -> list[Table]:
    """Return the table of both trials."""
    rows: list[tuple[Cell, ...]] = []
    for one, killed in zip(done.crawled, done.killed, strict=True):
        rate, cpu_ms = one.pages / one.seconds, 1e3 * one.cpu_s / max(1, one.pages)
        rows.append(
            (one.who, one.pages, rate, cpu_ms, killed.killed_at, killed.lost, killed.doubled, killed.asked_again)
        )
    columns = ("crawler", "pages", "pages/s", "CPU ms/page", "killed at request", "lost", "stored twice", "asked again")
    title = f"{done.pages} pages of {done.page_bytes // 1000} KB on this machine, following links"
    note = (
        "scythe extracts title, text and images and archives them, Scrapy only saves bodies; one crawl each, start and "
        "learning included; killed with SIGKILL once half of the pages were asked for, then started again"
    )
    return [Table("crawl", title, columns, tuple(rows), note)]
