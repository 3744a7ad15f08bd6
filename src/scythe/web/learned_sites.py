"""Load learned sites and keep them until they change, with cached counts of their archive."""

from __future__ import annotations

import threading
import time

from scythe.archive.archive import Archive
from scythe.archive.site_health import count_sites
from scythe.archive.stored_sites import find_site, stored_profile
from scythe.crawl_model import ArchiveCounts
from scythe.site.site import Site
from scythe.web.state import NotNow, NotThere, Recent, State

_SHARE = 20.0  # a count is kept so many times as long as it took
_QUICK_S = 0.05  # one that takes less is made anew each time: 100 000 addresses


class SiteCounts:
    """The counts of all sites, as they were when they were last made."""

    def __init__(self, state: State) -> None:
        self._lock = threading.Lock()  # who comes while others count waits for what they find
        self._counts: dict[int, ArchiveCounts] = {}
        self._until = 0.0

    def of(self, archive: Archive) -> dict[int, ArchiveCounts]:
        """Return the counts of every site that has anything."""
        with self._lock:
            if time.monotonic() >= self._until:
                began = time.thread_time()  # of the processor: a busy machine is no reason to show what is old
                self._counts = count_sites(archive)
                took_s = time.thread_time() - began
                self._until = time.monotonic() + _SHARE * took_s if took_s > _QUICK_S else 0.0
            return self._counts


_KEPT = 8  # sites


class LearnedSites:
    """The sites of a state that were asked for last. Loading one takes up to some seconds, extracting milliseconds.

    A site that is kept notices drift and adapts, in memory: what programs send to be extracted changes no profile.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._sites: Recent[Site | None] = Recent(_KEPT)

    def find(self, key: str | None) -> Site:
        """Return what was learned of a site, None: of the first. Raises NotThere and NotNow where there is nothing."""
        keys = self._state.site_keys() if key is None else [key]
        if key is not None and key not in self._state.site_keys():
            raise NotThere(f"there is no site {key!r:.80}")
        site = next((site for each in keys if (site := self.peek(each)) is not None), None)
        if site is None:
            raise NotNow("no site was learned yet" if key is None else f"nothing was learned of {key!r:.80} yet")
        return site

    def peek(self, key: str) -> Site | None:
        """Return what was learned of a site, None where nothing was."""
        stamp = self.stamp(key)
        return None if stamp is None else self._sites.get(key, stamp, lambda: self._state.load_site(key))

    def stamp(self, key: str) -> object:
        """Return what is another thing once the profile is another, None where there is none."""
        if self._state.is_in_file(key):
            path = self._state.options.profile
            if path is None or not path.exists():
                return None
            found = path.stat()
            return found.st_mtime_ns, found.st_size, found.st_ino
        with self._state.archive() as archive:
            number = find_site(archive, self._state.archive_key(key))
            return None if number is None else stored_profile(archive, number)
