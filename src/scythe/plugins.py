"""Find and load plug-ins of other packages through entry points: stores, fetchers, text methods, characteristics.

Plug-ins are only named by users. No page, profile or archive can name code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from scythe.errors import BadInput
from scythe.model import Response

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

# what a part is called -> the group of entry points where packages offer theirs
GROUPS = {
    "text method": "scythe.text_methods",
    "text characteristic": "scythe.text_characteristics",
    "record characteristic": "scythe.record_characteristics",
    "fetcher": "scythe.fetchers",
    "store": "scythe.stores",
}


class Store(Protocol):
    """Keeps bodies by their keys, somewhere else than in the database of an archive.

    Keys are of lower-case letters, digits and dots, at most 80 of them. A store may be used from any thread, by one at
    a time, and from many processes at once. What cannot be done raises OSError.
    """

    def put(self, key: str, body: bytes) -> None:
        """Keep a body for good before returning. A key that is there has the same body already."""
        ...

    def get(self, key: str) -> bytes:
        """Return a body. Raises KeyError where there is none of this key."""
        ...

    def close(self) -> None:
        """Let go of everything; closing twice is fine."""
        ...


class Exchange(Protocol):
    """Asks servers: one request each, for addresses that were judged and whose turn it is."""

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        """Ask once, with these headers, and return what came: no redirect is followed. Raises FetchFailed."""
        ...


@dataclass(frozen=True, slots=True)
class PlugIn:
    """A part that an installed package offers."""

    kind: str  # one of GROUPS
    name: str
    value: str  # module:name
    package: str  # with its version


def list_plug_ins() -> list[PlugIn]:
    """Return all that installed packages offer, by kind and name."""
    found = []
    for kind, group in GROUPS.items():
        for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
            found.append(PlugIn(kind, point.name, point.value, _package(point)))
    return found


def plug_in_names(kind: str, built_in: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of the parts of a kind that other packages offer, sorted."""
    return tuple(sorted(_offered(kind, built_in)))


def load_plug_in(kind: str, name: str, built_in: Collection[str] = ()) -> Any:
    """Return what the entry point `name` stands for. Raises BadInput for a name nobody offers, or that won't load."""
    offered = _offered(kind, built_in)
    if name not in offered:
        known = (*built_in, *sorted(offered))
        raise BadInput(
            f"unknown {kind} {name!r}; " + (f"expected one of {', '.join(known)}" if known else "none is known")
        )
    points = offered[name]
    if len(points) > 1:
        packages = " and ".join(sorted({_package(point) for point in points}))
        raise BadInput(f"{kind} {name!r} is offered by {packages}: uninstall one of them")
    return _load(kind, points[0])


def make_plug_in(kind: str, name: str, does: str) -> Any:
    """Return an object with the method `does` that an entry point stands for; a class is called without arguments."""
    loaded = load_plug_in(kind, name)
    made = loaded() if isinstance(loaded, type) else loaded
    if not callable(getattr(made, does, None)):
        raise BadInput(f"{kind} {name!r} is a {type(made).__name__} without a method {does!r}")
    return made


def load_function(kind: str, name: str, built_in: Collection[str] = ()) -> Any:
    """Return a callable that an entry point stands for. Raises BadInput where it is none."""
    loaded = load_plug_in(kind, name, built_in)
    if not callable(loaded):
        raise BadInput(f"{kind} {name!r} is a {type(loaded).__name__}, not a callable")
    return loaded


def entry_points(*, group: str) -> EntryPoints:
    """Return what installed packages offer of one kind."""
    from importlib import metadata  # 5 ms that a page read by our own methods does not pay

    return metadata.entry_points(group=group)


def _offered(kind: str, built_in: Collection[str]) -> dict[str, list[EntryPoint]]:
    offered: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUPS[kind]):
        # a plug-in may not replace a built-in part: a name must mean the same everywhere
        if point.name not in built_in and point not in offered.get(point.name, ()):
            offered.setdefault(point.name, []).append(point)
    return offered


def _load(kind: str, point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError, SyntaxError) as error:
        raise BadInput(f"{kind} {point.name!r} cannot be loaded from {point.value!r}: {error}") from error


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"
