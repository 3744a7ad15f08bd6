"""The fuzz targets: a name comes in, the function to feed, its seeds and its bounds go out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

GROUPS = ("page", "cut", "file", "url", "net", "image", "warc", "text", "api", "cli")
RAW, STRUCTURED = "raw", "structured"
SLOWEST_S = 1.0  # CPU seconds per 100 KB, and for anything shorter
_UNIT_BYTES = 100_000

Run = Callable[[bytes], None]
Seeds = Callable[[], Sequence[bytes]]


class Wrong(AssertionError):
    """A promise was broken: what a target raises where nothing else raised."""


@dataclass(frozen=True, slots=True)
class Target:
    """One function that takes any bytes and raises only where there is a defect."""

    name: str  # group.what
    kind: str  # RAW: bytes are damaged anyhow; STRUCTURED: by what they mean
    run: Run
    seeds: Seeds
    tokens: tuple[bytes, ...] = ()  # that such input is made of
    shape: str = "bytes"  # what the engines know of its structure: bytes, page, json, lines or address
    slowest_s: float = SLOWEST_S  # CPU seconds per 100 KB, and for anything shorter
    most_bytes: int = 65_536  # of an input

    def allowed_s(self, size: int) -> float:
        """Return how many CPU seconds an input may take."""
        return self.slowest_s * max(1.0, size / _UNIT_BYTES)


TARGETS: dict[str, Target] = {}


def target(name: str, *, seeds: Seeds, kind: str = RAW, **bounds: object) -> Callable[[Run], Run]:
    """Register a function as a target; one function may be several."""

    def register(run: Run) -> Run:
        TARGETS[name] = Target(name, kind, run, seeds, **bounds)  # type: ignore[arg-type]
        return run

    return register


def find_target(name: str) -> Target:
    """Return a target, and import no other group than its own."""
    _load((name.partition(".")[0],))
    if name not in TARGETS:
        raise SystemExit(f"unknown fuzz target {name}; python -m tests.fuzz list shows all")
    return TARGETS[name]


def all_targets() -> dict[str, Target]:
    """Return every target that looks for real defects, in the order of the groups."""
    _load(GROUPS)
    return {name: one for name, one in TARGETS.items() if not name.startswith("planted.")}


def choose(names: Sequence[str]) -> list[str]:
    """Return the names of the targets meant by names or by groups of them, all where nothing is named."""
    if not names:
        return list(all_targets())
    chosen: dict[str, None] = {}
    for name in names:
        _load((name.partition(".")[0],))
        found = [each for each in TARGETS if each == name or each.startswith(f"{name}.")]
        if not found:
            raise SystemExit(f"unknown fuzz target {name}; python -m tests.fuzz list shows all")
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def _load(groups: Iterable[str]) -> None:
    for group in groups:
        if group in (*GROUPS, "planted"):
            import_module(f"tests.fuzz.groups.{group}")
