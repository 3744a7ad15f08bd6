import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.archive.visiting import HOST, NOW, SITE, begin, done, found, later, listed, region, watch

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.host_leases import (
    HostLease,
    Owner,
    _started,
    host_rows,
    keep_host,
    leave_host,
    take_host,
    this_machine,
    want_host,
)
from scythe.archive.open import open_archive
from scythe.archive.outcomes import LIST_WRITERS, store_outcomes
from scythe.archive.stored_sites import add_site, site_rows
from scythe.crawl_model import Outcome


def elsewhere() -> Owner:
    """Return an owner on another machine: nobody can tell whether it runs."""
    return Owner("elsewhere", 1, "1", "abc")


def ended() -> Owner:
    """Return an owner whose process has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return Owner(this_machine(), child.pid, "1", "abc")


def taken(archive: Archive, site: int, owner: Owner, *, now: datetime, lease_s: float = 60.0) -> HostLease:
    """Take a host that nobody else holds."""
    lease = take_host(archive, site, owner, now=now, lease_s=lease_s)
    assert lease is not None
    return lease


def test_a_lane_is_held_by_one(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    me, other = Owner.of_this_process(), Owner.of_this_process()
    host = taken(archive, site, me, now=NOW)
    assert (host.name, host.is_left) == (HOST, True)
    assert take_host(archive, site, other, now=NOW) is None
    assert take_host(archive, site, me, now=NOW) is None
    assert keep_host(archive, host, me, now=NOW).is_held
    assert not keep_host(archive, host, other, now=NOW).is_held


def test_a_lane_without_work_is_not_handed_out(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [Outcome(task, "retry", NOW, status=503, retry_at=later(60))])
    assert take_host(archive, site, Owner.of_this_process(), now=later(59)) is None
    assert take_host(archive, site, Owner.of_this_process(), now=later(60)) is not None


def test_a_lane_given_back_keeps_its_pause(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    me = Owner.of_this_process()
    host = taken(archive, site, me, now=NOW)
    leave_host(archive, host, me, free_at=later(2.5), slow=4.0)
    again = taken(archive, site, me, now=later(1))
    assert (again.free_at, again.slow, again.is_left) == (later(2.5), 4.0, True)


def test_a_lane_is_shared_by_sites_of_one_host(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    other = add_site(archive, "other", site_rows(archive)[0].start)
    add_urls(archive, other, [found("b")])
    assert take_host(archive, site, Owner.of_this_process(), now=NOW) is not None
    assert take_host(archive, other, Owner.of_this_process(), now=NOW) is None


def test_a_dead_holder_on_this_machine_is_followed_at_once(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    assert take_host(archive, site, ended(), now=NOW) is not None
    host = taken(archive, site, Owner.of_this_process(), now=NOW)
    assert not host.is_left


def test_a_holder_elsewhere_is_followed_when_its_time_is_over(where: str) -> None:
    with open_archive(where) as archive:
        site, _ = begin(archive, "a")
        host = take_host(archive, site, elsewhere(), now=NOW, lease_s=60)
        assert host is not None
        assert take_host(archive, site, Owner.of_this_process(), now=later(59)) is None
        assert keep_host(archive, host, elsewhere(), now=later(50), lease_s=60).is_held
        assert take_host(archive, site, Owner.of_this_process(), now=later(70)) is None
        taken = take_host(archive, site, Owner.of_this_process(), now=later(111))
        assert taken is not None
        assert not taken.is_left
        assert not keep_host(archive, host, elsewhere(), now=later(112)).is_held


def test_who_lost_a_lane_cannot_give_it_back(where: str) -> None:
    with open_archive(where) as archive:
        site, _ = begin(archive, "a")
        host = take_host(archive, site, elsewhere(), now=NOW)
        me = Owner.of_this_process()
        assert host is not None
        mine = take_host(archive, site, me, now=later(61))
        assert mine is not None
        leave_host(archive, host, elsewhere(), free_at=later(999), slow=9.0)
        assert keep_host(archive, mine, me, now=later(62)).is_held
        (row,) = host_rows(archive, site, now=later(62))
        assert (row.owner, row.slow, row.waiting) == (me.to_text(), 1.0, 1)


def test_a_holder_hears_that_somebody_waits_and_lets_the_other_go_first(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    me, other = Owner.of_this_process(), Owner.of_this_process()
    host = taken(archive, site, me, now=NOW)
    assert not keep_host(archive, host, me, now=NOW).is_wanted
    want_host(archive, site, other, now=later(1))
    assert keep_host(archive, host, me, now=later(2)).is_wanted
    leave_host(archive, host, me, free_at=later(3), slow=1.0)
    assert take_host(archive, site, me, now=later(3)) is None
    theirs = taken(archive, site, other, now=later(3))
    assert not keep_host(archive, theirs, other, now=later(4)).is_wanted


def test_a_wish_that_nobody_renews_is_forgotten(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    me, other = Owner.of_this_process(), Owner.of_this_process()
    host = taken(archive, site, me, now=NOW)
    want_host(archive, site, other, now=NOW)
    assert not keep_host(archive, host, me, now=later(11)).is_wanted
    leave_host(archive, host, me, free_at=NOW, slow=1.0)
    assert take_host(archive, site, me, now=later(12)) is not None


def test_the_first_who_waits_is_the_next(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    holder, first, second = (Owner.of_this_process() for _ in range(3))
    host = taken(archive, site, holder, now=NOW)
    want_host(archive, site, first, now=NOW)
    want_host(archive, site, second, now=later(1))
    leave_host(archive, host, holder, free_at=NOW, slow=1.0)
    assert take_host(archive, site, second, now=later(2)) is None
    assert take_host(archive, site, first, now=later(2)) is not None


def test_nobody_waits_for_a_lane_that_is_free(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    want_host(archive, site, Owner.of_this_process(), now=NOW)
    assert take_host(archive, site, Owner.of_this_process(), now=NOW) is not None


def take_and_pause(archive: Archive, site: int, owner: Owner, seconds: float) -> None:
    host = taken(archive, site, owner, now=NOW)
    leave_host(archive, host, owner, free_at=later(seconds), slow=1.0)


def test_a_pause_of_more_than_a_day_was_a_wrong_clock(archive: Archive) -> None:
    site, _ = begin(archive, "a")
    me = Owner.of_this_process()
    take_and_pause(archive, site, me, 86_401)
    host = taken(archive, site, me, now=NOW)
    assert host.free_at == NOW


def test_a_hold_from_the_future_does_not_last(where: str) -> None:
    with open_archive(where) as archive:
        site, _ = begin(archive, "a")
        assert take_host(archive, site, elsewhere(), now=later(2 * 86_400)) is not None
        assert take_host(archive, site, Owner.of_this_process(), now=NOW) is not None


def test_addresses_due_in_a_future_that_never_comes_are_due(archive: Archive) -> None:
    site, (task, other) = begin(archive, "a", "b")
    store_outcomes(archive, [Outcome(task, "retry", later(2 * 86_400), status=503, retry_at=later(2 * 86_400 + 60))])
    store_outcomes(archive, [done(other)])
    assert [one.id for one in next_tasks(archive, site, HOST, 9, now=NOW)] == [task.id]
    assert take_host(archive, site, Owner.of_this_process(), now=NOW) is not None


def test_an_owner_reads_what_it_wrote() -> None:
    owner = replace(Owner.of_this_process(), machine="a|b")
    assert Owner.from_text(owner.to_text()) == owner


def test_a_process_that_runs_is_alive_and_its_number_alone_is_not_enough() -> None:
    owner = Owner.of_this_process()
    assert owner.is_alive()
    assert not replace(owner, started="0").is_alive()
    assert not ended().is_alive()
    assert elsewhere().is_alive()


def test_a_system_without_proc_is_asked_in_another_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dead = ended()
    monkeypatch.setattr("scythe.archive.host_leases._PROC", tmp_path / "none")
    owner = Owner.of_this_process()
    assert owner.started == ""
    assert owner.is_alive()
    assert replace(owner, pid=1).is_alive()
    assert not replace(owner, pid=dead.pid).is_alive()
    this_machine.cache_clear()
    assert this_machine() == platform.node()
    this_machine.cache_clear()


def test_a_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(pid: int, signal: int) -> None:
        raise PermissionError

    owner = Owner.of_this_process()
    monkeypatch.setattr("scythe.archive.host_leases._PROC", tmp_path / "none")
    monkeypatch.setattr("os.kill", refuse)
    assert owner.is_alive()


def test_of_two_that_reach_for_a_lane_at_once_one_gets_it(postgres_url: str) -> None:
    with open_archive(postgres_url) as one, open_archive(postgres_url) as other:
        site, _ = begin(one, "a")
        with ThreadPoolExecutor(1) as pool:
            with one.writing() as connection:
                taken = take_host(connection, site, Owner.of_this_process(), now=NOW, lease_s=60)
                second = pool.submit(take_host, other, site, Owner.of_this_process(), now=NOW)
                wait_until_somebody_is_blocked(one)
            assert taken is not None
            assert second.result(timeout=10) is None


def test_records_of_lists_are_numbered_by_one_writer_at_a_time(postgres_url: str) -> None:
    with open_archive(postgres_url) as one, open_archive(postgres_url) as other:
        _, task = watch(one)
        site = add_site(one, "other", SITE)
        add_urls(one, site, [found("a")])
        (page,) = next_tasks(one, site, HOST, 9, now=NOW)
        with ThreadPoolExecutor(1) as pool:
            with one.writing(LIST_WRITERS):
                assert store_outcomes(other, [done(page)])[0].stored == "new"  # a crawl does not wait
                second = pool.submit(store_outcomes, other, [listed(task, region(("a", "A")))])
                wait_until_somebody_is_blocked(one)
            assert second.result(timeout=10)[0].fresh == (1,)


def wait_until_somebody_is_blocked(archive: Archive) -> None:
    for _ in range(1_000):
        with archive.engine.connect() as connection:
            if connection.exec_driver_sql("SELECT count(*) FROM pg_locks WHERE NOT granted").scalar():
                return
        time.sleep(0.01)
    raise AssertionError("nobody is blocked")


def test_a_process_that_ended_and_was_not_waited_for_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    assert child.stdin is not None
    owner = Owner(this_machine(), child.pid, _started(child.pid), "x")
    assert owner.is_alive()
    child.stdin.close()
    try:
        for _ in range(1_000):
            if not owner.is_alive():
                break
            time.sleep(0.01)
        assert not owner.is_alive()
    finally:
        child.wait()
