"""The check of stores: those that keep the promises pass, each that breaks one is found out."""

import sqlite3
from collections.abc import Callable
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


Put = Callable[[MemoryStore, str, bytes], None]
Get = Callable[[MemoryStore, str], bytes]


def altered(put: Put = MemoryStore.put, get: Get = MemoryStore.get) -> type[MemoryStore]:
    """Return a store that puts or gets in another way."""
    return type("Altered", (MemoryStore,), {"put": put, "get": get})


def put_once(store: MemoryStore, key: str, body: bytes) -> None:
    if key in store.bodies:
        raise FileExistsError(key)
    MemoryStore.put(store, key, body)


def get_as_files_do(store: MemoryStore, key: str) -> bytes:
    if key not in store.bodies:
        raise FileNotFoundError(key)
    return store.bodies[key]


def keyed(rename: Callable[[str], str]) -> type[MemoryStore]:
    """Return a store that knows keys by other names."""
    return altered(
        lambda store, key, body: MemoryStore.put(store, rename(key), body),
        lambda store, key: MemoryStore.get(store, rename(key)),
    )


def as_text(store: MemoryStore, key: str, body: bytes) -> None:
    MemoryStore.put(store, key, body.replace(b"\r\n", b"\n"))


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
        (altered(put=as_text), AssertionError, "line ends: 12 bytes were put, 11 others"),
        (
            altered(lambda store, key, body: MemoryStore.put(store, key, body[:1_000_000])),
            AssertionError,
            "a large body",
        ),
        (altered(get=lambda store, key: bytearray(MemoryStore.get(store, key))), AssertionError, "bytearray came back"),
        (altered(get=lambda store, key: store.bodies.get(key, b"")), AssertionError, "gives b'', no KeyError"),
        (altered(get=get_as_files_do), FileNotFoundError, "zst"),
        (altered(put=put_once), FileExistsError, "zst"),
        (
            altered(lambda store, key, body: MemoryStore.put(store, key, store.bodies.get(key, b"") + body)),
            AssertionError,
            "second put",
        ),
        (keyed(lambda key: key.partition(".")[0]), AssertionError, "taken for each other"),
        (keyed(lambda key: key[:10]), AssertionError, "taken for each other"),
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
