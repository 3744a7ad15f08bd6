from tests.archive.visiting import HOST, SITE, begin, done, extracted, found, listed, region, watch

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls
from scythe.archive.outcomes import store_outcomes
from scythe.archive.site_health import count_archive, count_sites
from scythe.archive.stored_sites import add_site, learned_sites, save_profile
from scythe.crawl_model import ArchiveCounts, FoundUrl
from scythe.url import Url


def test_counts_of_all_sites_are_those_of_each(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c", "d")
    cards = region(("x", "One"), ("y", "Two"))
    store_outcomes(archive, [done(tasks[0]), done(tasks[1], extracted=extracted("b", lists=(cards,)))])
    _, task = watch(archive)
    store_outcomes(archive, [listed(task, region(("y", "Two"), ("z", "Three")))])
    other, empty = add_site(archive, "other.example", Url("http://other.example/")), add_site(archive, "x", SITE)
    add_urls(archive, other, [FoundUrl(Url("http://other.example/"), "other.example")])
    counted = count_sites(archive)
    assert counted[site] == count_archive(archive, site)
    assert (counted[site].pages, counted[site].versions, counted[site].records) == (2, 2, 3)
    assert counted[site].sightings == 4
    assert counted[other] == count_archive(archive, other) == ArchiveCounts({"new": 1})
    assert set(counted) == {site, other}
    assert count_archive(archive, empty) == ArchiveCounts()


def test_sites_with_a_profile_are_learned(archive: Archive) -> None:
    site, other = add_site(archive, HOST, SITE), add_site(archive, "other", SITE)
    add_urls(archive, other, [found("a")])
    assert learned_sites(archive) == set()
    save_profile(archive, site, "{}")
    save_profile(archive, site, '{"a": 1}')
    assert learned_sites(archive) == {site}
