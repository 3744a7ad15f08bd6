"""One address read at once, and crawls and watches inside an event loop, on the demo site served on loopback."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import scythe
from scythe import aio
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo

FAST = scythe.CrawlOptions(delay=0, per_host=4, allow_private=True, patience_s=20.0, parts=("text",))

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=12)) as served:
        yield served


def test_an_address_is_fetched_and_read(demo: DemoThread) -> None:
    url = demo.world.page_urls[0]
    doc = scythe.get(url, allow_private=True)
    assert doc == asyncio.run(aio.get(url, allow_private=True))
    assert (doc.url, bool(doc.title), bool(doc.text)) == (url, True, True)


def test_what_is_no_page_is_an_error_that_says_why(demo: DemoThread) -> None:
    with pytest.raises(scythe.FetchFailed, match="404"):
        scythe.get(demo.url + "there-is-none", allow_private=True)
    with pytest.raises(scythe.FetchFailed):
        scythe.get(demo.url)  # loopback is private
    with pytest.raises(scythe.BadInput, match="unknown text method"):
        scythe.get(demo.url, method="none", allow_private=True)


def test_inside_an_event_loop_the_other_get_is_named() -> None:
    async def inside() -> None:
        scythe.get("https://example.org/")

    with pytest.raises(RuntimeError, match=r"await scythe\.aio\.get"):
        asyncio.run(inside())


def test_a_crawl_yields_the_pages_inside_an_event_loop(demo: DemoThread) -> None:
    async def take() -> set[str]:
        return {str(doc.url) async for doc in aio.crawl(demo.url, options=FAST)}

    assert asyncio.run(take()) == set(demo.world.page_urls)


def test_a_crawl_that_is_left_or_cancelled_ends(demo: DemoThread) -> None:
    async def leave() -> None:
        pages = aio.crawl(demo.url, options=FAST)
        assert (await anext(pages)).url
        await pages.aclose()
        waiting = asyncio.ensure_future(anext(aio.crawl(demo.url, delay=60, options=FAST)))
        await asyncio.sleep(0.2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(leave())
    assert [thread for thread in threading.enumerate() if thread.name == "scythe-crawl"] == []


def test_a_watch_yields_events_inside_an_event_loop(demo: DemoThread, tmp_path: Path) -> None:
    async def take() -> list[str]:
        events = aio.watch([demo.url], archive=tmp_path / "w.db", once=True, allow_private=True)
        return [event.kind async for event in events]

    assert "visit" in asyncio.run(take())


def test_inner_packages_can_be_imported_under_another_name() -> None:
    code = "import scythe.reading.text.choose_text as t, scythe; print(t.__name__, scythe.read.__class__.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["scythe.reading.text.choose_text", "function"]
