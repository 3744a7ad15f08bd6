"""Try one input: a target and bytes come in, a defect with its reason (or none) goes out."""

import hashlib
import resource
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time

from tests.fuzz.registry import Target, Wrong

MEMORY_BYTES = 300_000_000  # that one input may add to the peak of the process
_RSS_UNIT = 1 if sys.platform == "darwin" else 1_024
_SAME = 3  # defects of one place that are kept
_SHRINKS = 400  # tries to make an input shorter
_SHRINK_S = 5.0


@dataclass(frozen=True, slots=True)
class Defect:
    """An input that broke a promise."""

    target: str
    what: str  # exception, loss, slow, memory, crash, hang or stuck
    why: str  # the traceback, or what was measured
    place: str  # where it broke: defects of one place are one
    data: bytes = field(repr=False)


@dataclass(slots=True)
class Judge:
    """Tries inputs on one target and counts. `keep` is given each defect, few of one place."""

    target: Target
    keep: Callable[[Defect], None]
    inputs: int = 0
    slowest_s: float = 0.0
    slowest_size: int = 0
    peak_bytes: int = 0
    places: Counter[str] = field(default_factory=Counter)

    @property
    def defects(self) -> int:
        """How many inputs were defects."""
        return self.places.total()

    def warm_up(self) -> None:
        """Run the first seed, so that imports and caches are not blamed on an input."""
        self.target.run(self.target.seeds()[0])
        self.peak_bytes = _peak_bytes()

    def try_one(self, data: bytes) -> None:
        """Run the target on one input."""
        found = run_once(self.target, data)
        self.inputs += 1
        if isinstance(found, Defect):
            self._take(found)
            return
        if found > self.target.allowed_s(len(data)):
            found = self._take_slow(data, found)
        if found > self.slowest_s:
            self.slowest_s, self.slowest_size = found, len(data)
        peak = _peak_bytes()
        if peak > self.peak_bytes:
            if peak - self.peak_bytes > MEMORY_BYTES:
                grown = (peak - self.peak_bytes) // 1_000_000
                self._take(Defect(self.target.name, "memory", f"{grown} MB more than ever before", "memory", data))
            self.peak_bytes = peak

    def _take_slow(self, data: bytes, first_s: float) -> float:
        """Try a slow input twice more, as a busy machine is slower, too; return the least that it took."""
        best_s = first_s
        for _ in range(2):
            again = run_once(self.target, data)
            best_s = min(best_s, again) if isinstance(again, float) else best_s
        if best_s > self.target.allowed_s(len(data)):
            why = f"{best_s:.2f} s of CPU for {len(data)} bytes"
            self._take(Defect(self.target.name, "slow", why, "slow", data))
        return best_s

    def _take(self, defect: Defect) -> None:
        self.places[defect.place] += 1
        if self.places[defect.place] <= _SAME:
            self.keep(shrink(self.target, defect) if defect.what in ("exception", "loss") else defect)


def run_once(target: Target, data: bytes) -> Defect | float:
    """Return the CPU seconds that an input took, or what went wrong."""
    began = process_time()
    try:
        target.run(data)
    except Exception as error:  # noqa: BLE001  (whatever is raised is what is looked for)
        what = "loss" if isinstance(error, Wrong) else "exception"
        why = "".join(traceback.format_exception(error, limit=-12))
        return Defect(target.name, what, why, _place_of(error), data)
    return process_time() - began


def _place_of(error: BaseException) -> str:
    """Return where an error came from: its type and the last lines of ours it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/scythe/" in frame.filename or "/tests/fuzz/groups/" in frame.filename]
    last = (ours or list(frames))[-2:]
    return f"{type(error).__name__} at " + ", ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in last
    )


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT


def shrink(target: Target, defect: Defect) -> Defect:
    """Return the same defect by a shorter input, as far as that is quickly found."""
    best, tries, began = defect, 0, process_time()
    step = max(len(best.data) // 2, 1)
    while step and tries < _SHRINKS and process_time() - began < _SHRINK_S:
        at = 0
        while at < len(best.data) and tries < _SHRINKS:
            tries += 1
            shorter = run_once(target, best.data[:at] + best.data[at + step :])
            if isinstance(shorter, Defect) and shorter.place == best.place:
                best = shorter
            else:
                at += step
        step //= 2
    return best


def file_name(defect: Defect) -> str:
    """Return a name for the file of a defect: what it is, and a digest of its input."""
    return f"{defect.what}-{hashlib.sha256(defect.data).hexdigest()[:12]}"
