"""Crawls of a site that writes down what it was asked for, on disks that are small or fail."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from bench.trial_pages import load_pages
from bench.trial_runs import Ledger, serve_trial
from bench.trials.crawl_kills import Trial, Verdict


@contextmanager
def open_trial(folder: Path, pages: int) -> Iterator[Trial]:
    """Serve a site of so many pages with its ledger."""
    ledger = Ledger(folder / "ledger")
    bodies = {page.path: sha256(page.body).digest() for page in load_pages(pages)}
    with serve_trial("--pages", str(pages), "--ledger", str(ledger.path)) as url:
        yield Trial(url, ledger, bodies, Random(1), 1)


def assert_complete(trial: Trial, archive: Path | str) -> None:
    """Every page that was asked for is in the archive, once."""
    verdict = Verdict()
    trial.judge(str(archive), verdict, Counter(row.path for row in trial.ledger.read()))
    assert verdict.faults() == 0, verdict


def assert_told(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One line says what is wrong and that what was stored is whole."""
    assert done.returncode == 1, done
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert line.startswith("scythe: ")
    assert all(word in line for word in words), line


@contextmanager
def mount_disk(folder: Path, size: int) -> Iterator[Path]:
    """Make a folder that is a disk of its own, where the system lets us make one."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip(f"no disk can be made here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
