import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.archive.visiting import HOST, NOW, begin, done, found
from tests.faults.archive_limits import TURNS
from tests.faults.archives import complaints_about, fill

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, site_rows
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Raw
from scythe.errors import ArchiveFailed

pytestmark = pytest.mark.fault


def run(root: Path, how: str, where: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.archive_limits", how, str(where)]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_a_full_disk_stops_the_writing_and_nothing_else(tmp_path: Path, root: Path) -> None:
    where = tmp_path / "a.db"
    told = run(root, "full", where)
    assert len(told["failures"]) > 10
    assert told["stored"] > 10
    assert told["is_open_still"]
    assert told["complaints"] == []
    assert told["states"] == {"done": TURNS + told["stored"]}
    assert told["versions"] == TURNS + told["stored"]
    for failure in set(told["failures"]):
        assert str(where) in failure
        assert "what was stored before is whole; run it again to resume" in failure


def test_a_database_that_may_not_grow_says_so_and_goes_on_when_it_may(tmp_path: Path) -> None:
    with open_archive(fill(tmp_path / "a.db")) as archive:
        site = site_rows(archive)[0].id
        add_urls(archive, site, [found("more")])
        (task,) = next_tasks(archive, site, HOST, 9, now=NOW)
        outcome = done(task, raw=Raw(200, (), random.Random(1).randbytes(1_000_000)))
        let_grow_to(archive, 1)
        with pytest.raises(ArchiveFailed, match=r"disk is full\); nothing of this batch was stored") as caught:
            store_outcomes(archive, [outcome])
        assert str(tmp_path / "a.db") in str(caught.value)
        assert count_archive(archive, site).states == {"done": 40, "new": 1}
        let_grow_to(archive, 2**30)
        assert store_outcomes(archive, [outcome])[0].stored == "new"
        assert verify_archive(archive) == []


def let_grow_to(archive: Archive, pages: int) -> None:
    with archive.reading() as connection:  # the pool hands out one connection, again and again
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter: those of pytest are its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "kept").mkdir()
        yield folder / "kept"
        (folder / "kept").chmod(0o755)


def test_an_archive_in_a_read_only_folder_is_not_damaged_by_trying(open_folder: Path, root: Path) -> None:
    path = fill(open_folder / "a.db")
    before = path.read_bytes()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    told = run(root, "read-only", path)
    assert f"{path}: the archive could not be read" in told["written"]
    assert "reading needs the right to write to its folder too" in told["written"]
    assert path.read_bytes() == before


def test_a_read_only_file_in_a_folder_of_ours_can_be_read(open_folder: Path, root: Path) -> None:
    path = fill(open_folder / "a.db")
    path.chmod(0o444)
    open_folder.chmod(0o777)
    told = run(root, "read-only", path)
    assert told["read"] == HOST
    assert "attempt to write a readonly database" in told["written"]
    assert "what was stored before is whole" in told["written"]


def test_an_archive_that_nobody_may_look_at_is_said_to_be_so(open_folder: Path, root: Path) -> None:
    path = fill(open_folder / "a.db")
    open_folder.chmod(0o700)
    assert "a.db: the archive cannot be opened (Permission denied)" in run(root, "read-only", path)["written"]


@pytest.mark.soak
def test_a_file_cut_anywhere_is_recognised(tmp_path: Path) -> None:
    body = fill(tmp_path / "whole.db").read_bytes()
    chance = random.Random(3)
    for _ in range(1_000):
        path = tmp_path / "cut.db"
        path.write_bytes(body[: chance.randrange(len(body))])
        assert complaints_about(path), path.stat().st_size


@pytest.mark.slow
def test_whatever_bytes_are_flipped_only_our_error_is_raised(tmp_path: Path) -> None:
    body = fill(tmp_path / "whole.db").read_bytes()
    chance = random.Random(11)
    noticed = 0
    for _ in range(150):
        damaged = bytearray(body)
        for _ in range(chance.randint(1, 40)):
            damaged[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
        path = tmp_path / "flipped.db"
        path.write_bytes(damaged)
        noticed += bool(complaints_about(path))
    assert noticed > 100


def test_an_archive_whose_journal_was_not_yet_folded_in_is_whole(tmp_path: Path) -> None:
    """A copy of all files of an archive in use, as a backup program takes it between two transactions, opens."""
    with open_archive(tmp_path / "a.db") as archive:
        site, tasks = begin(archive, "a", "b")
        store_outcomes(archive, [done(tasks[0])])
        for suffix in ("", "-wal"):
            (tmp_path / f"copy.db{suffix}").write_bytes((tmp_path / f"a.db{suffix}").read_bytes())
    with open_archive(tmp_path / "copy.db", create=False) as copy:
        assert count_archive(copy, site).states == {"done": 1, "new": 1}
        assert verify_archive(copy) == []


def test_a_power_cut_leaves_whole_transactions(tmp_path: Path) -> None:
    """Cut the journal of an archive in use, or spoil it, at many places: what is left is some first transactions."""
    chance = random.Random(5)
    with open_archive(tmp_path / "a.db") as archive:
        _, tasks = begin(archive, *(str(number) for number in range(30)))
        for start in range(0, 30, 3):
            store_outcomes(archive, [done(task) for task in tasks[start : start + 3]])
        main, journal = (tmp_path / "a.db").read_bytes(), (tmp_path / "a.db-wal").read_bytes()
    left = set()
    for turn in range(60):
        place = chance.randrange(len(journal))
        torn = chance.randbytes(chance.randint(1, 8_000)) if turn % 2 else b""
        (tmp_path / "cut.db").write_bytes(main)
        (tmp_path / "cut.db-wal").write_bytes(journal[:place] + torn)
        (tmp_path / "cut.db-shm").unlink(missing_ok=True)
        with open_archive(tmp_path / "cut.db") as archive:
            counts = count_archive(archive)
            assert verify_archive(archive) == []
            assert counts.states.get("done", 0) == counts.pages == counts.versions
            assert counts.pages % 3 == 0
            left.add(counts.pages)
    assert len(left) > 5


def test_a_process_with_too_many_files_open_says_so(tmp_path: Path, root: Path) -> None:
    path = fill(tmp_path / "a.db")
    before = path.read_bytes()
    assert "a.db: the archive could not be read (unable to open database file)" in run(root, "files", path)["said"]
    assert path.read_bytes() == before


def test_a_writer_that_another_program_keeps_waiting_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.archive.BUSY_S", 0)
    path = fill(tmp_path / "a.db")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with open_archive(path) as archive:
            assert count_archive(archive).pages == 40
            with pytest.raises(ArchiveFailed, match="another process has been writing"):
                add_site(archive, "new", site_rows(archive)[0].start)
    finally:
        holder.close()


def test_a_server_that_restarts_is_found_again(postgres_url: str) -> None:
    with open_archive(postgres_url) as archive:
        site, (task,) = begin(archive, "a")
        with archive.reading() as connection:
            mine = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        with open_archive(postgres_url) as other, other.reading() as connection:
            connection.exec_driver_sql(f"SELECT pg_terminate_backend({mine})")
        assert store_outcomes(archive, [done(task)])[0].stored == "new"
        assert count_archive(archive, site).states == {"done": 1}
