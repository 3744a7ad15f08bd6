"""Measure what it costs to keep raw responses in the database and in a folder beside it.

python tools/measure_stores.py [--pages 2000] [--bytes 60000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_raw
from scythe.archive.sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Raw
from scythe.url import Url

LANE = "site.example"
BATCH = 8  # outcomes that a crawl stores together when its archive is slower than the network


def make_bodies(count: int, size: int) -> list[bytes]:
    """Return pages of words, each another one; they pack as pages do, to a quarter or so."""
    chance = Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(2, 10))) for _ in range(3_000)]
    line = "<p class='text'>{}</p>\n"
    return [
        "".join(line.format(" ".join(chance.choices(words, k=40))) for _ in range(size // 260)).encode()
        for _ in range(count)
    ]


def measure(bodies: Sequence[bytes], store: str, folder: Path) -> str:
    """Store all bodies and read them again; return a line of what it took."""
    now = datetime.now(UTC)
    named = store.format(folder=folder)
    with open_archive(folder / "archive.db", store=named) as archive:
        site = add_site(archive, LANE, Url(f"http://{LANE}/"))
        add_urls(archive, site, [FoundUrl(Url(f"http://{LANE}/{n}"), LANE) for n in range(len(bodies))])
        tasks = next_tasks(archive, site, LANE, len(bodies), now=now)
        began, used = time.perf_counter(), time.process_time()
        for start in range(0, len(tasks), BATCH):
            store_outcomes(
                archive,
                [
                    Outcome(task, "done", now, status=200, seconds=0.1, extracted=Extracted(), raw=Raw(200, (), body))
                    for task, body in zip(tasks[start : start + BATCH], bodies[start : start + BATCH], strict=True)
                ],
            )
        wrote, cpu = time.perf_counter() - began, time.process_time() - used
        began = time.perf_counter()
        assert sum(len(raw.body) for raw in read_raw(archive, PageQuery())) == sum(map(len, bodies))
        read = time.perf_counter() - began
    size = (folder / "archive.db").stat().st_size / len(bodies) / 1_000
    each = 1_000 / len(bodies)
    kept_in = store.partition(":")[0] or "the database"
    return f"| {kept_in} | {wrote * each:.2f} | {cpu * each:.2f} | {read * each:.2f} | {size:.1f} |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--bytes", type=int, default=60_000)
    said = parser.parse_args()
    bodies = make_bodies(said.pages, said.bytes)
    print(f"{len(bodies)} bodies of {sum(map(len, bodies)) // len(bodies) / 1_000:.0f} KB; per body:\n")
    print("| kept in | ms to store | of processor | ms to read | KB of database |\n|---|---|---|---|---|")
    for store in ("", "folder:{folder}/bodies"):
        with TemporaryDirectory() as folder:
            print(measure(bodies, store, Path(folder)))


if __name__ == "__main__":
    main()
