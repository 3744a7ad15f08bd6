"""How a site fares: one sentence, and what it rests on."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import pytest
from tests.archive.visiting import done, extracted
from tests.faults.redesign import change_everything
from tests.site.test_drift import learn_shop, shop_page, url_of
from tests.web.conftest import NARROW, Look, demo_pages, make_state

from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import StoredRobots
from scythe.archive.site_health import read_health
from scythe.archive.stored_sites import add_site, find_site, save_profile, save_robots
from scythe.crawl_model import FoundUrl, Outcome
from scythe.demo import site as demo_site
from scythe.site.drift import Change, Drift, DriftEvent
from scythe.site.rules import Profile
from scythe.site.site import Site
from scythe.url import Url
from scythe.web.app import make_templates
from scythe.web.auth import Auth
from scythe.web.health.health import (
    compare_profiles,
    day_of,
    find_version,
    judge,
    list_changes,
    newest_version,
    see_health,
    show_health,
    summarise,
    tell_log,
)
from scythe.web.state import PROFILE, NotThere, State

NOW = datetime(2026, 11, 16, tzinfo=UTC)
KEY = "shop.example:8080"
START = Url("http://shop.example:8080/")


def event(what: str = "missing", field: str = "price", layout: str = "layout-1", day: int = 3) -> DriftEvent:
    return DriftEvent(what, layout, field, f"2026-11-{day:02}T10:00:00+00:00", 40, 7, "https://shop.example/thing/7")


def change(what: str, day: int, field: str = "price", note: str = "", layout: str = "layout-1") -> Change:
    return Change(what, f"2026-11-{day:02}T10:00:00+00:00", 40, layout, field, note)


@pytest.mark.parametrize(
    ("drift", "state", "says"),
    [
        (None, "none", "Nothing was learned of this site yet."),
        (Drift(0), "good", "All rules fit."),
        (Drift(12), "good", "All rules fit on all 12 pages extracted so far."),
        (Drift(12, (event(),)), "bad", "Price in layout-1 stopped matching on 3 Nov."),
        (
            Drift(12, (event(), event(field="maker"))),
            "bad",
            "Price and maker in layout-1 stopped matching on 3 Nov.",
        ),
        (Drift(12, (event("unknown", "", ""),)), "bad", "Pages have fitted no layout since 3 Nov."),
        (
            Drift(50, (), (change("opened", 3, note="missing"), change("closed", 4, note="learned again"))),
            "good",
            "All rules fit again: price stopped matching on 3 Nov; learned again on 4 Nov.",
        ),
        (
            Drift(50, (), (change("opened", 3, "", "unknown", ""), change("closed", 4, "", "learned again as x", ""))),
            "good",
            "All rules fit again: pages fitted no layout on 3 Nov; learned again on 4 Nov.",
        ),
    ],
)
def test_the_verdict_is_one_plain_sentence(drift: Drift | None, state: str, says: str) -> None:
    verdict = judge(drift, None, NOW)
    assert (verdict.state, verdict.says) == (state, says)


def test_many_events_are_not_all_told_in_the_sentence() -> None:
    events = tuple(event(layout=f"layout-{n}") for n in range(7))
    assert judge(Drift(9, events), None, NOW).says.endswith("stopped matching on 3 Nov; and 4 more.")


def test_a_log_with_braces_is_told_as_it_is() -> None:
    [told] = tell_log([change("opened", 3, note="{what.__class__} {")])
    assert told.says == "price in layout-1: {what.__class__} {"


def test_a_layout_that_was_dropped_is_told_with_the_reason() -> None:
    [told] = tell_log([change("dropped", 3, "", "no page of it since 1 Oct")])
    assert told.says == "layout-1 was dropped: no page of it since 1 Oct"


@pytest.mark.parametrize(
    ("when", "day"),
    [
        ("2026-11-03T23:30:00-02:00", "4 Nov"),
        ("2025-01-31T10:00:00+00:00", "31 Jan 2025"),
        ("once upon a time", "once upon a time"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_a_day_is_told_in_utc_and_what_is_none_as_it_is(when: str, day: str) -> None:
    assert day_of(when, NOW) == day


@cache
def versions() -> tuple[str, str, str]:
    """Return the shop as it was learned, in the middle of a redesign, and when that was learned, too."""
    site = learn_shop()
    for n in range(8, 20):
        site.extract(shop_page(n), url_of(n))
    before = site.to_json()
    for n in range(500, 504):  # which were not there before, so that nothing is learned of them
        site.extract(change_everything(shop_page(n)), url_of(n))
    middle = site.to_json()
    for n in range(30):
        site.extract(change_everything(shop_page(n)), url_of(n))
    return before, middle, site.to_json()


def test_what_two_versions_differ_in_is_told_in_words() -> None:
    before, middle, after = (Site.from_json(text).profile for text in versions())
    assert compare_profiles(before, middle) == []
    changes = compare_profiles(before, after)
    assert [(one.kind, one.layout) for one in changes if one.kind == "added"] == [("added", "layout-2")]
    assert "name, price, maker, weight" in changes[0].says
    assert summarise(changes).startswith("layout-2 added")
    [old] = before.layouts
    poorer = replace(before, layouts=(replace(old, fields=old.fields[1:], marks=old.marks[1:]),))
    assert {one.says for one in compare_profiles(before, poorer)} == {"name has no rules any more"}


def fill_archive(state: State, texts: tuple[str, ...]) -> int:
    """Put a site with visits of some weeks and versions of its profile into the archive of a state."""
    now = datetime.now(UTC)
    host = "shop.example:8080"
    with state.archive() as archive:
        site = add_site(archive, KEY, START)
        for text in texts:
            save_profile(archive, site, text)
        add_urls(archive, site, [FoundUrl(Url(f"{START}thing/{n}"), host) for n in range(60)])
        outcomes: list[Outcome] = []
        for number, task in enumerate(next_tasks(archive, site, host, 50, now=now)):
            at = now - timedelta(days=20) + timedelta(hours=9 * number)
            if number % 9 == 0:
                why = "the server answered 503; asked again later"
                outcomes.append(Outcome(task, "retry", at, why, status=503, seconds=0.2, retry_at=now))
            else:
                how = "cold" if number < 6 else "mixed" if 20 < number < 30 else "cut"
                counts = {"cut_fields": 4 if how == "cut" else 1, "tree_fields": 3 * (how == "mixed")}
                made = extracted(task.url, how=how, missing_fields=int(number % 7 == 0), **counts)
                outcomes.append(done(task, at=at, extracted=made))
        store_outcomes(archive, outcomes)
        save_robots(archive, StoredRobots(str(START).rstrip("/"), 200, b"User-agent: *\nCrawl-delay: 2", now))
    return site


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state on an archive in which a shop was redesigned and learned again."""
    state = make_state(tmp_path, [], archive=str(tmp_path / "archive.db"))
    fill_archive(state, versions())
    return state


