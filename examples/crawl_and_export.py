"""Crawl a site into an archive, stop, go on, and write what was found to a file."""

import json
import tempfile
from pathlib import Path

import scythe
from scythe.archive.open import open_archive
from scythe.demo.serve import serve_demo
from scythe.output.archive_export import export_archive

with serve_demo() as demo, tempfile.TemporaryDirectory() as folder:  # a site of invented pages on this machine
    archive = Path(folder) / "demo.db"
    # your own machine may be asked without a pause; others want robots.txt obeyed and a second between two requests
    ways = {"archive": archive, "delay": 0, "allow_private": True}
    first = list(scythe.crawl(demo.url, limit=6, **ways))
    more = list(scythe.crawl(demo.url, limit=10, **ways))  # goes on where the first one stopped
    print(len(first), len(more), len({doc.url for doc in first + more}))

    with open_archive(str(archive)) as opened:
        exported = export_archive(opened, str(Path(folder) / "pages.jsonl"))
    print(exported.count, exported.what)
    line = json.loads((Path(folder) / "pages.jsonl").read_text().splitlines()[0])
    print(sorted(line)[:3], bool(line["title"]))

# Prints:
# 6 4 10
# 10 pages
# [...] True
