"""Who may be told what: a user and password (or a header) come in with the one origin they are for."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from scythe.errors import BadInput

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and password, or a whole Authorization header, for one origin (scheme, host and port)."""

    origin: str  # https://example.org or http://example.org:8080
    user: str = ""
    password: str = field(default="", repr=False)
    header: str = field(default="", repr=False)  # "Bearer ...", instead of user and password

    def __post_init__(self) -> None:
        """Raise BadInput for what is no origin, or no header."""
        if not origin_of(self.origin):
            raise BadInput(f"credentials are for an origin such as https://example.org, not {self.origin!r}")
        if not (self.header or self.user) or not self.header.isprintable() or ":" in self.user:
            raise BadInput(f"credentials for {self.origin} want a user without a colon, or a header of one line")

    @property
    def authorization(self) -> str:
        """The value of the Authorization header."""
        return self.header or basic(self.user, self.password)


def basic(user: str, password: str) -> str:
    """Write a user name and password as an Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address, spelled in one way, or an empty string."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not parts.hostname or not port:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}"
