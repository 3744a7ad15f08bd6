"""Spell an address as it is dialled: any http(s) address comes in, one whose host no parser reads differently goes out.

It is rebuilt from its parts: no user, a host in lower-case letters, digits, dots and hyphens or an IPv6 number, a port.
What cannot be spelled like that is not dialled at all.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import urlsplit, urlunsplit

from scythe.errors import FetchFailed
from scythe.url import Url

# nearly all addresses: dialled as they are spelled
_PLAIN = re.compile(
    r"https?://(?:[a-z0-9-]{1,63}+\.)*+[a-z0-9-]{1,63}+(?::([1-5][0-9]{4}+|[1-9][0-9]{0,3}+))?+(?:/[!$-\[\]-~]*+)?+"
)
_NAME = re.compile(r"[a-z0-9_-]{1,63}+(?:\.[a-z0-9_-]{1,63}+)*+\.?+")
_NAME_CHARS = 254  # RFC 1035, with the dot at the end
# Services that would take a request for commands of their own: those of the Fetch standard ("bad ports"), databases.
_CLOSED_PORTS = frozenset(
    map(
        int,
        """
        0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119
        123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990
        993 995 1719 1720 1723 2049 3306 3659 4045 4190 5060 5061 5432 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697
        10080 11211
        """.split(),
    )
)


def dialled(url: str) -> Url:
    """Return `url` as it is dialled. Raises `FetchFailed` when its host or port cannot be."""
    plain = _PLAIN.fullmatch(url)
    if plain and (plain[1] is None or int(plain[1]) not in _CLOSED_PORTS):
        return Url(url)
    try:
        parts = urlsplit(url)
        port = parts.port
        name = spell_host(parts.netloc, parts.hostname or "")
    except ValueError:
        name, port = "", None
    if not name:
        raise FetchFailed(url, "its host is neither a name nor a number that can be dialled")
    if port in _CLOSED_PORTS:
        raise FetchFailed(url, f"port {port} is not one of web servers")
    netloc = name if port is None else f"{name}:{port}"
    return Url(urlunsplit(parts._replace(netloc=netloc)))


def spell_host(netloc: str, name: str) -> str:
    """Return the host of an address in the one way it is dialled, an IPv6 number in brackets; empty: it has none."""
    if "[" in netloc or ":" in name:
        return _spell_number(netloc, name)
    if not name.isascii():
        name = _to_ascii(name)
    name = name.lower()
    return name if len(name) <= _NAME_CHARS and _NAME.fullmatch(name) else ""


def _spell_number(netloc: str, name: str) -> str:
    # A zone ("%eth0") names a network of this machine, and the guard would open none of them.
    before, _, after = netloc.rpartition("@")[2].partition("]")
    if before.lower() != f"[{name}" or after[:1] not in ("", ":") or "%" in name:
        return ""
    try:
        return f"[{IPv6Address(name).compressed}]"
    except AddressValueError:
        return ""


def _to_ascii(name: str) -> str:
    """Spell a name in other scripts as browsers do (UTS 46), or as they did (IDNA 2003) where it was given out then."""
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError:
        pass
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
