"""How often the archive is counted for the overview."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.archive.visiting import LANE, SITE, begin, done, found

from scythe.archive.frontier import add_urls
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_sites
from scythe.archive.sites import add_site
from scythe.web import learned_sites
from scythe.web.home.home import list_sites
from scythe.web.operations import Nothing
from scythe.web.state import RoomOptions, State


@pytest.fixture
def room(tmp_path: Path) -> State:
    return State(RoomOptions(archive=str(tmp_path / "archive.db")))


def pages(room: State) -> list[int]:
    return [site.counts.pages for site in list_sites(room, Nothing()) if site.counts is not None]


def test_what_a_small_archive_has_is_shown_at_once(room: State) -> None:
    with room.archive() as archive:
        _, tasks = begin(archive, "a", "b")
        assert pages(room) == [0]
        store_outcomes(archive, [done(tasks[0])])
        assert pages(room) == [1]
        add_site(archive, "empty.example", SITE)
        assert pages(room) == [1, 0]
    room.close()


def test_what_takes_long_to_count_is_counted_seldom(room: State, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    monkeypatch.setattr(learned_sites, "count_sites", lambda archive: times.append("once more") or count_sites(archive))
    monkeypatch.setattr(learned_sites, "_QUICK_S", 0.0)
    monkeypatch.setattr(learned_sites, "_SHARE", 1e9)
    with room.archive() as archive:
        add_urls(archive, add_site(archive, LANE, SITE), [found("a")])
    assert pages(room) == pages(room) == [0]
    assert len(times) == 1
    room.part(learned_sites.SiteCounts)._until = 0.0
    assert pages(room) == [0]
    assert len(times) == 2
    room.close()
