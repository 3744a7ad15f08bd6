"""Kill every verb that writes files, at random moments: what it was to write is as before, or whole.

Each verb runs once unharmed; then a copy of the folder, half of the time with what an earlier run wrote, is worked on
by a process that gets SIGKILL. Run again, it gives what it gives unharmed. `python -m tests.faults.verb_kills 200 1`
prints what was seen.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from io import BytesIO
from pathlib import Path
from random import Random

from tests.faults.archives import fill
from warcio.archiveiterator import ArchiveIterator

from scythe import demo
from scythe.cli.main import app
from scythe.site.site import Site

OLD = b"what stood there before"
VERBS: dict[str, tuple[str, ...]] = {
    "read": ("read", "saved", "-o", "out/pages.jsonl"),
    "records": ("records", "saved", "-o", "out/records.csv"),
    "learn": ("learn", "saved", "-o", "out/site.json"),
    "cut": ("cut", "site.json", "saved", "-o", "out/cut.csv"),
    "cut and learn on": ("cut", "site.json", "saved", "--update", "-o", "out/cut.jsonl"),
    "rules": ("rules", "site.json", "--as", "parsel", "-o", "out/rules.py"),
    "suggest": ("suggest", "saved", "-f", "csv", "-o", "out/suggested.csv"),
    "export pages": ("export", "site.db", "-o", "out/pages.jsonl"),
    "export a table": ("export", "site.db", "-o", "out/pages.csv"),
    "export columns": ("export", "site.db", "--what", "records", "-o", "out/records.parquet"),
    "export a folder": ("export", "site.db", "-o", "out/notes/"),
    "export responses": ("export", "site.db", "-o", "out/site.warc.gz"),
}
Files = dict[str, bytes]


def prepare(folder: Path) -> None:
    """Put saved pages, a profile and an archive into a folder."""
    (folder / "saved").mkdir()
    (folder / "out").mkdir()
    for number, page in enumerate(demo.site(seed=5, pages=16)):
        (folder / "saved" / f"{number}.html").write_bytes(page.html)
    fill(folder / "site.db")
    assert work(folder, ("learn", "saved", "-o", "site.json")) == 0


def start(folder: Path, arguments: tuple[str, ...]) -> int:
    """Run a command in a child of its own; return its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            os.chdir(folder)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            app(list(arguments), standalone_mode=True)
        except SystemExit as ended:
            code = int(ended.code or 0) if not isinstance(ended.code, str) else 1
        finally:
            os._exit(code)
    return child


def work(folder: Path, arguments: tuple[str, ...]) -> int:
    """Run a command to its end; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(start(folder, arguments), 0)[1])


def files_of(folder: Path) -> Files:
    """Return what a verb may have written, without what is unfinished and what SQLite puts beside its files."""
    paths = [folder / "site.json", *sorted((folder / "out").rglob("*"))]
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in paths if path.is_file() and path.name[0] != "."
    }


def try_verb(name: str, kills: int, chance: Random, ready: Path) -> Counter[str]:
    """Kill one verb so often; return how often what was seen."""
    seen: Counter[str] = Counter()
    arguments = VERBS[name]
    target = arguments[-1].rstrip("/")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "work"
        shutil.copytree(ready, folder)
        began = time.monotonic()
        code = work(folder, arguments)
        took_s = time.monotonic() - began
        whole = files_of(folder)
        seen["wrote nothing"] += not any(path.startswith("out/") for path in whole)
        for turn in range(kills):
            shutil.rmtree(folder)
            shutil.copytree(ready, folder)
            has_old = turn % 2 == 1 and not arguments[-1].endswith("/")
            if has_old:
                (folder / target).write_bytes(OLD)
            before = files_of(folder)
            child = start(folder, arguments)
            time.sleep(chance.uniform(0, 1.1 * took_s))  # the moment is what is tested
            os.killpg(os.getpgid(child), signal.SIGKILL) if os.getpgid(child) == child else os.kill(child, 9)
            seen["killed"] += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
            left = files_of(folder)
            seen["written before the kill"] += left != before
            for path in left.keys() | before.keys():
                told = left.get(path, b"")
                seen["damaged"] += told != before.get(path) and not (path in whole and is_same(path, told, whole[path]))
            if turn % 3:
                continue
            seen["run again"] += 1
            seen["ended otherwise"] += work(folder, arguments) != code
            again = files_of(folder)
            seen["lost"] += len(whole.keys() - again.keys())
            seen["too much"] += len(again.keys() - whole.keys())
            seen["other"] += sum(not is_same(path, again[path], whole[path]) for path in again.keys() & whole.keys())
    return +seen


def is_same(path: str, one: bytes, other: bytes) -> bool:
    """Say whether two runs wrote the same: what learning cost is told in profiles, and WARC files have dates."""
    if path.endswith("site.json"):
        return one != OLD and bool(Site.from_json(one.decode()).profile.layouts)  # it is sealed
    if path.endswith(".warc.gz"):
        return len(list(ArchiveIterator(BytesIO(one)))) == len(list(ArchiveIterator(BytesIO(other))))
    return one == other


def try_verbs(kills: int, seed: int) -> dict[str, dict[str, int]]:
    """Kill all verbs so often together; return what was seen of each."""
    with tempfile.TemporaryDirectory() as place:
        ready = Path(place)
        prepare(ready)
        share = [kills * (n + 1) // len(VERBS) - kills * n // len(VERBS) for n in range(len(VERBS))]
        chance = Random(seed)
        return {name: dict(try_verb(name, count, chance, ready)) for name, count in zip(VERBS, share, strict=True)}


if __name__ == "__main__":
    print(json.dumps(try_verbs(int(sys.argv[1]), int(sys.argv[2])), indent=1))
