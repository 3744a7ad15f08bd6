"""kill -9 at random moments of a watch, and the same words again: nothing is lost, nothing is archived twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.trials.watch_kills import Chances, measure

from scythe.watch_model import HOUR_S

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_a_watch_killed_again_and_again_has_every_record_once(archives: Iterator[str], tmp_path: Path) -> None:
    verdict = measure(Chances(kills=4, speed=3_000.0, after_s=4 * HOUR_S), archives, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 4
    assert verdict.visits > 5


@pytest.mark.soak
def test_a_hundred_kills_lose_and_double_nothing(archives: Iterator[str], tmp_path: Path) -> None:
    verdict = measure(Chances(), archives, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 100
