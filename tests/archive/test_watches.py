from pathlib import Path

import pytest
from sqlalchemy import event
from tests.archive.visiting import HOST, NOW, SITE, begin, done, found, later, list_tasks, listed, looked, region, watch

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_due, next_tasks, requeue
from scythe.archive.host_leases import Owner, host_rows, leave_host, take_host, want_host
from scythe.archive.observations import lists_of_watch, watched_lists
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, WatchRow
from scythe.archive.retrieval import new_records, newest_records, read_pages, read_raw, read_records
from scythe.archive.site_health import count_archive
from scythe.archive.stored_records import known_records
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.archive.watches import (
    add_watch,
    due_sites,
    due_watches,
    end_watch,
    hasten_watch,
    load_cursor,
    load_watch,
    move_watch,
    save_cursor,
    watch_rows,
    wind_watches,
)
from scythe.crawl_model import WATCHED, FoundUrl, Outcome, Raw
from scythe.errors import ArchiveFailed, BadInput
from scythe.url import Url

DAY = 86_400.0
AT_ONCE = later(-NOW.timestamp())


def only(archive: Archive) -> WatchRow:
    (row,) = watch_rows(archive, ended=True)
    return row


def test_a_watched_list_waits_for_its_first_visit(archive: Archive) -> None:
    site, task = watch(archive, options='{"miss": 0.01}')
    row = only(archive)
    assert (row.id, row.site, row.site_key, row.url, row.host) == (task.id, site, HOST, f"{SITE}news", HOST)
    assert (row.options, row.notes, row.state, row.attempts) == ('{"miss": 0.01}', "", "new", 0)
    assert (row.due_at, row.visited_at, row.added_at, row.ended_at) == (AT_ONCE, None, NOW, None)
    assert due_watches(archive) == [(task.id, site, AT_ONCE)]


def test_to_watch_again_replaces_the_options_and_nothing_else(archive: Archive) -> None:
    site, task = watch(archive, options="1")
    store_outcomes(archive, [listed(task, region(("a", "A")), notes="kept")])
    assert add_watch(archive, site, found("news"), "2", now=later(60)) == task.id
    row = only(archive)
    assert (row.options, row.notes, row.due_at, row.added_at) == ("2", "kept", later(3_600), NOW)


def test_a_list_and_the_page_at_its_address_are_two(archive: Archive) -> None:
    site, (page,) = begin(archive, "news")
    _, task = watch(archive, "news")
    assert task.id != page.id
    assert next_tasks(archive, site, HOST, 9, now=NOW) == [page]
    assert next_tasks(archive, site, HOST, 9, now=NOW, kinds=WATCHED) == [task]


def test_an_ended_watch_rests_until_it_is_watched_again(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, region(("a", "A")))])
    end_watch(archive, task.id, "not wanted any more")
    assert (watch_rows(archive), due_watches(archive), list_tasks(archive, site, later(DAY))) == ([], [], [])
    row = only(archive)
    assert (row.state, row.why, row.due_at, row.ended_at is None) == ("skipped", "not wanted any more", None, False)
    assert len(lists_of_watch(archive, task.id)) == 1
    assert add_watch(archive, site, found("news"), "2", now=later(60)) == task.id
    row = only(archive)
    assert (row.state, row.why, row.due_at, row.ended_at) == ("retry", "", AT_ONCE, None)


def test_a_visit_that_comes_after_the_end_of_its_watch_is_dropped(archive: Archive) -> None:
    _, task = watch(archive)
    end_watch(archive, task.id, "enough")
    (receipt,) = store_outcomes(archive, [listed(task, region(("a", "A")))])
    assert (receipt.stored, lists_of_watch(archive, task.id), count_archive(archive).records) == ("lost", [], 0)


def test_of_two_visits_at_once_to_one_list_the_first_that_is_stored_counts(archive: Archive) -> None:
    _, task = watch(archive)
    seen = (looked(shown=1, new=1),)
    one, other = (listed(task, region(("a", "A")), at=later(at), looked=seen) for at in (2, 1))
    assert [store_outcomes(archive, [outcome])[0].stored for outcome in (one, other)] == ["new", "lost"]
    assert [store_outcomes(archive, [listed(task, at=later(60))])[0].stored] == ["lost"]
    (row,) = lists_of_watch(archive, task.id)
    assert (row.looks, row.records, count_archive(archive).fetches) == (1, 1, 1)


