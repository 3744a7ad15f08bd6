"""`python -m tests.fuzz`: targets and a budget come in, what was tried and found goes out."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from tests.fuzz.drive import Budget, Outcome, run_targets
from tests.fuzz.judge import Defect, run_once
from tests.fuzz.registry import all_targets, choose, find_target
from tests.fuzz.shared import Seen

_OUT = Path("build/fuzz")


def main(arguments: list[str]) -> int:
    """Run, replay or list targets; return the exit code."""
    if arguments[:1] == ["replay"]:
        return replay(arguments[1:])
    if arguments[:1] == ["list"]:
        for name, one in all_targets().items():
            print(f"{name:<24} {one.kind:<11} {one.shape}")
        return 0
    asked = _parser().parse_args(arguments)
    seconds = asked.seconds if asked.seconds or asked.inputs else 10.0
    budget = Budget(asked.inputs or 10**12, seconds or 1e9, asked.seed)
    names = choose(asked.targets)
    done = run_targets(names, budget, asked.out, jobs=asked.jobs, tell=Progress(len(names)).tell)
    print(table(done, asked.out))
    return 1 if any(one.defects or one.notes for one in done) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Feed odd bytes to everything that reads what others wrote.",
        epilog="python -m tests.fuzz list: the targets. python -m tests.fuzz replay FILE TARGET: one input again.",
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="a target or a group of them; default: all")
    parser.add_argument("--seconds", type=float, default=0.0, help="of the clock, for each target (default: 10)")
    parser.add_argument("--inputs", type=int, default=0, help="to be tried on each target")
    parser.add_argument("--seed", type=int, default=1, help="the same number gives the same inputs (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default: 1)")
    parser.add_argument("--out", type=Path, default=_OUT, help=f"folder for defects (default: {_OUT})")
    return parser


def replay(arguments: list[str]) -> int:
    """Run one saved input on one target."""
    if len(arguments) != 2:
        print("usage: python -m tests.fuzz replay FILE TARGET", file=sys.stderr)
        return 2
    data = Path(arguments[0]).read_bytes()
    found = run_once(find_target(arguments[1]), data)
    if isinstance(found, Defect):
        print(f"{found.what} at {found.place}\n{found.why}")
        return 1
    print(f"nothing wrong: {found:.3f} s of CPU for {len(data)} bytes")
    return int(found > find_target(arguments[1]).allowed_s(len(data)))


class Progress:
    """A line a minute that says how far a run is."""

    def __init__(self, targets: int) -> None:
        self._targets = targets
        self._told = self._began = monotonic()

    def tell(self, done: Sequence[Outcome], now: Sequence[tuple[str, Seen]]) -> None:
        """Take note of how it goes."""
        if monotonic() - self._told < 60.0:
            return
        self._told = monotonic()
        inputs = sum(one.inputs for one in done) + sum(seen.inputs for _, seen in now)
        defects = sum(one.defects for one in done) + sum(seen.defects for _, seen in now)
        names = ", ".join(name for name, _ in now)
        spent = f"{inputs} inputs, {defects} defects, {self._told - self._began:.0f} s"
        print(f"{len(done)} of {self._targets} targets, {spent}; now {names}", file=sys.stderr, flush=True)


def table(done: Sequence[Outcome], out: Path) -> str:
    """Return what was tried and found, one line per target."""
    head = f"{'target':<24} {'kind':<11} {'inputs':>10} {'per s':>8}"
    lines = [f"{head} {'slowest CPU':>20} {'MB':>5} {'defects':>8}"]
    total: dict[str, int] = {}
    for one in sorted(done, key=lambda each: each.target):
        kind = find_target(one.target).kind
        total[kind] = total.get(kind, 0) + one.inputs
        speed = one.inputs / one.seconds if one.seconds else 0.0
        slowest = f"{1000 * one.slowest_s:.1f} ms/{one.slowest_size} B"
        lines.append(
            f"{one.target:<24} {kind:<11} {one.inputs:>10} {speed:>8.0f} {slowest:>20}"
            f" {one.peak_bytes // 1_000_000:>5} {one.defects:>8}"
        )
    lines.append(", ".join(f"{count} {kind} inputs" for kind, count in sorted(total.items())))
    lines.extend(note for one in done for note in one.notes)
    if any(one.defects for one in done):
        lines.append(f"defects are in {out}: each with its reason and the command that shows it again")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
