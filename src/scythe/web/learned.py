"""Learned sites that are ready to extract: a key comes in, the site goes out, loaded again only when it was changed."""

from __future__ import annotations

import threading
from collections import OrderedDict

from scythe.site import Site
from scythe.web.operation import NotNow, NotThere
from scythe.web.room import PROFILE, Room

_KEPT = 8  # sites


class LearnedSites:
    """The sites of a room that were asked for last. Loading one takes up to some seconds, extracting milliseconds.

    A site that is kept notices drift and adapts, in memory: what programs send to be extracted changes no profile.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._sites: OrderedDict[str, tuple[object, Site]] = OrderedDict()

    def find(self, key: str | None) -> Site:
        """Return what was learned of a site, None: of the first. Raises NotThere and NotNow where there is nothing."""
        if key is None:
            return self._first()
        if key not in self._room.site_keys():
            raise NotThere(f"there is no site {key!r:.80}")
        site = self._find(key)
        if site is None:
            raise NotNow(f"nothing was learned of {key!r:.80} yet")
        return site

    def peek(self, key: str) -> Site | None:
        """Return what was learned of a site, None where nothing was."""
        return self._find(key)

    def _first(self) -> Site:
        for key in self._room.site_keys():
            site = self._find(key)
            if site is not None:
                return site
        raise NotNow("no site was learned yet")

    def _find(self, key: str) -> Site | None:
        stamp = self.stamp(key)
        if stamp is None:
            return None
        with self._lock:
            kept = self._sites.pop(key, None)
            if kept is None or kept[0] != stamp:
                site = self._room.load_site(key)
                kept = (stamp, site) if site is not None else None
            if kept is None:
                return None
            self._sites[key] = kept
            while len(self._sites) > _KEPT:
                self._sites.popitem(last=False)
            return kept[1]

    def stamp(self, key: str) -> object:
        """Return what is another thing once the profile is another, None where there is none."""
        if key == PROFILE:
            path = self._room.options.profile
            if path is None or not path.exists():
                return None
            found = path.stat()
            return found.st_mtime_ns, found.st_size, found.st_ino
        with self._room.archive() as archive:
            number = archive.find_site(key)
            return None if number is None else archive.profile(number)


def choose_site(room: Room, given: str) -> str:
    """Return the key that was given or, where none was, the first one. Raises NotThere where it is none of a site."""
    keys = room.site_keys()
    key = given or (keys[0] if keys else PROFILE)
    if key not in keys and key != PROFILE:
        raise NotThere(f"there is no site {key!r:.80}")
    return key
