"""What an archive does where something seldom happens: damage of every kind, lost files, clocks, equal bodies."""

import mmap
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.archive.test_requests import LEASE_S, Clock, names, new, requests_of
from tests.archive.visiting import HOST, NOW, SITE, begin, done, found, later
from tests.output.test_warc import raw, write

from scythe.archive import assignments, verify
from scythe.archive.archive import Archive
from scythe.archive.frontier import expect_visit, next_tasks
from scythe.archive.host_leases import Owner
from scythe.archive.open import name_archive, open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import AssignmentRow
from scythe.archive.site_health import count_archive, read_health
from scythe.archive.stored_sites import add_site, count_pages, enter_site
from scythe.archive.stores import FolderStore, Stores
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Outcome, Raw
from scythe.errors import ArchiveFailed, BadInput
from scythe.output.warc_pieces import WarcPiece, next_piece, read_pieces, split_piece
from scythe.scrapy.request_store import Hold, Requests, Turn

FIRST = "SELECT hash FROM bodies ORDER BY hash LIMIT 1"


def fill(where: str | Path, number: int = 3) -> None:
    """Store so many pages, each with its response."""
    with open_archive(where) as archive:
        _, tasks = begin(archive, *(f"p{one}" for one in range(number)))
        store_outcomes(archive, [done(task, raw=Raw(200, (), task.url.encode() * 20)) for task in tasks])
        assert verify_archive(archive) == []


def change(where: str | Path, *statements: str) -> list[str]:
    """Change an archive behind its back, and return what it then complains of."""
    with open_archive(where) as archive, archive.writing() as connection:
        for statement in statements:
            connection.execute(text(statement))
    with open_archive(where) as archive:
        return verify_archive(archive)


def damage(path: Path, statement: str) -> list[str]:
    """Change the schema of a file, which SQLite believes, and return what the archive then complains of."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)
    with open_archive(path) as archive:
        return verify_archive(archive)


def test_a_changed_text_is_complained_of_by_its_hash_and_its_sum(where: str) -> None:
    fill(where)
    changed = change(where, "UPDATE extractions SET text = 'something else' WHERE version = 2")
    assert [complaint.rpartition(": ")[2] for complaint in changed] == [
        "the text of page 2 is not the one that was stored",
        "row 2 of extractions is not the one that was stored",
    ]


@pytest.mark.parametrize("packed", ["SELECT packed FROM bodies ORDER BY hash DESC LIMIT 1", "SELECT X'0102'"])
def test_a_response_that_is_another_or_cannot_be_unpacked_is_complained_of(tmp_path: Path, packed: str) -> None:
    fill(tmp_path / "a.db")
    (complaint,) = change(tmp_path / "a.db", f"UPDATE bodies SET packed = ({packed}) WHERE hash = ({FIRST})")
    assert complaint.endswith("is not the one that was stored")
    assert "the kept response " in complaint


def test_rows_that_point_to_nothing_are_complained_of(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM urls WHERE id = 1")
    with open_archive(path) as archive:
        complaints = verify_archive(archive)
    assert f"{path}: row 1 of pages points to a row of urls that is not there" in complaints


def test_indexes_that_were_exchanged_are_complained_of(tmp_path: Path) -> None:
    fill(tmp_path / "a.db")
    both = "name IN ('pages_text', 'pages_body')"
    total = f"SELECT sum(rootpage) FROM sqlite_master WHERE {both}"
    complaints = damage(tmp_path / "a.db", f"UPDATE sqlite_master SET rootpage = ({total}) - rootpage WHERE {both}")
    assert any("missing from index pages_text" in complaint for complaint in complaints)


def test_damage_that_ends_the_reading_is_a_complaint(tmp_path: Path) -> None:
    fill(tmp_path / "a.db")
    other = "SELECT rootpage FROM sqlite_master WHERE name = 'pages_text'"
    complaints = damage(tmp_path / "a.db", f"UPDATE sqlite_master SET rootpage = ({other}) WHERE name = 'bodies'")
    assert "the file is damaged: restore it from a copy" in complaints[-1]


def test_so_many_complaints_are_told_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MOST", 4)
    fill(tmp_path / "a.db", 5)
    assert len(change(tmp_path / "a.db", "UPDATE extractions SET text = 'something else'")) == 4


def test_an_archive_whose_folder_went_away_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    fill(folder / "a.db")
    with open_archive(folder / "a.db") as archive:
        archive.close()
        shutil.rmtree(folder)
        with pytest.raises(ArchiveFailed, match="unable to open database file"):
            count_archive(archive)


@contextmanager
def looked_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Look at a file, empty as yet, so that nobody may change how its journal is kept."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM sqlite_master").fetchall()
        yield other


def test_who_makes_an_archive_waits_for_who_looks_at_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    database = Archive(create_engine(f"sqlite:///{path}"), str(path), Stores("", tmp_path))
    with looked_at(path) as other, closing(database):
        with database.reading() as connection:  # the pool hands out one connection, again and again
            connection.exec_driver_sql("PRAGMA busy_timeout = 0")  # as where SQLite sees no use in waiting
        waited: list[float] = []
        monkeypatch.setattr("scythe.archive.archive.sleep", lambda seconds: other.commit() or waited.append(seconds))
        database.set_up()
    assert len(waited) == 1
    with closing(sqlite3.connect(path)) as later_one:
        assert later_one.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_who_makes_an_archive_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.archive.BUSY_S", 0)
    with looked_at(tmp_path / "a.db"), pytest.raises(ArchiveFailed, match="another process has been writing"):
        open_archive(tmp_path / "a.db")


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Be asked for one's rights as a user who has none; the superuser may read everything."""
    mine = os.getuid()
    if mine == 0:
        os.setreuid(65_534, 0)
    try:
        yield
    finally:
        if mine == 0:
            os.setreuid(0, 0)


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    fill(tmp_path / "a.db")
    (tmp_path / "a.db").chmod(0)
    with as_somebody_else(), pytest.raises(ArchiveFailed, match="this file may not be read"):
        open_archive(tmp_path / "a.db")


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("kept/a.db", "kept/a.db"),
        ("postgresql://reaper:secret@host/db", "postgresql://reaper:***@host/db"),
        ("postgresql+psycopg://host/db?password=secret", "postgresql://host/db"),
    ],
)
def test_where_an_archive_is_can_be_said_without_its_password(where: str, name: str) -> None:
    assert name_archive(where) == name


