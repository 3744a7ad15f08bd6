"""Databases and networks that go away in the middle of a run and come back: nothing is lost, nothing doubled."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest
from bench.trial_runs import FAST, crawl_command
from bench.trial_runs import start as start_process
from bench.trials.crawl_kills import Trial
from tests.archive.visiting import HOST
from tests.faults.archive_watchers import compare, watch
from tests.faults.archive_writers import collect, start
from tests.faults.io.proxy import proxied_port
from tests.faults.io.server import Server, serve
from tests.faults.trials import assert_complete, open_trial
from tests.postgres import address, command, find_programs

from scythe.archive.open import open_archive

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.soak]

PAGES = 210
WAYS = (signal.SIGQUIT, signal.SIGKILL)


@pytest.fixture
def server() -> Iterator[Server]:
    """A PostgreSQL server of this test alone."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    with serve(programs) as running:
        command(str(running.folder), "CREATE SCHEMA outage")
        yield running


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    with open_trial(tmp_path, PAGES) as opened:
        yield opened


def wait_for(trial: Trial, requests: int, process: subprocess.Popen[str]) -> None:
    while trial.ledger.count() < requests and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.parametrize("how", WAYS)
def test_a_crawl_whose_database_restarts_goes_on_or_says_so_and_goes_on_later(
    server: Server, trial: Trial, how: signal.Signals
) -> None:
    archive = address(str(server.folder), "outage")
    said: list[str] = []
    for turn in range(1, 20):
        asked = trial.ledger.count()
        process = start_process(crawl_command(trial.url, archive, *FAST))
        if turn <= 3:
            wait_for(trial, asked + 40, process)
            server.stop(how)
            server.start()
        _, errors = process.communicate(timeout=300)
        if process.returncode == 0:
            break
        said.append(errors)
    assert process.returncode == 0
    for errors in said:
        (line,) = [line for line in errors.splitlines() if line.strip()]
        assert line.startswith("scythe: postgresql://")
        assert "run it again to resume" in line
    assert_complete(trial, archive)


@pytest.mark.parametrize("how", WAYS)
def test_a_watch_whose_database_restarts_loses_and_doubles_nothing(server: Server, how: signal.Signals) -> None:
    archive, visits, told, ends = address(str(server.folder), "outage"), 40, [], []
    for turn in range(6):
        pid, ledger = start(archive, HOST, visits, turn, watch)
        if turn < 4:
            os.read(ledger, 1)  # some visits are stored; the line that this spoils is not compared
            time.sleep(0.2)
            server.stop(how)
            server.start()
        told += [line for line in collect(ledger) if len(line) == 4 and line[0].isdigit()][turn < 4 :]
        ends.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        if ends[-1] == 0 and turn >= 4:
            break
    assert ends[-1] == 0
    assert ends.count(1) > 0
    with open_archive(archive, create=False) as opened:
        verdict = compare(opened, told, visits)
    assert (verdict["told_twice"], verdict["told_but_missing"], verdict["doubled_or_lost"]) == (0, 0, 0)
    assert (verdict["looks"], verdict["journal_is_right"], verdict["followed"]) == ([visits], True, True)
    assert verdict["complaints"] == []


@pytest.mark.parametrize("outage_s", [4.0])
def test_a_crawl_whose_network_is_gone_for_a_while_gets_every_page(
    trial: Trial, tmp_path: Path, outage_s: float
) -> None:
    parts = urlsplit(trial.url)
    assert parts.port is not None
    with proxied_port(parts.port) as (proxy, port):
        beyond = Trial(trial.url.replace(f":{parts.port}/", f":{port}/"), trial.ledger, trial.bodies, Random(1), 1)
        archive = tmp_path / "a.db"
        process = start_process(crawl_command(beyond.url, str(archive), *FAST))
        wait_for(beyond, 60, process)
        proxy.close()
        time.sleep(outage_s)
        proxy.open()
        _, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    assert_complete(beyond, str(archive))
