"""A crawl whose disk fills up or whose archive may not be written: it says so, harms nothing, and goes on later."""

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.trial_runs import ENVIRONMENT, FAST, crawl_command, query
from bench.trials.crawl_kills import Trial
from tests.faults.trials import assert_complete, assert_told, mount_disk, open_trial

pytestmark = [pytest.mark.fault, pytest.mark.slow]

PAGES = 63


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    with open_trial(tmp_path, PAGES) as opened:
        yield opened


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mount_disk(tmp_path / "disk", 1_048_576) as folder:
        yield folder


def crawl(
    trial: Trial, archive: Path, *more: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    command = crawl_command(trial.url, str(archive), *FAST, *more)
    return subprocess.run(command, preexec_fn=before, env=ENVIRONMENT, capture_output=True, text=True)


def allow_files_of(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    return limit


def test_a_crawl_that_may_not_write_more_says_so_and_goes_on_later(trial: Trial, tmp_path: Path) -> None:
    archive = tmp_path / "a.db"
    done = crawl(trial, archive, before=allow_files_of(400_000))
    assert_told(done, "a.db", "could not be written", "whole")
    assert query(str(archive), "PRAGMA integrity_check") == [("ok",)]
    assert crawl(trial, archive).returncode == 0
    assert_complete(trial, archive)


def test_a_crawl_whose_disk_is_full_says_so_and_goes_on_when_there_is_space(trial: Trial, small_disk: Path) -> None:
    archive = small_disk / "a.db"
    done = crawl(trial, archive)
    assert_told(done, "a.db", "could not be written", "full", "whole")
    assert query(str(archive), "PRAGMA integrity_check") == [("ok",)]
    before = query(str(archive), "SELECT count(*) FROM pages")[0][0]
    subprocess.run(["mount", "-o", "remount,size=100m", small_disk], check=True)
    assert crawl(trial, archive).returncode == 0
    assert_complete(trial, archive)
    assert before < PAGES


def test_an_archive_that_may_not_be_written_is_named_and_left_as_it_is(
    trial: Trial, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    is_root = os.geteuid() == 0  # who may write anything, but not to a disk that is read-only
    folder: Path = request.getfixturevalue("small_disk") if is_root else tmp_path
    archive = folder / "a.db"
    assert crawl(trial, archive, "--limit", "5").returncode == 0
    content, asked = archive.read_bytes(), trial.ledger.count()
    set_writable(folder, is_root=is_root, yes=False)
    done = crawl(trial, archive)
    assert_told(done, "a.db")
    assert trial.ledger.count() == asked  # it was noticed before anybody was asked
    assert archive.read_bytes() == content
    set_writable(folder, is_root=is_root, yes=True)
    assert crawl(trial, archive).returncode == 0
    assert_complete(trial, archive)


def set_writable(folder: Path, *, is_root: bool, yes: bool) -> None:
    if is_root:
        subprocess.run(["mount", "-o", f"remount,size=100m,{'rw' if yes else 'ro'}", folder], check=True)
        return
    for path in folder.glob("a.db*"):
        path.chmod(0o644 if yes else 0o444)
    folder.chmod(0o755 if yes else 0o555)