def test_a_list_that_moved_keeps_its_number_and_is_found_under_both_addresses(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, region(("a", "A")), etag='"1"')])
    move_watch(archive, task.id, Url("http://new.example/list"), "new.example")
    (moved,) = next_tasks(archive, site, "new.example", 9, now=later(DAY), kinds=WATCHED)
    assert (moved.id, moved.url, moved.etag) == (task.id, "http://new.example/list", "")
    assert list_tasks(archive, site, later(DAY)) == []
    host = take_host(archive, site, Owner.of_this_process(), now=later(DAY), kinds=WATCHED)
    assert host is not None
    assert host.name == "new.example"
    for address in (found("news"), FoundUrl(Url("http://new.example/list"), "new.example")):
        assert add_watch(archive, site, address, "{}", now=NOW) == task.id


def test_only_a_watch_can_be_moved_or_ended(archive: Archive) -> None:
    _, (page,) = begin(archive, "a")
    with pytest.raises(BadInput, match="there is no watch"):
        end_watch(archive, page.id, "")
    with pytest.raises(BadInput, match="there is no watch"):
        move_watch(archive, page.id, SITE, HOST)


def test_watches_of_one_site_can_be_asked_for(archive: Archive) -> None:
    site, task = watch(archive)
    other = add_site(archive, "other", SITE)
    second = add_watch(archive, other, found("news"), "{}", now=NOW)
    assert [row.id for row in watch_rows(archive)] == [task.id, second]
    assert [row.id for row in watch_rows(archive, other)] == [second]
    assert [row.id for row in watch_rows(archive, site)] == [task.id]


# -- visits ------------------------------------------------------------------------------------------------------------


def test_a_list_is_due_when_its_visit_said_so_up_to_eight_days_ahead(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, wait_s=7 * DAY)])
    assert due_watches(archive) == [(task.id, site, later(7 * DAY))]
    assert list_tasks(archive, site, later(7 * DAY - 1)) == []
    (again,) = list_tasks(archive, site, later(7 * DAY))
    store_outcomes(archive, [listed(again, at=later(7 * DAY), wait_s=100 * DAY)])
    assert due_watches(archive) == [(task.id, site, later(15 * DAY))]


def test_a_document_that_is_followed_waits_a_day_at_most(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    add_urls(archive, site, [found("a", kind="item")])
    assert next_due(archive, site, ("item",)) == AT_ONCE
    (task,) = next_tasks(archive, site, HOST, 9, now=NOW, kinds=WATCHED)
    store_outcomes(archive, [Outcome(task, "retry", NOW, status=503, retry_at=later(3 * DAY))])
    assert next_due(archive, site, ("item",)) == later(DAY)


def test_failed_visits_to_a_list_are_counted_until_one_goes_well(archive: Archive) -> None:
    site, task = watch(archive)
    for number in range(3):
        (task,) = list_tasks(archive, site, later(number * 60))
        assert task.attempts == number
        failed = Outcome(task, "retry", later(number * 60), "503", status=503, retry_at=later(number * 60 + 60))
        assert store_outcomes(archive, [failed])[0].stored == ""
    assert only(archive).attempts == 3
    (task,) = list_tasks(archive, site, later(180))
    store_outcomes(archive, [listed(task, region(("a", "A")), at=later(180), etag='"1"')])
    assert only(archive).attempts == 0
    (task,) = list_tasks(archive, site, later(DAY))
    store_outcomes(archive, [Outcome(task, "retry", later(DAY), "503", status=503, retry_at=later(DAY + 60))])
    (task,) = list_tasks(archive, site, later(DAY + 60))
    assert (task.attempts, task.etag) == (1, '"1"')
    unchanged = Outcome(task, "retry", later(DAY + 60), status=304, is_unchanged=True, retry_at=later(2 * DAY))
    assert store_outcomes(archive, [unchanged])[0].stored == "same"
    assert only(archive).attempts == 0


def test_a_list_has_one_version_however_often_it_changes(archive: Archive) -> None:
    site, _ = watch(archive)
    stored = []
    for number in range(3):
        (task,) = list_tasks(archive, site, later(number * 3_600))
        at, body = later(number * 3_600), f"{number}".encode() * 16
        (receipt,) = store_outcomes(archive, [listed(task, region((f"{number}", "New")), at=at, body_hash=body)])
        stored.append((receipt.stored, receipt.records, receipt.version))
    assert stored == [("new", 1, 1), ("same", 1, 1), ("same", 1, 1)]
    assert count_archive(archive, site).records == 3


def test_two_lists_with_nothing_on_them_are_no_duplicates(archive: Archive) -> None:
    tasks = [watch(archive, path)[1] for path in ("one", "two")]
    receipts = store_outcomes(archive, [listed(task) for task in tasks])
    assert [(receipt.stored, receipt.duplicate_of) for receipt in receipts] == [("new", None)] * 2


def test_a_list_that_lost_its_etag_is_not_asked_by_the_old_one(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, etag='"1"', modified="yesterday")])
    (task,) = list_tasks(archive, site, later(DAY))
    assert (task.etag, task.modified) == ('"1"', "yesterday")
    store_outcomes(archive, [listed(task, at=later(DAY))])
    (task,) = list_tasks(archive, site, later(2 * DAY))
    assert (task.etag, task.modified) == ("", "")


