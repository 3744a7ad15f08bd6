"""Versions of what was learned of a site, as an archive keeps them: a key and a number come in, a profile goes out."""

from __future__ import annotations

import threading
from collections import OrderedDict

from scythe.archive.health import read_versions
from scythe.profiles.profile import load_profile
from scythe.rules import Profile
from scythe.web.operation import NotThere
from scythe.web.room import Room

_KEPT = 16  # versions


class Versions:
    """The versions that were looked at last, parsed; one that is there never changes."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], Profile] = OrderedDict()

    def newest(self, key: str) -> int:
        """Return the number of the newest version. Raises NotThere where there is none."""
        with self._room.archive() as archive:
            site = archive.find_site(key)
            with archive.database.reading() as connection:
                found = read_versions(connection, site, 1) if site is not None else []
        if not found:
            raise NotThere(f"nothing was learned of {key!r:.80} yet")
        return found[0].version

    def get(self, key: str, version: int) -> Profile:
        """Return a version. Raises NotThere where there is no such."""
        with self._lock:
            kept = self._kept.pop((key, version), None) or self._load(key, version)
            self._kept[key, version] = kept
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return kept

    def _load(self, key: str, version: int) -> Profile:
        with self._room.archive() as archive:
            site = archive.find_site(key)
            text = archive.profile(site, version) if site is not None and version > 0 else None
        if text is None:
            raise NotThere(f"there is no version {version} of what was learned of {key!r:.80}")
        return load_profile(text, name=f"version {version}").profile
