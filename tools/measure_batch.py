"""Measure `scythe batch`: `python -m tools.measure_batch [--folder F] [--pages N] [--processes P] [--only NAMES]`.

The pages are those of tools/make_warcs.py, made once. What is measured, each under a name for `--only`:

rows      a whole batch, its sites learned first: how busy the cores are while it extracts, and that every page of the
          generator is a row, once, with its own title and words
kill      the same batch, killed with all its processes as soon as some units are done, and run again: the same rows
ray       the same batch on Ray: the same rows
speed     pages a second against trafilatura, over the same files with the same number of processes, both reading with
          fastwarc; for scythe by parts, for trafilatura as it is, and as fast as its settings make it
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tools.crawl_trial import descendants
from tools.make_warcs import EXPECTED, Expected, make_warcs, read_expected

NAMES = ("rows", "kill", "ray", "speed")
TABLES = ("documents", "images", "records")
PARTS = ("text", "text,images", "text,records", "text,images,records")
FAST = {"fast": True, "include_comments": False, "include_tables": False}
_FILES = 7  # of the smaller ones that speed is measured on: a worker takes a while to import all it needs
_WAIT_S = 0.05


def run_batch(inputs: Sequence[Path], out: Path, *more: str) -> dict[str, Any]:
    """Run `scythe batch`; return its counts and the seconds of the whole command."""
    began = time.monotonic()
    done = subprocess.run(_command(inputs, out, *more), stdout=subprocess.PIPE, check=True)
    return {**json.loads(done.stdout), "command_s": time.monotonic() - began}


def _command(inputs: Sequence[Path], out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "scythe", "batch", *map(str, inputs), "-o", str(out), "--json", *more]


def check_rows(out: Path, expected: Sequence[Expected]) -> dict[str, int]:
    """Count what is wrong with the table of documents."""
    rows = _read(out, "documents", ["url", "title", "text"]).to_pylist()
    urls = Counter(row["url"] for row in rows)
    by_url = {row["url"]: row for row in rows}
    known = [one for one in expected if one.url in by_url]
    return {
        "rows": len(rows),
        "missing": len(expected) - len(known),
        "twice": sum(count > 1 for count in urls.values()),
        "unknown": len(urls) - len(known),
        "other titles": sum(by_url[one.url]["title"] != one.title for one in known if not one.is_list),
        "without their own words": sum(one.words not in by_url[one.url]["text"] for one in known if not one.is_list),
    }


def _read(out: Path, table: str, columns: list[str] | None = None) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    files = sorted((out / table).glob("*.parquet"))
    return pa.concat_tables([parquet.read_table(file, columns=columns) for file in files])


def differences(one: Path, other: Path) -> dict[str, str]:
    """Say in which tables two batches differ, in any row or cell."""
    found = {}
    for table in TABLES:
        mine, theirs = _read(one, table), _read(other, table)
        order = [(name, "ascending") for name in ("file", "offset")]
        if not mine.sort_by(order).equals(theirs.sort_by(order)):
            found[table] = f"{mine.num_rows} and {theirs.num_rows} rows"
    return found


def measure_rows(said: argparse.Namespace, out: Path) -> None:
    files = sorted(said.folder.glob("*.warc.gz"))
    counts = run_batch(files, out, "--processes", str(said.processes))
    pages = counts["documents"]
    told = ("responses", "documents", "images", "records", "failed", "skipped", "how", "fields", "learned")
    print("batch:", {name: counts[name] for name in told})
    print(f"  the command took {counts['command_s']:.1f} s, of which extracting {counts['seconds']:.1f} s")
    if not counts["resumed"]:
        busy = counts["cpu_s"] / counts["seconds"] / said.processes
        rates = _rates(counts["seconds"] / pages, counts["cpu_s"] / pages)
        print(f"  extracting: {rates}, {busy:.0%} of {said.processes} cores busy")
    print(f"  rows: {check_rows(out, read_expected(said.folder))}")


def measure_kill(said: argparse.Namespace, whole: Path, out: Path) -> None:
    """Kill a run in the middle, with all its processes, and take it up."""
    files = sorted(said.folder.glob("*.warc.gz"))
    more = ("--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
    units = len(list((whole / "_done").glob("*.json")))
    process = subprocess.Popen(_command(files, out, *more), stdout=subprocess.DEVNULL, start_new_session=True)
    while len(list((out / "_done").glob("*.json"))) < units // 2 and process.poll() is None:
        time.sleep(_WAIT_S)
    for pid in (*descendants(process.pid), process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    kept = len(list((out / "_done").glob("*.json")))
    counts = run_batch(files, out, *more)
    print(f"killed after {kept} of {units} units; the next run took up {counts['resumed']}; "
          f"rows differ in {differences(whole, out) or 'nothing'}")  # fmt: skip


def measure_ray(said: argparse.Namespace, whole: Path, out: Path) -> None:
    files = sorted(said.folder.glob("*.warc.gz"))
    more = ("--engine", "ray", "--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
    counts = run_batch(files, out, *more)
    print(f"ray: {counts['documents']} rows, extracting {counts['seconds']:.1f} s, command {counts['command_s']:.1f} s")
    print(f"  rows differ in {differences(whole, out) or 'nothing'}")


def read_by_trafilatura(path: str, settings: dict[str, bool]) -> tuple[int, int, float]:
    """Extract the text of every page of a file; return the pages, the characters and the CPU seconds."""
    import trafilatura
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    began, pages, chars = time.process_time(), 0, 0
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            sent = record.http_headers
            if sent is None or sent.status_code != 200 or "html" not in sent.get("Content-Type", ""):
                continue
            text = trafilatura.extract(record.reader.read(), url=record.headers["WARC-Target-URI"], **settings)
            pages, chars = pages + 1, chars + len(text or "")
    return pages, chars, time.process_time() - began


def measure_speed(said: argparse.Namespace, whole: Path, out: Path) -> None:
    """Extract the same files with both, in as many processes, and print how fast that was."""
    files = sorted(said.folder.glob("part-*.warc.gz"))[: said.files]
    ours: dict[str, tuple[float, float]] = {}
    for number, parts in enumerate(PARTS):
        more = ("--parts", parts, "--processes", str(said.processes), "--profile-dir", str(whole / "profiles"))
        counts = run_batch(files, out / str(number), *more)
        pages = counts["documents"]
        ours[parts] = (counts["seconds"] / pages, counts["cpu_s"] / pages)
        print(f"scythe, {parts}: {pages} pages, {_rates(*ours[parts])}")
    for name, settings in (("as it is", {}), ("fast", FAST)):
        began = time.monotonic()
        with ProcessPoolExecutor(said.processes, mp_context=get_context("spawn")) as pool:
            results = list(pool.map(read_by_trafilatura, map(str, files), [settings] * len(files)))
        pages = sum(result[0] for result in results)
        theirs = ((time.monotonic() - began) / pages, sum(result[2] for result in results) / pages)
        print(f"trafilatura, {name}: {pages} pages, {_rates(*theirs)}")
        for parts, (wall_s, cpu_s) in ours.items():
            print(f"  scythe, {parts}: {theirs[0] / wall_s:.1f} times as fast, {theirs[1] / cpu_s:.1f} times by CPU")


def _rates(wall_s: float, cpu_s: float) -> str:
    return f"{1 / wall_s:.0f} pages/s, {1e3 * cpu_s:.2f} ms CPU a page"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kept = Path(tempfile.gettempdir()) / "scythe-batch-warcs"
    parser.add_argument("--folder", type=Path, default=kept, help="of the WARC files; made where there are none")
    parser.add_argument("--out", type=Path, help="of the tables; else a folder that is removed")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--files", type=int, default=_FILES, help="that speed is measured on")
    parser.add_argument("--only", default=",".join(NAMES))
    said = parser.parse_args()
    if not (said.folder / EXPECTED).exists():
        make_warcs(said.folder, said.pages, said.hosts)
    wanted = said.only.split(",")
    with tempfile.TemporaryDirectory(prefix="scythe-batch-") as folder:
        out = said.out or Path(folder)
        whole = out / "whole"
        measure_rows(said, whole)  # the others compare with it; where it is done it takes no time
        steps: dict[str, Callable[[argparse.Namespace, Path, Path], None]] = {
            "kill": measure_kill, "ray": measure_ray, "speed": measure_speed
        }  # fmt: skip
        for name, step in steps.items():
            if name in wanted:
                shutil.rmtree(out / name, ignore_errors=True)
                step(said, whole, out / name)


if __name__ == "__main__":
    main()
