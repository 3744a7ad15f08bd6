"""A disk of 20 MB that others fill, too: crawls, stores of bodies and exports stop cleanly and go on with state."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.trial_runs import ENVIRONMENT, FAST, crawl_command, query
from bench.trials.crawl_kills import Trial
from tests.faults.trials import assert_complete, assert_told, mount_disk, open_trial

from scythe.archive.open import open_archive
from scythe.archive.verify import verify_archive
from scythe.output.warc import verify_warc

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.soak]

PAGES = 105
DISK = 20_000_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mount_disk(tmp_path / "disk", DISK) as folder:
        yield folder


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    with open_trial(tmp_path, PAGES) as opened:
        yield opened


def leave(disk: Path, state: int) -> None:
    """Fill the disk with something else, but for so many bytes."""
    other = disk / "other"
    other.unlink(missing_ok=True)
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    if free > state:
        other.write_bytes(bytes(free - state))


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_a_crawl_goes_on_when_there_is_room_again_whatever_filled_the_disk(trial: Trial, disk: Path) -> None:
    archive = disk / "a.db"
    stored = []
    command = crawl_command(trial.url, str(archive), *FAST, "--raw", "--store", f"folder:{disk / 'bodies'}")
    for state in (700_000, 300_000, 100_000):
        leave(disk, state)
        assert_told(run(*command), str(disk), "what was stored before is whole; run it again to resume")
        stored.append(query(str(archive), "SELECT count(*) FROM pages")[0][0] if archive.exists() else 0)
    leave(disk, DISK)
    done = run(*command)
    assert done.returncode == 0, done
    assert_complete(trial, archive)
    assert 0 < stored[-1] < PAGES
    with open_archive(archive) as opened:
        assert verify_archive(opened) == []
    check_export(archive, disk)


def check_export(archive: Path, disk: Path) -> None:
    output = disk / "all.warc.gz"
    command = (sys.executable, "-m", "scythe", "export", str(archive), "-o", str(output), "--quiet")
    leave(disk, 60_000)
    assert_told(run(*command), "all.warc.gz: cannot be written: No space left on device")
    assert not output.exists()
    assert list(disk.glob("*.unfinished")) == []
    leave(disk, DISK)
    assert run(*command).returncode == 0
    assert verify_warc(output).complaints == ()
