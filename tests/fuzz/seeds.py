"""Good inputs to begin with, all made here: pages of the demo site, hostile pages, files that our own code writes."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.faults.pages import PAGES
from tests.list_pages import shop_page

from scythe.demo import site
from scythe.demo.build import DemoPage

HOSTILE_SIZE = 12  # repetitions: small pages are tried more often


@cache
def folder(name: str) -> Path:
    """Return a folder for files that a target writes; it is gone when the process ends."""
    made = Path(tempfile.mkdtemp(prefix=f"scythe-fuzz-{name}-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def demo_pages() -> tuple[DemoPage, ...]:
    """Return the pages of a demo site in both designs."""
    return (*site(seed=7, pages=24), *site(seed=8, pages=8, design=1))


@cache
def page_bodies() -> tuple[bytes, ...]:
    """Return pages: real ones as far as invented ones are, lists, and hostile ones."""
    hostile = tuple(make(HOSTILE_SIZE).encode("utf-8", "surrogatepass") for make in PAGES.values())
    lists = tuple(shop_page(number, 4) for number in range(3))
    return (*(page.html for page in demo_pages()), *lists, *hostile, *SHORT_PAGES)


SHORT_PAGES = (
    b"<!DOCTYPE html><html><head><title>Short</title></head><body><h1>Short</h1><p>One sentence.</p></body></html>",
    b"<title>a</title><p>b",
    b"Plain text without any markup.\n\nAnd a second paragraph.",
    b'{"@type": "Article", "headline": "x"}',
    b'<rss version="2.0"><channel><item><link>http://example.org/</link></item></channel></rss>',
    b"",
)
