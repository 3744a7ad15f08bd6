"""The host judged and the host dialled: `python -m tests.differential.addresses [COUNT [SEED]]`.

Odd addresses go through the real client. Its look-up and its last gate before a socket write down whom they were asked
about, and let nothing out. A second reader of addresses (yarl, by which the client dials) and a third (urllib) must
name the same host and port, and of what is refused nobody may have been asked about.
"""

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from aiohttp.abc import ResolveResult
from tests.fetch.odd_urls import odd_urls
from yarl import URL

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, guard
from scythe.fetch.fetcher import Fetcher, dialled, open_fetcher
from scythe.fetch.redirects import start_of

_PORTS = {"http": 80, "https": 443}
_PUBLIC = "93.184.215.14"  # what every name is said to be: a number that the guard lets through


class NotDialled(OSError):
    """Stands where a connection would begin."""


@dataclass(slots=True)
class Ledger:
    """Whom the client asked about for one address: names looked up, and numbers at the last gate."""

    names: list[tuple[str, int]] = field(default_factory=list)
    numbers: list[tuple[str, int]] = field(default_factory=list)

    async def look_up(self, host: str, port: int) -> list[ResolveResult]:
        self.names.append((host, port))
        number = _as_number(host) or _PUBLIC
        return [ResolveResult(hostname=host, host=number, port=port, family=2, proto=6, flags=0)]

    def gate(self, row: tuple[Any, ...]) -> socket.socket:
        """Judge as the real gate does, write down what it lets through, and open nothing."""
        guard.refuse_closed(str(row[4][0]))
        self.numbers.append((str(row[4][0]), int(row[4][1])))
        raise NotDialled("nobody is dialled here")


def _as_number(host: str) -> str | None:
    """Return what the system's look-up makes of a number in any spelling."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, UnicodeError):
        return None


def expected(text: str) -> tuple[str, int] | None:
    """Return host and port that an address is dialled by, as others read its one spelling; None: not dialled."""
    try:
        spelled = dialled(start_of(text))
    except FetchFailed:
        return None
    ours, theirs = urlsplit(spelled), URL(spelled, encoded=True)
    assert (theirs.user, theirs.password) == (None, None), text
    host, port = ours.hostname or "", ours.port or _PORTS[ours.scheme]
    assert theirs.port == port, text
    if ":" in host:
        assert ip_address(theirs.raw_host or "") == ip_address(host), text
    else:
        assert theirs.raw_host == host, text
    return host, port


@contextmanager
def _gated(ledger: Ledger) -> Iterator[None]:
    kept = guard.open_guarded_socket
    guard.open_guarded_socket = ledger.gate  # type: ignore[assignment]
    try:
        yield
    finally:
        guard.open_guarded_socket = kept


@dataclass(slots=True)
class Agreement:
    """What came of many addresses."""

    asked: int = 0
    refused: int = 0  # before anything was looked up
    closed: int = 0  # by the guard
    let_out: int = 0  # to the gate, where they ended


async def compare(count: int, seed: int) -> Agreement:
    """Send addresses through the client; raises AssertionError where judged and dialled differ."""
    seen, ledger = Agreement(), Ledger()
    with _gated(ledger):
        async with open_fetcher(FetchOptions(timeout_s=20.0), look_up=ledger.look_up) as fetcher:
            for text in odd_urls(count, seed):
                await _compare_one(fetcher, ledger, text, seen)
    return seen


async def _compare_one(fetcher: Fetcher, ledger: Ledger, text: str, seen: Agreement) -> None:
    ledger.names.clear()
    ledger.numbers.clear()
    seen.asked += 1
    whom = expected(text)
    outcome = await fetcher.settle(text)
    assert isinstance(outcome, FetchFailed), text
    if whom is None:
        assert not ledger.names + ledger.numbers, text
        seen.refused += 1
        return
    host, port = whom
    for name, asked_port in ledger.names:
        assert (name.rstrip("."), asked_port) == (host.rstrip("."), port), text
    if not ledger.numbers:
        seen.closed += 1
        return
    seen.let_out += 1
    number, dialled_port = ledger.numbers[0]
    assert guard.why_closed(number) is None, text
    assert dialled_port == port, text
    meant = host if ":" in host else _as_number(host) or _PUBLIC
    assert ip_address(number) == ip_address(meant), text


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(asyncio.run(compare(count, int(sys.argv[2]) if len(sys.argv) > 2 else 5)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
