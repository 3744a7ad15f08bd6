"""The check of stores: those that keep the promises pass, each that breaks one is found out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from scythe.archive.stores import FolderStore
from scythe.testing import MemoryStore, check_store


def test_a_folder_keeps_the_promises(tmp_path: Path) -> None:
    check_store(lambda: FolderStore(tmp_path / "bodies"))
    assert not list((tmp_path / "bodies").rglob("*.unfinished"))


def test_the_stand_in_keeps_the_promises() -> None:
    bodies: dict[str, bytes] = {}
    check_store(lambda: MemoryStore(bodies))
    assert len(bodies) > 40


class Text(MemoryStore):
    """Takes bodies for text."""

    def put(self, key: str, body: bytes) -> None:
        super().put(key, body.decode("latin-1").replace("\r\n", "\n").encode("latin-1"))


class Short(MemoryStore):
    """Keeps no more than a megabyte."""

    def put(self, key: str, body: bytes) -> None:
        super().put(key, body[:1_000_000])


class Mutable(MemoryStore):
    """Returns what the caller may change."""

    def get(self, key: str) -> bytes:
        return bytearray(super().get(key))  # type: ignore[return-value]


class Silent(MemoryStore):
    """Has an answer to everything."""

    def get(self, key: str) -> bytes:
        return self.bodies.get(key, b"")


class Absent(MemoryStore):
    """Raises what files raise."""

    def get(self, key: str) -> bytes:
        if key not in self.bodies:
            raise FileNotFoundError(key)
        return self.bodies[key]


class Once(MemoryStore):
    """Takes nothing twice."""

    def put(self, key: str, body: bytes) -> None:
        if key in self.bodies:
            raise FileExistsError(key)
        super().put(key, body)


class Appending(MemoryStore):
    """Adds to what is there."""

    def put(self, key: str, body: bytes) -> None:
        super().put(key, self.bodies.get(key, b"") + body)


class Stems(MemoryStore):
    """Drops suffixes of keys."""

    def put(self, key: str, body: bytes) -> None:
        super().put(key.partition(".")[0], body)

    def get(self, key: str) -> bytes:
        return super().get(key.partition(".")[0])


class Prefixes(MemoryStore):
    """Knows keys by their first ten characters."""

    def put(self, key: str, body: bytes) -> None:
        super().put(key[:10], body)

    def get(self, key: str) -> bytes:
        return super().get(key[:10])


class Late(MemoryStore):
    """Writes when it is closed."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__()
        self._there = bodies

    def get(self, key: str) -> bytes:
        return self.bodies[key] if key in self.bodies else self._there[key]

    def close(self) -> None:
        self._there |= self.bodies


class Forgetful(MemoryStore):
    """Shares nothing with others."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__()


class Clearing(MemoryStore):
    """Begins with an empty place."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        bodies.clear()
        super().__init__(bodies)


class Brittle(MemoryStore):
    """Can be closed once."""

    is_open = True

    def close(self) -> None:
        if not self.is_open:
            raise RuntimeError("closed already")
        self.is_open = False


class OneThread(MemoryStore):
    """Holds a connection that belongs to a thread."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__(bodies)
        self._connection = sqlite3.connect(":memory:")

    def put(self, key: str, body: bytes) -> None:
        self._connection.execute("SELECT 1")
        super().put(key, body)

    def close(self) -> None:
        self._connection.close()


@pytest.mark.parametrize(
    ("broken", "error", "complaint"),
    [
        (Text, AssertionError, "line ends: 12 bytes were put, 11 others"),
        (Short, AssertionError, "a large body"),
        (Mutable, AssertionError, "bytearray came back"),
        (Silent, AssertionError, "gives b'', no KeyError"),
        (Absent, FileNotFoundError, "zst"),
        (Once, FileExistsError, "zst"),
        (Appending, AssertionError, "second put"),
        (Stems, AssertionError, "taken for each other"),
        (Prefixes, AssertionError, "taken for each other"),
        (Late, AssertionError, "does not get at once"),
        (Forgetful, AssertionError, "40 of 40 bodies are lost"),
        (Clearing, AssertionError, "40 of 40 bodies are lost"),
        (Brittle, RuntimeError, "closed already"),
        (OneThread, sqlite3.ProgrammingError, "thread"),
    ],
)
def test_a_store_that_breaks_a_promise_is_found(
    broken: type[MemoryStore], error: type[Exception], complaint: str
) -> None:
    bodies: dict[str, bytes] = {}
    with pytest.raises(error, match=complaint):
        check_store(lambda: broken(bodies))
