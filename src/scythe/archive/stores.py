"""Stores for response bodies outside the database: folders, and those of plug-ins.

The archive records which store has each body. Only stores that the user names are opened, since an archive may come
from anyone. A folder has one file per body, written atomically; many processes may share it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scythe.archive.schema import storable
from scythe.atomic_files import replacing, sync_folder
from scythe.errors import ArchiveFailed, BadInput
from scythe.plugins import Store, load_function

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
            raise BadInput(f"{key!r} is not a valid body key: use lower-case letters, digits and dots")
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


KIND = "store"
FOLDER = "folder"


class Stores:
    """The stores of one open archive."""

    def __init__(self, named: str = "", home: Path | None = None) -> None:
        """Open the store that is `named`, where one is; `home` is the folder of the archive where it is a file."""
        self._home = home
        self._opened: dict[str, Store] = {}
        self.label = self._label(named) if named else ""  # what the archive writes down of it; "": bodies stay in it
        if storable(self.label) != self.label:
            raise BadInput(f"the archive records where its store is, which must be UTF-8: {self.label!a} is not")
        if named:
            self._opened[self.label] = self._open(self.label)

    def put(self, key: str, body: bytes) -> None:
        """Keep a body in the store that was named. Raises ArchiveFailed."""
        with self._telling(self.label, "written"):
            self._opened[self.label].put(key, body)

    def get(self, label: str, key: str) -> bytes:
        """Return a body of the store that was written down, or of the one that was named. Raises ArchiveFailed."""
        for name in dict.fromkeys((self.label, label)):
            if not name:
                continue
            try:
                with self._telling(name, "read"):
                    return self._known(name).get(key)
            except KeyError:
                continue
        raise ArchiveFailed(f"{label}: {key} is missing; if it was moved, name its new place with --store")

    def close(self) -> None:
        """Let go of every store."""
        for store in self._opened.values():
            store.close()

    def _known(self, label: str) -> Store:
        if label not in self._opened:
            if label.partition(":")[0] != FOLDER:
                raise ArchiveFailed(f"a body is kept in {label}; name that store with --store to have it read")
            self._opened[label] = self._open(label)
        return self._opened[label]

    def _open(self, label: str) -> Store:
        name, _, place = label.partition(":")
        if name == FOLDER:
            return FolderStore(self._folder(place))
        store: Store = load_function(KIND, name, (FOLDER,))(place)
        return store

    def _folder(self, place: str) -> Path:
        return Path(place) if self._home is None else self._home / place

    def _label(self, named: str) -> str:
        """Write a store as the archive does: a folder below that of the archive by its way from there."""
        name, colon, place = named.partition(":")
        if not colon or not name or not place:
            raise BadInput(f"a store is NAME:PLACE, such as folder:bodies, not {named!r}")
        if name != FOLDER:
            return named
        folder = Path(os.path.abspath(place))
        if self._home is not None and folder.is_relative_to(self._home):
            folder = folder.relative_to(self._home)
        return f"{FOLDER}:{folder.as_posix()}"

    @contextmanager
    def _telling(self, label: str, what: str) -> Iterator[None]:
        """Turn what a store raises where it cannot do something into ArchiveFailed, which says where a folder is."""
        try:
            yield
        except OSError as error:
            name, _, place = label.partition(":")
            where = f"{name}:{self._folder(place)}" if name == FOLDER else label
            fate = "; nothing of this batch was stored, what was stored before is whole; run it again to resume"
            said = f"{where}: the store could not be {what} ({error.strerror or error})"
            raise ArchiveFailed(said + (fate if what == "written" else "")) from error
