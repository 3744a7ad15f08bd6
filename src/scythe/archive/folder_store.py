"""A store in a folder: a file per body, written beside its place, synced, then moved there, so that none is ever half.

Many processes may use one folder, also over a shared mount: equal keys have equal bodies, so it does not matter whose
file stays.
"""

from __future__ import annotations

import re
from pathlib import Path

from scythe.errors import BadInput
from scythe.whole_files import replacing, sync_folder

_KEY = re.compile(r"[0-9a-z][0-9a-z.]{2,79}")
_SPREAD = 2  # characters of a key that name its folder: 256 folders keep each short


class FolderStore:
    """Bodies as files below one folder, which is made when the first one comes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._named: set[Path] = set()  # folders whose names are safe, as far as this process made sure

    def put(self, key: str, body: bytes) -> None:
        """Keep a body for good; one that is there in full is left alone."""
        path = self._path(key)
        self._make(path.parent)
        if _size(path) == len(body):
            sync_folder(path.parent)  # who put it there may have been killed before its name was on the disk
            return
        with replacing(path, sync=True) as file:
            file.write(body)

    def get(self, key: str) -> bytes:
        """Return a body. Raises KeyError where there is none of this key."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            raise KeyError(key) from None

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise BadInput(f"{key!r} is no key of a body: lower-case letters, digits and dots are")
        return self.folder / key[:_SPREAD] / key

    def _make(self, folder: Path) -> None:
        """Make a folder below ours, and see that its name, ours and those that were missing above are on the disk."""
        missing = [one for one in (folder, *folder.parents) if not one.is_dir()]
        folder.mkdir(parents=True, exist_ok=True)
        if missing or folder not in self._named:
            for one in dict.fromkeys((folder, self.folder, *missing)):
                sync_folder(one.parent)
            self._named.add(folder)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
