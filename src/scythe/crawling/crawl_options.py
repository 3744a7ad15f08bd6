"""`CrawlOptions`: the checked settings of a crawl."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from scythe.errors import BadInput
from scythe.fetch.fetch_options import RunOptions, require_counts
from scythe.reading.method_names import check_methods

PARTS = ("text", "markdown", "html", "images", "records", "attributes")
USUAL_PARTS = ("text", "images", "records")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions(RunOptions):
    """What to crawl, how politely, and how to fetch; the defaults suit a site that is not yours."""

    PURPOSE: ClassVar[str] = "crawler"

    limit: int | None = None  # pages to have in the archive of this site, earlier runs included
    depth: int | None = None  # links to follow from the start
    allow: tuple[str, ...] = ()  # patterns (`*` stands for anything) of addresses; one must match
    deny: tuple[str, ...] = ()  # none may match
    subdomains: bool = False  # hosts below the start's host belong to the site too
    sitemaps: bool = True  # ask robots.txt and the usual places for lists of addresses
    feeds: bool = True
    keep_raw: bool | None = None  # keep responses as they came: None those with a page in them, True all, False none
    parts: tuple[str, ...] | None = None  # to extract of each page, of PARTS; None: as before, at first USUAL_PARTS
    methods: tuple[str, ...] | None = None  # published ones, by which pages are read; None: as before, at first none
    attempts: int = 3  # visits to one address before it counts as failed
    refresh: bool = False  # visit the pages known again, asking whether they changed

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        RunOptions.__post_init__(self)
        require_counts(self, "limit", "attempts")
        if self.depth is not None and self.depth < 0:
            raise BadInput(f"depth must not be negative, not {self.depth}")
        require_parts(self.parts or ())
        check_methods(self.methods or ())

    @property
    def places(self) -> int:
        """How many requests may be under way at one host: one, or as many as there may be without a delay."""
        return self.per_host or (1 if self.delay > 0 else self.concurrency)


def require_parts(parts: Iterable[str]) -> None:
    """Raise BadInput where something is to be extracted that is not in PARTS."""
    unknown = set(parts) - set(PARTS)
    if unknown:
        raise BadInput(f"{sorted(unknown)[0]!r} cannot be extracted; expected one of {', '.join(PARTS)}")


def recall_parts(notes: str) -> tuple[str, ...] | None:
    """Return the parts that were last asked for, those that are known here; None where nobody has said."""
    kept = json.loads(notes).get("parts") if notes else None
    return None if kept is None else tuple(part for part in kept if part in PARTS)
