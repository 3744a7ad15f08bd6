"""Format times, counts, shares and sizes for the templates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from scythe.schedule.svg import name_duration


def say_time(at: datetime | None) -> str:
    """Write a time as people do; an empty text where there is none."""
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def say_exact(at: datetime | None) -> str:
    """Write a time for the datetime attribute of <time>; scripts make local times of it."""
    return "" if at is None else at.astimezone(UTC).isoformat(timespec="seconds")


def say_count(count: int | float) -> str:
    """Write a number with thin spaces between thousands."""
    return f"{count:,}".replace(",", "\u202f")


def say_share(share: float | None, digits: int = 0) -> str:
    """Write a share as a percentage."""
    return "" if share is None else f"{100 * share:.{digits}f}\u202f%"


def say_span(seconds: float | None) -> str:
    """Write a length of time: 40 s, 1.5 h, 2 d; an empty text where there is none."""
    return "" if seconds is None else name_duration(max(seconds, 0.0), 2).replace(" ", "\u202f")


def say_bytes(size: int) -> str:
    """Write a size."""
    for unit, scale in (("MB", 1e6), ("KB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f}\u202f{unit}"
    return f"{size}\u202fB"


def shorten(text: str, most: int = 80) -> str:
    """Write a text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}\u2026"


def only_web(address: str) -> str:
    """Return an address that a link of ours may lead to, an empty text for any other."""
    return address if address.startswith(("http://", "https://")) else ""


def say_place(address: str, most: int = 60) -> str:
    """Write an address as people do: without its scheme, cut where it is too long."""
    return shorten(address.partition("://")[2].removeprefix("www.").rstrip("/") or address, most)


FILTERS: dict[str, Callable[..., Any]] = {
    "time": say_time,
    "exact": say_exact,
    "count": say_count,
    "share": say_share,
    "bytes": say_bytes,
    "span": say_span,
    "short": shorten,
    "web": only_web,
    "place": say_place,
}