def test_an_address_that_is_none_is_not_shown_at_all() -> None:
    with pytest.raises(BadInput, match="an archive is a file") as caught:
        name_archive("postgresql://reaper:secret@host:door/db")
    assert "secret" not in str(caught.value)


def test_a_clock_is_compared_again_where_looking_took_long(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_archive(where) as archive:
        once = archive.clock_ahead_s()
        monkeypatch.setattr("scythe.archive.archive._QUICK_S", -1.0)  # nothing is ever so quick
        often = archive.clock_ahead_s()
    assert (once, often) == (0.0, 0.0) or (abs(once) < 5 and abs(often) < 5 and once != often)


def test_two_ways_to_a_database_do_not_wait_for_each_other_in_one_process(archive: Archive) -> None:
    other = archive.beside()
    begun, over = threading.Event(), threading.Event()

    def hold() -> None:
        with archive._lock:
            begun.set()
            over.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert begun.wait(60)
    with other.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM sites")).scalar_one() == 0
    assert holder.is_alive()
    over.set()
    holder.join()


def test_what_somebody_else_fetched_is_stored_whether_known_or_not(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    first = expect_visit(archive, site, found("a"), now=NOW)
    assert store_outcomes(archive, [done(first, "barley")])[0].stored == "new"
    assert next_tasks(archive, site, HOST, 9, now=later(1)) == []
    again = expect_visit(archive, site, found("a"), now=later(1))
    assert (again.id, again.body_hash is not None) == (first.id, True)
    assert store_outcomes(archive, [done(again, "rye", at=later(1))])[0].stored == "changed"


def test_a_site_that_is_entered_again_may_have_its_pages_visited_again(archive: Archive) -> None:
    first = enter_site(archive, HOST, found(""), now=NOW)
    store_outcomes(archive, [done(task) for task in next_tasks(archive, first.site, HOST, 9, now=NOW)])
    same = enter_site(archive, HOST, found(""), now=later(1))
    assert (same.site, same.pages, count_pages(archive, same.site)) == (first.site, 1, 1)
    assert next_tasks(archive, same.site, HOST, 9, now=later(1)) == []
    enter_site(archive, HOST, found(""), now=later(2), again=("done",))
    assert [task.url for task in next_tasks(archive, same.site, HOST, 9, now=later(2))] == [SITE]


def test_assignments_are_listed_by_state_or_all(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    with archive.writing() as connection:
        kinds = ("crawl", "watch")
        one, other = (
            assignments.add_assignment(connection, AssignmentRow(0, site, HOST, kind, str(SITE), "{}", NOW))
            for kind in kinds
        )
        assignments.end_assignment(connection, one, "done", "", NOW)
        assert [row.id for row in assignments.load_assignments(connection)] == [one.id, other.id]
        assert [row.id for row in assignments.load_assignments(connection, "open")] == [other.id]


def test_a_body_that_is_there_in_full_is_not_written_again(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "bodies")
    store.put("ab12", b"barley")
    (path,) = (path for path in (tmp_path / "bodies").rglob("*") if path.is_file())
    before = path.stat().st_ino
    store.put("ab12", b"barley")
    assert path.stat().st_ino == before
    path.write_bytes(b"bar")
    store.put("ab12", b"barley")
    assert store.get("ab12") == b"barley"


def test_reasons_without_number_are_counted_by_state(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.site_health._STATES", 2)
    site, tasks = begin(archive, "a", "b", "c", "d")
    store_outcomes(
        archive, [Outcome(task, "gone", NOW, f"reason {task.id}", status=404, seconds=0.1) for task in tasks]
    )
    health = read_health(archive, site, now=NOW)
    assert health.counts.states == {"gone": 4}


def test_requests_in_ones_own_hand_are_not_reclaimed_and_lanes_that_are_not_held_not_wanted(archive: Archive) -> None:
    mine = requests_of(archive, Clock(), holds=False)
    assert names(mine.turn(Turn([new("a")], want=1)).taken) == ["a"]
    assert mine.reclaim() == 0
    mine.want_hosts()
    assert names(mine.turn(Turn(want=1)).taken) == []


def test_requests_are_held_by_the_clock_of_this_machine_unless_another_is_given(archive: Archive) -> None:
    mine = Requests(archive, "c", Hold(), Owner.of_this_process())
    assert names(mine.turn(Turn([new("a")], want=1)).taken) == ["a"]
    assert requests_of(archive, lambda: datetime.now(UTC)).reclaim() == 0
    assert requests_of(archive, lambda: datetime.now(UTC) + timedelta(seconds=LEASE_S + 1)).reclaim() == 1


@pytest.mark.parametrize("compressed", [True, False])
def test_the_next_record_of_a_file_is_found_from_anywhere(tmp_path: Path, compressed: bool) -> None:
    path = write(tmp_path / "a.warc", [raw(number) for number in range(5)], compressed=compressed)
    with path.open("rb") as file, closing(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) as content:
        begins = [piece.offset for piece in read_pieces(content)]
        assert [next_piece(content, begin) for begin in begins[1:]] == begins[1:]
        assert [next_piece(content, begin + 1) for begin in begins] == [*begins[1:], len(content)]


RECORD = b"WARC/1.0\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"


@pytest.mark.parametrize(
    ("piece", "records", "why"),
    [
        (WarcPiece(0, RECORD), 1, ""),
        (WarcPiece(0, RECORD * 3), 3, ""),
        (WarcPiece(0, RECORD, "longer than 5 bytes, not checked"), 0, "longer than 5 bytes, not checked"),
        (WarcPiece(0, RECORD + b"rubbish"), 1, "not a WARC record with a length"),
        (WarcPiece(0, RECORD + RECORD[:-2]), 1, "3 bytes instead of 5"),
        (WarcPiece(0, RECORD.replace(b"5", b"4")), 0, "5 bytes instead of 4"),
        (WarcPiece(0, RECORD.replace(b"Content-Length: 5", b"Length: 5")), 0, "not a WARC record with a length"),
    ],
)
def test_a_piece_is_split_into_its_records_up_to_the_damage(piece: WarcPiece, records: int, why: str) -> None:
    assert split_piece(piece) == ([RECORD] * records, why)
