"""`CrawlOptions`: the checked settings of a crawl."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.errors import BadInput
from scythe.limits import LIMITS

PARTS = ("text", "markdown", "html", "images", "records", "attributes")
USUAL_PARTS = ("text", "images", "records")


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What to crawl and how politely; the defaults suit a site that is not yours."""

    limit: int | None = None  # pages to have in the archive of this site, earlier runs included
    delay: float = 1.0  # seconds between two requests to a host, at least; robots.txt may ask for more
    concurrency: int = 8  # requests under way in all
    per_host: int | None = None  # requests under way at one host; None: one, or as many as there may be without a delay
    depth: int | None = None  # links to follow from the start
    allow: tuple[str, ...] = ()  # patterns (`*` stands for anything) of addresses; one must match
    deny: tuple[str, ...] = ()  # none may match
    subdomains: bool = False  # hosts below the start's host belong to the site too
    sitemaps: bool = True  # ask robots.txt and the usual places for lists of addresses
    feeds: bool = True
    obey_robots: bool = True
    user_agent: str = ""  # empty: scythe's own, with `contact`
    contact: str = ""  # an address or e-mail by which the site's owner reaches you
    timeout_s: float = LIMITS.fetch_s
    allow_private: bool = False
    keep_raw: bool = False  # keep every response as it came, for WARC
    parts: tuple[str, ...] | None = None  # to extract of each page, of PARTS; None: as before, at first USUAL_PARTS
    render: bool = False  # load pages in a browser
    fetcher: str = ""  # ask through this one of another package
    workers: int = 1  # processes that extract
    attempts: int = 3  # visits to one address before it counts as failed
    patience_s: float = 60.0  # wait so long for addresses that are to be tried again, then end
    refresh: bool = False  # visit the pages known again, asking whether they changed

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        for name in ("concurrency", "per_host", "workers", "attempts"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("delay", "timeout_s", "patience_s"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise BadInput(f"{name} must be a number of seconds, not {getattr(self, name)}")
        if self.limit is not None and self.limit < 1:
            raise BadInput(f"limit must be at least 1, not {self.limit}")
        if self.depth is not None and self.depth < 0:
            raise BadInput(f"depth must not be negative, not {self.depth}")
        unknown = set(self.parts or ()) - set(PARTS)
        if unknown:
            raise BadInput(f"{sorted(unknown)[0]!r} cannot be extracted; expected one of {', '.join(PARTS)}")

    @property
    def places(self) -> int:
        """How many requests may be under way at one host."""
        if self.per_host is not None:
            return self.per_host
        return 1 if self.delay > 0 else self.concurrency
