"""Bodies kept beside the database: where they go, how they are found again, what is said where they are not."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.archive.visiting import NOW, SITE, begin, done
from tests.testing.packages import install_package

import scythe
from scythe.archive.frontier import next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_raw
from scythe.archive.schema import BODIES
from scythe.archive.site_health import count_archive
from scythe.archive.stores import FolderStore
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Raw
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.serve import DemoOptions, serve_demo
from scythe.errors import ArchiveFailed, BadInput
from scythe.url import Url

BODY = Raw(200, (("Content-Type", "text/html"),), b"<p>barley</p>" * 50)


def fill(where: str | Path, *paths: str, store: str = "") -> None:
    """Store a page with a body of its own for each path."""
    with open_archive(where, store=store) as archive:
        _, tasks = begin(archive, *paths)
        store_outcomes(archive, [done(task, raw=replace(BODY, body=task.url.encode() * 50)) for task in tasks])


def bodies_of(where: str | Path, store: str = "") -> dict[Url, bytes]:
    with open_archive(where, create=False, store=store) as archive:
        return {raw.url: raw.body for raw in read_raw(archive, PageQuery())}


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def expected(*paths: str) -> dict[Url, bytes]:
    return {Url(f"{SITE}{path}"): f"{SITE}{path}".encode() * 50 for path in paths}


def test_bodies_go_into_the_folder_and_are_read_from_there(where: str, tmp_path: Path) -> None:
    fill(where, "a", "b", store=f"folder:{tmp_path}/bodies")
    with open_archive(where) as archive:
        with archive.reading() as connection:
            rows = connection.execute(select(BODIES)).all()
        assert verify_archive(archive) == []
    assert [bytes(row.packed) for row in rows] == [b"", b""]
    assert [path.name for path in files_in(tmp_path / "bodies")] == sorted(
        f"{bytes(row.hash).hex()}.zst" for row in rows
    )
    assert bodies_of(where) == expected("a", "b")


def test_an_equal_body_is_put_once(where: str, tmp_path: Path) -> None:
    store = f"folder:{tmp_path}/bodies"
    with open_archive(where, store=store) as archive:
        _, tasks = begin(archive, "a", "b", "c")
        store_outcomes(archive, [done(task, raw=BODY) for task in tasks[:2]])
        (file,) = files_in(tmp_path / "bodies")
        before = file.stat().st_mtime_ns
        store_outcomes(archive, [done(tasks[2], raw=BODY)])
    assert [path.stat().st_mtime_ns for path in files_in(tmp_path / "bodies")] == [before]


def test_bodies_in_the_database_and_beside_it_are_read_together(where: str, tmp_path: Path) -> None:
    fill(where, "a")
    fill(where, "b", store=f"folder:{tmp_path}/bodies")
    fill(where, "c")
    assert len(files_in(tmp_path / "bodies")) == 1
    assert bodies_of(where) == expected("a", "b", "c")


def test_a_store_that_cannot_be_written_leaves_the_archive_as_it_was(where: str, tmp_path: Path) -> None:
    (tmp_path / "bodies").write_text("a file where a folder should be")
    with open_archive(where, store=f"folder:{tmp_path}/bodies") as archive:
        site, tasks = begin(archive, "a")
        with pytest.raises(ArchiveFailed, match=r"folder:.*bodies: the store could not be written"):
            store_outcomes(archive, [done(tasks[0], raw=BODY)])
        assert count_archive(archive, site).pages == 0
        assert [task.id for task in next_tasks(archive, site, "site.example", 9, now=NOW)] == [tasks[0].id]


def test_what_was_put_for_a_visit_that_was_not_stored_is_in_nobodys_way(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db", store=f"folder:{tmp_path}/bodies") as archive:
        _, tasks = begin(archive, "a")
        store_outcomes(archive, [done(tasks[0])])
        assert store_outcomes(archive, [done(tasks[0], raw=BODY)])[0].stored == "lost"
        assert len(files_in(tmp_path / "bodies")) == 1
        assert list(read_raw(archive, PageQuery())) == []
        assert verify_archive(archive) == []


def test_an_archive_moves_together_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    monkeypatch.chdir(here)
    fill("archive.db", "a", store="folder:bodies")
    monkeypatch.chdir(tmp_path)
    here.rename(there)
    assert bodies_of(there / "archive.db") == expected("a")


def test_a_folder_that_was_moved_alone_is_named_anew(where: str, tmp_path: Path) -> None:
    fill(where, "a", store=f"folder:{tmp_path}/bodies")
    (tmp_path / "bodies").rename(tmp_path / "elsewhere")
    with pytest.raises(ArchiveFailed, match=rf"{SITE}a: folder:.*\.zst is missing; .* name its new place with --store"):
        bodies_of(where)
    assert bodies_of(where, store=f"folder:{tmp_path}/elsewhere") == expected("a")


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped", "of another", "empty"])
def test_a_body_that_is_not_the_one_that_was_put_is_never_returned(tmp_path: Path, damage: str) -> None:
    fill(tmp_path / "archive.db", "a", "b", store=f"folder:{tmp_path}/bodies")
    file, other = files_in(tmp_path / "bodies")
    packed = file.read_bytes()
    if damage == "missing":
        file.unlink()
    elif damage == "of another":
        shutil.copy(other, file)
    else:
        damaged = {"cut": packed[:-3], "flipped": packed[:20] + bytes([packed[20] ^ 1]) + packed[21:], "empty": b""}
        file.write_bytes(damaged[damage])
    with open_archive(tmp_path / "archive.db") as archive:
        (complaint,) = verify_archive(archive)
        with pytest.raises(ArchiveFailed):
            list(read_raw(archive, PageQuery()))
    assert complaint.startswith(f"{tmp_path}/archive.db: ")
    assert file.name in complaint or "damaged" in complaint


@pytest.mark.parametrize("store", ["folder", "folder:", ":bodies", "nowhere"])
def test_a_store_needs_a_name_and_a_place(tmp_path: Path, store: str) -> None:
    with pytest.raises(BadInput, match="a store is NAME:PLACE"):
        open_archive(tmp_path / "archive.db", store=store)
    assert not (tmp_path / "archive.db").exists()


def test_a_store_whose_name_cannot_be_written_down_is_refused_before_anything_is_stored(where: str) -> None:
    with pytest.raises(BadInput, match=r"must be UTF-8: 'folder:.*b\\udcffo' is not"):
        open_archive(where, store="folder:b\udcffo")


def test_a_store_that_nobody_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unknown store 'barn'; expected one of folder"):
        open_archive(tmp_path / "archive.db", store="barn:here")


THEIRS = """
from pathlib import Path
OPENED = []
class Barn:
    def __init__(self, place):
        OPENED.append(place)
        self.place = Path(place)
    def put(self, key, body):
        (self.place / key).write_bytes(body)
    def get(self, key):
        try:
            return (self.place / key).read_bytes()
        except FileNotFoundError:
            raise KeyError(key) from None
    def close(self):
        OPENED.append("closed")
