"""A crawl whose disk fills up or whose archive may not be written: it says so, harms nothing, and goes on later."""

from __future__ import annotations

import os
import resource
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from bench.trial_pages import load_pages
from bench.trial_runs import ENVIRONMENT, FAST, Ledger, crawl_command, query, serve_trial
from bench.trials.crawl_kills import Trial, Verdict

pytestmark = [pytest.mark.fault, pytest.mark.slow]

PAGES = 63


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    """A site with its ledger."""
    ledger = Ledger(tmp_path / "ledger")
    bodies = {page.path: sha256(page.body).digest() for page in load_pages(PAGES)}
    with serve_trial("--pages", str(PAGES), "--ledger", str(ledger.path)) as url:
        yield Trial(url, ledger, bodies, Random(1), 1)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own of one megabyte, where the system lets us make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip(f"no disk can be made here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def crawl(
    trial: Trial, archive: Path, *more: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    command = crawl_command(trial.url, str(archive), *FAST, *more)
    return subprocess.run(command, preexec_fn=before, env=ENVIRONMENT, capture_output=True, text=True)


def assert_complete(trial: Trial, archive: Path) -> None:
    verdict = Verdict()
    trial.judge(str(archive), verdict, Counter(row.path for row in trial.ledger.read()))
    assert verdict.faults() == 0, verdict


def assert_told(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One line says what is wrong and that what was stored is whole."""
    assert done.returncode == 1, done
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("scythe: ")
    assert all(word in lines[0] for word in words), lines[0]


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
