"""Print what exports of an archive cost per page, record or response, in processor time and memory.

    python tools/measure_export.py ARCHIVE [--only records.jsonl,pages.warc.gz]

`tools/measure_archive.py --folder DIR` leaves an archive of a million records to try it on.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from scythe.archive.open import open_archive
from scythe.errors import BadInput
from scythe.output.archive_export import export_archive, plan_export

FILES = {
    "records.jsonl": "records",
    "records.csv": "records",
    "records.parquet": "records",
    "pages.jsonl": "pages",
    "pages.csv": "pages",
    "pages.parquet": "pages",
    "pages.warc.gz": "pages",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive")
    parser.add_argument("--only", default=",".join(FILES), help="files to write, with commas")
    arguments = parser.parse_args()
    with open_archive(arguments.archive, create=False) as archive, tempfile.TemporaryDirectory() as folder:
        for name in arguments.only.split(","):
            began = time.process_time()
            try:
                done = export_archive(archive, plan_export(Path(folder) / name, what=FILES[name]))
            except BadInput as error:
                print(f"{name}: {error}")
                continue
            took = time.process_time() - began
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000  # never falls: the first are the tellers
            size = (Path(folder) / name).stat().st_size / 1e6
            each = 1e6 * took / max(done.count, 1)
            print(f"{name}: {done.count} {done.what}, {each:.1f} us each, {size:.0f} MB, peak memory {peak:.0f} MB")
            (Path(folder) / name).unlink()


if __name__ == "__main__":
    main()
