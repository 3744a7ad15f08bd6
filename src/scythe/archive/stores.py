"""Where bodies are that an archive does not keep in its database: a text such as `folder:bodies` in, a store out.

The archive writes down for each body which store has it. A folder is found again by that; stores of other packages are
opened only where whoever runs scythe names them: an archive, which may come from anybody, opens none by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scythe.archive.folder_store import FolderStore
from scythe.archive.hashes import storable
from scythe.errors import ArchiveFailed, BadInput
from scythe.plug_ins import Store, load_function

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
            raise BadInput(f"the archive writes down where its store is, which must be UTF-8: {self.label!a} is not")
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
        raise ArchiveFailed(f"{label}: {key} is missing; where it was moved, name its new place with --store")

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
            fate = "; nothing of this batch was stored, what was stored before is whole; run it again to go on"
            said = f"{where}: the store could not be {what} ({error.strerror or error})"
            raise ArchiveFailed(said + (fate if what == "written" else "")) from error
