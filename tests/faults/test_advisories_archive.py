"""Threads about crawls that do not go on and archives that are not whole: one test each, named after it.

What each is about: docs/why/reliability.md. Kills by the hundred: test_kill_crawl.py, test_watch_kills.py.
"""

import shutil
from pathlib import Path

import pytest
from tests.archive.visiting import HOST, NOW, done, found
from tests.faults.archives import fill
from warcio.archiveiterator import ArchiveIterator

from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import StoredRaw
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import site_rows
from scythe.archive.verify import verify_archive
from scythe.limits import LIMITS
from scythe.output.warc import WarcFile, verify_warc
from scythe.url import Url

pytestmark = pytest.mark.fault


def test_scrapy_3333_an_empty_file_is_taken_for_a_new_archive_and_none_is_expected_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"")
    with open_archive(tmp_path / "a.db") as archive:
        assert count_archive(archive).states == {}


def test_heritrix3_277_a_copy_can_be_gone_on_with_as_often_as_one_likes(tmp_path: Path) -> None:
    path = fill(tmp_path / "whole.db", 10)
    whole = path.read_bytes()
    seen = []
    for turn in range(3):
        copy = Path(shutil.copy(path, tmp_path / f"copy{turn}.db"))
        with open_archive(copy, create=False) as archive:
            site = site_rows(archive)[0].id
            add_urls(archive, site, [found("more")])
            (task,) = next_tasks(archive, site, HOST, 9, now=NOW)
            store_outcomes(archive, [done(task)])
            seen.append((count_archive(archive, site), verify_archive(archive)))
    assert seen == [seen[0]] * 3
    assert path.read_bytes() == whole


def write(path: Path, raw: StoredRaw) -> Path:
    with path.open("wb") as file:
        warc = WarcFile(file, made_at=NOW, name=path.name)
        warc.put(raw)
        warc.close()
    return path


def raw(body: bytes, *, is_complete: bool = True) -> StoredRaw:
    return StoredRaw(Url("https://example.org/x"), NOW, 200, (("Content-Type", "text/html"),), body, is_complete)


def test_webarchive_discovery_212_a_record_that_was_cut_bears_a_mark(tmp_path: Path) -> None:
    marks: list[str | None] = []
    for is_complete in (True, False):
        path = write(tmp_path / f"{is_complete}.warc.gz", raw(b"<p>half a pa", is_complete=is_complete))
        with path.open("rb") as file:
            records = [one.rec_headers for one in ArchiveIterator(file) if one.rec_type == "response"]
        marks += [record.get_header("WARC-Truncated") for record in records]
    assert marks[0] is None
    assert marks[1]


def test_browsertrix_317_a_record_at_the_size_limit_is_valid(tmp_path: Path) -> None:
    """A body of exactly so many bytes is what a download leaves that the limit ended."""
    path = write(tmp_path / "x.warc.gz", raw(bytes(LIMITS.body_bytes), is_complete=False))
    verified = verify_warc(path)
    assert verified.complaints == ()
    with path.open("rb") as file:
        records = ArchiveIterator(file, check_digests="raise")
        bodies = [len(one.content_stream().read()) for one in records if one.rec_type == "response"]
    assert bodies == [LIMITS.body_bytes]