def test_fresh_records_are_told_in_page_order_and_numbered_in_the_order_they_appeared(
    archive: Archive,
) -> None:
    site, task = watch(archive)
    (first,) = store_outcomes(archive, [listed(task, region(("b", "Older"), ("a", "Oldest")))])
    (task,) = list_tasks(archive, site, later(DAY))
    page = region(("d", "Newest"), ("c", "New"), ("b", "Older"))
    (second,) = store_outcomes(archive, [listed(task, page, at=later(DAY))])
    assert (first.fresh, second.fresh, second.records, second.sightings) == ((2, 1), (4, 3), 2, 3)
    taken = new_records(archive, 0, watches=None, limit=9)
    assert [record.fields for record in taken] == [("Oldest",), ("Older",), ("New",), ("Newest",)]


def test_documents_tell_no_fresh_records(archive: Archive) -> None:
    _, (task,) = begin(archive, "a")
    page = done(task)
    assert page.extracted is not None
    (receipt,) = store_outcomes(archive, [done(task, extracted=listed(task, region(("a", "A"))).extracted)])
    assert (receipt.records, receipt.fresh) == (1, ())


# -- beside a crawl ----------------------------------------------------------------------------------------------------


def test_a_crawl_does_not_see_lists(archive: Archive) -> None:
    site, task = watch(archive)
    me = Owner.of_this_process()
    assert (next_tasks(archive, site, HOST, 9, now=NOW), next_due(archive, site)) == ([], None)
    assert take_host(archive, site, me, now=NOW) is None
    assert host_rows(archive, site, now=NOW) == []
    assert count_archive(archive, site).states == {}
    assert [row.waiting for row in host_rows(archive, site, now=NOW, kinds=WATCHED)] == [1]
    store_outcomes(archive, [Outcome(task, "failed", NOW, "404", status=404)])
    assert requeue(archive, site, states=("failed",)) == 0
    assert list_tasks(archive, site) == []


def test_a_watch_does_not_see_what_waits_for_a_crawl(archive: Archive) -> None:
    site, (page,) = begin(archive, "a")
    _, task = watch(archive)
    store_outcomes(archive, [listed(task)])
    assert next_tasks(archive, site, HOST, 9, now=NOW, kinds=WATCHED) == []
    assert take_host(archive, site, Owner.of_this_process(), now=NOW, kinds=WATCHED) is None
    assert take_host(archive, site, Owner.of_this_process(), now=NOW) is not None
    assert next_due(archive, site, WATCHED) == later(3_600)
    want_host(archive, site, Owner.of_this_process(), now=NOW, kinds=WATCHED)
    assert next_tasks(archive, site, HOST, 9, now=NOW) == [page]


