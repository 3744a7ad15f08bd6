"""How a site fares, by its archive, in each kind of database."""

from dataclasses import replace
from datetime import timedelta

from tests.archive.visiting import HOST, NOW, begin, done, extracted, later, watch

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import StoredRobots
from scythe.archive.site_health import Reason, read_health
from scythe.archive.stored_sites import add_site, save_profile, save_robots
from scythe.crawl_model import FoundUrl, Outcome, Task
from scythe.url import Url


def failed(task: Task, state: str, why: str, status: int | None = None, at_s: float = 0.0) -> Outcome:
    retry_at = later(at_s + 60) if state == "retry" else None
    return Outcome(task, state, later(at_s), why, status=status, seconds=0.1, retry_at=retry_at)


def test_addresses_are_counted_by_state_and_reason(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c", "d")
    store_outcomes(
        archive, [done(tasks[0]), failed(tasks[1], "gone", "404", 404), failed(tasks[2], "gone", "404", 404)]
    )
    health = read_health(archive, site, now=NOW)
    assert set(health.addresses) == {Reason("done", "", 1), Reason("gone", "404", 2), Reason("new", "", 1)}
    assert health.addresses[0].count == 2


def test_the_last_failures_come_with_their_reasons(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c")
    store_outcomes(archive, [done(tasks[0]), failed(tasks[1], "retry", "no answer within 60 s", at_s=5)])
    store_outcomes(archive, [failed(tasks[2], "failed", "the server answered 500", 500, at_s=9)])
    health = read_health(archive, site, now=NOW)
    assert [(one.url[-1], one.status, one.why) for one in health.failures] == [
        ("c", 500, "the server answered 500"),
        ("b", None, "no answer within 60 s"),
    ]
    assert (health.fetched, health.fetched_since) == (3, NOW)
    assert Reason("done", "", 1) in health.answered


def test_shares_of_cut_and_tree_are_told_over_time(archive: Archive) -> None:
    site, tasks = begin(archive, *(f"p{n}" for n in range(12)))
    ways = ["cold", "cut", "cut", "mixed"] * 3
    for day, how in enumerate(ways):
        made = extracted(f"page {day}", how=how, cut_fields=3 * (how == "cut"), tree_fields=2 * (how == "mixed"))
        store_outcomes(archive, [done(tasks[day], f"page {day}", at=NOW + timedelta(days=day), extracted=made)])
    health = read_health(archive, site, now=NOW)
    assert [share.at for share in health.shares] == sorted(share.at for share in health.shares)
    assert (health.sampled, sum(share.pages for share in health.shares)) == (12, 12)
    assert [(share.cut, share.tree, share.cold) for share in health.shares][:4] == [
        (0, 0, 1),
        (3, 0, 0),
        (3, 0, 0),
        (0, 2, 0),
    ]


def test_versions_robots_and_lanes_are_those_of_the_site(where: str) -> None:
    with open_archive(where) as archive:
        site, tasks = begin(archive, "a")
        add_urls(archive, add_site(archive, "other", Url("http://other.example/")), [_elsewhere()])
        for text in ("{}", '{"a":1}'):
            save_profile(archive, site, text)
        save_robots(archive, StoredRobots(f"http://{HOST}", 200, b"User-agent: *\nCrawl-delay: 3", NOW))
        save_robots(archive, StoredRobots("http://other.example", 200, b"", NOW))
        before = read_health(archive, site, now=NOW)
        store_outcomes(archive, [done(tasks[0])])
        after = read_health(archive, site, now=NOW)
    assert [one.version for one in before.versions] == [2, 1]
    assert [one.origin for one in before.robots] == [f"http://{HOST}"]
    assert [(host.name, host.waiting) for host in before.hosts] == [(HOST, 1)]
    assert [(host.name, host.waiting) for host in after.hosts] == [(HOST, 0)]


def test_an_empty_site_and_watched_lists_have_no_shares(archive: Archive) -> None:
    site, task = watch(archive)
    store_outcomes(archive, [replace(done(task, at=NOW), state="retry", retry_at=later(60))])
    health = read_health(archive, site, now=NOW)
    assert (health.shares, health.addresses, health.versions) == ([], [], [])


def _elsewhere() -> FoundUrl:
    return FoundUrl(Url("http://other.example/x"), "other.example")
