"""Measure how one way in grows with its input: an entry and an input come in, times and memory by size go out.

Each case runs in a child of its own with bounds on CPU time and address space, so that one that is quadratic ends.
"""

import gc
import json
import math
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.doubling.entries import ENTRIES, Run
from tests.doubling.inputs import KINDS

RATIO = 2.3  # of the time, at most, for twice the input
S_PER_MB = 1.0
MEMORY_PER_BYTE, MEMORY_FREE = 12, 100_000_000
_SURE_S = 0.05  # times below say little about growth
_FIT_S = 0.005  # and below that nothing at all
_ADDRESS_SPACE = 6_000_000_000
_TRIES = ((0.02, 4), (0.1, 2))  # below so many seconds, the best of so many


@dataclass(frozen=True, slots=True)
class Point:
    """What one size cost."""

    size: int  # bytes of input
    seconds: float  # of CPU
    memory: int  # bytes of peak above what the process had before


@dataclass(frozen=True, slots=True)
class Case:
    """What one entry cost with one kind of input, by size, and why it ended before the last of them."""

    entry: str
    made_by: str
    points: tuple[Point, ...] = ()
    ended: str = ""

    @property
    def slope(self) -> float:
        """By what the time is multiplied for twice the input, fitted over all sizes; 0 where too few count."""
        used = [(math.log2(p.size), math.log2(p.seconds)) for p in self.points if p.seconds >= _FIT_S]
        if len(used) < 3 or used[-1][0] - used[0][0] < 1.5:
            return 0.0
        mean_x, mean_y = (sum(axis) / len(used) for axis in zip(*used, strict=True))
        spread = sum((x - mean_x) ** 2 for x, _ in used)
        return float(2 ** (sum((x - mean_x) * (y - mean_y) for x, y in used) / spread))

    @property
    def worst(self) -> float:
        """The worst single doubling, where times are long enough to mean something; 0 where none is."""
        return max((growth(a, b) for a, b in sure_pairs(self.points)), default=0.0)

    @property
    def s_per_mb(self) -> float:
        """CPU seconds for a megabyte, at the largest size; half a second is for free below half a megabyte."""
        last = max(self.points, key=lambda point: point.size, default=None)
        return last.seconds / max(last.size / 1e6, 0.5) if last else 0.0

    @property
    def memory_per_byte(self) -> float:
        """The most bytes of memory for a byte of input, beyond what is free."""
        return max((max(0, p.memory - MEMORY_FREE) / p.size for p in self.points), default=0.0)

    @property
    def faults(self) -> list[str]:
        """What is beyond the bounds, in words."""
        said = [f"ended: {self.ended}"] if self.ended else []
        said += [f"{self.slope:.2f} times for twice the size"] if self.slope > RATIO else []
        said += [f"{self.worst:.2f} times for one doubling"] if self.worst > RATIO else []
        said += [f"{self.s_per_mb:.2f} s per MB"] if self.s_per_mb > S_PER_MB else []
        said += [f"{self.memory_per_byte:.1f} bytes per byte"] if self.memory_per_byte > MEMORY_PER_BYTE else []
        return said


def growth(small: Point, large: Point) -> float:
    """Return by what the time is multiplied per doubling between two sizes."""
    doublings = math.log2(large.size / small.size)
    return float((large.seconds / small.seconds) ** (1 / doublings))


def sure_pairs(points: Sequence[Point]) -> Iterable[tuple[Point, Point]]:
    """Return neighbouring sizes that differ enough and take long enough to be compared."""
    for small, large in pairwise(points):
        if small.seconds >= _SURE_S and large.size > 1.4 * small.size:
            yield small, large


def sizes(least: int, most: int) -> list[int]:
    """Return sizes, each twice the one before; the last is `most`."""
    doublings = math.ceil(math.log2(most / least)) if most > least else 0
    return [most >> step for step in range(doublings, 0, -1)] + [most]


def seconds(run: Run, tries: int = 0) -> float:
    """Return the CPU seconds of the best of some tries: of more, the shorter it is."""
    best, done = float("inf"), 0
    while True:
        gc.collect()
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
        done += 1
        wanted = tries or next((count for bound, count in _TRIES if best < bound), 1)
        if done >= wanted:
            return best


def measure(entry: str, made_by: str, most: int, *, least: int = 64_000, case_s: float = 120.0) -> Case:
    """Measure one case in a child process, up to `most` bytes or about `case_s` CPU seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            _measure_here(entry, made_by, sizes(least, most), case_s, writer)
        except MemoryError:
            os.write(writer, b'"out of memory"\n')
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as answers:
        lines = [json.loads(line) for line in answers]
    _, status = os.waitpid(child, 0)
    points = tuple(Point(*line) for line in lines if isinstance(line, list))
    ended = next((line for line in lines if isinstance(line, str)), "")
    if os.WIFSIGNALED(status):
        ended = f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return Case(entry, made_by, points, ended)


def _measure_here(entry: str, made_by: str, wanted: Sequence[int], case_s: float, writer: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    whole = int(2 * case_s) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))
    make, prepare = KINDS[ENTRIES[entry].kind][made_by], ENTRIES[entry].prepare
    prepare(make(2_000))()  # what is imported and cached on first use is not what grows
    gc.collect()
    gc.freeze()  # and what all of it holds need not be looked through again and again
    points: list[Point] = []
    told = ""
    for size in wanted:
        if points and 2 * points[-1].seconds > case_s:
            told = "" if growth_so_far(points) <= RATIO else f"{points[-1].seconds:.0f} s at {points[-1].size} bytes"
            break
        points.append(_point(make(size), prepare))
        while len(points) > 1 and _is_doubtful(points) and points[-1].seconds < case_s / 4:
            again = _point(make(size), prepare)  # a machine at work is slow at times, but not three times in a row
            points[-1] = min(points[-1], again, key=lambda point: point.seconds)
            if again is not points[-1]:
                break
    lines = [json.dumps([point.size, point.seconds, point.memory]) for point in points]
    os.write(writer, "".join(f"{line}\n" for line in [*lines, *([json.dumps(told)] if told else [])]).encode())


def growth_so_far(points: Sequence[Point]) -> float:
    """Return the growth of the last doubling; 0 where there is none."""
    return growth(*points[-2:]) if len(points) > 1 and points[-1].size > points[-2].size else 0.0


def _is_doubtful(points: Sequence[Point]) -> bool:
    return any(growth(small, large) > RATIO for small, large in sure_pairs(points[-2:]))


def _point(body: bytes, prepare: Callable[[bytes], Run]) -> Point:
    before = _forget_peak()
    run = prepare(body)
    best = seconds(run)
    return Point(len(body), best, _status("VmHWM") - before)


def _forget_peak() -> int:
    """Let the peak of memory begin anew, and return what is used now."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return 1024 * int(line.split()[1])
    return 0
