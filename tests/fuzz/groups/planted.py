"""Defects made on purpose, one of each kind: what does not find these finds nothing."""

import os
import threading

from tests.fuzz.registry import RAW, STRUCTURED, Wrong, target


def _seeds() -> list[bytes]:
    return [b"plain", b'{"a": 1}', b"<p>one</p>"]


@target("planted.none", seeds=_seeds)
def no_defect(data: bytes) -> None:
    """Do something with every input."""
    data.count(b"a")


@target("planted.exception", seeds=_seeds)
def raise_often(data: bytes) -> None:
    """Fail on what is not UTF-8."""
    data.decode()


@target("planted.hang", seeds=_seeds)
def hang_sometimes(data: bytes) -> None:
    """Never return where a byte is high."""
    while max(data, default=0) > 0x7F:
        pass


@target("planted.stuck", seeds=_seeds)
def wait_for_ever(data: bytes) -> None:
    """Wait for what never comes, which takes no CPU at all."""
    if max(data, default=0) > 0x7F:
        threading.Event().wait()


@target("planted.slow", seeds=_seeds, slowest_s=0.001)
def take_long(data: bytes) -> None:
    """Take longer than allowed where a byte is high."""
    sum(range(300_000 if max(data, default=0) > 0x7F else 10))


@target("planted.loss", seeds=_seeds, kind=STRUCTURED, shape="page")
def lose_text(data: bytes) -> None:
    """Lose what stands behind a NUL, and say nothing of it."""
    kept = (b"first " + data + b" last").partition(b"\0")[0]
    if not kept.endswith(b"last"):
        raise Wrong("the last word is gone")


@target("planted.crash", seeds=_seeds, kind=RAW)
def abort(data: bytes) -> None:
    """Take the process along where a byte is high."""
    if max(data, default=0) > 0x7F:
        os.abort()
