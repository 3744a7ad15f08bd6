"""An archive in a process that may not write: files may grow to a bound only, or are not ours to write.

Run as `python -m tests.faults.archive_limits full|read-only|files WHERE`; prints a line of JSON. It is a process of its
own because what it takes from itself it may not get back.
"""

import json
import os
import resource
import sys
from pathlib import Path

from tests.archive.visiting import HOST, NOW, begin, done, extracted, found, prose

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, site_rows
from scythe.archive.verify import verify_archive
from scythe.errors import ArchiveFailed

STEP = 8_192
ROUND = 30  # so many half steps hold all that one page writes
TURNS = 150
NOBODY = 65_534


def fill(where: str) -> dict[str, object]:
    """Store page after page while the files may grow by a few more bytes each time, so that every write fails once."""
    failures: list[str] = []
    stored: list[str] = []
    with open_archive(where) as archive:
        site, _ = begin(archive, *(str(number) for number in range(TURNS)))
        for turn in range(TURNS):
            limit_files(largest(where) + turn % ROUND * STEP // 2)
            failures += try_to_store(archive, site, turn, stored)
            limit_files(None)
        is_open_still = count_archive(archive, site).pages == len(stored)
        store_rest(archive, site)
        complaints = verify_archive(archive)
        counts = count_archive(archive, site)
    return {
        "failures": failures,
        "stored": len(stored),
        "is_open_still": is_open_still,
        "complaints": complaints,
        "states": counts.states,
        "versions": counts.versions,
    }


def largest(where: str) -> int:
    return max(path.stat().st_size for path in Path(where).parent.glob(f"{Path(where).name}*"))


def try_to_store(archive: Archive, site: int, turn: int, stored: list[str]) -> list[str]:
    tasks = next_tasks(archive, site, HOST, 1, now=NOW)
    try:
        for task in tasks:
            big = extracted(task.url, text=prose(f"{task.url} {turn}", 3 * STEP))
            store_outcomes(archive, [done(task, extracted=big, found=(found(f"more/{turn}"),))])
            stored.append(task.url)
    except ArchiveFailed as error:
        return [str(error)]
    return []


def store_rest(archive: Archive, site: int) -> None:
    while tasks := next_tasks(archive, site, HOST, 50, now=NOW):
        store_outcomes(archive, [done(task) for task in tasks])


def limit_files(size: int | None) -> None:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most if size is None else size, most))


def look_without_rights(where: str) -> dict[str, object]:
    """Read and write an archive in a folder that was made read-only, as a user without special rights."""
    warm_up(Path(where).with_name("other") / "a.db")
    if os.geteuid() == 0:
        os.setresuid(NOBODY, NOBODY, NOBODY)
    said = {"read": "", "written": ""}
    try:
        with open_archive(where) as archive:
            said["read"] = site_rows(archive)[0].key
            add_site(archive, "new", site_rows(archive)[0].start)
            said["written"] = "stored"
    except ArchiveFailed as error:
        said["written"] = str(error)
    return {**said}


def open_with_too_many_files(where: str) -> dict[str, object]:
    """Open an archive when no more files may be open."""
    warm_up(Path(where).with_name("other") / "a.db")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, most))
    try:
        open_archive(where).close()
    except ArchiveFailed as error:
        return {"said": str(error)}
    return {"said": ""}


def warm_up(path: Path) -> None:
    """Load every module that is needed while they may still be read."""
    path.parent.mkdir()
    with open_archive(path) as archive:
        begin(archive, "a")


if __name__ == "__main__":
    ways = {"full": fill, "read-only": look_without_rights, "files": open_with_too_many_files}
    print(json.dumps(ways[sys.argv[1]](sys.argv[2])))
