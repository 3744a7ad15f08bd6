"""Time crawls of a local site against Scrapy.

scythe follows links, extracts title, text and images of every page and archives them; Scrapy only saves bodies. Both
ask the same server, which has a process of its own, with the same concurrency and without a delay, in turn. Twice: by
following links, and from a list of addresses (for scythe a sitemap). With `--growth` scythe crawls `--copies` editions
of every page, and its memory is watched: until 64 MB of the database are in memory, and flat from there on.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.crawl import STORED, crawl_options, spider_command
from bench.trial_pages import START, load_pages
from bench.trial_runs import (
    ENVIRONMENT,
    Ledger,
    Timed,
    crawl_command,
    descendants,
    query,
    rss_mb,
    serve_trial,
    time_command,
)
from bench.trials.harness import trial_folder


@dataclass(frozen=True)
class Settings:
    """How much to crawl, and how."""

    pages: int = 5_000
    page_bytes: int = 100_000
    concurrency: int = 16
    workers: int = 1
    repeat: int = 3
    ways: tuple[str, ...] = ("links", "list")
    copies: int = 6


@dataclass(frozen=True)
class Sample:
    """How much memory was used when so many requests had been made."""

    requests: int
    parent_mb: float
    workers_mb: float


@dataclass
class Run:
    """One crawl."""

    who: str
    way: str
    pages: int
    seconds: float  # of the whole command
    asking_s: float  # from the first request to the last
    cpu_s: float  # of all its processes
    samples: list[Sample] = field(default_factory=list, repr=False)

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds


def run_command(command: Sequence[str], ledger: Ledger, *, watch: bool = False) -> tuple[Timed, list[Sample]]:
    """Run a command; return what it took, and, where that is watched, what memory it used."""
    samples: list[Sample] = []

    def look(pid: int, requests: int) -> None:
        samples.append(Sample(requests, rss_mb(pid), sum(map(rss_mb, descendants(pid)))))

    return time_command(command, ledger, environment=ENVIRONMENT, watch=look if watch else None), samples


def run_scythe(url: str, ledger: Ledger, folder: Path, way: str, said: Settings, *, watch: bool = False) -> Run:
    """Crawl with scythe."""
    archive = folder / f"{time.monotonic_ns()}.db"
    options = crawl_options(said.concurrency, workers=said.workers, sitemaps=way == "list")
    command = crawl_command(url, str(archive), *options)
    took, samples = run_command(command, ledger, watch=watch)
    pages = int(query(str(archive), STORED)[0][0])
    for path in folder.glob(f"{archive.name}*"):
        path.unlink()
    return Run("scythe", way, pages, took.seconds, took.asking_s, took.cpu_s, samples)


def run_scrapy(url: str, ledger: Ledger, folder: Path, way: str, said: Settings) -> Run:
    """Crawl with Scrapy."""
    out = folder / "bodies"
    command = spider_command(url, out, concurrency=said.concurrency)
    if way == "list":
        listed = folder / "urls"
        listed.write_text(
            "\n".join(url.removesuffix(START) + page.path for page in load_pages(said.pages, said.page_bytes))
        )
        command += ["--list", str(listed)]
    took, _ = run_command(command, ledger)
    size = out.stat().st_size
    out.unlink()
    if size < took.requests * said.page_bytes * 0.9:
        raise SystemExit(f"Scrapy saved {size} bytes of {took.requests} pages")
    return Run("Scrapy", way, took.requests, took.seconds, took.asking_s, took.cpu_s)


def growth_mb(samples: Sequence[Sample], warm: int) -> tuple[float, float]:
    """Return by how many MB parent and workers grow with 10 000 requests, once `warm` requests were made."""
    last = samples[-1].requests
    kept = [sample for sample in samples if warm <= sample.requests < last]  # at the end processes are let go
    asked = [sample.requests for sample in kept]
    parent = statistics.linear_regression(asked, [sample.parent_mb for sample in kept]).slope
    workers = statistics.linear_regression(asked, [sample.workers_mb for sample in kept]).slope
    return parent * 10_000, workers * 10_000


def compare(said: Settings, folder: Path) -> list[Run]:
    """Crawl with both, in turn."""
    runs = []
    ledger = Ledger(folder / "ledger")
    site = ("--pages", str(said.pages), "--bytes", str(said.page_bytes), "--ledger", str(ledger.path), "--map")
    with serve_trial(*site) as url:
        for _ in range(said.repeat):
            for way in said.ways:
                for crawl in (run_scythe, run_scrapy):
                    runs.append(crawl(url, ledger, folder, way, said))
                    _tell(runs[-1])
    return runs


def watch_memory(said: Settings, folder: Path) -> Run:
    """Crawl many pages and return how memory grew."""
    ledger = Ledger(folder / "ledger")
    site = ("--pages", str(said.pages), "--bytes", str(said.page_bytes), "--copies", str(said.copies), "--map")
    with serve_trial(*site, "--ledger", str(ledger.path)) as url:
        return run_scythe(url, ledger, folder, "list", said, watch=True)


def _tell_growth(crawl: Run) -> None:
    _tell(crawl)
    for sample in crawl.samples[:: max(1, len(crawl.samples) // 20)]:
        print(
            f"  {sample.requests:>8} requests  parent {sample.parent_mb:7.1f} MB  workers {sample.workers_mb:7.1f} MB"
        )
    parent, workers = growth_mb(crawl.samples, warm=crawl.pages // 2)
    print(f"growth per 10 000 pages in the second half: parent {parent:+.2f} MB, workers {workers:+.2f} MB")


def _tell(crawl: Run) -> None:
    rates = f"{crawl.pages_per_s:7.1f} pages/s, {crawl.pages / crawl.asking_s:7.1f} while asking"
    cpu = f"{crawl.cpu_s / crawl.pages * 1000:6.2f} ms CPU per page"
    print(f"{crawl.who:<7} {crawl.way:<6} {crawl.pages:>6} pages {crawl.seconds:8.1f} s  {rates}  {cpu}", flush=True)


def run(
    *,
    pages: int = 5_000,
    page_bytes: int = 100_000,
    concurrency: int = 16,
    workers: int = 1,
    repeat: int = 3,
    ways: str = "links,list",
    growth: bool = False,
    copies: int = 6,
) -> None:
    """Compare with Scrapy, or with `growth` watch memory."""
    settings = Settings(pages, page_bytes, concurrency, workers, repeat, tuple(ways.split(",")), copies)
    with trial_folder() as (folder, _):
        if growth:
            _tell_growth(watch_memory(settings, folder))
            return
        runs = compare(settings, folder)
    for way in settings.ways:
        rates = {
            who: statistics.median(crawl.pages_per_s for crawl in runs if (crawl.who, crawl.way) == (who, way))
            for who in ("scythe", "Scrapy")
        }
        print(f"{way}: scythe {rates['scythe'] / rates['Scrapy']:.2f} times the pages per second of Scrapy (medians)")
