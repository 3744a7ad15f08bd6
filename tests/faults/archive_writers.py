"""Processes that write one archive, killed or all at once; what they were told goes to a ledger for comparison.

Page number n names the pages 2n + 1 and 2n + 2, so an archive is done when it has exactly as many pages as it may, and
lists three records: one that every page has, one that a tenth of them have, one of its own.
Run as `python -m tests.faults.archive_writers kill|race|sites WHERE PAGES COUNT SEED`; prints a line of JSON.
"""

import json
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import BinaryIO

from tests.archive.visiting import HOST, NOW, SITE, done, extracted, found, region

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Outcome, Raw, Task

BATCH = 8
Write = Callable[[str, str, int, BinaryIO, int], None]  # where, key of the site, how much, ledger, seed


def number_of(task: Task) -> int:
    return int(task.url.removeprefix(SITE))


def visit(task: Task, pages: int, key: str) -> Outcome:
    number = number_of(task)
    children = tuple(found(str(child)) for child in (2 * number + 1, 2 * number + 2) if child < pages)
    listed = region(("all", "In all"), (f"tenth/{number % 10}", "In a tenth"), (f"own/{number}", "Own"))
    about = extracted(f"page {number} of {key}", lists=(listed,), simhash=number * 0x9E3779B97F4A7C15 % 2**64)
    return done(
        task, f"page {number} of {key}", extracted=about, found=children, raw=Raw(200, (), b"%d" % number * 500)
    )


def write(where: str, key: str, pages: int, ledger: BinaryIO, seed: int) -> None:
    """Store batch after batch until nothing waits; put down every page once the archive said that it has it."""
    chance = random.Random(seed)
    with open_archive(where) as archive:
        site = add_site(archive, key, SITE)
        add_urls(archive, site, [found("0")])
        while tasks := next_tasks(archive, site, HOST, BATCH * 4, now=NOW):
            batch = chance.sample(tasks, min(len(tasks), chance.randint(1, BATCH)))
            told = [
                f"{number_of(receipt.task)} {key} {receipt.stored} {receipt.found} {receipt.records}\n"
                for receipt in store_outcomes(archive, [visit(task, pages, key) for task in batch])
            ]
            ledger.write("".join(told).encode())
            ledger.flush()


def start(where: str, key: str, pages: int, seed: int, write: Write = write) -> tuple[int, int]:
    """Start a writer; return its number and the end of the pipe that its ledger comes from."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    status = 1
    try:
        os.close(reading)
        with os.fdopen(writing, "wb") as ledger:
            write(where, key, pages, ledger, seed)
        status = 0
    finally:
        os._exit(status)


def collect(reading: int) -> list[list[str]]:
    """Read a ledger to its end; a last line that the kill cut off was not told to anybody."""
    with os.fdopen(reading, "rb") as ledger:
        lines = ledger.read().decode().splitlines(keepends=True)
    return [line.split() for line in lines if line.endswith("\n")]


def kill(where: str, pages: int, kills: int, seed: int, write: Write = write) -> tuple[list[list[str]], dict[str, int]]:
    """Kill one writer after the other at random moments, then let the last one end."""
    chance = random.Random(seed)
    told: list[list[str]] = []
    killed = 0
    for turn in range(kills):
        pid, reading = start(where, HOST, pages, seed + turn, write)
        if turn % 4:  # the others may be killed while they open the archive
            select.select([reading], [], [], 10)
        time.sleep(chance.uniform(0, 0.06))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        killed += os.WIFSIGNALED(status)
        told += collect(reading)
    before = len(told)
    pid, reading = start(where, HOST, pages, seed - 1, write)
    told += collect(reading)
    _, status = os.waitpid(pid, 0)
    return told, {
        "killed": killed,
        "told_before_the_last": before,
        "last_ended_with": os.waitstatus_to_exitcode(status),
    }


def race(where: str, pages: int, writers: int, seed: int, sites: int = 1) -> tuple[list[list[str]], dict[str, int]]:
    """Let all make the archive and write at once, each asking for whatever waits of its site."""
    started = [start(where, f"site{turn % sites}", pages, seed + turn) for turn in range(writers)]
    told = [line for _, reading in started for line in collect(reading)]
    ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid, _ in started]
    return told, {"failed": sum(end != 0 for end in ends)}


def compare(archive: Archive, told: list[list[str]]) -> dict[str, object]:
    """Hold the ledger against the archive."""
    with archive.reading() as connection:
        ask = connection.exec_driver_sql
        kept = Counter(number for (number,) in ask("SELECT title FROM extractions"))
        whole = "urls.state = 'done' AND versions.id IS NOT NULL AND extractions.version IS NOT NULL"
        joined = (
            "urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN versions ON versions.id = pages.version "
            "LEFT JOIN extractions ON extractions.version = versions.id"
        )
        half = ask(f"SELECT count(*) FROM {joined} WHERE NOT ({whole})").scalar()
        seen_twice = ask("SELECT count(*) FROM sightings WHERE times <> 1").scalar()
        bodies = ask("SELECT count(*) FROM bodies").scalar()
    stored = Counter(f"page {number} of {key}" for number, key, what, *_ in told if what != "lost")
    return {
        "told": sum(stored.values()),
        "told_twice": sum(times > 1 for times in stored.values()),
        "told_but_missing": sum(page not in kept for page in stored),
        "kept_twice": sum(times > 1 for times in kept.values()),
        "half": half,
        "seen_twice": seen_twice,
        "bodies": bodies,
        "found": sum(int(found) for _, _, what, found, _ in told if what != "lost"),
        "new_records": sum(int(new) for _, _, what, _, new in told if what != "lost"),
        "complaints": verify_archive(archive),
        **asdict(count_archive(archive)),
    }


def main(how: str, where: str, pages: int, count: int, seed: int) -> None:
    ways = {"kill": kill, "race": race, "sites": partial(race, sites=4)}
    told, summary = ways[how](where, pages, count, seed)
    with open_archive(where, create=False) as archive:
        print(json.dumps({**summary, **compare(archive, told)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
