from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from tests.demo.test_serve import get

from scythe import Page
from scythe.demo.answers import Answer
from scythe.demo.corners import CORNERS, Corner, Setting, build_corners
from scythe.demo.serve import DemoOptions, make_site, serve_demo
from scythe.errors import BadInput

BASE = "http://127.0.0.1:9"
SITE = make_site(DemoOptions(pages=20, corners=("all",), slow_s=0.2), BASE)
FOUND = {corner.name: corner for corner in SITE.corners if isinstance(corner, Corner)}


def links_of(answer: Answer, path: str) -> list[str]:
    return [link.url.removeprefix(BASE) for link in Page.from_bytes(answer.body, url=BASE + path).links]


def test_every_corner_can_be_reached_from_the_front_page() -> None:
    assert "/lab/" in links_of(SITE.answer("/", 0), "/")
    linked = set(links_of(SITE.answer("/lab/", 0), "/lab/"))
    for corner in FOUND.values():
        assert corner.name == "lab" or set(corner.paths) <= linked


def test_every_address_of_a_corner_is_answered_and_belongs_to_one_corner() -> None:
    for corner in FOUND.values():
        for path in corner.paths:
            assert SITE.answer(path, 0).status in (200, 301, 404, 410, 500, 503)
            assert [other.name for other in FOUND.values() if other.holds(path)] == [corner.name]


def test_a_plain_site_has_no_corner() -> None:
    plain = make_site(DemoOptions(pages=20), BASE)
    assert plain.corners == ()
    assert "/lab/" not in links_of(plain.answer("/", 0), "/")
    assert plain.answer("/lab/slow.html", 0).status == 404


def test_corners_are_chosen_by_name() -> None:
    chosen = make_site(DemoOptions(pages=20, corners=("gone", "empty")), BASE)
    assert chosen.answer("/lab/removed.html", 0).status == 410
    assert chosen.answer("/lab/slow.html", 0).status == 404
    with pytest.raises(BadInput, match="unknown corner 'cellar'"):
        build_corners(Setting(chosen.world), ["cellar"])
    assert set(FOUND) == {*CORNERS, "lab"}


def test_servers_recover() -> None:
    assert [SITE.answer("/lab/shaky.html", 0, visits).status for visits in range(3)] == [500, 200, 200]
    assert [SITE.answer("/lab/busy.html", 0, visits).status for visits in range(3)] == [503, 200, 200]
    assert ("Retry-After", "1") in SITE.answer("/lab/busy.html", 0).headers


def test_redirects_end_or_do_not() -> None:
    path, hops = "/lab/old-1.html", 0
    while (answer := SITE.answer(path, 0)).status != 200:
        path, hops = dict(answer.headers)["Location"], hops + 1
    assert (path, hops) == ("/lab/moved.html", 4)
    there = dict(SITE.answer("/lab/round-a.html", 0).headers)["Location"]
    assert dict(SITE.answer(there, 0).headers)["Location"] == "/lab/round-a.html"


@pytest.mark.parametrize(
    ("coding", "unpack"), [("gzip", gzip.decompress), ("deflate", zlib.decompress), ("br", brotli.decompress)]
)
def test_packed_pages_unpack_to_pages(coding: str, unpack: object) -> None:
    assert callable(unpack)
    answer = SITE.answer(f"/lab/packed-{coding}.html", 0)
    assert ("Content-Encoding", coding) in answer.headers
    assert unpack(answer.body).endswith(b"</html>\n")


def test_traps_have_no_end() -> None:
    for start in ("/calendar/2026/11/", "/club/members.html", "/spiral/"):
        seen, path = {start}, start
        for _ in range(60):
            path = next(link for link in reversed(links_of(SITE.answer(path, 0), path)) if link not in seen)
            seen.add(path)
        assert len(seen) == 61


def test_one_page_has_several_addresses() -> None:
    assert SITE.answer("/lab/twin-a.html", 0).body == SITE.answer("/lab/twin-b.html", 0).body
    tracked = FOUND["tracking"].paths
    assert {SITE.answer(path, 0).body for path in tracked} == {SITE.answer(tracked[0].partition("?")[0], 0).body}
    assert len({SITE.answer(path, 0).body for path in FOUND["soft-404"].paths}) == 1


def test_the_charset_named_is_wrong() -> None:
    answer = SITE.answer("/lab/umlaut.html", 0)
    assert ("Content-Type", "text/html; charset=utf-8") in answer.headers
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")


def test_robots_refuse_the_private_folder_and_ask_for_a_pause() -> None:
    assert b"Disallow: /private/" in SITE.answer("/robots.txt", 0).body
    patient = make_site(DemoOptions(pages=1, crawl_delay_s=2.5), BASE)
    assert b"Crawl-delay: 2.5" in patient.answer("/robots.txt", 0).body


def test_corners_have_both_designs() -> None:
    before, after = SITE.answer("/lab/slow.html", 0), SITE.answer("/lab/slow.html", 1)
    assert b"story__body" in before.body
    assert b"story__body" not in after.body


def test_corners_behave_on_the_wire() -> None:
    with serve_demo(DemoOptions(pages=3, corners=("all",), slow_s=0.2)) as server:
        assert [get(server.url, "/lab/shaky.html")[0] for _ in range(2)] == [500, 200]
        assert get(server.url, "/lab/empty.html")[::2] == (200, b"")
        slow_at = server.log[-1].at
        get(server.url, "/lab/slow.html")
        get(server.url, "/")
        assert server.log[-1].at - slow_at >= 0.2
        with pytest.raises(Exception, match="IncompleteRead"):
            get(server.url, "/lab/cut.html")
        assert len(get(server.url, "/lab/enormous.html")[2]) > 3_900_000


def test_endless_addresses_are_not_kept_in_memory() -> None:
    with serve_demo(DemoOptions(pages=3, corners=("all",))) as server:
        for n in range(50):
            get(server.url, f"/calendar/{2000 + n}/01/")
            get(server.url, f"/?n={n}")
            get(server.url, f"/nothing/{n}")
            get(server.url, f"/img/{n}.jpg")
        assert len(server.desk.kept) == 0
