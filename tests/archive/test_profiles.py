from tests.archive.visiting import NOW, begin, later

from scythe.archive.archive import Archive
from scythe.archive.results import StoredRobots
from scythe.archive.stored_sites import add_site, load_robots, save_profile, save_robots, site_rows, stored_profile


def test_a_profile_gets_a_version_when_it_changed(archive: Archive) -> None:
    site, _ = begin(archive)
    assert stored_profile(archive, site) is None
    versions = [save_profile(archive, site, profile) for profile in ('{"a":1}', '{"a":1}', '{"a":2}', '{"a":1}')]
    assert versions == [1, 1, 2, 3]
    assert [stored_profile(archive, site, version) for version in (None, 1, 2, 9)] == [
        '{"a":1}',
        '{"a":1}',
        '{"a":2}',
        None,
    ]


def test_two_sites_have_profiles_of_their_own(archive: Archive) -> None:
    site, _ = begin(archive)
    other = add_site(archive, "other", site_rows(archive)[0].start)
    save_profile(archive, site, "{}")
    assert stored_profile(archive, other) is None


def test_the_last_robots_of_an_origin_is_kept(archive: Archive) -> None:
    origin = "http://site.example"
    assert load_robots(archive, origin) is None
    save_robots(archive, StoredRobots(origin, 200, b"User-agent: *\n\x00\xff", NOW))
    save_robots(archive, StoredRobots("http://other.example", 404, b"", NOW))
    save_robots(archive, StoredRobots(origin, None, b"", later(60)))
    assert load_robots(archive, origin) == StoredRobots(origin, None, b"", later(60))
    assert load_robots(archive, "http://other.example") == StoredRobots("http://other.example", 404, b"", NOW)
