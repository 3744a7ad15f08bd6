"""kill -9 at random moments, and the same command again: nothing is lost, nothing is stored twice, nobody is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.trials.crawl_kills import Settings, measure

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_a_crawl_killed_again_and_again_has_every_page_once(archives: Iterator[str], tmp_path: Path) -> None:
    verdict = measure(Settings(kills=6, pages=105, requests=30), archives, tmp_path)
    assert verdict.faults() == 0, verdict
    assert (verdict.kills, verdict.pages) == (6, 105 * verdict.rounds)


@pytest.mark.soak
def test_two_hundred_kills_over_1500_pages_lose_and_double_nothing(archives: Iterator[str], tmp_path: Path) -> None:
    verdict = measure(Settings(), archives, tmp_path)
    assert verdict.faults() == 0, verdict
    assert verdict.kills == 200
