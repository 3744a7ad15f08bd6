"""Put small defects into modules and see whether tests find them: `python -m tools.mutate MODULE... --tests PATH...`.

    python -m tools.mutate scythe.site.text_rules --tests tests/site --out cut.jsonl
    python -m tools.mutate scythe.site.text_rules --tests tests/site --again cut.jsonl  only what survived

A module may be a package: then all its modules. Without --tests those of tests/PACKAGE are run. `--every 10` tries
every tenth change, beginning with number `--seed`. Each line of the output is one change; docs/why/testing.md explains
those that survive. Exit code 1: a test fails without any change.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from tools.mutate_changes import Change
from tools.mutate_run import KILLED, SURVIVED, TIMED_OUT, UNREACHED, Mutations, Outcome, load_quietly

_ROOT = Path(__file__).resolve().parent.parent
MARKS = "not slow and not fault and not soak"
_Key = tuple[str, str, str, str, int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try changes and print a table."""
    options = _read(arguments)
    modules = [module for name in options.modules for module in expand(name)]
    tests = options.tests or sorted({f"tests/{module.split('.')[1]}" for module in modules})
    start = time.perf_counter()
    outcomes, broken = mutate(
        modules,
        tests,
        every=options.every,
        seed=options.seed,
        again=options.again,
        out=options.out,
        marks=options.marks,
        longest_s=options.longest,
    )
    print(to_table(outcomes))
    for outcome in outcomes:
        if outcome.state in (SURVIVED, UNREACHED):
            print(f"{outcome.module}:{outcome.line} {outcome.function}: {outcome.before}  ->  {outcome.after}"
                  f"  ({outcome.state}, {outcome.tests} tests)")  # fmt: skip
    print(f"{len(outcomes)} changes, {sum(each.cpu_s for each in outcomes):.0f} s of CPU time, "
          f"{time.perf_counter() - start:.0f} s")  # fmt: skip
    for name in broken:
        print(f"fails without a change: {name}")
    return 1 if broken else 0


def mutate(
    modules: Sequence[str],
    tests: Sequence[str],
    *,
    every: int = 1,
    seed: int = 0,
    again: Path | None = None,
    out: Path | None = None,
    marks: str = MARKS,
    longest_s: float = math.inf,
) -> tuple[list[Outcome], list[str]]:
    """Try changes of modules; return what became of them, and the tests that fail without any."""
    kept = None if again is None else {_key(row) for row in read_rows(again) if row["state"] in (SURVIVED, UNREACHED)}
    outcomes: list[Outcome] = []
    tried = 0

    def wanted(module: str, change: Change) -> bool:
        nonlocal tried
        if kept is not None and (module, *change.key) not in kept:
            return False
        tried += 1
        return (tried - 1 - seed) % every == 0

    def note(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if out is not None:
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")

    if out is not None:
        out.write_text("", encoding="utf-8")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork
    load_quietly()
    mutations = Mutations(modules, wanted, note, longest_s)
    options = [
        "-q",
        "--no-header",
        "--no-summary",
        "--assert=plain",
        "--capture=no",
        "--tb=native",
        "-p",
        "no:cacheprovider",
    ]
    code = pytest.main([*options, "-p", "no:xdist", "-m", marks, *tests], plugins=[mutations])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"the tests cannot be collected: {code}")
    return outcomes, mutations.broken


def expand(name: str) -> list[str]:
    """Return a module, or the modules of a package."""
    folder = _ROOT.joinpath("src", *name.split("."))
    if not folder.is_dir():
        return [name]
    return sorted(f"{name}.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__")


def read_rows(path: Path) -> list[dict[str, object]]:
    """Read what an earlier run wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def to_table(outcomes: Sequence[Outcome]) -> str:
    """Return the counts of each module as a table."""
    lines = ["| module | changes | killed | timed out | survived | unreached |", "|---|---|---|---|---|---|"]
    for module, states in count_states(outcomes).items():
        counts = [states[state] for state in (KILLED, TIMED_OUT, SURVIVED, UNREACHED)]
        lines.append(f"| {module.removeprefix('scythe.')} | {sum(counts)} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def count_states(outcomes: Sequence[Outcome]) -> dict[str, Counter[str]]:
    """Return how many changes of each module came to what."""
    states: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        states[outcome.module][outcome.state] += 1
    return states


def _key(row: dict[str, object]) -> _Key:
    names = [str(row[name]) for name in ("module", "function", "before", "after")]
    return names[0], names[1], names[2], names[3], int(str(row["number"]))


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    parser.add_argument("--tests", nargs="+", metavar="PATH")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every Nth change only")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="... beginning with this one")
    parser.add_argument("--again", type=Path, metavar="FILE", help="try only what survived in that output")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a line of JSON for each change")
    parser.add_argument("--marks", default=MARKS, help="which tests, as pytest's -m has it")
    parser.add_argument("--longest", type=float, default=math.inf, metavar="S", help="leave longer tests out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
