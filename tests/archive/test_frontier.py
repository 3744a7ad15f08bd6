from tests.archive.visiting import HOST, NOW, SITE, begin, done, found, later

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_due, next_tasks, requeue
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, find_site, load_notes, save_notes, site_rows
from scythe.archive.verify import verify_archive
from scythe.crawl_model import FoundUrl, Outcome
from scythe.url import Url


def test_a_site_is_added_once_and_found_again(archive: Archive) -> None:
    first = add_site(archive, HOST, SITE)
    assert add_site(archive, HOST, SITE) == first
    assert find_site(archive, HOST) == first
    assert find_site(archive, "other.example") is None
    assert [(site.key, site.start) for site in site_rows(archive)] == [(HOST, SITE)]


def test_notes_of_a_site_are_kept(archive: Archive) -> None:
    site, other = add_site(archive, HOST, SITE), add_site(archive, "other", SITE)
    assert load_notes(archive, site) == ""
    save_notes(archive, site, '{"params":["sid"]}')
    assert (load_notes(archive, site), load_notes(archive, other)) == ('{"params":["sid"]}', "")


def test_an_address_is_added_once(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    assert add_urls(archive, site, [found("a"), found("b"), found("a")]) == 2
    assert add_urls(archive, site, [found("b"), found("c")]) == 1
    assert add_urls(archive, site, []) == 0


def test_addresses_with_one_key_are_one(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    assert add_urls(archive, site, [found("a?session=1", key="a"), found("a?session=2", key="a")]) == 1
    assert [task.url for task in next_tasks(archive, site, HOST, 9, now=NOW)] == [f"{SITE}a?session=1"]


def test_two_sites_keep_their_addresses_apart(archive: Archive) -> None:
    one, other = add_site(archive, "one", SITE), add_site(archive, "other", SITE)
    assert add_urls(archive, one, [found("a")]) == 1
    assert add_urls(archive, other, [found("a")]) == 1
    assert len(next_tasks(archive, one, HOST, 9, now=NOW)) == 1


def test_tasks_come_by_rank_then_depth_then_age(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    add_urls(archive, site, [found("old"), found("deep", depth=2), found("last", rank=9), found("first", rank=-1)])
    add_urls(archive, site, [found("young")])
    paths = [task.url.removeprefix(SITE) for task in next_tasks(archive, site, HOST, 9, now=NOW)]
    assert paths == ["first", "old", "young", "deep", "last"]


def test_tasks_in_flight_are_skipped(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c")
    rest = next_tasks(archive, site, HOST, 2, now=NOW, skip={tasks[0].id})
    assert [task.url for task in rest] == [tasks[1].url, tasks[2].url]


def test_tasks_of_another_lane_are_not_handed_out(archive: Archive) -> None:
    site = add_site(archive, HOST, SITE)
    add_urls(archive, site, [found("a"), FoundUrl(Url("http://other.example/"), "other.example")])
    assert [task.host for task in next_tasks(archive, site, HOST, 9, now=NOW)] == [HOST]
    assert [task.host for task in next_tasks(archive, site, "other.example", 9, now=NOW)] == ["other.example"]


def test_an_address_to_be_tried_again_waits_until_it_is_due(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [Outcome(task, "retry", NOW, why="503", status=503, retry_at=later(30))])
    assert next_tasks(archive, site, HOST, 9, now=later(29)) == []
    assert next_due(archive, site) == later(30)
    (again,) = next_tasks(archive, site, HOST, 9, now=later(30))
    assert (again.id, again.attempts) == (task.id, 1)


def test_nothing_is_due_when_nothing_waits(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    assert next_due(archive, site) is not None
    store_outcomes(archive, [done(task)])
    assert next_due(archive, site) is None


def test_no_wait_is_longer_than_a_day(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [Outcome(task, "retry", NOW, status=503, retry_at=later(10**7))])
    assert next_due(archive, site) == later(86_400)


def test_pages_can_be_visited_again_with_what_the_server_said(archive: Archive) -> None:
    site, (task, gone) = begin(archive, "a", "b")
    outcome = done(task, etag='"x"', modified="Mon, 04 May 2026 12:00:00 GMT")
    store_outcomes(archive, [outcome, Outcome(gone, "gone", NOW, status=404)])
    assert requeue(archive, site) == 1
    (again,) = next_tasks(archive, site, HOST, 9, now=NOW)
    assert (again.id, again.etag, again.modified) == (task.id, '"x"', "Mon, 04 May 2026 12:00:00 GMT")
    assert again.body_hash == outcome.body_hash
    assert requeue(archive, site, states=("gone",)) == 1


def test_an_address_that_no_index_would_take_is_kept_whole(archive: Archive) -> None:
    long = "a?" + "x" * 8_000
    _, (task,) = begin(archive, long)
    assert task.url == f"{SITE}{long}"


def test_text_that_no_database_takes_is_made_storable(archive: Archive) -> None:
    site, (task,) = begin(archive, "a\x00b\ud800")
    store_outcomes(archive, [done(task, "t\x00\ud800", content_type="text/\x00html", why="\udfff", etag="\x00")])
    assert count_archive(archive, site).pages == 1
    assert verify_archive(archive) == []
