"""Two processes on one archive: the server never sees two requests closer together than the delay."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.trials.shared_delay import Settings, measure

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_two_processes_share_the_delay_of_a_host_and_a_killed_one_too(where: str, tmp_path: Path) -> None:
    # long enough that both take part, also where starting a process takes seconds
    verdict = measure(Settings(requests=500, delay_s=0.02, restarts=1), where, tmp_path)
    assert verdict.faults() == 0, verdict
    assert len(verdict.by_process) == 2
    assert verdict.least_gap_ms >= 20


@pytest.mark.soak
def test_ten_thousand_requests_keep_the_delay(archives: Iterator[str], tmp_path: Path) -> None:
    verdict = measure(Settings(), next(archives), tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.requests >= 10_000
    assert min(verdict.by_process.values()) > 1_000
