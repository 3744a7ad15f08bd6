import os
import sqlite3
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from threading import Timer

import psycopg
import pytest
from sqlalchemy import Connection, Engine, event, inspect, text
from tests.archive.visiting import HOST, NOW, SITE, begin, done, later, prose

from scythe.archive import archive as archives
from scythe.archive import open as opening
from scythe.archive.frontier import next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import newest_records, read_pages, read_raw
from scythe.archive.schema import TABLES
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, find_site, save_notes, site_rows
from scythe.archive.verify import verify_archive
from scythe.errors import ArchiveFailed, BadInput, MissingExtra
from scythe.version import version

OLD = Path(__file__).with_name("version_8.sql").read_text(encoding="utf-8")


def restore(sql: str, path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    return path


def set_version(where: str, version: int) -> None:
    with open_archive(where) as archive, archive.writing() as connection:
        connection.execute(text("UPDATE scythe_archive SET version = :version"), {"version": version})


def test_an_archive_is_the_same_after_it_was_closed(where: str) -> None:
    with open_archive(where) as archive:
        site, tasks = begin(archive, "a", "b")
        store_outcomes(archive, [done(tasks[0])])
    with open_archive(where, create=False) as archive:
        assert find_site(archive, HOST) == site
        assert next_tasks(archive, site, HOST, 9, now=NOW) == [tasks[1]]


def test_two_archives_of_one_place_may_be_open(where: str) -> None:
    with open_archive(where) as one, open_archive(where) as other:
        site, (task,) = begin(one, "a")
        assert next_tasks(other, site, HOST, 9, now=NOW) == [task]
        assert store_outcomes(other, [done(task)])[0].stored == "new"
        assert store_outcomes(one, [done(task)])[0].stored == "lost"


def test_sqlite_files_let_readers_and_a_writer_work_at_once(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive, archive.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_no_query_is_compiled_by_the_server(postgres_url: str) -> None:
    with open_archive(postgres_url) as archive, archive.reading() as connection:
        assert connection.exec_driver_sql("SHOW jit").scalar() == "off"


def test_nothing_is_made_where_an_archive_was_expected(tmp_path: Path, postgres_url: str) -> None:
    with pytest.raises(ArchiveFailed, match="there is no archive"):
        open_archive(tmp_path / "a.db", create=False)
    assert not (tmp_path / "a.db").exists()
    with pytest.raises(ArchiveFailed, match="there is no archive in it"):
        open_archive(postgres_url, create=False)


@pytest.mark.parametrize(
    ("version", "said"),
    [(99, r"newer scythe \(its version is 99"), (7, r"before the first release of scythe \(its version is 7")],
)
def test_a_newer_or_a_much_older_archive_is_refused(where: str, version: int, said: str) -> None:
    set_version(where, version)
    with pytest.raises(ArchiveFailed, match=said):
        open_archive(where)


def test_an_archive_without_a_version_is_refused(where: str) -> None:
    with open_archive(where) as archive, archive.writing() as connection:
        connection.execute(text("DELETE FROM scythe_archive"))
    with pytest.raises(ArchiveFailed, match="does not say which version"):
        open_archive(where)


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = restore("CREATE TABLE bookmarks (url TEXT);", tmp_path / "places.db")
    before = path.read_bytes()
    with pytest.raises(ArchiveFailed, match=r"no scythe archive .*'bookmarks'"):
        open_archive(path)
    assert path.read_bytes() == before


def test_tables_of_another_program_with_our_names_are_refused(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE pages (id int)")
    with pytest.raises(ArchiveFailed, match=r"no scythe archive .*'pages'"):
        open_archive(postgres_url)


def test_tables_of_another_program_with_other_names_do_not_matter(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE bookmarks (id int)")
    with open_archive(postgres_url) as archive:
        assert site_rows(archive) == []


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"shopping list\n" * 1_000)
    with pytest.raises(ArchiveFailed, match="not a database"):
        open_archive(path)
    assert path.read_bytes() == b"shopping list\n" * 1_000


def test_a_folder_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveFailed, match="this is a folder"):
        open_archive(tmp_path)
    with pytest.raises(ArchiveFailed, match="there is no folder"):
        open_archive(tmp_path / "nowhere" / "a.db")


@pytest.mark.parametrize("where", ["mysql://localhost/x", "postgresql://host:port/x", "http://site.example/"])
def test_an_address_that_is_no_archive_is_refused(where: str) -> None:
    with pytest.raises(BadInput, match="an archive is a file"):
        open_archive(where)


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    with pytest.raises(ArchiveFailed) as caught:
        open_archive("postgresql://user:secret@127.0.0.1:1/x")
    assert "postgresql://127.0.0.1:1/x" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_postgresql_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.open.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"webscythe\[postgres\]"):
        open_archive("postgresql://localhost/x")


def test_an_old_archive_is_brought_up_to_date(tmp_path: Path) -> None:
    with open_archive(restore(OLD, tmp_path / "old.db"), create=False) as archive:
        site = find_site(archive, HOST)
        assert site is not None
        counts = count_archive(archive, site)
        assert (counts.states, counts.pages, counts.records) == ({"done": 2, "new": 2, "retry": 1}, 2, 1)
        assert [page.text for page in read_pages(archive, PageQuery())] == [prose("lakes")] * 2
        assert [raw.body for raw in read_raw(archive, PageQuery())] == [b"<p>lakes</p>"]
        assert verify_archive(archive) == []
        tasks = next_tasks(archive, site, HOST, 9, now=later(30))
        assert [receipt.stored for receipt in store_outcomes(archive, [done(task) for task in tasks])] == ["new"] * 3


def test_the_tables_of_an_old_archive_are_those_of_a_new_one(tmp_path: Path) -> None:
    restore(OLD, tmp_path / "old.db")
    for path in (tmp_path / "old.db", tmp_path / "new.db"):
        open_archive(path).close()
    assert tables_of(tmp_path / "old.db") == tables_of(tmp_path / "new.db")


def tables_of(path: Path) -> set[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    columns = "SELECT m.name, c.* FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
    indexes = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index'"
    tables = {*connection.execute(columns), *connection.execute(indexes)}
    connection.close()
    return tables


TO_VERSION_9 = """
ALTER TABLE assignments ADD COLUMN owner TEXT;
ALTER TABLE assignments ADD COLUMN due_at DOUBLE PRECISION DEFAULT '0' NOT NULL;
ALTER TABLE workers DROP COLUMN number;
UPDATE scythe_archive SET version = 9
"""


def test_an_archive_of_version_9_in_postgresql_is_brought_up_to_date(postgres_url: str) -> None:
    with open_archive(postgres_url) as archive, archive.writing() as connection:
        new = describe_tables(connection)
        for statement in TO_VERSION_9.split(";"):
            connection.execute(text(statement))
        assert describe_tables(connection) != new
    with open_archive(postgres_url) as archive, archive.reading() as connection:
        assert describe_tables(connection) == new
        assert connection.execute(text("SELECT version FROM scythe_archive")).scalar() == opening.newest_version()


def describe_tables(connection: Connection) -> set[str]:
    """Return every column, index and link between tables in the words of the database; numbers of rows aside."""
    tables = inspect(connection)
    said = {f"{name} {column}" for name in tables.get_table_names() for column in tables.get_columns(name)}
    said |= {f"{name} {key}" for name in tables.get_table_names() for key in tables.get_foreign_keys(name)}
    indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()"
    return said | set(connection.execute(text(indexes)).scalars())


def test_who_comes_second_finds_the_tables_made(where: str) -> None:
    with open_archive(where) as archive, archive.writing() as connection:
        opening.prepare(connection, where, create=True)
        assert connection.execute(text("SELECT count(*) FROM scythe_archive")).scalar() == 1


def test_an_archive_made_from_a_source_tree_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", not_installed)
    monkeypatch.setattr(opening, "version", version.__wrapped__)  # as in a process that did not ask yet
    with open_archive(tmp_path / "a.db") as archive, archive.reading() as connection:
        assert connection.execute(text("SELECT made_by FROM scythe_archive")).scalar() == "source"


def test_a_name_that_is_too_long_for_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveFailed, match="the archive cannot be opened"):
        open_archive(tmp_path / ("x" * 300))


def add_colour(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE sites ADD COLUMN colour TEXT"))


def paint(connection: Connection) -> None:
    connection.execute(text("UPDATE sites SET colour = 'green'"))


@pytest.mark.parametrize("busy_s", [0, 30])
def test_who_makes_an_archive_waits_for_another_that_writes_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, busy_s: int
) -> None:
    monkeypatch.setattr(archives, "BUSY_S", busy_s)
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    if not busy_s:
        with pytest.raises(ArchiveFailed, match="database is locked"):
            open_archive(tmp_path / "a.db")
    free = Timer(0.3, other.execute, ["COMMIT"])
    free.start()
    if busy_s:
        with open_archive(tmp_path / "a.db") as archive:
            assert count_archive(archive).states == {}
    free.join()
    other.close()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_archive_that_is_removed_or_replaced_while_it_is_open_takes_no_more(
    tmp_path: Path, is_replaced: bool
) -> None:
    open_archive(tmp_path / "b.db").close()
    with open_archive(tmp_path / "a.db") as archive:
        _, (task,) = begin(archive, "a")
        os.rename(tmp_path / "a.db", tmp_path / "elsewhere.db")
        if is_replaced:
            os.rename(tmp_path / "b.db", tmp_path / "a.db")
        with pytest.raises(ArchiveFailed, match="removed or replaced while it was open"):
            store_outcomes(archive, [done(task)])
        with pytest.raises(ArchiveFailed, match="removed or replaced while it was open"):
            save_notes(archive, 1, "notes")
        os.rename(tmp_path / "elsewhere.db", tmp_path / "a.db")
        assert store_outcomes(archive, [done(task)])[0].stored == "new"
    with open_archive(tmp_path / "a.db", create=False) as archive:
        assert count_archive(archive).states == {"done": 1}
        assert verify_archive(archive) == []


@pytest.mark.skipif(os.name != "posix", reason="there are no such things")
def test_what_is_no_file_is_no_archive_and_nothing_is_made_beside_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(ArchiveFailed, match=r"pipe\.db: this is a pipe, a socket or a device; an archive is a file"):
        open_archive(tmp_path / "pipe.db")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe.db"]


def drop_indexes(where: str) -> list[str]:
    with open_archive(where) as archive, archive.writing() as connection:
        names = sorted(str(index.name) for table in TABLES.tables.values() for index in table.indexes)
        for name in names:
            connection.execute(text(f"DROP INDEX {name}"))
    return names


def test_indexes_that_somebody_dropped_are_made_again(where: str) -> None:
    with open_archive(where) as archive:
        _, (task,) = begin(archive, "a")
        store_outcomes(archive, [done(task)])
    assert len(drop_indexes(where)) > 10
    with open_archive(where, create=False) as archive:
        with archive.reading() as connection:
            assert opening.missing_indexes(connection) == []
        assert verify_archive(archive) == []
        assert newest_records(archive, 9, watches=None) == []  # SQLite is told which index to take, and refuses else


def test_an_archive_that_may_only_be_read_is_read_without_its_indexes_and_verify_tells(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        begin(archive, "a")
    names = drop_indexes(str(tmp_path / "a.db"))

    def only_read(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA query_only = 1")

    event.listen(Engine, "connect", only_read)
    try:
        with open_archive(tmp_path / "a.db", create=False) as archive:
            assert count_archive(archive).states == {"new": 1}
            complaints = verify_archive(archive)
    finally:
        event.remove(Engine, "connect", only_read)
    assert [complaint.partition(" the index ")[2].split()[0] for complaint in complaints] == names


@pytest.mark.skipif(os.name != "posix", reason="disks are asked differently")
def test_an_archive_on_a_disk_that_can_only_be_read_is_read_without_files_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "odd?#%20\udcff.db"
    with open_archive(path) as archive:
        begin(archive, "a")
    disk = os.statvfs(path)
    frozen = os.statvfs_result((*disk[:8], disk.f_flag | os.ST_RDONLY, *disk[9:]))
    monkeypatch.setattr(os, "statvfs", lambda _: frozen)
    with open_archive(path, create=False) as archive:
        assert count_archive(archive).states == {"new": 1}
        assert verify_archive(archive) == []
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
        with pytest.raises(ArchiveFailed, match="readonly"):
            add_site(archive, "other", SITE)
    path.with_name(f"{path.name}-wal").write_bytes(b"a journal, which has to be folded in")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "link.db").symlink_to(path)
    with open_archive(tmp_path / "links" / "link.db", create=False) as archive, archive.reading():
        assert path.with_name(f"{path.name}-shm").exists()


def test_migrations_run_in_order_and_once(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_archive(where) as archive:
        begin(archive, "a")
    known = opening.MIGRATIONS
    monkeypatch.setattr(opening, "MIGRATIONS", (*known, add_colour, paint))
    for _ in range(2):
        with open_archive(where) as archive, archive.reading() as connection:
            assert connection.execute(text("SELECT colour FROM sites")).all() == [("green",)]
            found = connection.execute(text("SELECT version FROM scythe_archive")).scalar()
            assert found == opening.FIRST_VERSION + len(known) + 2


def test_a_migration_that_fails_leaves_the_archive_as_it_was(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_archive(where) as archive:
        begin(archive, "a")
    known = opening.MIGRATIONS
    monkeypatch.setattr(opening, "MIGRATIONS", (*known, add_colour, add_colour))
    with pytest.raises(ArchiveFailed, match="could not be written"):
        open_archive(where)
    monkeypatch.setattr(opening, "MIGRATIONS", known)
    with open_archive(where) as archive, archive.reading() as connection:
        (site,) = connection.execute(text("SELECT * FROM sites")).mappings()
        assert "colour" not in site


def test_a_new_archive_is_for_its_owner_and_another_stays_as_it_was_made(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with open_archive(tmp_path / "a.db") as archive:
            add_site(archive, "site.example", SITE)
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        assert "a.db-wal" in modes
        assert set(modes.values()) == {0o600}
        (tmp_path / "a.db").chmod(0o640)
        open_archive(tmp_path / "a.db").close()
        assert (tmp_path / "a.db").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)
