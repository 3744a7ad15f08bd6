"""`FetchOptions` and `Credentials`: the checked settings of the fetcher."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.version import version

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
            raise BadInput(f"credentials for {self.origin} need a user without a colon, or a one-line header")

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


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch; the defaults are safe for addresses from anywhere."""

    timeout_s: float = LIMITS.fetch_s  # the whole exchange
    max_bytes: int = LIMITS.body_bytes  # of the body after decompression; what is longer is cut and marked
    max_redirects: int = LIMITS.redirects
    allow_private: bool = False  # dial loopback, private and link-local addresses too
    user_agent: str = f"scythe/{version()} (reads pages its user named)"
    contact: str = ""  # an address or e-mail by which a site's owner reaches the user; sent with the user agent
    concurrency: int = 8  # requests under way in all
    per_host: int = 1  # requests under way at one host
    keep_alive: bool = True  # ask a host again through the connection it was asked through before
    accept: str = "text/html,application/xhtml+xml,*/*;q=0.5"
    first_bytes: int | None = None  # ask for so many only, and read no more from a server that sends all
    credentials: tuple[Credentials, ...] = ()  # each for one origin, sent to no other
    cookies: bool = False  # keep the cookies of each origin and send them back to it
    proxy: str | None = field(default=None, repr=False)  # http://[user:password@]host:port, asked to ask for us
    verify_tls: bool = True  # False: believe any certificate; every response says so
    ca_file: str | None = None  # believe the authorities in this file, not those of the system
    fetcher: str = ""  # ask through this one of another package (entry points `scythe.fetchers`)

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        for name in ("concurrency", "per_host"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("user_agent", "contact", "accept"):
            if not getattr(self, name).isprintable():
                raise BadInput(f"{name} must be one line of text")
        if self.proxy is not None and not origin_of(self.proxy).startswith("http:"):
            raise BadInput("proxy must be an address such as http://localhost:3128")

    @property
    def agent(self) -> str:
        """The User-Agent header: who asks, and how to reach them."""
        if not self.contact:
            return self.user_agent
        if self.user_agent.endswith(")"):
            return f"{self.user_agent[:-1]}; +{self.contact})"
        return f"{self.user_agent} (+{self.contact})"
