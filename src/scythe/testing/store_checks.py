"""`check_store` tests a store plug-in; `MemoryStore` is a stand-in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

from scythe.plugins import Store

_LARGE = 3_000_000  # bytes; bodies are seldom larger once packed
_MANY = 40


class MemoryStore:
    """A store that forgets everything with the program: for tests."""

    def __init__(self, bodies: dict[str, bytes] | None = None) -> None:
        self.bodies = {} if bodies is None else bodies  # several stores may share one

    def put(self, key: str, body: bytes) -> None:
        """Keep a body."""
        self.bodies[key] = body

    def get(self, key: str) -> bytes:
        """Return a body. Raises KeyError where there is none of this key."""
        return self.bodies[key]

    def close(self) -> None:
        """Do nothing."""


def check_store(make: Callable[[], Store]) -> None:
    """Assert everything an archive relies on; `make` opens the same place each time, where other bodies may be.

    What was put is got back byte for byte, at once, by everybody who opens the place, from any thread, after closing
    too; the same may be put again; a key that is not there raises KeyError, and nothing else is raised at all. A few
    megabytes are left there.
    """
    with _opened(make) as store:
        _check_bodies(store)
        _check_missing(store)
        _check_again(store)
        _check_alike(store)
        _check_threads(store)
    _check_lasting(make)
    _check_sharing(make)


def _check_bodies(store: Store) -> None:
    """Assert that any bytes come back as they were."""
    bodies = {
        "an empty body": b"",
        "every byte": bytes(range(256)) * 3,
        "line ends": b"a\r\nb\nc\rd\x00\x1a\xff\xfe",
        "a large body": bytes(range(251)) * (_LARGE // 251),
    }
    for what, body in bodies.items():
        key = _new_key()
        store.put(key, body)
        got = store.get(key)
        assert type(got) is bytes, f"{what}: bytes were expected, {type(got).__name__} came back"
        assert got == body, f"{what}: {len(body)} bytes were put, {len(got)} others came back"


def _check_missing(store: Store) -> None:
    """Assert that what is not there raises KeyError, and nothing else."""
    for key in (_new_key(), "00a", "zz.zst"):
        assert _get(store, key) is None, f"a key that was never put gives {_get(store, key)!r}, no KeyError"


def _check_again(store: Store) -> None:
    """Assert that to put the same again is no error and changes nothing."""
    key, body = _new_key(), b"once" * 1_000
    for _ in range(3):
        store.put(key, body)
        assert store.get(key) == body, "a second put of the same body changes it"


def _check_alike(store: Store) -> None:
    """Assert that keys that differ in one place only name different bodies."""
    stem = _new_key().removesuffix(".zst")
    keys = [f"{stem}.zst", f"{stem}.zs", stem, f"{stem[:-1]}{'0' if stem[-1] != '0' else '1'}.zst", f"0{stem}.zst"]
    keys += [f"{stem[:1]}{number}{stem[2:]}.zst" for number in range(10)]
    bodies = {key: f"the body of {key}".encode() for key in keys}
    for key, body in bodies.items():
        store.put(key, body)
    for key, body in bodies.items():
        assert store.get(key) == body, f"{key} and another key are taken for each other"


def _check_threads(store: Store) -> None:
    """Assert that a store may be used from another thread than the one that opened it."""
    key = _new_key()
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(store.put, key, b"from another thread").result()
        assert elsewhere.submit(store.get, key).result() == b"from another thread", "another thread gets another body"
    assert store.get(key) == b"from another thread", "what another thread puts is not there"


def _check_lasting(make: Callable[[], Store]) -> None:
    """Assert that bodies outlive the one who put them, and that closing twice is fine."""
    bodies = {_new_key(): bytes([number]) * 100 for number in range(_MANY)}
    store = make()
    for key, body in bodies.items():
        store.put(key, body)
    store.close()
    store.close()
    with _opened(make) as store:
        lost = sum(_get(store, key) != body for key, body in bodies.items())
        assert not lost, f"{lost} of {_MANY} bodies are lost when the store is opened again"


def _check_sharing(make: Callable[[], Store]) -> None:
    """Assert that what one puts another one gets at once: many processes share a store."""
    with _opened(make) as one, _opened(make) as other:
        first, second = _new_key(), _new_key()
        assert _get(other, first) is None, "a body is there before it was put"
        one.put(first, b"first")
        assert _get(other, first) == b"first", "what one process puts another does not get at once"
        other.put(second, b"second")
        assert _get(one, second) == b"second", "what one process puts another does not get at once"
        one.put(second, b"second")
        assert _get(other, second) == b"second", "what two processes put is lost"


def _get(store: Store, key: str) -> bytes | None:
    """Return a body, None where KeyError says that there is none; what else is raised breaks a promise, too."""
    try:
        return store.get(key)
    except KeyError:
        return None


def _new_key() -> str:
    return f"{uuid4().hex}.zst"


@contextmanager
def _opened(make: Callable[[], Store]) -> Iterator[Store]:
    store = make()
    try:
        yield store
    finally:
        store.close()