def test_the_archive_and_the_rules_are_told_together(state: State) -> None:
    seen = see_health(state, site=KEY)
    assert seen.verdict.state == "good"
    assert seen.verdict.says.startswith("All rules fit again: pages fitted no layout on ")
    assert seen.rules is not None
    assert seen.archive is not None
    assert [one.what for one in seen.rules.log][-1] == "opened"
    assert "learned" in {one.what for one in seen.rules.log}
    assert {field.layout for field in seen.rules.fields} >= {"layout-2"}
    assert all(set(field.recent) <= set("ctmi") for field in seen.rules.fields)
    assert (seen.archive.counts.pages, len(seen.archive.versions), seen.archive.robots[0].delay_s) == (44, 3, 2.0)
    assert {one.why for one in seen.archive.failures} == {"the server answered 503; asked again later"}


def test_servers_that_ask_to_be_left_alone_are_noted(tmp_path: Path) -> None:
    state = make_state(tmp_path, [], archive=str(tmp_path / "archive.db"))
    site = fill_archive(state, ())
    with state.archive() as archive:
        save_robots(archive, StoredRobots("http://shop.example:8080", 503, b"", NOW))
        health = read_health(archive, site, now=NOW)
    slow = replace(health.hosts[0], slow=4.0, free_at=NOW)
    left_alone = replace(health.hosts[0], name="a.example", free_at=NOW + timedelta(hours=3))
    notes = judge(None, replace(health, hosts=[slow, left_alone]), NOW).notes
    assert notes == (
        "http://shop.example:8080: robots.txt was answered with 503, so nothing is asked for.",
        "shop.example:8080 is asked 4.0 times slower than usual: its answers said so.",
        "a.example is left alone until 2026-11-16 03:00 UTC.",
    )


