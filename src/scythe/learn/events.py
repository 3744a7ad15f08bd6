"""Name what happens to a learned site: events that are open, changes that were made, and the two together as drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import TypeVar

from scythe.errors import BadInput

MOST_CHARS = 2_000  # of one text in a saved state
MOST_NUMBER = 1 << 53

Plain = TypeVar("Plain")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that stopped working."""

    what: str  # of a field: missing, implausible, tree (only the tree gets it); of pages: unknown, misfit
    layout: str  # "" for pages that no layout fits
    field: str  # "" for whole pages
    since: str  # ISO 8601, UTC
    page: int  # number of the page, counted from the first extracted, at which it was noticed
    pages: int  # bad ones since, those that told it included
    example: str = ""  # address of one of them


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log: an event opened or closed, a layout learned or dropped."""

    what: str  # opened, closed, learned, dropped, failed
    when: str  # ISO 8601, UTC
    page: int
    layout: str
    field: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a site has moved from what was learned of it: for people and for `scythe check`."""

    pages: int  # extracted
    events: tuple[Event, ...] = ()  # those still open, the oldest first
    log: tuple[Change, ...] = ()  # the last changes, the oldest first

    @property
    def healthy(self) -> bool:
        """Whether everything that was learned still works."""
        return not self.events

    def __bool__(self) -> bool:
        return bool(self.events)  # `if site.drift:` reads as it should

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __str__(self) -> str:
        """Describe it in lines for a terminal."""
        if self.healthy:
            return f"healthy after {self.pages} pages"
        return "\n".join(describe(event) for event in self.events)


def describe(event: Event) -> str:
    """Put an event into one sentence."""
    where = f" in {event.layout}" if event.layout else ""
    said = {
        "missing": f"{event.field} is missing{where}",
        "implausible": f"{event.field} is implausible{where}",
        "tree": f"{event.field} is found only by the tree{where}",
        "misfit": "pages no longer fit what was learned",
        "unknown": "pages fit no layout",
    }[event.what]
    return f"{said}: {event.pages} pages since {event.since}" + (f", such as {event.example}" if event.example else "")


def read_plain(kind: type[Plain], value: object) -> Plain:
    """Make a record of numbers and texts from what JSON held. Raises BadInput where it holds something else."""
    if not isinstance(value, Mapping):
        raise BadInput(f"health: expected an object for {kind.__name__}, got {type(value).__name__}")
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    given: dict[str, object] = {}
    for name, field in known.items():
        if name not in value and field.default is not MISSING:
            continue
        item = value.get(name)
        is_number = field.type == "int"
        if type(item) is not (int if is_number else str):
            raise BadInput(f"health: expected {'a number' if is_number else 'text'} for {name}, got {item!r:.60}")
        if (isinstance(item, int) and not 0 <= item <= MOST_NUMBER) or (
            isinstance(item, str) and len(item) > MOST_CHARS
        ):
            raise BadInput(f"health: {name} is too large")
        given[name] = item
    return kind(**given)


def read_number(state: Mapping[str, object], name: str) -> int:
    """Return a whole number of a saved state, 0 where it is missing. Raises BadInput for anything else."""
    found = state.get(name, 0)
    if type(found) is not int or not 0 <= found <= MOST_NUMBER:
        raise BadInput(f"health: expected a number for {name:.60}, got {found!r:.60}")
    return found


def read_map(state: Mapping[str, object], name: str, most: int) -> Mapping[str, object]:
    """Return an object of a saved state. Raises BadInput where there is none, or one with too many keys."""
    found = state.get(name, {})
    if not isinstance(found, Mapping) or len(found) > most:
        raise BadInput(f"health: expected an object of at most {most} keys for {name}")
    return found


def read_list(state: Mapping[str, object], name: str, most: int) -> list[object]:
    """Return a list of a saved state. Raises BadInput where there is none, or one that is too long."""
    found = state.get(name, [])
    if not isinstance(found, list) or len(found) > most:
        raise BadInput(f"health: expected a list of at most {most} for {name}")
    return found
