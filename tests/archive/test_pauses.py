"""A process that stands still in the middle of writing does not keep others from its sites."""

from pathlib import Path
from threading import Thread

import pytest

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.stored_sites import add_site, load_notes, save_notes, site_rows
from scythe.errors import ArchiveFailed
from scythe.url import Url


def test_what_one_that_stands_still_had_locked_is_free_for_others(postgres_url: str) -> None:
    notes: list[str] = []

    def write() -> None:
        with open_archive(postgres_url) as other:
            save_notes(other, 1, "written by the other")
            notes.append(load_notes(other, 1))

    def stand_still(archive: Archive, site: int) -> None:
        with archive.writing(site) as connection:
            thread = Thread(target=write)
            thread.start()
            thread.join(20)
            connection.exec_driver_sql("SELECT 1")  # it is woken, and finds its transaction gone

    with open_archive(postgres_url) as archive:
        site = add_site(archive, "mill.example", Url("https://mill.example/"))
        archive.limit_pauses(0.3)
        with pytest.raises(ArchiveFailed, match="nothing of this batch was stored"):
            stand_still(archive, site)
        assert notes == ["written by the other"]
        assert load_notes(archive, site) == "written by the other"  # it connects anew


def test_in_a_file_there_is_nothing_to_limit(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db") as archive:
        archive.limit_pauses(0.3)
        assert site_rows(archive) == []
