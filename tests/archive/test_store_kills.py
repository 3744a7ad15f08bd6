"""kill -9 while bodies go into a folder: whatever the archive mentions is there, whole."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_raw
from scythe.archive.verify import verify_archive

pytestmark = pytest.mark.fault
WRITER = """
import sys
from dataclasses import replace
from tests.archive.visiting import HOST, NOW, SITE, begin, done, found
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import Raw

run = sys.argv[2]
with open_archive("archive.db", store="folder:bodies") as archive:
    site = add_site(archive, HOST, SITE)
    for batch in range(10_000):
        add_urls(archive, site, [found(f"{run}/{batch}/{n}") for n in range(4)])
        tasks = next_tasks(archive, site, HOST, 4, now=NOW)
        raws = [Raw(200, (), task.url.encode() * 500) for task in tasks]
        store_outcomes(archive, [done(task, raw=raw) for task, raw in zip(tasks, raws)])
        print(batch, flush=True)
"""


def strike(folder: Path, root: Path, run: int, batches: int, wait_s: float) -> None:
    """Kill a writer a moment after it has stored some batches."""
    writer = [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1]){WRITER}", str(root), str(run)]
    process = subprocess.Popen(writer, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process, process.stdout as told:
        for _ in range(batches):
            assert told.readline(), "the writer ended by itself"
        try:
            process.wait(wait_s)
        except subprocess.TimeoutExpired:
            process.kill()


def check(folder: Path, least: int) -> None:
    with open_archive(folder / "archive.db") as archive:
        assert verify_archive(archive) == []
        bodies = [(raw.url.encode() * 500, raw.body) for raw in read_raw(archive, PageQuery())]
    assert len(bodies) >= least
    assert all(expected == body for expected, body in bodies)


def test_a_body_that_is_mentioned_is_there_after_a_kill(tmp_path: Path, root: Path) -> None:
    for run in range(2):
        strike(tmp_path, root, run, 5, 0.003 * run)
    check(tmp_path, 2 * 5 * 4)


@pytest.mark.soak
def test_a_body_that_is_mentioned_is_there_after_many_kills(tmp_path: Path, root: Path) -> None:
    chance = Random(1)
    for run in range(60):
        strike(tmp_path, root, run, chance.randrange(1, 9), chance.random() / 20)
        check(tmp_path, run * 4)