def test_sites_and_versions_that_are_not_there_are_said_to_be_so(state: State) -> None:
    for site, old, new in (("x", 0, 0), (KEY, 7, 8), (PROFILE, 0, 0)):
        with pytest.raises(NotThere):
            list_changes(state, site, old, new)
    assert [one.layout for one in list_changes(state, site=KEY)][:1] == ["layout-2"]
    with state.archive() as archive:
        add_site(archive, "new.example", Url("https://new.example/"))
    with pytest.raises(NotThere, match=r"nothing was learned of 'new\.example' yet"):
        list_changes(state, site="new.example")


def test_versions_looked_at_long_ago_are_read_again(tmp_path: Path) -> None:
    state = make_state(tmp_path, [], archive=str(tmp_path / "archive.db"))
    with state.archive() as archive:
        site = add_site(archive, KEY, START)
        for number in range(1, 20):
            save_profile(archive, site, Site(Profile((), (f"field {number}",))).to_json())
    kept = partial(find_version, state, KEY)
    first = kept(1)
    assert kept(1) is first
    assert [kept(number).fields for number in range(1, 20)] == [(f"field {n}",) for n in range(1, 20)]
    assert kept(1) is not first
    assert (kept(1), newest_version(state, KEY)) == (first, 19)


def test_a_profile_that_cannot_be_read_hides_nothing_else(state: State) -> None:
    with state.archive() as archive:
        save_profile(archive, find_site(archive, KEY) or 0, "{}")
    shown = show_health(state, site=KEY)
    seen = shown["seen"]
    assert (seen.verdict.state, seen.verdict.says) == ("bad", "What was learned of this site cannot be read.")
    assert "not a profile of scythe" in seen.verdict.notes[0]
    assert (seen.archive.counts.pages, seen.rules, shown["summaries"][4]) == (44, None, "one of the two cannot be read")
    assert shown["summaries"][3].startswith("layout-2 added")
    assert "Versions 3 and 4 cannot be compared" in make_templates(state, Auth())(
        "health.html", {"area": "home", "wanted": None, **shown}
    )


def test_a_profile_without_an_archive_has_its_health_too(tmp_path: Path) -> None:
    state = make_state(tmp_path, demo_pages(3))
    shown = show_health(state)
    assert shown["seen"].verdict.says == "Nothing was learned of this site yet."
    Path(tmp_path / "site.json").write_text(versions()[1], encoding="utf-8")
    seen = see_health(state, site=PROFILE)
    assert seen.verdict.state == "bad"
    assert seen.archive is None
    assert seen.rules is not None
    assert [one.what for one in seen.rules.events] == ["unknown"]


def test_a_person_sees_what_drifted_and_what_was_learned_again(look: Look, state: State) -> None:
    eyes = look(f"/sites?site={KEY}")
    tab = eyes.tab
    assert tab.inner_text(".verdict .says").startswith("All rules fit again: pages fitted no layout on ")
    assert "layout-2 was learned: name, price, maker, weight" in tab.inner_text(".happenings")
    assert tab.locator(".track").count() >= 4
    assert "layout-2 learned from" in tab.inner_text(".changes")
    tab.click(".versions a >> nth=1")
    assert tab.inner_text(".changes") == "Nothing but how the site has fared."
    assert tab.locator(".shares g").count() > 5
    assert "503" in tab.inner_text(".failures")
    tab.click(".versions a >> nth=0")
    eyes.shoot("health")
    tab.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert eyes.overflow() <= 0
    eyes.shoot("health")


@pytest.mark.slow
def test_the_demo_site_in_its_second_design_is_noticed(look: Look, state: State) -> None:
    kinds = ("news", "blog")
    old, new = ([page for page in demo_site(pages=24, design=n) if page.kind in kinds] for n in (0, 1))
    site = Site.learn([(page.url, page.html) for page in old])
    for page in (*old, *new[:4]):
        site.extract(page.html, page.url)
    state.save_site(PROFILE, site)
    eyes = look("/sites?site=profile", dark=True)
    assert eyes.tab.inner_text(".verdict.bad .says").startswith("Pages have fitted no layout since ")
    eyes.shoot("health-dark")
