"""A record's own link is the one that leads to it alone, whatever other links stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.model import Record, RecordList
from scythe.reading.lists.own_link import find_own_links, own_links
from scythe.url import Url, fold

BASE = "https://news.example"
TITLES = ["Rain over the hills", "Old mill for sale", "Sheep win a prize", "Bridge is closed", "Harvest begins early"]
TITLES += ["School wins the cup", "Market moves to the square", "New well found", "Choir sings again", "Fog at dawn"]


def slug(number: int) -> str:
    return f"{BASE}/2024/05/{TITLES[number].lower().replace(' ', '-')}-{4_100 + number}.html"


def listing(links: Callable[[int], Sequence[str]], count: int = 10) -> RecordList:
    records = [Record((TITLES[n], "some words"), tuple(Url(link) for link in links(n))) for n in range(count)]
    return RecordList(tuple(records), ("title", "text"), "articles")


OWN = tuple(slug(number) for number in range(10))
ADDED: list[Callable[[int], Sequence[str]]] = [
    lambda n: [slug(n), f"{BASE}/author/jane-{n % 3}/"],
    lambda n: [f"{BASE}/author/jane-doe-{n}/", slug(n)],  # each wrote one
    lambda n: [f"{BASE}/{'abcdefghij'[n]}/", slug(n)],  # each in a category of its own
    lambda n: [f"{BASE}/tag/a{n}/", f"{BASE}/tag/b{n}/", f"{BASE}/tag/c{n}/", slug(n)],
    lambda n: [slug(n), slug(n) + "#comments"],
    lambda n: [slug(n) + "#comments", slug(n)],
    lambda n: [
        f"https://www.facebook.com/sharer.php?u={slug(n)}",
        f"https://x.example/intent/tweet?u={slug(n)}",
        slug(n),
    ],
    lambda n: [slug(n), f"{BASE}/comments/{900 + n}", f"{BASE}/login?back={slug(n)}"],
    lambda n: [f"{BASE}/politics/", slug(n), f"{BASE}/politics/", f"{BASE}/users/{70 + n % 4}"],
    lambda n: [slug(n)] if n % 2 else [f"{BASE}/sport/", slug(n)],
]


@pytest.mark.parametrize("links", ADDED)
def test_the_own_link_stays_the_own_one_among_others(links: Callable[[int], Sequence[str]]) -> None:
    assert own_links(listing(links)) == OWN


@pytest.mark.parametrize("links", ADDED)
@pytest.mark.parametrize("count", [3, 4, 6])
def test_short_lists_are_no_different(links: Callable[[int], Sequence[str]], count: int) -> None:
    assert own_links(listing(links, count)) == OWN[:count]


def test_what_all_records_lead_to_is_nobodys_own() -> None:
    assert own_links(listing(lambda n: [f"{BASE}/login"])) == ("",) * 10
    assert own_links(RecordList((), ())) == ()
    assert own_links(RecordList((Record(("a",)),), ("title",))) == ("",)


def test_a_category_is_not_taken_where_a_record_has_nothing_else_that_is_sure() -> None:
    region = listing(lambda n: [slug(n), f"{BASE}/sport/"] if n else [f"{BASE}/author/ann/", f"{BASE}/tag/rain/"])
    assert own_links(region) == ("", *OWN[1:])


def test_posts_of_a_thread_are_told_by_their_places() -> None:
    posts = [f"{BASE}/thread/7?page=2#post-{50 + n}" for n in range(6)]
    region = listing(lambda n: [f"{BASE}/members/{n % 4}", posts[n]], 6)
    assert own_links(region) == tuple(posts)
    assert len({own.key for own in find_own_links(region)}) == 6


def test_a_site_that_collects_links_is_told_by_its_own_pages() -> None:
    region = listing(
        lambda n: [f"{BASE}/vote?id={n}&how=up", f"https://s{n}.example/a-{n}", f"{BASE}/item?id=30{n:02}"]
    )
    assert own_links(region) == tuple(f"{BASE}/item?id=30{n:02}" for n in range(10))


def test_links_to_many_sites_are_the_own_ones_where_there_are_no_others() -> None:
    links = [f"https://s{n}.example/{'x' * n}/story" for n in range(10)]
    assert own_links(listing(lambda n: [links[n], f"{BASE}/tag/news/"])) == tuple(links)


def test_a_record_shown_twice_has_the_same_link_twice() -> None:
    region = listing(lambda n: [slug(n), f"{BASE}/sport/"])
    again = Record((TITLES[3], "other words"), region.records[3].links)
    assert own_links(RecordList((*region.records, again), region.columns)) == (*OWN, OWN[3])


ANY_LINKS = st.lists(st.sampled_from([f"{BASE}/{name}" for name in ("a", "b-c", "9", "x?y=1", "x#1", "x#2", "")]))


@settings(max_examples=200, deadline=None)
@given(st.lists(ANY_LINKS, max_size=8))
def test_any_links_give_one_answer_per_record_and_it_is_one_of_its_links(rows: list[list[str]]) -> None:
    region = RecordList(
        tuple(Record((str(n),), tuple(Url(link) for link in row)) for n, row in enumerate(rows)), ("title",)
    )
    found = own_links(region)
    assert len(found) == len(rows)
    assert all(not own or own in row for own, row in zip(found, rows, strict=True))


HOSTS = st.sampled_from(["a.example", "A.example", "a.example:443", "a.example:80", "a.example:8080"])
STEPS = st.lists(
    st.sampled_from(["a", "b-c", "9", "index.html", ".", "..", "x;jsessionid=1", "a%41", "~u", "", "ü"]), max_size=3
)
QUERIES = st.sampled_from(
    ["", "?", "?a=1", "?b=2&a=1", "?utm_id=x", "?a=1&fbclid=2", "?a", "?x=%41", "?a=1&&b", "?q=a?b", "?a=ü"]
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["http", "https"]), HOSTS, STEPS, QUERIES, st.sampled_from(["", "#x"]))
def test_the_short_ways_to_fold_an_address_give_what_the_long_one_does(
    scheme: str, host: str, steps: list[str], query: str, fragment: str
) -> None:
    url = f"{scheme}://{host}/{'/'.join(steps)}{query}{fragment}"
    long_way = f"{scheme}://{host}/{'/'.join(steps)}{query}{'&' if '?' in query else '?'}utm_source=ü"
    assert fold(url) == fold(long_way)