"""


def test_a_store_of_another_package_is_opened_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_package(tmp_path / "packages", "their_barn", THEIRS, {"scythe.stores": "barn = their_barn:Barn"})
    monkeypatch.syspath_prepend(tmp_path / "packages")
    place = tmp_path / "barn"
    place.mkdir()
    fill(tmp_path / "archive.db", "a", store=f"barn:{place}")
    opened = __import__("their_barn").OPENED
    assert opened == [str(place), "closed"]
    with pytest.raises(ArchiveFailed, match=rf"kept in barn:{place}; name that store with --store"):
        bodies_of(tmp_path / "archive.db")
    assert opened == [str(place), "closed"]
    assert bodies_of(tmp_path / "archive.db", store=f"barn:{place}") == expected("a")


@pytest.mark.parametrize("key", ["../../etc/passwd", "A1", "", ".hidden", "a/b.zst", "a" * 99])
def test_a_key_cannot_leave_its_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadInput, match="is not a valid body key"):
        FolderStore(tmp_path / "bodies").put(key, b"")
    assert not (tmp_path / "bodies").exists()


def test_a_put_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "bodies")
    store.put("aa1.zst", b"one")
    (tmp_path / "bodies" / "aa" / "aa2.zst").mkdir()
    with pytest.raises(OSError, match="directory"):
        store.put("aa2.zst", b"two")
    assert [path.name for path in files_in(tmp_path / "bodies")] == ["aa1.zst"]


@pytest.mark.fault
def test_a_crawl_from_python_keeps_responses_in_a_store(tmp_path: Path) -> None:
    options = CrawlOptions(delay=0, allow_private=True, keep_raw=True, parts=("text",), limit=2, sitemaps=False)
    with serve_demo(DemoOptions(pages=4)) as demo:
        archive, store = tmp_path / "a.db", f"folder:{tmp_path}/bodies"
        pages = [doc.url for doc in scythe.crawl(demo.url, archive=archive, store=store, options=options)]
    assert set(pages) <= set(bodies_of(archive))
    assert len(files_in(tmp_path / "bodies")) >= len(pages) == 2
