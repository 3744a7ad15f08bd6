"""Print how long it takes to index an archive, and to search it.

    python tools/measure_search.py ARCHIVE [--times 5]

ARCHIVE is what tools/make_big_archive.py wrote: a file, or a postgresql:// address. Its index is made anew.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from sqlalchemy import text

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import SearchQuery
from scythe.archive.search import run_search
from scythe.archive.search_index import index_new

WORDS = (
    "", "harvest", "harvest market", '"harvest field"', "harv*", "halan -harvest", "收成", "京", "nosuchword",
    "thing 17",
)  # fmt: skip


def took_ms(work: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append(1e3 * (time.perf_counter() - began))
    return statistics.median(spent)


def measure(archive: Archive, times: int) -> None:
    with archive.writing() as connection:
        connection.execute(text("DELETE FROM cursors WHERE name LIKE 'search %'"))
    began, cpu = time.perf_counter(), time.process_time()
    index_new(archive, budget_s=3_600)
    spent, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"indexed in {spent:.1f} s ({cpu:.1f} s of this process); ", end="")
    print(f"nothing new: {took_ms(lambda: index_new(archive), times):.1f} ms\n")
    print("| words | what | found | best first, ms | newest first, ms | second page, ms |")
    print("|---|---|---|---|---|---|")
    slowest = 0.0
    for words in WORDS:
        for what in ("documents", "records"):
            first = run_search(archive, SearchQuery(words, what))
            found = f"{'> ' if first.is_more else ''}{first.total}"
            best = took_ms(lambda words=words, what=what: run_search(archive, SearchQuery(words, what)), times)
            newest = took_ms(
                lambda words=words, what=what: run_search(archive, SearchQuery(words, what, order="newest")), times
            )
            again = SearchQuery(words, what, after=first.next)
            second = took_ms(lambda again=again: run_search(archive, again), times) if first.next else 0.0
            print(f"| {words} | {what} | {found} | {best:.0f} | {newest:.0f} | {second:.0f} |")
            slowest = max(slowest, best, newest, second)
    print(f"\nslowest: {slowest:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with open_archive(options.archive, create=False) as archive:
        measure(archive, options.times)


if __name__ == "__main__":
    main()
