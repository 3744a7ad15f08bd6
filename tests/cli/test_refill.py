"""`scythe refill` as a user runs it."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run, Terminal
from tests.crawling.test_refill import HOST, NEWS, PAGES_AT_HAND, headlines, learned, read_all, store, teach

from scythe.archive.open import open_archive
from scythe.archive.stored_sites import save_profile
from scythe.cli.console import show_count
from scythe.cli.refill import _describe, _refill
from scythe.crawling.refill import RefillCounts


def test_a_profile_that_was_edited_is_taken_over_and_the_archive_extracted_anew(scythe: Run, tmp_path: Path) -> None:
    with open_archive(tmp_path / "site.db") as archive:
        site = store(archive, read_all(PAGES_AT_HAND))
        known = learned()
        save_profile(archive, site, known.to_json())
    assert scythe("refill", "site.db").stderr == f"scythe: {len(NEWS)} versions extracted anew\n"
    teach(known).save(tmp_path / "site.json")
    done = scythe("refill", "site.db", "--site", HOST, "--profile", "site.json", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
    with open_archive(tmp_path / "site.db") as archive:
        assert headlines(archive) == [demo.gold_title for demo in NEWS]
    assert scythe("refill", "site.db").stderr == "scythe: 0 versions extracted anew\n"


def test_a_bar_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_archive(tmp_path / "site.db") as archive:
        site = store(archive, read_all(PAGES_AT_HAND[:2]))
        save_profile(archive, site, learned().to_json())
        monkeypatch.setattr("sys.stderr", Terminal())
        with show_count("extracting") as bar:
            assert _refill(archive, None, bar).done == 2


def test_what_could_not_be_extracted_is_told(scythe: Run, tmp_path: Path) -> None:
    with open_archive(tmp_path / "site.db") as archive:
        site = store(archive, read_all(PAGES_AT_HAND[:2]))
        save_profile(archive, site, '{"scythe_profile": 1}')
    assert "2 could not be" in scythe("refill", "site.db", check=1).stderr
    said = _describe(RefillCounts(total=3, done=1, failed=1, not_kept=1))
    assert said == "1 version extracted anew; 1 could not be; 1 version not up to date, whose pages were not kept"