def test_lists_are_found_without_a_look_at_what_waits_for_a_crawl(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        site, task = watch(archive)
        store_outcomes(archive, [listed(task, region(("a", "A")))])
        said: list[str] = []
        event.listen(archive.engine, "before_cursor_execute", lambda *given: said.append(given[2]))
        due_watches(archive)
        take_host(archive, site, Owner.of_this_process(), now=later(DAY), kinds=WATCHED)
        next_tasks(archive, site, HOST, 9, now=NOW, kinds=WATCHED)
        next_due(archive, site, WATCHED)
        next_due(archive, site, ("item",))
        assert {"urls INDEXED BY urls_watched" in one for one in said if "FROM urls" in one} == {True}
        said.clear()
        new_records(archive, 0, watches=None, limit=9)
        newest_records(archive, 9, watches=[task.id])
        assert {"INDEXED BY records_" in one for one in said if "FROM records" in one} == {True}


def test_the_earliest_of_each_site_is_told_at_once(archive: Archive) -> None:
    assert due_sites(archive) == {}
    site, first = watch(archive, "first")
    _, second = watch(archive, "second")
    store_outcomes(archive, [listed(first, wait_s=60), listed(second, wait_s=30)])
    other = add_site(archive, "other", SITE)
    add_urls(archive, other, [found("a", kind="item"), found("b")])
    third = add_site(archive, "third", SITE)
    add_urls(archive, third, [found("a")])
    assert due_sites(archive) == {site: later(30), other: AT_ONCE}


def test_a_followed_document_that_waits_for_a_crawl_is_the_watchs_too(archive: Archive) -> None:
    site, (page, other) = begin(archive, "a", "b")
    store_outcomes(archive, [done(other)])
    _, task = watch(archive)
    items = (found("a", kind="item", rank=-1), found("b", kind="item"))
    (receipt,) = store_outcomes(archive, [listed(task, found=items)])
    assert receipt.found == 0
    (item,) = next_tasks(archive, site, HOST, 9, now=NOW, kinds=WATCHED)
    assert (item.id, item.kind) == (page.id, "item")
    assert next_tasks(archive, site, HOST, 9, now=NOW) == [item]


def test_exports_have_the_records_of_a_list_and_not_its_page(archive: Archive) -> None:
    site, task = watch(archive)
    add_urls(archive, site, [found("a", kind="item")])
    (item,) = next_tasks(archive, site, HOST, 9, now=NOW, kinds=("item",))
    raw = Raw(200, (), b"<li>A")
    store_outcomes(archive, [listed(task, region(("a", "A")), raw=raw), done(item, "A")])
    for wanted in (PageQuery(), PageQuery(all_versions=True), PageQuery(sites=(HOST,), matches=("*",))):
        assert [page.url for page in read_pages(archive, wanted)] == [f"{SITE}a"]
    assert [record.page for record in read_records(archive, PageQuery())] == [f"{SITE}news"]
    assert [response.body for response in read_raw(archive, PageQuery())] == [b"<li>A"]
    counts = count_archive(archive, site)
    assert (counts.pages, counts.versions, counts.states) == (1, 1, {"done": 1})
    assert (counts.records, counts.sightings, counts.fetches) == (1, 1, 2)


# -- clocks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead_s", [60.0, DAY, 365 * DAY])
@pytest.mark.parametrize("wait_s", [600.0, 7 * DAY])
def test_after_a_clock_was_ahead_no_list_waits_longer_than_was_planned(
    archive: Archive, ahead_s: float, wait_s: float
) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, at=later(ahead_s), wait_s=wait_s)])
    assert wind_watches(archive, NOW) == 1
    assert due_watches(archive) == [(task.id, site, later(wait_s))]
    assert wind_watches(archive, later(wait_s / 2)) == 0
    assert due_watches(archive) == [(task.id, site, later(wait_s))]


def test_the_pause_of_a_lane_is_wound_with_its_lists(archive: Archive) -> None:
    site, task = watch(archive)
    me = Owner.of_this_process()
    host = take_host(archive, site, me, now=later(DAY), kinds=WATCHED)
    assert host is not None
    store_outcomes(archive, [listed(task, at=later(DAY), wait_s=600)])
    leave_host(archive, host, me, free_at=later(DAY + 5), slow=1.0)
    assert wind_watches(archive, later(60)) == 1
    again = take_host(archive, site, me, now=later(700), kinds=WATCHED)
    assert again is not None
    assert again.free_at == later(65)


def test_a_clock_that_jumps_ahead_makes_every_list_due_once(archive: Archive) -> None:
    site, _ = watch(archive)
    year = 365 * DAY
    for task in list_tasks(archive, site):
        store_outcomes(archive, [listed(task, wait_s=DAY)])
    assert wind_watches(archive, later(year)) == 0
    (task,) = list_tasks(archive, site, later(year))
    store_outcomes(archive, [listed(task, at=later(year), wait_s=DAY)])
    assert list_tasks(archive, site, later(year)) == []


def test_a_list_from_a_future_beyond_any_wait_is_due_even_before_it_is_wound(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(task, at=later(365 * DAY))])
    (again,) = list_tasks(archive, site)
    assert again.id == task.id
    assert take_host(archive, site, Owner.of_this_process(), now=NOW, kinds=WATCHED) is not None


