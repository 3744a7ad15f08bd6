from __future__ import annotations

from tests.archive.visiting import LANE, SITE, begin, done, extracted, found, listed, region, watch

from scythe.archive.open import open_archive
from scythe.crawl_model import ArchiveCounts, FoundUrl
from scythe.url import Url


def test_counts_of_all_sites_are_those_of_each(where: str) -> None:
    with open_archive(where) as archive:
        site, tasks = begin(archive, "a", "b", "c", "d")
        cards = region(("x", "One"), ("y", "Two"))
        archive.store([done(tasks[0]), done(tasks[1], extracted=extracted("b", regions=(cards,)))])
        _, task = watch(archive)
        archive.store([listed(task, region(("y", "Two"), ("z", "Three")))])
        other, empty = archive.add_site("other.example", Url("http://other.example/")), archive.add_site("x", SITE)
        archive.add_found(other, [FoundUrl(Url("http://other.example/"), "other.example")])
        counted = archive.counts_of_sites()
        assert counted[site] == archive.counts(site)
        assert (counted[site].pages, counted[site].versions, counted[site].records) == (2, 2, 3)
        assert counted[site].sightings == 4
        assert counted[other] == archive.counts(other) == ArchiveCounts({"new": 1})
        assert set(counted) == {site, other}
        assert archive.counts(empty) == ArchiveCounts()


def test_sites_with_a_profile_are_learned(where: str) -> None:
    with open_archive(where) as archive:
        site, other = archive.add_site(LANE, SITE), archive.add_site("other", SITE)
        archive.add_found(other, [found("a")])
        assert archive.learned_sites() == set()
        archive.save_profile(site, "{}")
        archive.save_profile(site, '{"a": 1}')
        assert archive.learned_sites() == {site}
