"""Let every call that changes a file fail in turn: `python -m tests.faults.io [--every K] [--power N]`.

Then the power is cut at N moments. Prints a table: places, runs, and in how many of these something was lost, doubled,
damaged or not said clearly. Ends with 1 where anything was.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.faults.io.shim import ONLY_WRITES, Fault, compile_shim, find_compiler, is_loaded, preloaded
from tests.faults.io.trace import NAMES, WRITE

if TYPE_CHECKING:
    from tests.faults.io.judge import Findings
    from tests.faults.io.runs import Prepared

WRONG = ("lost", "doubled", "damaged", "unclear")
FAULTS = [fault for fault in Fault if fault is not Fault.COUNT]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="try one run of so many, from a random one on; 0: none")
    parser.add_argument("--once", action="store_true", help="try each place with one fault only, taken in turn")
    parser.add_argument(
        "--part", type=int, choices=range(len(FAULTS)), help="try this part only of all pairs; all parts are all pairs"
    )
    parser.add_argument("--no-writes", action="store_true", help="leave out calls that write: they are four of five")
    parser.add_argument("--power", type=int, default=200, help="so many cuts of power, over all scenarios")
    parser.add_argument("--scenario", action="append", help="only these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", action="store_true", help="print JSON at the end only")
    said = parser.parse_args()
    memory = Path("/dev/shm")  # where syncing costs nothing; what is lost is decided by us, not by the disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        if not is_loaded():
            _run_preloaded(Path(folder))
        table, examples = campaign(Path(folder).resolve(), said)
    summary = {**table, "examples": examples}
    print(json.dumps(summary) if said.quiet else _describe(table, examples))
    raise SystemExit(1 if any(table[name] for name in WRONG) else 0)


def _run_preloaded(folder: Path) -> None:
    """Run this again with the library, and end as that did."""
    import subprocess

    if find_compiler() is None:
        raise SystemExit("there is no C compiler, or this is not Linux")
    command = [sys.executable, "-m", "tests.faults.io", *sys.argv[1:]]
    raise SystemExit(subprocess.run(command, env=preloaded(compile_shim(folder)), check=False).returncode)


def campaign(folder: Path, said: argparse.Namespace) -> tuple[Counter[str], list[str]]:
    """Try every place, or some of them, with every fault, and cut the power."""
    from tests.faults.io.power import cut_power
    from tests.faults.io.runs import make_forks_cheap, prepare
    from tests.faults.io.scenario import SCENARIOS

    make_forks_cheap()
    table: Counter[str] = Counter(dict.fromkeys(WRONG, 0))
    examples: list[str] = []
    chance, began = Random(said.seed), time.process_time()
    names = said.scenario or list(SCENARIOS)
    for number, name in enumerate(names):
        prepared = prepare(SCENARIOS[name], folder / name)
        table["places"] += len(prepared.places)
        table.update(f"places to {NAMES[kind]}" for kind in prepared.places)
        cuts = said.power * (number + 1) // len(names) - said.power * number // len(names)
        tried = chain(_fail(prepared, folder / name, said, chance), cut_power(prepared, folder / name, cuts, chance))
        for what, findings in tried:
            table.update(("runs", f"runs: {what.rpartition(', ')[2]}"))
            table.update([f"ends: {findings.ended}"] if findings.ended else [])
            table.update(kind for kind in WRONG if getattr(findings, kind))
            if not said.quiet and table["runs"] % 50 == 0:
                wrong = {kind: table[kind] for kind in WRONG}
                print(f"{table['runs']} runs, {wrong}, {time.process_time() - began:.0f} s", flush=True)
            if findings.all():
                examples.append(f"{what}: {'; '.join(findings.all()[:3])}")
        table["judged in full"] += prepared.met["judged"]
        if not said.quiet:
            spent = time.process_time() - began
            found = f"{len(examples)} with findings"
            print(
                f"{name}: {len(prepared.places)} places, {table['runs']} runs so far, {found}, {spent:.0f} s",
                flush=True,
            )
    return table, examples


def _fail(prepared: Prepared, folder: Path, said: argparse.Namespace, chance: Random) -> Iterator[tuple[str, Findings]]:
    from tests.faults.io.runs import try_place

    chosen = [(place, kind) for place, kind in enumerate(prepared.places, 1) if kind != WRITE or not said.no_writes]
    all_ = [(place, kind, fault) for place, kind in chosen for fault in _faults(place, kind, said)]
    for place, kind, fault in all_[chance.randrange(said.every) :: said.every] if said.every else ():
        what = f"{prepared.scenario.name}, place {place} ({NAMES[kind]}), {fault.name}"
        yield what, try_place(prepared, folder / "work", place, fault)


def _faults(place: int, kind: str, said: argparse.Namespace) -> list[Fault]:
    faults = [fault for fault in FAULTS if kind == WRITE or fault not in ONLY_WRITES]
    if said.part is not None:
        return faults[(place + said.part) % len(FAULTS) :][:1]  # none, where the call has fewer faults
    return [faults[(place + said.seed) % len(faults)]] if said.once else faults


def _describe(table: Counter[str], examples: list[str]) -> str:
    lines = [f"{number:>8}  {name}" for name, number in table.items()]
    return "\n".join([*examples[:40], *lines])


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
