"""`FetchOptions`, the one record of how to fetch, `RunOptions` of runs over whole sites, and `Credentials`."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.version import version

_PORTS = {"http": 80, "https": 443}
Options = TypeVar("Options", bound=Any)  # a record


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

    PURPOSE: ClassVar[str] = "reads pages its user named"  # what scythe's own user agent says

    timeout_s: float = LIMITS.fetch_s  # the whole exchange
    max_bytes: int = LIMITS.body_bytes  # of the body after decompression; what is longer is cut and marked
    max_redirects: int = LIMITS.redirects
    allow_private: bool = False  # dial loopback, private and link-local addresses too
    user_agent: str = ""  # empty: scythe's own, with its version and purpose
    contact: str = ""  # an address or e-mail by which a site's owner reaches the user; sent with the user agent
    concurrency: int = 8  # requests under way in all
    per_host: int | None = None  # requests under way at one host; None: one, or what `places` says
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
        require_counts(self, "concurrency", "per_host")
        require_seconds(self, "timeout_s")
        for name in ("user_agent", "contact", "accept"):
            if not getattr(self, name).isprintable():
                raise BadInput(f"{name} must be one line of text")
        if self.proxy is not None and not origin_of(self.proxy).startswith("http:"):
            raise BadInput("proxy must be an address such as http://localhost:3128")

    @property
    def places(self) -> int:
        """How many requests may be under way at one host."""
        return self.per_host or 1

    @property
    def agent_name(self) -> str:
        """Who asks: what robots.txt knows us by."""
        return self.user_agent or f"scythe/{version()} ({self.PURPOSE})"

    @property
    def agent(self) -> str:
        """The User-Agent header: who asks, and how to reach them."""
        name = self.agent_name
        if not self.contact:
            return name
        return f"{name[:-1]}; +{self.contact})" if name.endswith(")") else f"{name} (+{self.contact})"

    @property
    def fetch(self) -> FetchOptions:
        """Only how to fetch, of a record that says more: runs that agree in this share connections."""
        said = {each.name: getattr(self, each.name) for each in fields(FetchOptions)}
        wide = max(self.concurrency, self.places)
        return FetchOptions(**said | {"user_agent": self.agent_name, "per_host": self.places, "concurrency": wide})


@dataclass(frozen=True, slots=True)
class RunOptions(FetchOptions):
    """What a crawl and a watch have in common; the defaults suit a site that is not yours."""

    delay: float = 1.0  # seconds between two requests to a host, at least; robots.txt may ask for more
    obey_robots: bool = True
    render: bool = False  # load pages in a browser
    workers: int = 1  # processes that extract
    patience_s: float = 60.0  # wait so long for a host that is away or wants to be asked later

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        FetchOptions.__post_init__(self)
        require_counts(self, "workers")
        require_seconds(self, "delay", "patience_s")


def with_given(options: Options, **given: object) -> Options:
    """Return options with what is given in place of what they say; None is not given."""
    return replace(options, **{name: value for name, value in given.items() if value is not None})


def require_counts(options: object, *names: str) -> None:
    """Raise BadInput where one of these values is given and less than 1."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < 1:
            raise BadInput(f"{name} must be at least 1, not {value}")


def require_seconds(options: object, *names: str) -> None:
    """Raise BadInput where one of these values is no length of time."""
    for name in names:
        if not 0 <= getattr(options, name) < float("inf"):
            raise BadInput(f"{name} must be a number of seconds, not {getattr(options, name)}")
