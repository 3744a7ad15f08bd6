"""Who may learn a site: one at a time, and no profile in place of one its maker has not seen."""

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.archive.results import LearningState
from scythe.archive.stored_sites import (
    add_site,
    claim_learning,
    leave_learning,
    newest_version,
    save_learned,
    save_profile,
    stored_profile,
)
from scythe.url import Url

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def site(archive: Archive) -> int:
    return add_site(archive, "mill.example", Url("https://mill.example/"))


def claim(archive: Archive, site: int, owner: Owner, after_s: float = 0.0) -> LearningState:
    return claim_learning(archive, site, owner, now=NOW + timedelta(seconds=after_s), lease_s=60.0)


def owners() -> tuple[Owner, Owner]:
    one = Owner.of_this_process()
    return one, one.another()


def test_one_of_two_may_learn_until_it_gives_the_right_back(archive: Archive, site: int) -> None:
    one, other = owners()
    assert claim(archive, site, one).is_held
    assert not claim(archive, site, other).is_held
    leave_learning(archive, site, other)  # it was never its own
    assert not claim(archive, site, other).is_held
    leave_learning(archive, site, one)
    assert claim(archive, site, other).is_held


def test_a_right_that_is_renewed_lasts_and_one_that_is_not_runs_out(archive: Archive, site: int) -> None:
    one, other = owners()
    assert claim(archive, site, one).is_held
    assert claim(archive, site, one, after_s=50).is_held
    assert not claim(archive, site, other, after_s=100).is_held
    assert claim(archive, site, other, after_s=111).is_held
    assert not claim(archive, site, one, after_s=112).is_held


def test_the_right_of_a_process_that_ended_is_free_at_once(archive: Archive, site: int) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    one, other = owners()
    assert claim(archive, site, replace(one, pid=ended.pid, started="1")).is_held
    assert claim(archive, site, other).is_held


def test_the_right_of_another_machine_lasts_as_long_as_its_lease(archive: Archive, site: int) -> None:
    here, _ = owners()
    assert claim(archive, site, replace(here, machine="elsewhere")).is_held
    assert not claim(archive, site, here, after_s=59).is_held
    assert claim(archive, site, here, after_s=61).is_held


def test_a_right_from_a_clock_that_was_far_ahead_is_over(archive: Archive, site: int) -> None:
    one, other = owners()
    assert claim(archive, site, one, after_s=400 * 86_400).is_held
    assert claim(archive, site, other).is_held


def test_rights_to_two_sites_are_two_rights(archive: Archive, site: int) -> None:
    one, other = owners()
    second = add_site(archive, "barn.example", Url("https://barn.example/"))
    assert claim(archive, site, one).is_held
    assert claim(archive, second, other).is_held


def test_what_was_learned_is_stored_after_what_it_was_learned_from(archive: Archive, site: int) -> None:
    one, _ = owners()
    assert claim(archive, site, one) == LearningState(is_held=True, version=0)
    assert save_learned(archive, site, '{"a":1}', one, after=0) == 1
    assert save_learned(archive, site, '{"a":1}', one, after=1) == 1  # nothing new
    assert save_learned(archive, site, '{"a":2}', one, after=1) == 2
    assert claim(archive, site, one) == LearningState(is_held=True, version=2)
    assert newest_version(archive, site) == 2


def test_one_who_lost_the_right_stores_nothing(archive: Archive, site: int) -> None:
    one, other = owners()
    claim(archive, site, one)
    save_learned(archive, site, '{"a":1}', one, after=0)
    claim(archive, site, other, after_s=100)
    assert save_learned(archive, site, '{"old":1}', one, after=1) is None
    assert save_learned(archive, site, '{"b":1}', other, after=1) == 2
    assert stored_profile(archive, site) == '{"b":1}'


def test_a_profile_that_somebody_saved_by_hand_is_not_put_aside(archive: Archive, site: int) -> None:
    one, _ = owners()
    claim(archive, site, one)
    save_learned(archive, site, '{"a":1}', one, after=0)
    save_profile(archive, site, '{"by hand":1}')
    assert save_learned(archive, site, '{"a":2}', one, after=1) is None
    assert stored_profile(archive, site) == '{"by hand":1}'


def test_a_right_that_nobody_took_over_still_holds_when_it_ran_out(archive: Archive, site: int) -> None:
    one, _ = owners()
    claim(archive, site, one, after_s=-10_000)
    assert save_learned(archive, site, '{"a":1}', one, after=0) == 1
