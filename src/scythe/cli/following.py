"""Follow a list from page to page: a page comes in, the next one of its list goes out, fetched when it is polite to.

Nobody named these pages, so robots.txt is heeded and there is a pause before each; `read_paging` stays on the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from scythe.page import Page
from scythe.record_rows import Batch
from scythe.sources import Loaded, Reach, Source, load
from scythe.teaching.sampling import LONGEST_DELAY_S, read_robots

if TYPE_CHECKING:
    from scythe.fetch.robots import Robots


class Trail:
    """The pages of one list that were visited, and the way to the next."""

    def __init__(self, most: int, reach: Reach, *, delay_s: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self._left, self._reach, self._delay_s, self._sleep = most, reach, delay_s, sleep
        self._seen: set[str] = set()
        self._rows: set[int] = set()
        self._robots: dict[tuple[str, str], Robots] = {}  # by scheme and authority, each of which has its own
        self.why = ""  # it ended

    def is_repeat(self, batches: tuple[Batch, ...]) -> bool:
        """Tell whether an earlier page of the list had the same rows: servers give their last page again and again."""
        key = hash(tuple(batch.rows for batch in batches))
        if key in self._rows:
            self.why = "the page repeats an earlier one"
            return True
        self._rows.add(key)
        return False

    def after(self, page: Page) -> Loaded | None:
        """Fetch the page that follows in the list; None, and `why`, where the list or the way ends."""
        url = self._next_address(page)
        if url is None:
            return None
        robots = self._robots_of(url)
        if not robots.allows(url):
            self.why = f"robots.txt does not allow {url}"
            return None
        if robots.delay_s > LONGEST_DELAY_S:
            self.why = f"robots.txt asks for {robots.delay_s:g} s before each page"
            return None
        self._sleep(max(self._delay_s, robots.delay_s))
        self._left -= 1
        loaded = next(load([Source(url, url=url)], None, self._reach))
        if loaded.url is not None and loaded.url != url and _plain(loaded.url) in self._seen:
            self.why = f"{url} leads back"
            return None
        return loaded

    def _robots_of(self, url: str) -> Robots:
        parts = urlsplit(url)
        origin = parts.scheme, parts.netloc
        if origin not in self._robots:
            self._robots[origin] = read_robots(url, self._reach)
        return self._robots[origin]

    def _next_address(self, page: Page) -> str | None:
        from scythe.read.records.paging import read_paging

        self._seen.add(_plain(page.url or ""))
        paging = read_paging(page)
        url = paging.next or paging.more
        if url is None:
            self.why = "the last page"
        elif self._left <= 0:
            self.why = f"as many pages as asked for; the list goes on at {url}"
        elif _plain(url) in self._seen:
            self.why = f"{url} leads back"
        else:
            self._seen.add(_plain(url))
            return url
        return None


def _plain(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(fragment=""))
