"""Time tables of documents: `python -m tools.measure_tables [--pages N]`.

Pages of the demo site are cut once; then the same documents become tables and Parquet files. Microseconds of CPU per
page, the least of three rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO

import pyarrow as pa
from pyarrow import parquet

from scythe import Document, Site
from scythe.demo import site as demo_site
from scythe.output.arrow_tables import TableBuilder

_COPIES = 10  # of each document, to have row groups of a usual size


def timed_us(work: Callable[[], object], pages: int) -> float:
    """Return the least CPU time of three runs, per page."""
    times = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times) / pages * 1e6


def build(documents: Sequence[Document], tables: Sequence[str]) -> dict[str, list[pa.RecordBatch]]:
    """Return the batches of all tables."""
    builder = TableBuilder(tables, ("text",))
    taken: dict[str, list[pa.RecordBatch]] = {name: [] for name in tables}
    for document in documents:
        builder.add(document)
        if builder.is_full:
            _take(builder, taken)
    _take(builder, taken)
    return taken


def _take(builder: TableBuilder, taken: dict[str, list[pa.RecordBatch]]) -> None:
    for name, batch in builder.take().items():
        taken[name].append(batch)


def write(batches: Sequence[pa.RecordBatch], level: int) -> int:
    """Return the size of a Parquet file of these batches."""
    file = BytesIO()
    with parquet.ParquetWriter(file, batches[0].schema, compression="zstd", compression_level=level) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return file.tell()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    pages = demo_site(pages=parser.parse_args().pages)
    learned = Site.learn([(page.url, page.html) for page in pages[:40]])
    documents = [learned.extract(page.html, page.url) for page in pages]
    for document in documents:
        _ = document.images, document.lists  # which costs more than all that is timed here
    documents *= _COPIES
    for tables in (("documents",), ("documents", "images", "records")):
        report(documents, tables)


def report(documents: Sequence[Document], tables: Sequence[str]) -> None:
    """Print what it takes to make and to write some tables."""
    taken = build(documents, tables)
    print(f"{', '.join(tables)}: {timed_us(partial(build, documents, tables), len(documents)):.1f} us a page")
    for level in (1, 3, 9):
        spent = sum(timed_us(partial(write, batches, level), len(documents)) for batches in taken.values())
        size = sum(write(batches, level) for batches in taken.values()) / len(documents)
        print(f"  as Parquet, zstd {level}: {spent:.1f} us, {size:.0f} bytes a page")


if __name__ == "__main__":
    main()
