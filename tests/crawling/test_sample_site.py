"""A site that asks for long pauses, or whose pages fail, is not sampled for ever."""

from tests.cli.test_sampling import FRONT, HTML, SITE, asked_for, sampled
from tests.fetch.server import by_path, page, serve

from scythe.crawling import sample_site


def test_a_site_that_asks_for_pauses_of_an_hour_gives_the_page_named() -> None:
    slow = page(b"User-agent: *\nCrawl-delay: 3600\n", "Content-Type: text/plain")
    with serve(by_path(SITE | {"/robots.txt": slow})) as server:
        assert [one.url for one in sampled(server, 5)] == [server.url("/")]
    assert asked_for(server) == ["/", "/robots.txt"]


def test_a_site_whose_pages_all_fail_is_given_up() -> None:
    links = "".join(f'<a href="/gone-{number}.html">x</a>' for number in range(40))
    with serve(by_path({"/": page(f"{FRONT}{links}".encode(), HTML)})) as server:
        pages = sampled(server, 3)
    assert [one.complaint == "" for one in pages] == [True] + [False] * (3 * sample_site._TRIES)
