"""Extract a folder of saved pages into Parquet tables, on all cores (extra: batch)."""

import tempfile
from pathlib import Path

import pyarrow.parquet as pq

import scythe
from scythe.demo import site as demo_site

with tempfile.TemporaryDirectory() as folder:
    saved, out = Path(folder) / "saved", Path(folder) / "out"
    saved.mkdir()
    for number, page in enumerate(demo_site(pages=24)):
        (saved / f"{number}.html").write_bytes(page.html)

    # also takes WARC files and patterns of them; a run that was ended is taken up by the next one
    options = scythe.BatchOptions(parts=("text", "images"), processes=1, address="https://demo.scythe.example/")
    report = scythe.run_batch([str(saved)], str(out), options)
    print(report.total("documents"), "documents; files that could not be read:", report.broken)

    table = pq.read_table(out / "documents", columns=["title", "text", "via"])
    print(table.num_rows, all(table["title"].to_pylist()), set(table["via"].to_pylist()))

# Prints:
# 26 documents; files that could not be read: []
# 26 True {...'cut'...}
