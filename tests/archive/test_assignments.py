"""What is handed over, and who works on it, in both kinds of database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from scythe.archive import assignments
from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.stored_sites import add_site
from scythe.url import Url

NOW = datetime(2026, 5, 4, 12, 0, 0, 123456, UTC)
MINE = Owner.of_this_process()
OTHER = MINE.another()


def hand_over(archive: Archive, options: str = "{}", *, at: datetime = NOW, key: str = "example.org") -> AssignmentRow:
    """Hand one site over to be crawled."""
    site = add_site(archive, key, Url(f"https://{key}/"))
    given = AssignmentRow(0, site, key, "crawl", f"https://{key}/", options, at)
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
        put_off = assignments.put_off_assignment(connection, old, 60.0)
    assert (ended, failed, put_off) == (False, 0, False)
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
        assert assignments.rest_assignment(connection, row, "more later", NOW)
        counts.append(assignments.fail_assignment(connection, row, "no", NOW))
    assert counts == [1, 2, 3, 1]


def test_an_attempt_that_lasted_for_long_begins_the_count_anew(archive: Archive) -> None:
    row = hand_over(archive)
    with archive.writing() as connection:
        assignments.fail_assignment(connection, row, "no", NOW)
        assert assignments.take_assignment(connection, MINE.to_text()) is not None
        now = datetime.now(UTC)
        soon = assignments.fail_assignment(connection, row, "no", now + timedelta(minutes=1))
        late = assignments.fail_assignment(connection, row, "no", now + timedelta(hours=1))
    assert (soon, late) == (2, 1)


def sign(archive: Archive, owner: Owner = MINE, heartbeat_s: float = 30.0) -> frozenset[int]:
    """Say that a worker is there; return what it holds."""
    with archive.writing() as connection:
        return assignments.keep_worker(connection, worker(owner, heartbeat_s))


def take(archive: Archive, owner: Owner = MINE) -> AssignmentRow | None:
    with archive.writing() as connection:
        return assignments.take_assignment(connection, owner.to_text())


def free_lost(archive: Archive) -> int:
    with archive.writing() as connection:
        return assignments.free_lost(connection)


def run(archive: Archive, statement: str) -> None:
    with archive.writing() as connection:
        connection.execute(text(statement))


def test_what_has_been_due_for_longest_is_taken_first_and_by_one_alone(archive: Archive) -> None:
    keys = ["a.example", "b.example", "c.example", "d.example"]
    rows = [hand_over(archive, key=key) for key in keys]
    run(archive, f"UPDATE assignments SET due_at = due_at - 60 WHERE id = {rows[2].id}")
    run(archive, f"UPDATE assignments SET due_at = due_at + 60 WHERE id = {rows[0].id}")
    taken = [take(archive, owner) for owner in (MINE, OTHER, MINE, OTHER)]
    assert [row and (row.site_key, row.owner) for row in taken] == [
        ("c.example", MINE.to_text()),
        ("b.example", OTHER.to_text()),
        ("d.example", MINE.to_text()),
        None,
    ]
    assert sign(archive) == {rows[2].id, rows[3].id}
    with archive.writing() as connection:
        assignments.end_assignment(connection, rows[3], "done", "complete", NOW)
        assignments.free_assignment(connection, rows[1].id, MINE.to_text())  # it is another's
        assignments.free_assignment(connection, rows[2].id, MINE.to_text())
    assert (sign(archive), sign(archive, OTHER)) == (frozenset(), {rows[1].id})


def test_a_worker_that_was_silent_for_half_its_heartbeat_is_given_up(archive: Archive) -> None:
    hand_over(archive)
    sign(archive)
    assert take(archive) is not None
    run(archive, "UPDATE workers SET seen_at = seen_at - 14")
    assert free_lost(archive) == 0
    run(archive, "UPDATE workers SET seen_at = seen_at - 2")
    assert (free_lost(archive), free_lost(archive)) == (1, 0)
    taken = take(archive, OTHER)
    assert taken is not None
    assert sign(archive) == frozenset()  # it comes back, and hears that it is another's


def test_what_a_dead_worker_or_one_that_nobody_knows_holds_is_free_at_once(archive: Archive) -> None:
    for owner in (replace(MINE, started="1"), OTHER):
        hand_over(archive)
        if owner is not OTHER:
            sign(archive, owner)
        assert take(archive, owner) is not None
        assert free_lost(archive) == 1
        assert take(archive) is not None
        run(archive, "UPDATE assignments SET owner = NULL")


def test_what_a_worker_holds_that_ends_is_free(archive: Archive) -> None:
    hand_over(archive)
    sign(archive)
    assert take(archive) is not None
    with archive.writing() as connection:
        assignments.drop_worker(connection, MINE.to_text())
        assert assignments.load_workers(connection)[1] == []
    assert take(archive, OTHER) is not None


def test_rows_that_a_stopped_worker_has_locked_keep_nobody_from_others(postgres_url: str) -> None:
    with open_archive(postgres_url) as archive:
        hand_over(archive)
        sign(archive)
        assert take(archive) is not None
        run(archive, "UPDATE workers SET seen_at = 0")
        with archive.engine.connect() as connection:
            connection.exec_driver_sql("SELECT * FROM assignments, workers FOR UPDATE")
            assert free_lost(archive) == 0
            assert take(archive, OTHER) is None
        assert free_lost(archive) == 1


def test_something_is_left_while_a_site_is_to_be_crawled_or_a_list_is_due(archive: Archive) -> None:
    def is_left() -> bool:
        with archive.reading() as connection:
            return assignments.is_left(connection)

    assert not is_left()
    row = hand_over(archive)
    run(archive, "UPDATE assignments SET due_at = due_at + 3600")
    assert is_left()
    run(archive, "UPDATE assignments SET kind = 'watch'")
    assert not is_left()
    run(archive, "UPDATE assignments SET owner = 'a|1|1|1'")
    assert is_left()
    run(archive, "UPDATE assignments SET owner = NULL, due_at = 0")
    assert is_left()
    with archive.writing() as connection:
        assignments.end_assignment(connection, row, "done", "complete", NOW)
    assert not is_left()


def worker(owner: Owner, heartbeat_s: float = 30.0) -> WorkerRow:
    return WorkerRow(owner.to_text(), "here:1", "1.0", heartbeat_s, 8, ("example.org",), NOW, NOW)


def test_a_worker_is_seen_by_the_clock_of_the_database(archive: Archive) -> None:
    mine = worker(Owner.of_this_process())
    with archive.writing() as connection:
        assignments.keep_worker(connection, mine)
        first = assignments.load_workers(connection)[1][0]
        assignments.keep_worker(connection, replace(mine, sites=("example.net",)))
    with archive.reading() as connection:
        now, (row,) = assignments.load_workers(connection)
    assert abs((row.seen_at - datetime.now(UTC)).total_seconds()) < 60
    assert (row.began_at, row.sites) == (first.began_at, ("example.net",))
    assert not assignments.is_gone(row, now)
    assert assignments.is_gone(row, now + timedelta(seconds=30))


def test_one_that_vanished_is_shown_for_a_day(archive: Archive) -> None:
    sign(archive)
    sign(archive, replace(MINE, started="1"))
    for days, shown in ((0, 2), (2, 1)):
        run(archive, f"UPDATE workers SET seen_at = seen_at - {days * 86_400} WHERE owner <> '{MINE.to_text()}'")
        free_lost(archive)
        with archive.reading() as connection:
            now, rows = assignments.load_workers(connection)
        assert len(rows) == shown
        assert sum(assignments.is_gone(row, now) for row in rows) == shown - 1
