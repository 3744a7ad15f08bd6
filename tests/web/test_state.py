"""Where a state keeps things, what it shows of that, and for how long."""

import threading
from functools import partial
from pathlib import Path

import pytest

from scythe.archive.stored_sites import add_site, save_profile
from scythe.errors import BadInput
from scythe.fetch.inputs import LoadedPage
from scythe.site.rules import Profile
from scythe.site.site import Site
from scythe.url import Url
from scythe.web.home.home import see_about
from scythe.web.learned_sites import LearnedSites
from scythe.web.rules.rules import find_followed
from scythe.web.state import PAGES_AT_HAND, PROFILE, Jobs, NotNow, State, StateOptions


@pytest.mark.parametrize(
    "where",
    ["postgresql://ann:s3cret@db.example/web", "postgresql://ann@db.example/web?password=s3cret&sslpassword=s3cret"],
)
def test_no_password_of_a_database_is_shown(where: str) -> None:
    shown = see_about(State(StateOptions(where))).archive
    assert shown is not None
    assert "s3cret" not in shown
    assert shown.startswith("postgresql://ann")
    assert "db.example/web" in shown


def test_a_file_is_shown_as_it_was_named(tmp_path: Path) -> None:
    assert State(StateOptions(str(tmp_path / "a.db"))).where == str(tmp_path / "a.db")


def test_what_is_no_address_of_a_database_is_told() -> None:
    with pytest.raises(BadInput, match="postgresql://HOST/DATABASE"):
        _ = State(StateOptions("postgresql://host:port/x")).where


def pages(count: int) -> list[LoadedPage]:
    return [LoadedPage(f"{n}.html", b"<title>%d</title>" % n, f"https://a.example/{n}") for n in range(count)]


def test_the_trees_of_the_last_pages_are_kept() -> None:
    state = State(StateOptions(), pages(18))
    first, *others = state.pages()
    opened = state.opened(first)
    assert state.opened(first) is opened
    last = [state.opened(page) for page in others][-1]
    assert state.opened(others[-1]) is last
    again = state.opened(first)
    assert again is not opened
    assert again.head.title == "0"


def test_a_profile_is_loaded_from_and_saved_to_places_that_are_there(tmp_path: Path) -> None:
    site = Site(Profile(()))
    with pytest.raises(NotNow, match="start again with --archive FILE or --profile FILE"):
        State(StateOptions()).save_site(PROFILE, site)
    state = State(StateOptions(str(tmp_path / "a.db")))
    with pytest.raises(BadInput, match="no site 'nowhere' in the archive"):
        state.load_site("nowhere")
    with pytest.raises(BadInput, match="no site 'nowhere' in the archive"):
        state.save_site("nowhere", site)


def test_what_is_taught_of_pages_at_hand_is_kept_in_the_archive(tmp_path: Path) -> None:
    state = State(StateOptions(str(tmp_path / "a.db")), pages(2))
    assert state.load_site(PROFILE) is None
    assert "version 1 in" in state.save_site(PROFILE, Site(Profile((), ("title",))))
    assert state.site_keys() == [PROFILE, "a.example"]
    assert state.part(LearnedSites).find(PROFILE).profile.fields == ("title",)
    state = State(StateOptions(str(tmp_path / "a.db")), [LoadedPage("x.html", b"<p>")])
    state.save_site(PROFILE, Site(Profile(())))
    assert PAGES_AT_HAND in state.site_keys()


def test_a_profile_that_is_a_file_is_for_a_site_of_which_the_archive_knows_nothing(tmp_path: Path) -> None:
    file = tmp_path / "site.json"
    state = State(StateOptions(str(tmp_path / "a.db"), file), pages(1))
    assert state.file_for("a.example") is None
    Site(Profile((), ("title",))).save(file)
    taken = state.file_for("a.example")
    assert taken is not None
    assert '"title"' in taken
    assert state.file_for("other.example") is None
    with state.archive() as archive:
        save_profile(archive, add_site(archive, "a.example", Url("https://a.example/")), "{}")
    assert state.file_for("a.example") is None


def test_old_work_is_forgotten_and_what_goes_on_is_not() -> None:
    jobs = Jobs()
    go_on = threading.Event()
    long = jobs.start("learn", "long", lambda job: go_on.wait(60))
    for number in range(205):
        assert jobs.start("short", str(number), lambda job: None).ended.wait(60)
    newest = jobs.start("short", "newest", lambda job: None)
    assert newest.ended.wait(60)
    assert jobs.find(long.number) is long
    assert len(jobs.seen("short")) in (200, 201)  # the last may end before it is counted
    assert [job.title for job in jobs.seen("short")][:2] == ["newest", "204"]
    go_on.set()
    assert long.ended.wait(60)


def test_learned_sites_that_were_asked_for_long_ago_are_loaded_again(tmp_path: Path) -> None:
    state = State(StateOptions(str(tmp_path / "a.db")))
    keys = [f"site{number}.example" for number in range(10)]
    with state.archive() as archive:
        for key in keys:
            save_profile(archive, add_site(archive, key, Url(f"https://{key}/")), Site(Profile((), (key,))).to_json())
    for found in (state.part(LearnedSites).find, partial(find_followed, state)):
        kept = found(keys[0])
        assert found(keys[0]) is kept
        assert [one.profile.fields for key in keys if (one := found(key))] == [(key,) for key in keys]
        again = found(keys[0])
        assert again is not kept
        assert again is not None
        assert again.profile.fields == (keys[0],)
