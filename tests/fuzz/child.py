"""One child process: settings come in as JSON, inputs are tried until the budget is spent or one of them kills it.

The input at hand is kept where the parent sees it. Of a real hang the kernel makes an end: the limit of CPU time is
moved on while inputs come and go, and reached when one of them does not.
"""

import faulthandler
import json
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time

from tests.fuzz.judge import Defect, Judge, file_name
from tests.fuzz.mutate import Mutator
from tests.fuzz.registry import Target, find_target
from tests.fuzz.shared import Seen, Shared

_LEASE_S = 5.0  # CPU seconds after which the limit is moved on
_TOLD_EVERY = 16  # inputs


@dataclass(frozen=True, slots=True)
class Work:
    """What one child is to do."""

    target: str
    seed: int
    inputs: int  # at most
    seconds: float  # at most
    shared: str
    out: str  # folder for defects
    hang_s: float = 60.0  # CPU seconds of one input that are a hang

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})


class Trial:
    """The inputs of one child: tells the parent, keeps defects, knows when to stop."""

    def __init__(self, work: Work, target: Target) -> None:
        self.work = work
        self.target = target
        self.judge = Judge(target, self._keep)
        self._shared = Shared(Path(work.shared))
        self._ends = monotonic() + work.seconds
        self._lease_s = min(_LEASE_S, self.work.hang_s)
        self._leased_s = 0.0

    def begin(self) -> None:
        """Warm up, and let the limits hold from now on."""
        self.judge.warm_up()
        self._ends = monotonic() + self.work.seconds
        self._lease()
        self.tell()

    def is_over(self) -> bool:
        """Say whether the budget is spent."""
        return self.judge.inputs >= self.work.inputs or monotonic() > self._ends

    def try_one(self, data: bytes) -> None:
        """Try one input, with the parent as witness."""
        self._shared.put_input(data, self.judge.inputs)
        self.judge.try_one(data)
        if self.judge.inputs % _TOLD_EVERY == 0:
            self.tell(len(data))
            if process_time() - self._leased_s > self._lease_s:
                self._lease()

    def tell(self, size: int = 0) -> None:
        """Let the parent know how far we are."""
        judge = self.judge
        self._shared.put(Seen(judge.inputs, size, judge.slowest_s, judge.slowest_size, judge.defects, judge.peak_bytes))

    def _lease(self) -> None:
        self._leased_s = process_time()
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(self._leased_s + self._lease_s + self.work.hang_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))

    def _keep(self, defect: Defect) -> None:
        save_defect(defect, Path(self.work.out))
        self.tell(len(defect.data))


def save_defect(defect: Defect, out: Path) -> Path:
    """Write a defect's input, and beside it what it is and how to see it again."""
    folder = out / defect.target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(defect)
    path.write_bytes(defect.data)
    said = f"{defect.what} in {defect.target}: {defect.place}\n\npython -m tests.fuzz replay {path} {defect.target}\n\n"
    path.with_suffix(".txt").write_text(said + defect.why, "utf-8", "backslashreplace")
    return path


def main(settings: str) -> None:
    """Do the work that the settings describe."""
    work = Work(**json.loads(settings))
    with Path(f"{work.shared}.trace").open("w") as trace:
        faulthandler.enable(trace)
        # says where it hangs, then dies of the signal as it would have
        faulthandler.register(signal.SIGXCPU, trace, chain=True)
        trial = Trial(work, find_target(work.target))
        trial.begin()
        mutator = Mutator(trial.target, work.seed)
        while not trial.is_over():
            trial.try_one(mutator.make())
        trial.tell()


if __name__ == "__main__":
    main(sys.argv[1])
