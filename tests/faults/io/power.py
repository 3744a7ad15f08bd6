"""Cut the power of a process at many moments: a scenario that was traced comes in, findings go out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.faults.io.disk import MODES, Disk
from tests.faults.io.judge import Findings, Line, judge
from tests.faults.io.runs import Prepared
from tests.faults.io.trace import PLACE, TOLD


def cut_power(prepared: Prepared, folder: Path, moments: int, chance: Random) -> Iterator[tuple[str, Findings]]:
    """Yield, for each of so many moments of a run, what it was and what is wrong with the disk after it."""
    work, after = folder / "work", folder / "after"
    calls = [call for call in prepared.calls if call.kind != PLACE]
    chosen = set(chance.sample(range(len(calls)), min(moments, len(calls))))
    disk, told = Disk(work, prepared.begin), ""
    for number, call in enumerate(calls):
        if call.kind == TOLD:
            told += call.content.decode()
        else:
            disk.see(call)
        if number in chosen:
            mode = chance.choice(MODES)
            disk.cut(after, mode, chance)
            lines: list[Line] = [tuple(line.split()) for line in told.split("\0")[:-1]]
            findings = judge(after, prepared.scenario, lines, prepared.expected)
            yield (
                f"{prepared.scenario.name}, after call {number} ({call.kind} {Path(call.path).name}), {mode}",
                findings,
            )