def test_winding_leaves_what_is_due_and_what_is_ended(archive: Archive) -> None:
    site, due = watch(archive, "due")
    _, ended = watch(archive, "ended")
    store_outcomes(archive, [listed(due, wait_s=60), listed(ended, at=later(DAY))])
    end_watch(archive, ended.id, "enough")
    assert wind_watches(archive, later(120)) == 0
    assert due_watches(archive) == [(due.id, site, later(60))]
    add_watch(archive, site, found("ended"), "{}", now=NOW)
    assert wind_watches(archive, later(120)) == 0
    assert (ended.id, site, AT_ONCE) in due_watches(archive)


# -- records and cursors -----------------------------------------------------------------------------------------------


def test_records_are_known_exactly_when_they_are_stored(where: str) -> None:
    with open_archive(where) as archive:
        site, task = watch(archive)
        one = region(("a", "A"), ("b", "B"), ("same", "X"), ("same", "Y"))
        other = region(("b", "B elsewhere"), ("c", "C"))
        before = known_records(archive, site, [one, other])
        assert [len(keys) for keys in before] == [4, 2]
        assert not any(key.is_known for keys in before for key in keys)
        (receipt,) = store_outcomes(archive, [listed(task, one, other)])
        assert receipt.records == len({key.key for keys in before for key in keys})
        after = known_records(archive, site, [one, other])
        assert [[key.key for key in keys] for keys in after] == [[key.key for key in keys] for keys in before]
        assert all(key.is_known for keys in after for key in keys)
        assert not any(key.is_known for keys in known_records(archive, site + 1, [one]) for key in keys)
        assert known_records(archive, site, []) == []


def test_new_records_are_those_that_watches_saw_first(archive: Archive) -> None:
    _, (page,) = begin(archive, "page")
    store_outcomes(archive, [done(page, extracted=listed(page, region(("a", "A"))).extracted)])
    tasks = [watch(archive, path)[1] for path in ("one", "two")]
    store_outcomes(archive, [listed(tasks[0], region(("b", "B"), ("a", "A"))), listed(tasks[1], region(("c", "C")))])
    taken = new_records(archive, 0, watches=None, limit=9)
    assert [(record.fields, record.page) for record in taken] == [(("B",), f"{SITE}one"), (("C",), f"{SITE}two")]
    assert [record.fields for record in new_records(archive, 0, watches=None, limit=1)] == [("B",)]
    assert new_records(archive, taken[0].record, watches=None, limit=9) == taken[1:]
    assert new_records(archive, 0, watches=[tasks[1].id], limit=9) == taken[1:]
    assert new_records(archive, 0, watches=[tasks[1].id, tasks[0].id], limit=9) == taken
    assert new_records(archive, 0, watches=[], limit=9) == []
    assert newest_records(archive, 9, watches=None) == taken[::-1]
    assert newest_records(archive, 1, watches=[tasks[0].id]) == taken[:1]


def test_a_cursor_stays_where_it_was_put(where: str) -> None:
    with open_archive(where) as archive:
        assert load_cursor(archive, "hook") == 0
        save_cursor(archive, "hook", 7)
        save_cursor(archive, "feed\x00", 2**40)
        save_cursor(archive, "hook", 9)
        assert (load_cursor(archive, "hook"), load_cursor(archive, "feed\x00"), load_cursor(archive, "none")) == (
            9,
            2**40,
            0,
        )


# -- regions and their journal -----------------------------------------------------------------------------------------


def test_damaged_lists_are_told_from_bugs(archive: Archive) -> None:
    _, task = watch(archive)
    store_outcomes(archive, [listed(task, looked=(looked(),))])
    with archive.writing() as connection:
        connection.exec_driver_sql("UPDATE lists SET newest = '[1'")
    with pytest.raises(ArchiveFailed, match="a stored value is damaged"):
        lists_of_watch(archive, task.id)
    with pytest.raises(ArchiveFailed, match="a stored value is damaged"):
        watched_lists(archive)
    (complaint,) = verify_archive(archive)
    assert "list 1 cannot be read" in complaint


def test_a_page_that_is_hastened_is_due_at_once_and_one_that_ended_stays_so(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [listed(list_tasks(archive, site, NOW)[0], at=NOW, wait_s=7 * DAY)])
    assert not list_tasks(archive, site, later(60.0))
    assert hasten_watch(archive, task.id)
    assert [one.id for one in list_tasks(archive, site, later(60.0))] == [task.id]
    end_watch(archive, task.id, "enough")
    assert not hasten_watch(archive, task.id)
    assert load_watch(archive, task.id) == only(archive)
    assert load_watch(archive, task.id + 100) is None
    with pytest.raises(BadInput):
        hasten_watch(archive, task.id + 100)
