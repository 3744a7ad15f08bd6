"""How often the archive is counted for the overview."""

from pathlib import Path

import pytest
from tests.archive.visiting import HOST, SITE, begin, done, found

from scythe.archive.frontier import add_urls
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_sites
from scythe.archive.stored_sites import add_site
from scythe.web import learned_sites
from scythe.web.home.home import list_sites
from scythe.web.state import State, StateOptions


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(StateOptions(archive=str(tmp_path / "archive.db")))


def pages(state: State) -> list[int]:
    return [site.counts.pages for site in list_sites(state) if site.counts is not None]


def test_what_a_small_archive_has_is_shown_at_once(state: State) -> None:
    with state.archive() as archive:
        _, tasks = begin(archive, "a", "b")
        assert pages(state) == [0]
        store_outcomes(archive, [done(tasks[0])])
        assert pages(state) == [1]
        add_site(archive, "empty.example", SITE)
        assert pages(state) == [1, 0]
    state.close()


def test_what_takes_long_to_count_is_counted_seldom(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    monkeypatch.setattr(learned_sites, "count_sites", lambda archive: times.append("once more") or count_sites(archive))
    monkeypatch.setattr(learned_sites, "_QUICK_S", 0.0)
    monkeypatch.setattr(learned_sites, "_SHARE", 1e9)
    with state.archive() as archive:
        add_urls(archive, add_site(archive, HOST, SITE), [found("a")])
    assert pages(state) == pages(state) == [0]
    assert len(times) == 1
    state.part(learned_sites.SiteCounts)._until = 0.0
    assert pages(state) == [0]
    assert len(times) == 2
    state.close()
