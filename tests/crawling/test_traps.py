"""Endless sites are left, and no honest page is lost for it."""

import pytest
from tests.crawling.made_sites import (
    STYLES,
    TRAPS,
    UNENDING,
    Honest,
    combinations,
    crawl,
    prose,
    with_entrances,
    with_traps,
)

from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.traps import (
    COMBINATIONS,
    DEEP_PATH,
    FAR_AHEAD,
    REPEATED_PATH,
    SAME_AGAIN,
    SITE_FULL,
    TOO_MANY_ALIKE,
    TOO_MANY_HOSTS,
    Traps,
    why_endless,
)
from scythe.limits import LIMITS

START = "https://example.org/"
SITE = "https://example.org"


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.article)
def test_every_page_of_an_honest_site_is_visited(style) -> None:  # type: ignore[no-untyped-def]
    honest = Honest(style)
    visits = crawl(honest, START, most=100_000)
    assert set(honest.pages) == set(visits.asked)
    assert len(visits.asked) == len(honest.pages)


def test_five_thousand_articles_of_one_kind_and_a_list_of_500_pages_are_visited() -> None:
    honest = Honest(STYLES[0], articles=5_000, months=192)
    assert set(honest.pages) <= set(crawl(honest, START, most=100_000).asked)


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_left_and_no_honest_page_is_lost(name: str) -> None:
    honest = Honest(STYLES[0], articles=150)
    visits = crawl(with_traps(honest, [name]), START, most=50_000)
    assert set(honest.pages) <= set(visits.asked)
    assert len(visits.asked) - len(honest.pages) < 1_200
    assert visits.addresses is not None
    assert sum(visits.addresses.skipped.values()) > 0


@pytest.mark.parametrize("style", STYLES[3:4], ids=lambda style: style.article)
def test_all_traps_at_once_cost_an_honest_site_nothing(style) -> None:  # type: ignore[no-untyped-def]
    honest = Honest(style, articles=150)
    visits = crawl(with_traps(honest, list(TRAPS)), START, most=50_000)
    assert set(honest.pages) <= set(visits.asked)
    assert len(visits.asked) - len(honest.pages) < 4_000


EIGHT = [*(name for name in TRAPS if name != "calendar by query"), *UNENDING]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.article)
def test_eight_traps_together_leave_honest_pages_their_turn(style) -> None:  # type: ignore[no-untyped-def]
    honest = Honest(style, articles=170, months=12)
    most = 2 * len(honest.pages)
    asked = crawl(with_traps(honest, EIGHT), START, most=most).asked
    assert len(set(asked) & set(honest.pages)) >= 0.975 * len(honest.pages)
    asked = crawl(with_entrances(honest, EIGHT), START, most=most).asked
    assert len(set(asked) & set(honest.pages)) >= 0.8 * len(honest.pages)


def test_a_trap_takes_little_of_a_small_limit() -> None:
    honest = Honest(STYLES[0], articles=150)
    visits = crawl(with_traps(honest, ["counter"]), START, most=50_000, options=CrawlOptions(limit=100))
    assert len(visits.asked) - len(honest.pages) < 20


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a/b/a/b/a/b/", REPEATED_PATH),
        ("/x/a/a/a", REPEATED_PATH),
        ("/x/y/x/z/x/w/x", REPEATED_PATH),
        ("/" + "/".join(map(str, range(30))), DEEP_PATH),
        ("/2049/05/", FAR_AHEAD),
        ("/calendar/2049/5/", FAR_AHEAD),
        ("/events?date=2049-01-01", FAR_AHEAD),
        ("/events?month=3&year=2050", FAR_AHEAD),
        ("/?m=204905", FAR_AHEAD),
    ],
)
def test_addresses_that_no_honest_site_has(path: str, why: str) -> None:
    assert why_endless(SITE + path, 2026) == why


@pytest.mark.parametrize(
    "path",
    (
        "/ /a/b/a/b /en/docs/en/api /2011/11/11/11-things /11/11/11 /1848/05/ /2027/12/next-year /2049/"
        " /product/2049/5000 /thread/2500/2 /?p=2049 /blade-runner-2049/2049 /events?month=5&year=2028"
        " /search?q=2049 /wiki/A/B/C/D/E/F/G/H"
    ).split(),
)
def test_addresses_that_honest_sites_have(path: str) -> None:
    assert why_endless(SITE + path, 2026) == ""


def test_pages_without_text_are_no_reason_to_stop() -> None:
    traps = Traps()
    for n in range(1_000):
        traps.note(f"{SITE}/gallery/{n}", "Gallery")
    assert traps.why_trapped(f"{SITE}/gallery/1000") == ""


def test_lists_whose_text_was_not_found_are_told_apart_by_their_links() -> None:
    traps = Traps()
    for n in range(200):
        traps.note(f"{SITE}/list/{n}", "List", "One heading for all pages", f"/a{n} /b{n}")
    assert traps.why_trapped(f"{SITE}/list/200") == ""


