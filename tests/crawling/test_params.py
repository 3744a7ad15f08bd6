"""Query parameters that do not matter are learned; one that matters is never folded."""

from collections.abc import Iterator

import pytest
from tests.crawling.made_sites import STYLES, Honest, Made, crawl, prose

from scythe.crawling.url_filter import Params, text_mark
from scythe.limits import LIMITS

SITE = "https://example.org"


def learn(addresses: Iterator[tuple[str, str]]) -> Params:
    params = Params()
    for path, text in addresses:
        params.note(SITE + path, text_mark(text))
    return params


def shop(session: int) -> Iterator[tuple[str, str]]:
    """Yield a shop with items, a list in pages, its order, where visitors come from, and a session."""
    for item in range(12):
        text = prose(f"item {item}", 80)
        yield f"/item?id={item}&zid={session}", text
        yield f"/item?id={item}&zid={session}&from=list", text
    for page in range(6):
        rows = [prose(f"row {page} {row}", 10) for row in range(10)]
        yield f"/list?page={page}&zid={session}", "\n".join(rows)
        yield f"/list?page={page}&order=up&zid={session}", "\n".join(sorted(rows))
        yield f"/list?page={page}&order=down&zid={session}", "\n".join(sorted(rows, reverse=True))


def test_sessions_origins_and_orders_are_folded_and_ids_and_pages_are_not() -> None:
    params = learn(row for session in range(3) for row in shop(session))
    assert params.idle == {"zid", "from", "order"}
    assert params.key(f"{SITE}/item?zid=9&id=3&from=x") == f"{SITE}/item?id=3"
    assert params.key(f"{SITE}/list?page=2&order=up&zid=7") == f"{SITE}/list?page=2"


def test_one_counterexample_ends_it_for_good() -> None:
    params = learn(row for session in range(3) for row in shop(session))
    params.note(f"{SITE}/item?id=1&zid=5", text_mark(prose("something else", 80)))
    assert "zid" not in params.idle
    for row in range(50):
        for session in range(3):
            params.note(f"{SITE}/more?row={row}&zid={session}", text_mark(prose(row, 80)))
    assert "zid" not in params.idle


def test_the_same_answer_to_everything_proves_nothing() -> None:
    wall = "Please log in to see this page. " * 20
    params = learn((f"/item?id={n}&zid={session}", wall) for n in range(50) for session in range(5))
    assert params.idle == frozenset()


def test_short_texts_and_a_few_pairs_prove_nothing() -> None:
    short = learn((f"/{n}?id={value}", f"not found {n}") for n in range(50) for value in range(5))
    few = learn((f"/{n}?x={value}", prose(n, 80)) for n in range(2) for value in range(4))
    assert short.idle == few.idle == frozenset()


def test_pages_beyond_the_end_of_a_list_do_not_fold_its_pages() -> None:
    empty = "There is nothing more in this list. " * 10
    rows = (
        (f"/{name}?page={n}", prose((name, n), 80) if n < 3 else empty + name) for n in range(9) for name in "abcdef"
    )
    assert learn(rows).idle == frozenset()


def test_an_address_without_the_parameter_is_evidence_too() -> None:
    rows = [(f"/{n}{query}", prose(n, 80)) for n in range(6) for query in ("", "?ref=home")]
    assert learn(iter(rows)).idle == {"ref"}
    assert learn(reversed(rows)).idle == {"ref"}


def test_a_page_known_by_another_address_is_a_repeat() -> None:
    params = learn((f"/{n}?zid={value}", prose(n, 80)) for n in range(9) for value in range(3))
    assert params.is_repeat(f"{SITE}/8?zid=77")
    assert not params.is_repeat(f"{SITE}/8?zid=0"), "the address it was visited by"
    assert not params.is_repeat(f"{SITE}/99?zid=77")


def test_a_site_with_a_session_in_every_link_is_visited_nearly_once() -> None:
    honest = Honest(STYLES[1], articles=150)
    count = iter(range(10**9))

    def site(url: str) -> Made | None:
        page = honest(url.partition("?")[0])
        return page and Made(page.title, page.text * 5, tuple(f"{link}?zid={next(count)}" for link in page.links))

    visits = crawl(site, f"{SITE}/", most=20_000)
    assert {url.partition("?")[0] for url in visits.asked} == set(honest.pages)
    assert len(visits.asked) < 1.3 * len(honest.pages)


def test_what_was_learned_survives_as_json() -> None:
    params = learn(row for session in range(3) for row in shop(session))
    again = Params.from_json(params.to_json())
    assert again.idle == params.idle
    assert again.names.keys() == params.names.keys()
    assert again.to_json() == params.to_json()


@pytest.mark.parametrize(
    "plain", [{"x": 1}, {"x": []}, {"x": [1, 2]}, {"x": ["1", 0, []]}, {"x": [9, 0, [1, "zz", None]]}]
)
def test_other_json_is_left_out(plain: dict[str, object]) -> None:
    assert Params.from_json(plain).idle == frozenset()


def test_memory_is_bounded() -> None:
    params = Params()
    for n in range(1_200):
        query = "&".join(f"p{n}{at}={n}" for at in range(30))
        params.note(f"{SITE}/{n % 5}?{query}", text_mark(prose(n, 80)))
        params.note(f"{SITE}/{n % 5}?{query}&q=1", text_mark(prose(n, 80)))
    assert len(params.names) <= LIMITS.site_parameters
    assert len(params._bases) <= 8_192


def test_the_order_of_lines_does_not_matter_and_their_words_do() -> None:
    lines = [prose(n, 20) for n in range(9)]
    assert text_mark("\n".join(lines)) == text_mark("\n".join(reversed(lines)))
    assert text_mark("\n".join(lines)) != text_mark("\n".join(lines[1:]))
    assert text_mark("short") == b""


def test_no_more_names_of_parameters_are_kept_than_the_limit_and_none_that_is_endless(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scythe.crawling.url_filter.LIMITS", LIMITS._replace(site_parameters=3, name_chars=10))
    names = [f"p{number}" for number in range(9)]
    params = learn((f"/{name}?{name}={value}", prose(name, 80)) for name in ["x" * 11, *names] for value in range(3))
    assert sorted(params.names) == ["p0", "p1", "p2"]


def test_the_oldest_pages_are_forgotten_where_many_are_told_apart_by_idle_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    params = learn(row for session in range(3) for row in shop(session))
    most = len(params._done) + 1
    monkeypatch.setattr("scythe.crawling.url_filter._BASES", most)
    for number in range(5):
        params.note(f"{SITE}/new?id={number}&zid=1", text_mark(prose(f"new {number}", 80)))
    assert params.is_repeat(f"{SITE}/new?id=4&zid=2")
    assert len(params._done) == most
