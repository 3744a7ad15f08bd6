"""Measure how long it takes to tell how the sites of an archive fare.

    python tools/make_big_archive.py big.db --pages 100000 --sites 1 --watches 1 --records 1000
    python tools/measure_health.py big.db

Prints milliseconds of wall clock, the best and the median of several times, for the site with the most pages.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median

from scythe.archive.open import open_archive
from scythe.archive.site_health import count_archive, read_health
from scythe.archive.sites import site_rows

TIMES = 9


def spent(work: Callable[[], object]) -> str:
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return f"{min(times):.0f} ms, median {median(times):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", help="a file, or postgresql://...")
    options = parser.parse_args()
    with open_archive(options.archive, create=False) as archive:
        now = datetime.now(UTC)
        site = max(site_rows(archive), key=lambda each: count_archive(archive, each.id).pages)
        health = read_health(archive, site.id, now=now)
        print(f"{site.key}: {health.counts.pages} pages, {health.counts.fetches} fetches, {health.sampled} sampled")
        print(f"read_health: {spent(lambda: read_health(archive, site.id, now=now))}")
        print(f"counts:      {spent(lambda: count_archive(archive, site.id))}")


if __name__ == "__main__":
    main()
