"""kill -9 at random moments of a watch, and the same words again: nothing is lost, nothing is archived twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.trials.harness import new_archives, new_schemas
from bench.trials.watch_kills import Chances, measure

from scythe.watch_model import HOUR_S

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_a_watch_killed_again_and_again_has_every_record_once_in_sqlite(tmp_path: Path) -> None:
    with new_archives(tmp_path, is_postgres=False) as places:
        verdict = measure(Chances(kills=5, speed=3_000.0, after_s=5 * HOUR_S), places, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 5
    assert verdict.visits > 5


@pytest.mark.slow
def test_a_watch_killed_again_and_again_has_every_record_once_in_postgresql(
    tmp_path: Path, postgres_folder: str
) -> None:
    chances = Chances(kills=3, speed=3_000.0, seed=2, after_s=3 * HOUR_S)
    verdict = measure(chances, new_schemas(postgres_folder), tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 3
    assert verdict.visits > 5


@pytest.mark.soak
@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgresql"])
def test_a_hundred_kills_lose_and_double_nothing(tmp_path: Path, is_postgres: bool) -> None:
    with new_archives(tmp_path, is_postgres=is_postgres) as places:
        verdict = measure(Chances(), places, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 100
