"""What is handed over, and who works on it, in both kinds of database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scythe.archive import assignments
from scythe.archive import assignments as worker_rows
from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.stored_sites import add_site
from scythe.url import Url

NOW = datetime(2026, 5, 4, 12, 0, 0, 123456, UTC)


def hand_over(archive: Archive, options: str = "{}", *, at: datetime = NOW) -> AssignmentRow:
    """Hand one site over to be crawled."""
    site = add_site(archive, "example.org", Url("https://example.org/"))
    given = AssignmentRow(0, site, "example.org", "crawl", "https://example.org/", options, at)
    with archive.writing() as connection:
        return assignments.add_assignment(connection, given)


def load(archive: Archive, row: AssignmentRow) -> AssignmentRow:
    with archive.reading() as connection:
        found = assignments.load_assignment(connection, row.id)
    assert found is not None
    return found


def test_to_hand_a_site_over_twice_is_to_hand_it_over_once_with_the_last_options(archive: Archive) -> None:
    first = hand_over(archive, '{"delay": 1}')
    second = hand_over(archive, '{"delay": 2}', at=NOW + timedelta(seconds=1))
    with archive.reading() as connection:
        rows = assignments.load_assignments(connection, "open")
        counts = assignments.count_assignments(connection)
    assert first.id == second.id
    assert [(row.options, row.added_at) for row in rows] == [('{"delay": 2}', NOW + timedelta(seconds=1))]
    assert counts == {("crawl", "open"): 1}


def test_one_that_was_handed_over_again_is_not_ended_by_who_worked_on_the_one_before(archive: Archive) -> None:
    old = hand_over(archive)
    new = hand_over(archive, at=NOW + timedelta(seconds=1))
    with archive.writing() as connection:
        ended = assignments.end_assignment(connection, old, "done", "complete", NOW)
        failed = assignments.fail_assignment(connection, old, "no", NOW)
        begun = assignments.begin_assignment(connection, old, NOW)
    assert (ended, failed, begun) == (False, 0, False)
    assert load(archive, new) == new


def test_one_that_ended_is_open_again_when_it_is_handed_over_again(archive: Archive) -> None:
    row = hand_over(archive)
    with archive.writing() as connection:
        assert assignments.end_assignment(connection, row, "failed", "no such host", NOW)
    assert load(archive, row).state == "failed"
    again = hand_over(archive, at=NOW + timedelta(days=1))
    assert (again.id, again.state, again.why, again.attempts, again.ended_at) == (row.id, "open", "", 0, None)


def test_failures_in_a_row_are_counted_until_something_works(archive: Archive) -> None:
    row = hand_over(archive)
    with archive.writing() as connection:
        counts = [assignments.fail_assignment(connection, row, "no", NOW) for _ in range(3)]
        assert assignments.rest_assignment(connection, row, "more later")
        counts.append(assignments.fail_assignment(connection, row, "no", NOW))
    assert counts == [1, 2, 3, 1]


def test_an_attempt_that_lasted_for_long_begins_the_count_anew(archive: Archive) -> None:
    row = hand_over(archive)
    with archive.writing() as connection:
        assignments.fail_assignment(connection, row, "no", NOW)
        assignments.begin_assignment(connection, row, NOW)
        soon = assignments.fail_assignment(connection, row, "no", NOW + timedelta(minutes=1))
        late = assignments.fail_assignment(connection, row, "no", NOW + timedelta(hours=1))
    assert (soon, late) == (2, 1)


def worker(owner: Owner, number: int | None = 7, heartbeat_s: float = 30.0) -> WorkerRow:
    return WorkerRow(owner.to_text(), "here:1", "1.0", heartbeat_s, 8, ("example.org",), number, NOW, NOW)


def test_a_worker_is_seen_by_the_clock_of_the_database(archive: Archive) -> None:
    mine = worker(Owner.of_this_process())
    with archive.writing() as connection:
        worker_rows.keep_worker(connection, mine)
        first = worker_rows.load_workers(connection)[1][0]
        worker_rows.keep_worker(connection, replace(mine, sites=("example.net",)))
    with archive.reading() as connection:
        now, (row,) = worker_rows.load_workers(connection)
    assert abs((row.seen_at - datetime.now(UTC)).total_seconds()) < 60
    assert (row.began_at, row.sites, row.number) == (first.began_at, ("example.net",), 7)
    assert not worker_rows.is_gone(row, now)
    assert worker_rows.is_gone(row, now + timedelta(seconds=30))


def test_one_that_is_known_to_have_died_is_gone_at_once_and_shown_for_a_day(archive: Archive) -> None:
    dead = worker(replace(Owner.of_this_process(), started="1"))
    with archive.writing() as connection:
        worker_rows.keep_worker(connection, dead)
        now, (row,) = worker_rows.load_workers(connection)
        assert worker_rows.is_gone(row, now)
        worker_rows.bury_worker(connection, row)
        _, (buried,) = worker_rows.load_workers(connection)
    assert (buried.number, buried.sites) == (None, ())
    with archive.writing() as connection:
        worker_rows.drop_worker(connection, dead.owner)
        assert worker_rows.load_workers(connection)[1] == []