def test_months_whose_text_was_not_found_are_told_apart_by_the_pages_they_link_to() -> None:
    honest, calendar = Traps(), Traps()
    for n in range(200):
        url = f"{SITE}/calendar/{1990 + n // 12}/{1 + n % 12:02}/"
        honest.note(url, "Archive", "", f"/{prose(n, 3).replace(' ', '-')}/")
        calendar.note(url, "Calendar", "", " ".join(f"{url}{day}/" for day in range(1, 29 + n % 3)))
    assert honest.why_trapped(f"{SITE}/calendar/2007/01/") == ""
    assert calendar.why_trapped(f"{SITE}/calendar/2007/01/") == SAME_AGAIN


def test_a_kind_is_stopped_alone() -> None:
    traps = Traps()
    for n in range(100):
        traps.note(f"{SITE}/view/{n}", "View", "the same text again, and again, and again. " * 5)
    assert traps.why_trapped(f"{SITE}/view/100") == SAME_AGAIN
    assert traps.why_trapped(f"{SITE}/story/100") == ""


def test_pages_that_say_little_may_say_the_same_for_long_unless_few_are_wanted() -> None:
    patient, thrifty = Traps(), Traps(limit=200)
    for n in range(1_500):
        patient.note(f"{SITE}/p/{n}", "Page", "Nothing here.")
        thrifty.note(f"{SITE}/p/{n}", "Page", "Nothing here.")
    assert patient.why_trapped(f"{SITE}/p/1500") == ""
    assert thrifty.why_trapped(f"{SITE}/p/1500") == SAME_AGAIN
    for n in range(1_500, 2_100):
        patient.note(f"{SITE}/p/{n}", "Page", "Nothing here.")
    assert patient.why_trapped(f"{SITE}/p/2100") == SAME_AGAIN


def test_a_kind_with_news_now_and_then_goes_on() -> None:
    traps = Traps()
    for n in range(2_000):
        traps.note(f"{SITE}/view/{n}", "View", prose(n // 5))
    assert traps.why_trapped(f"{SITE}/view/1") == ""


def test_filters_that_combine_are_left_and_single_ones_are_not() -> None:
    traps = Traps()
    for query in list(combinations(["color", "size", "brand", "price", "sort"]))[:600]:
        traps.note(f"{SITE}/shop?{query}", "Shop", prose(query))
    assert traps.why_trapped(f"{SITE}/shop?color=a&size=b&brand=c") == COMBINATIONS
    assert traps.why_trapped(f"{SITE}/shop?color=a") == ""
    assert traps.why_trapped(f"{SITE}/other?color=a&size=b") == ""


def test_one_program_with_many_kinds_of_pages_is_not_taken_for_filters() -> None:
    traps = Traps()
    for kind in range(60):
        for n in range(5):
            traps.note(f"{SITE}/index.php?view{kind}=1&id{kind}={n}", "x", prose((kind, n)))
    assert traps.why_trapped(f"{SITE}/index.php?view1=1&id1=9") == ""


def test_endless_hosts_are_left() -> None:
    traps = Traps()
    for n in range(LIMITS.site_hosts + 10):
        traps.note(f"https://h{n}.example.org/", "Home", prose(n))
    assert traps.why_trapped("https://new.example.org/") == TOO_MANY_HOSTS
    assert traps.why_trapped("https://h1.example.org/other") == ""


def test_what_was_stopped_stays_so_in_the_next_run() -> None:
    traps = Traps()
    for n in range(100):
        traps.note(f"{SITE}/view/{n}", "View", "the same text again, and again, and again. " * 5)
    again = Traps.from_json(traps.to_json())
    assert again.why_trapped(f"{SITE}/view/1") == SAME_AGAIN
    assert again.pages == 100
    assert Traps.from_json({"pages": "x", "stopped": [1]}) == Traps()


def test_memory_is_bounded() -> None:
    traps = Traps()
    for n in range(21_000):
        traps.note(f"{SITE}/{n:o}x/{n % 7}/x?a{n}=1&b=2", "t", f"text {n}")
    assert len(traps.kinds) <= 20_000
    assert len(traps.name_sets) <= 20_000


def test_numbered_pages_that_differ_in_their_number_only_are_all_visited() -> None:
    traps = Traps()
    for number in range(900, 2_200):
        url = f"{SITE}/page/{number}.html"
        assert traps.why_trapped(url) == ""
        traps.note(url, f"Page {number}", f"This is page {number}. " + "It says what the others say. " * 20)


def test_a_site_or_a_kind_of_page_with_more_addresses_than_any_honest_one_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scythe.crawling.traps.LIMITS", LIMITS._replace(site_addresses=30, shape_pages=10))
    traps = Traps()
    for number in range(12):
        traps.note(f"{SITE}/story/{number}", str(number))
    assert traps.why_trapped(f"{SITE}/story/99") == TOO_MANY_ALIKE
    assert traps.why_trapped(f"{SITE}/about") == ""
    for number in range(20):
        traps.note(f"{SITE}/{'x' * number}/page", str(number))
    assert traps.why_trapped(f"{SITE}/about") == SITE_FULL


def test_sets_of_parameters_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.crawling.traps._NAME_SETS_KEPT", 4)
    traps = Traps()
    for number in range(9):
        traps.note(f"{SITE}/list?a{number}=1&b=2", str(number))
    assert len(traps.name_sets["/list"]) == 4
