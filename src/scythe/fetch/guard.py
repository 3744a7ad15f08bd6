"""Refuse connections to private, local and other non-public addresses (protection against SSRF).

The check happens where sockets are created, on the very address that is connected to, so that redirects, changing DNS
answers and odd spellings cannot bypass it. Blocking look-ups run in daemon threads, which cannot delay a deadline,
Ctrl-C or the exit.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, TypeVar

from aiohttp.abc import AbstractResolver, ResolveResult

from scythe.package_files import packaged_text

T = TypeVar("T")


async def run_in_daemon(work: Callable[[], T], name: str) -> T:
    """Run `work` in a daemon thread called `name` and return its result, or raise what it raised."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as caught:  # noqa: BLE001 (raised again where somebody waits for it)
            error = caught
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop closed while we were working
            return

    threading.Thread(target=run, daemon=True, name=name).start()
    return await answer


# IANA special-purpose registry, multicast, and one cloud's metadata service that has a public number. Own tables:
# `ipaddress.is_global` of Python 3.11 calls multicast and several embeddings of private addresses global.
# Teredo (2001::/32) and 6to4 (2002::/16) tunnel to any IPv4 address.
_CLOSED = [
    (ip_network(network), why)
    for network, why in json.loads(packaged_text("scythe.fetch", "closed_networks.json")).items()
]
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")  # the address of every IPv4 site seen from an IPv6-only network
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # third 32 bits of an address that tunnels to the IPv4 address after them
# Names that mean something on the own machine or network only: RFC 6761, 6762, 7686, 8375, ICANN's .internal, and what
# routers call their networks.
_OWN_NAMES = frozenset("localhost localdomain local internal intranet lan home corp onion".split())

Address = IPv4Address | IPv6Address
LookUp = Callable[[str, int], Awaitable[list[ResolveResult]]]


class Refused(OSError):
    """The guard did not let a connection out."""


def why_closed(address: str) -> str | None:
    """Return why `address` (an IP number) must not be dialled, or None when it is on the public internet."""
    try:
        number: Address = ip_address(address.partition("%")[0])
    except ValueError:
        return "not an IP address"
    if isinstance(number, IPv6Address):
        last = IPv4Address(int(number) & 0xFFFF_FFFF)
        if number.ipv4_mapped is not None or number in _NAT64:
            number = last
        elif number not in _GLOBAL_V6:  # ::1, ::, fc00::/7, fe80::/10, ff00::/8, IPv4-compatible, unassigned ...
            return "not on the public internet"
        elif _why_in_table(number) is None and (int(number) >> 32) & 0xFFFF_FFFF in _ISATAP:
            number = last
    return _why_in_table(number)


def _why_in_table(number: Address) -> str | None:
    return next((why for network, why in _CLOSED if number in network), None)


def why_closed_name(name: str) -> str | None:
    """Return why a host name is not even looked up, or None. Numbers in any spelling are left to the look-up."""
    labels = name.lower().removesuffix(".").split(".")
    if labels[-1] in _OWN_NAMES or labels[-2:] == ["home", "arpa"]:
        return "a name of the own machine or network"
    if len(labels) == 1 and not labels[0][:1].isdigit():  # look-ups would put it below the own domain
        return "a name without a domain"
    return None


def refuse_closed(address: str) -> None:
    """Raise `Refused` when `address` must not be dialled."""
    _refuse(why_closed(address))


def _refuse(why: str | None) -> None:
    if why is not None:
        raise Refused(f"refused: the address is not on the public internet ({why})")


def open_guarded_socket(dialled: tuple[Any, ...]) -> socket.socket:
    """Make the socket for one `getaddrinfo` row after judging its address; the last gate in front of the network."""
    family, kind, protocol, _, destination = dialled
    refuse_closed(str(destination[0]))
    return socket.socket(family, kind, protocol)


async def look_up(host: str, port: int) -> list[ResolveResult]:
    """Resolve a name. Raises OSError when nobody knows it."""

    def resolve() -> list[ResolveResult]:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError:  # a label that IDNA cannot express
            raise OSError(f"{host!r} is not a host name") from None
        return [
            ResolveResult(hostname=host, host=str(to[0]), port=port, family=family, proto=protocol, flags=0)
            for family, _, protocol, _, to in rows
        ]

    return await run_in_daemon(resolve, "scythe-look-up")


class GuardedResolver(AbstractResolver):
    """Resolve a name and refuse it when any one of its addresses is closed: the rows returned are the ones dialled."""

    def __init__(self, *, allow_private: bool = False, look_up: LookUp = look_up) -> None:
        self._allow_private = allow_private
        self._look_up = look_up

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if self._allow_private:
            return await self._look_up(host, port)
        _refuse(why_closed_name(host))
        rows = await self._look_up(host, port)
        for row in rows:
            refuse_closed(row["host"])
        return rows

    async def judge_behind_proxy(self, host: str, port: int) -> None:
        """Raise `Refused` when a proxy must not be asked for `host`, as far as can be known from here.

        The proxy looks names up itself, maybe in another network. A name that nobody knows here is let through.
        """
        if self._allow_private:
            return
        if ":" in host:
            refuse_closed(host)
            return
        try:
            await self.resolve(host, port)
        except Refused:
            raise
        except OSError:
            if host.rstrip(".").rpartition(".")[2][:1].isdigit():  # a number in a spelling only others may know
                _refuse("not an IP address")

    async def close(self) -> None:
        """Nothing is held open."""
