"""A site is sampled politely: one page after the other, same host only, as robots.txt allows."""

import pytest
from tests.fetch.server import Server, by_path, page, serve

from scythe.crawling.sample_site import Frontier, sample_site
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage

HTML = "Content-Type: text/html"
STORIES = [f"/story-{number}-of-ten.html" for number in range(10)]
FRONT = "".join(f'<a href="{path}#top">x</a>' for path in STORIES)
FRONT += (
    '<a href="/about">x</a><a href="/photo.jpg">x</a><a href="/private/a">x</a><a href="http://other.example/">x</a>'
)
SITE = {
    "/": page(f"<p>Front</p>{FRONT}".encode(), HTML),
    "/robots.txt": page(b"User-agent: *\nDisallow: /private\n", "Content-Type: text/plain"),
    "/about": page(b"<p>About", HTML),
    "/private/a": page(b"<p>Private", HTML),
    "/photo.jpg": page(b"<p>no", HTML),
} | {path: page(f"<p>{path}</p><a href='/'>x</a>".encode(), HTML) for path in STORIES}


def sampled(server: Server, pages: int) -> list[LoadedPage]:
    return list(sample_site(server.url("/"), pages, FetchOptions(allow_private=True), delay_s=0))


def asked_for(server: Server) -> list[str]:
    return [head.split(" ")[1] for head in server.heads]


def test_it_takes_so_many_pages_and_most_of_what_there_is_most_of() -> None:
    with serve(by_path(SITE)) as server:
        pages = sampled(server, 6)
    assert len(pages) == 6
    assert not any(one.complaint for one in pages)
    assert sum("/story-" in (one.url or "") for one in pages) >= 4
    assert server.open_most == 1


def test_it_takes_no_page_twice_and_none_that_is_forbidden_or_elsewhere() -> None:
    with serve(by_path(SITE)) as server:
        pages = sampled(server, 50)
    assert sorted(asked_for(server)) == sorted(["/", "/robots.txt", "/about", *STORIES])
    assert len(pages) == 12


def test_where_robots_txt_fails_only_the_page_named_is_taken() -> None:
    broken = SITE | {"/robots.txt": page(b"", status="503 Service Unavailable")}
    with serve(by_path(broken)) as server:
        pages = sampled(server, 5)
    assert [one.url for one in pages] == [server.url("/")]


def test_where_there_is_no_robots_txt_everything_is_allowed() -> None:
    without = {path: body for path, body in SITE.items() if path != "/robots.txt"}
    with serve(by_path(without)) as server:
        sampled(server, 50)
    assert "/private/a" in asked_for(server)


def test_a_page_that_fails_is_named_and_another_taken() -> None:
    with serve(by_path({path: body for path, body in SITE.items() if path not in STORIES[3:]})) as server:
        pages = sampled(server, 4)
    assert sum(not one.complaint for one in pages) == 4
    assert any("404" in one.complaint for one in pages)


def test_a_start_that_fails_is_the_only_result() -> None:
    with serve(by_path({})) as server:
        pages = sampled(server, 4)
    assert ["404" in one.complaint for one in pages] == [True]


@pytest.mark.parametrize("count", [1, 30])
def test_the_frontier_gives_every_address_once(count: int) -> None:
    frontier = Frontier()
    for number in [*range(count), *range(count)]:
        frontier.add(f"http://a.example/{'x' * (number % 3)}/{number}")
    taken = [frontier.take() for _ in range(count)]
    assert len(set(taken)) == count
    assert frontier.take() is None
