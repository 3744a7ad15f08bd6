"""Kill crawls and let them go on.

The real command crawls a local site. At random moments (so many requests after its start, and some milliseconds) it is
killed with SIGKILL, every other time together with its workers, and started again with the same words, until the site
is complete; then a fresh archive, until there were `--kills` kills. Each archive is compared with the site and with the
server's ledger. Everything that is lost or doubled is counted.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random

from bench.trial_pages import START, load_pages
from bench.trial_runs import FAST, Ledger, Moments, crawl_command, query, serve_trial, start, wait
from bench.trials.harness import trial_folder

_RUN_S = 1_800.0  # 10 000 pages on a machine that others use too


@dataclass
class Verdict:
    """What was found wrong, each of it as a number that should be 0; and what was done."""

    kills: int = 0
    kills_of_all: int = 0  # workers included
    rounds: int = 0
    runs: int = 0
    pages: int = 0  # of the site, over all rounds
    requests: int = 0  # seen by the server
    asked_again: int = 0  # requests for pages that had been asked for before: in flight when the kill came
    lost: int = 0  # pages of the site that are not in the archive
    wrong: int = 0  # pages whose body is not that of the site
    doubled_pages: int = 0
    doubled_versions: int = 0
    doubled_records: int = 0
    doubled_sightings: int = 0
    doubled_fetches: int = 0
    waiting: int = 0  # addresses left in the frontier
    frontier_differs: int = 0  # addresses that are not of the site, are missing, or are in another state
    orphans: int = 0  # workers that outlived their parent
    complaints: list[str] = field(default_factory=list)
    restart_s: list[float] = field(default_factory=list)  # from the start of a resumed run to its first request

    def faults(self) -> int:
        """Return the sum of all that should not be."""
        doubled = self.doubled_pages + self.doubled_versions + self.doubled_records + self.doubled_sightings
        left = self.waiting + self.frontier_differs + self.orphans
        return self.lost + self.wrong + doubled + self.doubled_fetches + left + len(self.complaints)


@dataclass(frozen=True)
class Trial:
    """One site, one database, one sequence of chances."""

    url: str
    ledger: Ledger
    bodies: dict[str, bytes]  # path -> hash
    random: Random
    most_requests: int  # between two kills
    more: tuple[str, ...] = ()

    def crawl_killed(self, archive: str, kills: int, verdict: Verdict) -> None:
        """Crawl the site, killed at most `kills` times."""
        moments = Moments(self.random, self.most_requests, 0.05, _RUN_S)
        while True:
            verdict.runs += 1
            process = start(crawl_command(self.url, archive, *FAST, *self.more))
            try:
                ended = moments.wait_for_one(process, self.ledger, verdict)[0] if kills else wait(process, _RUN_S)
                if ended is not None:
                    if ended != 0:
                        verdict.complaints.append(f"exit code {ended}: {_said(process)}")
                    return
                moments.kill(process, verdict)
                kills -= 1
            finally:
                assert process.stderr is not None
                process.stderr.close()

    def judge(self, archive: str, verdict: Verdict, asked: Counter[str]) -> None:
        """Compare an archive with the site, whose pages name one another and nothing else."""
        base = self.url.removesuffix(START)
        rows = query(archive, "SELECT u.url, p.body_hash FROM pages p JOIN urls u ON u.id = p.id")
        stored = Counter(str(url).removeprefix(base) for url, _ in rows)
        hashes = {str(url).removeprefix(base): bytes(value) for url, value in rows}
        verdict.rounds += 1
        verdict.pages += len(self.bodies)
        verdict.lost += len(self.bodies.keys() - stored.keys())
        verdict.wrong += sum(1 for path, value in hashes.items() if self.bodies.get(path) != value)
        verdict.doubled_pages += sum(stored.values()) - len(stored)
        verdict.doubled_versions += int(query(archive, "SELECT count(*) FROM versions")[0][0]) - len(rows)
        verdict.doubled_records += _surplus(archive, "records", "site, identity")
        verdict.doubled_sightings += _surplus(archive, "sightings", "record, page")
        verdict.doubled_sightings += int(query(archive, "SELECT count(*) FROM sightings WHERE times > 1")[0][0])
        verdict.doubled_fetches += _surplus(archive, "fetches", "url", "WHERE state = 'done'")
        verdict.waiting += int(query(archive, "SELECT count(*) FROM urls WHERE due_at IS NOT NULL")[0][0])
        frontier = query(archive, "SELECT url, kind, state FROM urls")
        expected = {(base + path, "page", "done") for path in self.bodies} | {
            (base + "/sitemap.xml", "sitemap", "gone")
        }
        verdict.frontier_differs += len(set(frontier) ^ expected) + len(frontier) - len(set(frontier))
        verdict.asked_again += sum(count - 1 for path, count in asked.items() if path in self.bodies)
        verdict.lost += len(self.bodies.keys() - asked.keys())


def _said(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.read()[-500:]


def _surplus(archive: str, table: str, identity: str, where: str = "") -> int:
    """Return how many rows of a table say what another one says."""
    sql = f"SELECT count(*) FROM {table} {where}"
    different = f"SELECT count(*) FROM (SELECT DISTINCT {identity} FROM {table} {where}) AS one"
    return int(query(archive, sql)[0][0]) - int(query(archive, different)[0][0])


@dataclass(frozen=True)
class Settings:
    """How much to try."""

    kills: int = 200
    pages: int = 1_500
    requests: int = 60  # at most, between two kills
    seed: int = 1
    more: tuple[str, ...] = ()  # options of scythe crawl


def measure(settings: Settings, places: Iterator[str], folder: Path, *, tell: bool = False) -> Verdict:
    """Kill as often as asked for, with archives at `places`, and return what was found."""
    verdict = Verdict()
    ledger = Ledger(folder / "ledger")
    bodies = {page.path: sha256(page.body).digest() for page in load_pages(settings.pages)}
    with serve_trial("--pages", str(settings.pages), "--ledger", str(ledger.path)) as url:
        trial = Trial(url, ledger, bodies, Random(settings.seed), settings.requests, settings.more)
        while verdict.kills < settings.kills:
            archive, seen = next(places), ledger.count()
            trial.crawl_killed(archive, settings.kills - verdict.kills, verdict)
            rows = ledger.read()[seen:]
            verdict.requests += len(rows)
            trial.judge(archive, verdict, Counter(row.path for row in rows))
            if tell:
                print(f"round {verdict.rounds}: {verdict.kills} kills so far, {verdict.faults()} faults", flush=True)
    return verdict


def run(*, kills: int = 200, pages: int = 1_500, requests: int = 60, postgres: bool = False, seed: int = 1) -> Verdict:
    with trial_folder(postgres=postgres) as (folder, places):
        return measure(Settings(kills, pages, requests, seed), places, folder, tell=True)
