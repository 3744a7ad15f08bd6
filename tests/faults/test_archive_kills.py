import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.fault


def run(root: Path, *said: object, of: str = "archive_writers") -> dict[str, Any]:
    command = [sys.executable, "-m", f"tests.faults.{of}", *map(str, said), "1"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=3_600, check=False)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def check_whole(told: dict[str, Any], pages: int) -> None:
    """Assert that the archive has every page once, whole, with all its records."""
    assert (told["told_twice"], told["told_but_missing"], told["kept_twice"], told["half"]) == (0, 0, 0, 0)
    assert (told["states"], told["pages"], told["versions"], told["fetches"]) == ({"done": pages}, pages, pages, pages)
    assert (told["records"], told["sightings"], told["seen_twice"]) == (1 + 10 + pages, 3 * pages, 0)
    assert (told["bodies"], told["complaints"]) == (pages, [])


def test_a_killed_writer_loses_and_doubles_nothing(where: str, root: Path) -> None:
    pages = 600
    told = run(root, "kill", where, pages, 12)
    check_whole(told, pages)
    assert (told["killed"], told["last_ended_with"]) == (12, 0)
    assert 0 < told["told_before_the_last"] < pages


@pytest.mark.soak
def test_two_hundred_killed_writers_lose_and_double_nothing(where: str, root: Path) -> None:
    pages = 12_000
    told = run(root, "kill", where, pages, 200)
    check_whole(told, pages)
    assert told["killed"] == 200


@pytest.mark.slow
def test_writers_of_four_sites_share_hosts_and_bodies_without_blocking_each_other(where: str, root: Path) -> None:
    pages = 100
    told = run(root, "sites", where, pages, 8)
    assert (told["failed"], told["told_but_missing"], told["kept_twice"], told["half"]) == (0, 0, 0, 0)
    assert (told["states"], told["bodies"], told["complaints"]) == ({"done": 4 * pages}, pages, [])
    assert (told["records"], told["sightings"]) == (4 * (1 + 10 + pages), 4 * 3 * pages)


@pytest.mark.slow
def test_eight_writers_at_once_store_everything_once(where: str, root: Path) -> None:
    pages = 300
    told = run(root, "race", where, pages, 8)
    check_whole(told, pages)
    assert told["failed"] == 0
    assert (told["told"], told["found"], told["new_records"]) == (pages, pages - 1, 1 + 10 + pages)


def check_watched(told: dict[str, Any], visits: int) -> None:
    """Assert that the archive has every record of every list once, and that regions and journal agree with it."""
    assert (told["told_twice"], told["told_but_missing"], told["doubled_or_lost"]) == (0, 0, 0)
    assert (told["looks"], told["journal_is_right"], told["followed"]) == ([visits], True, True)
    assert told["records"] == told["records_expected"] == told["counted"] >= told["fresh_told"]
    assert (told["fetches"], told["complaints"]) == (6 * visits, [])


def test_a_killed_watch_loses_and_doubles_nothing(where: str, root: Path) -> None:
    visits = 30
    told = run(root, where, visits, 12, of="archive_watchers")
    check_watched(told, visits)
    assert (told["killed"], told["last_ended_with"]) == (12, 0)
    assert 0 < told["told_before_the_last"] < 6 * visits


@pytest.mark.soak
def test_two_hundred_killed_watches_lose_and_double_nothing(where: str, root: Path) -> None:
    visits = 400
    told = run(root, where, visits, 200, of="archive_watchers")
    check_watched(told, visits)
    assert told["killed"] == 200
