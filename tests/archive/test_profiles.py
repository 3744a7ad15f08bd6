from __future__ import annotations

from tests.archive.visiting import NOW, begin, later

from scythe.archive.open import open_archive
from scythe.archive.results import StoredRobots


def test_a_profile_gets_a_version_when_it_changed(where: str) -> None:
    with open_archive(where) as archive:
        site, _ = begin(archive)
        assert archive.profile(site) is None
        versions = [archive.save_profile(site, profile) for profile in ('{"a":1}', '{"a":1}', '{"a":2}', '{"a":1}')]
        assert versions == [1, 1, 2, 3]
        assert [archive.profile(site, version) for version in (None, 1, 2, 9)] == [
            '{"a":1}',
            '{"a":1}',
            '{"a":2}',
            None,
        ]


def test_two_sites_have_profiles_of_their_own(where: str) -> None:
    with open_archive(where) as archive:
        site, _ = begin(archive)
        other = archive.add_site("other", archive.sites()[0].start)
        archive.save_profile(site, "{}")
        assert archive.profile(other) is None


def test_the_last_robots_of_an_origin_is_kept(where: str) -> None:
    origin = "http://site.example"
    with open_archive(where) as archive:
        assert archive.robots(origin) is None
        archive.save_robots(StoredRobots(origin, 200, b"User-agent: *\n\x00\xff", NOW))
        archive.save_robots(StoredRobots("http://other.example", 404, b"", NOW))
        archive.save_robots(StoredRobots(origin, None, b"", later(60)))
        assert archive.robots(origin) == StoredRobots(origin, None, b"", later(60))
        assert archive.robots("http://other.example") == StoredRobots("http://other.example", 404, b"", NOW)
