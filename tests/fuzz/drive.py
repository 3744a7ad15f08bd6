"""Run targets in children: names and a budget come in, what each did and found goes out.

A child that dies takes nothing along: the input that killed it is saved, and another goes on with what is left.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from tests.fuzz.child import Work, save_defect
from tests.fuzz.judge import Defect
from tests.fuzz.shared import Seen, Shared

_STUCK_S = 300.0  # of the clock without any input done
_APART = 1_000_003  # between the seeds of two children of one target
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long each target is tried, and how."""

    inputs: int = 10**12
    seconds: float = 1e9
    seed: int = 1
    hang_s: float = 60.0
    stuck_s: float = _STUCK_S
    deaths: int = 20  # of children of one target before it is given up


@dataclass(slots=True)
class Outcome:
    """What became of one target."""

    target: str
    inputs: int = 0
    seconds: float = 0.0  # of the clock, without starting
    slowest_s: float = 0.0  # CPU
    slowest_size: int = 0
    defects: int = 0
    peak_bytes: int = 0
    deaths: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, seen: Seen) -> None:
        """Add what one child did."""
        self.inputs += seen.inputs
        self.defects += seen.defects
        self.peak_bytes = max(self.peak_bytes, seen.peak_bytes)
        if seen.slowest_s > self.slowest_s:
            self.slowest_s, self.slowest_size = seen.slowest_s, seen.slowest_size


class Child:
    """One running child and what its parent knows of it."""

    def __init__(self, name: str, budget: Budget, out: Path, outcome: Outcome, folder: Path) -> None:
        self.outcome, self._out, self._budget = outcome, out, budget
        self._file = folder / f"{name}-{outcome.deaths}"
        self._shared = Shared(self._file, create=True)
        work = Work(
            name,
            budget.seed + _APART * outcome.deaths,
            budget.inputs - outcome.inputs,
            max(budget.seconds - outcome.seconds, 1.0),
            str(self._file),
            str(out),
            budget.hang_s,
        )
        # the order of sets must not differ between two runs of one seed
        env = {**os.environ, "PYTHONHASHSEED": "0"}
        with (folder / f"{name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", work.to_json()], cwd=ROOT, env=env, stdout=log, stderr=log
            )
        self._log = folder / f"{name}.log"
        self._began: float | None = None
        self._moved = (-1, monotonic())
        self._is_stuck = False

    def seen(self) -> Seen:
        """Return how far it has come."""
        return self._shared.get()

    def is_done(self) -> bool:
        """Say whether the child has ended; end it where it does nothing any more."""
        seen, now = self.seen(), monotonic()
        if self._began is None and seen.peak_bytes:
            self._began = now
        if self._began is None or seen.inputs != self._moved[0]:
            self._moved = seen.inputs, now
        elif now - self._moved[1] > self._budget.stuck_s and not self._is_stuck:
            self._is_stuck = True
            self._process.send_signal(signal.SIGABRT)  # which says where it is
        return self._process.poll() is not None

    def finish(self) -> bool:
        """Take note of how it ended; say whether it died before its time."""
        self.note()
        code = self._process.returncode
        trace = Path(f"{self._file}.trace")
        if code < 0:
            self.outcome.deaths += 1
            self.outcome.defects += 1
            name = signal.Signals(-code).name
            what = "stuck" if self._is_stuck else "hang" if -code == signal.SIGXCPU else "crash"
            why = trace.read_text("utf-8", "replace") if trace.exists() else ""
            defect = Defect(self.outcome.target, what, f"{name}\n{why}", name, self._shared.input())
            save_defect(defect, self._out)
        elif code > 0:
            last = self._log.read_text("utf-8", "replace").strip().rpartition("\n")[2]
            self.outcome.notes.append(f"{self.outcome.target}: the child ended with {code}: {last[:200]}")
        self._shared.close()
        self._file.unlink(missing_ok=True)
        trace.unlink(missing_ok=True)
        return code < 0

    def note(self) -> None:
        """Add what it did to the outcome."""
        self.outcome.add(self.seen())
        self.outcome.seconds += monotonic() - (self._began or monotonic())

    def kill(self) -> None:
        """End the child, with nothing to be said of it."""
        self._process.kill()
        self._process.wait()


def run_targets(
    names: Sequence[str],
    budget: Budget,
    out: Path,
    *,
    jobs: int = 1,
    tell: Callable[[Sequence[Outcome], Sequence[tuple[str, Seen]]], None] = lambda done, now: None,
) -> list[Outcome]:
    """Try each target for its budget, `jobs` at a time; `tell` hears how it goes."""
    waiting = [Outcome(name) for name in names]
    done: list[Outcome] = []
    running: list[Child] = []
    with tempfile.TemporaryDirectory(prefix="scythe-fuzz-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    outcome = waiting.pop(0)
                    running.append(Child(outcome.target, budget, out, outcome, Path(folder)))
                for child in [child for child in running if child.is_done()]:
                    running.remove(child)
                    died, outcome = child.finish(), child.outcome
                    spent = outcome.inputs >= budget.inputs or outcome.seconds >= budget.seconds
                    if died and not spent and outcome.deaths < budget.deaths:
                        waiting.insert(0, outcome)
                    else:
                        done.append(outcome)
                tell(done, [(child.outcome.target, child.seen()) for child in running])
                sleep(0.05)
        except KeyboardInterrupt:  # who ends it early wants to know what was done
            for child in running:
                child.kill()
                child.note()
                done.append(child.outcome)
        finally:
            for child in running:
                child.kill()
    return done
