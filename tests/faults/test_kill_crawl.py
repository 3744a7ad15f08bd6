"""kill -9 at random moments, and the same command again: nothing is lost, nothing is stored twice, nobody is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.trials.crawl_kills import Settings, measure
from bench.trials.harness import new_archives, new_schemas

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_a_crawl_killed_again_and_again_has_every_page_once_in_sqlite(tmp_path: Path) -> None:
    with new_archives(tmp_path, is_postgres=False) as places:
        verdict = measure(Settings(kills=6, pages=105, requests=30), places, tmp_path)
    assert verdict.faults() == 0, verdict
    assert (verdict.kills, verdict.pages) == (6, 105 * verdict.rounds)


@pytest.mark.slow
def test_a_crawl_killed_again_and_again_has_every_page_once_in_postgresql(tmp_path: Path, postgres_folder: str) -> None:
    verdict = measure(Settings(kills=6, pages=105, requests=30, seed=2), new_schemas(postgres_folder), tmp_path)
    assert verdict.faults() == 0, verdict
    assert (verdict.kills, verdict.pages) == (6, 105 * verdict.rounds)


@pytest.mark.soak
@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgresql"])
def test_two_hundred_kills_over_1500_pages_lose_and_double_nothing(tmp_path: Path, is_postgres: bool) -> None:
    with new_archives(tmp_path, is_postgres=is_postgres) as places:
        verdict = measure(Settings(), places, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 200
