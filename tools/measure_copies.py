"""Print what pages that are alike cost while an archive grows, each as one of many of its kind.

    python -m tools.measure_copies [--pages 100000] [--kind same|near|different|changing ...] [--folder DIR]

`same`: all have one body, as a site's page for what it does not have. `near`: each text differs from all others in a
word, and its fingerprint in at most three bits from one of a few. `different`: no two are alike. `changing`: all have
one body, then all have another one. Printed are microseconds of processor time for each page, of each tenth; these
should stay the same.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.schema import digest_text
from scythe.archive.sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Task
from scythe.url import Url

BATCH = 64  # as a crawl stores them
LANE = "site.example"
SITE = Url(f"http://{LANE}/")
KINDS = ("same", "near", "different", "changing")
TEXT = "The page that you asked for was moved, or never was here, or will come again when the harvest is in. " * 3


def visit(task: Task, kind: str, number: int, chance: random.Random) -> Outcome:
    """Return what a visit of page `number` brought."""
    text, simhash = TEXT, 0x1234_5678_9ABC_DEF0
    if kind == "different":
        text, simhash = f"{chance.randbytes(100).hex()} {TEXT}", chance.getrandbits(64)
    elif kind == "near":
        text = f"{number} {TEXT}"
        for _ in range(3):
            simhash ^= 1 << chance.randrange(64)
    elif kind == "changed":
        text = f"{TEXT} New."
    extracted = Extracted(title="Not found", text=text, simhash=simhash)
    body_hash = digest_text(text)
    return Outcome(
        task, "done", datetime.now(UTC), status=200, seconds=0.1, size=2_000, body_hash=body_hash, extracted=extracted
    )


def change(archive: Archive, site: int) -> Iterator[float]:
    """Store other bodies, all the same, for all pages that there are."""
    requeue(archive, site)
    while tasks := next_tasks(archive, site, LANE, BATCH, now=datetime.now(UTC)):
        outcomes = [visit(task, "changed", 0, random.Random(1)) for task in tasks]
        began = time.process_time()
        store_outcomes(archive, outcomes)
        yield time.process_time() - began


def add_tasks(archive: Archive, site: int, names: list[str]) -> list[Task]:
    add_urls(archive, site, [FoundUrl(Url(f"{SITE}{name}"), LANE) for name in names])
    return next_tasks(archive, site, LANE, len(names), now=datetime.now(UTC))


def store(archive: Archive, site: int, kind: str, pages: int) -> Iterator[float]:
    """Store pages of a kind; yield the seconds of processor time that each batch took to store."""
    chance = random.Random(1)
    for first in range(0, pages, BATCH):
        names = [f"{kind}/{number}" for number in range(first, min(first + BATCH, pages))]
        tasks = add_tasks(archive, site, names)
        outcomes = [visit(task, kind, first + at, chance) for at, task in enumerate(tasks)]
        began = time.process_time()
        store_outcomes(archive, outcomes)
        yield time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--folder", type=Path, help="where the archive is made; /dev/shm costs no syncing")
    said = parser.parse_args()
    for kind in said.kind or KINDS:
        with tempfile.TemporaryDirectory(dir=said.folder) as folder, open_archive(Path(folder) / "a.db") as archive:
            site = add_site(archive, LANE, SITE)
            spent = list(store(archive, site, kind, said.pages))
            spent = list(change(archive, site)) if kind == "changing" else spent
            tenth = max(1, len(spent) // 10)
            each = [sum(spent[at : at + tenth]) / (tenth * BATCH) for at in range(0, tenth * 10, tenth)]
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{kind}: {' '.join(f'{one * 1e6:.0f}' for one in each)} us/page; {memory:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
