"""Workers that are killed and stopped in the middle of many hosts: no page is lost or doubled, no delay broken."""

from pathlib import Path

import pytest
from bench.trials.harness import describe
from bench.trials.worker_kills import Options, run_trial

pytestmark = [pytest.mark.fault, pytest.mark.slow]


def test_pages_are_archived_once_and_delays_kept_whatever_becomes_of_workers(postgres_url: str, tmp_path: Path) -> None:
    options = Options(
        hosts=4, pages=12, workers=2, places=4, heartbeat_s=2.0, kill_every_s=1.0, stop_every=2, strikes=2
    )
    verdict = run_trial(options, postgres_url, tmp_path)
    assert (verdict.kills, verdict.stops) == (1, 1)
    assert verdict.pages == 48
    assert verdict.faults() == 0, describe(verdict)
