"""Name sites and share them out: the address or name of a page comes in, its site and the fold of that go out."""

from __future__ import annotations

import re
from zlib import crc32

_PATH = re.compile(r"[/?#]")
# what stands before the two letters of a country and is part of its suffix: co.uk, com.au
_SECOND = frozenset("ac asn co com ed edu go gob gouv gov govt gv id ltd mil ne net nhs nom or org plc sch web".split())


def site_of(*names: str | None) -> str:
    """Return the site by the first name given, an address or what else is known of a page; empty where none is.

    It is the registered name without its suffix, so that example.com and news.example.co.uk are one.
    """
    return next((site for name in names if name and (site := _registered(name))), "")


def fold_of(site: str, folds: int) -> int:
    """Return which of so many folds a site is in: its name alone decides, so that nobody has to keep a list."""
    return crc32(site.encode("utf-8", "replace")) % folds


def _registered(name: str) -> str:
    _, slashes, rest = name.partition("//")
    host = _PATH.split(rest.lstrip("/") if slashes else name, maxsplit=1)[0]
    host = host.rpartition("@")[2].partition(":")[0].strip(". ").lower()
    labels = host.split(".")
    if len(labels) < 2 or labels[-1].isdecimal():
        return host
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND
    return labels[-3 if country else -2]
