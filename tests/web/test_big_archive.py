"""Every page answers soon, however much is archived: in full by `make long-tests` and bench/trials/web_speed.py."""

from pathlib import Path

import pytest
from bench.trials.big_archive import make
from bench.trials.web_speed import AT_HAND, addresses, measure_pages, routes

NAMES = AT_HAND | {name: ["1"] for name in ("document", "list", "record", "watch", "list_id")}


@pytest.mark.parametrize("route", routes(), ids=lambda route: route.path)
def test_the_measurement_asks_for_every_page(route: object) -> None:
    found = list(addresses(route.path, route.wanted, NAMES))  # type: ignore[attr-defined]
    assert found
    assert not any("{" in address for address in found)


@pytest.mark.soak
def test_every_page_answers_within_300_ms_at_100_000_records(tmp_path: Path) -> None:
    where = str(tmp_path / "big.db")
    make(where)
    measured = measure_pages(where, times=5)
    assert len(measured) >= 90
    assert [one for one in measured if one[0] > 300] == []
