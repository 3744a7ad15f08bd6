"""Run scenarios in processes that fail at a place: a scenario, a place and a fault come in, findings go out.

This process has the library of shim.c loaded and everything imported; each run is a fork of it, which takes a tenth of
a second instead of one.
"""

from __future__ import annotations

import gc
import os
import shutil
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine
from tests.faults.io.judge import Findings, Line, judge, summarise
from tests.faults.io.known import describe
from tests.faults.io.scenario import ARCHIVE, Scenario
from tests.faults.io.shim import CRASHES, STRUCK, Fault, arm
from tests.faults.io.trace import Call, places, read_trace

import scythe.archive.archive
import scythe.archive.open
from scythe.errors import ArchiveFailed

AGAIN = 10  # one archive of so many is judged although one that says the same was
STOPPED, BUG = 3, 4  # exit codes: an error of ours, or one that nobody meant


@dataclass(frozen=True)
class Ran:
    """What a process came to."""

    code: int
    told: list[Line]
    error: str  # what it said when it stopped
    noise: str  # what else it wrote to standard error


@dataclass(frozen=True)
class Prepared:
    """A scenario with the folder it begins in, the places it has, and what an archive has at its end."""

    scenario: Scenario
    begin: Path
    calls: list[Call]
    places: list[str]  # the kind of call of each
    expected: Counter[str]
    judged: dict[tuple[bytes, tuple[Line, ...]], Findings] = field(default_factory=dict)
    met: Counter[str] = field(default_factory=Counter)  # archives that were known by what they say, and judged


def make_forks_cheap() -> None:
    """Have each run find what those before it made: statements that are written out, objects nobody looks at again.

    Half of a run's time went into writing out the same SQL: SQLAlchemy keeps it for one engine with its dialect.
    """
    shared: list[Engine] = []

    def create_alike(url: Any, **more: Any) -> Engine:
        engine = create_engine(url, **more)
        shared.append(engine)
        engine.dialect, engine._compiled_cache = shared[0].dialect, shared[0]._compiled_cache
        del shared[1:]
        return engine

    scythe.archive.open.create_engine = create_alike
    gc.collect()
    gc.freeze()  # else each fork copies the pages of what a collection only looked at


def prepare(scenario: Scenario, folder: Path) -> Prepared:
    """Run a scenario without any fault, and write down what it does."""
    begin, work, trace = folder / "begin", folder / "work", folder / "trace"
    begin.mkdir(parents=True)
    scenario.prepare(begin)
    copy(begin, work)
    ran = run(scenario, work, 0, Fault.COUNT, trace=trace)
    assert ran.code == 0, ran
    calls = list(read_trace(trace))
    again = judge(work, scenario, ran.told, Counter())
    assert [*again.lost, *again.damaged] == []
    return Prepared(scenario, begin, calls, places(calls), summarise(work / ARCHIVE))


def copy(begin: Path, work: Path) -> None:
    """Make a folder what another one is."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(begin, work)


def try_place(prepared: Prepared, work: Path, place: int, fault: Fault) -> Findings:
    """Let one call fail, see how the process ends, then judge what it left."""
    copy(prepared.begin, work)
    ran = run(prepared.scenario, work, place, fault)
    left = [] if fault in CRASHES or fault is Fault.BROKEN else [path.name for path in work.rglob("*.unfinished")]
    findings = _judge(prepared, work, ran.told)
    findings.unclear += _unclear(ran, work, fault)
    findings.ended = {0: "went on", STOPPED: "stopped with an error of ours", STRUCK: "struck"}.get(ran.code, "broke")
    findings.damaged += [f"{name} was left behind" for name in left]
    return findings


def _judge(prepared: Prepared, work: Path, told: list[Line]) -> Findings:
    """Judge an archive, or find it said of one that is the same."""
    said = describe(work)
    before = prepared.judged.get((said, tuple(told))) if said else None
    prepared.met["known"] += before is not None
    if before and prepared.met["known"] % AGAIN:
        return before.copy()
    prepared.met["judged"] += 1
    findings = judge(work, prepared.scenario, told, prepared.expected)
    if before and before != findings:
        findings.unclear.append(f"one that said the same was judged otherwise: {before.all()}")
    if said:
        prepared.judged[said, tuple(told)] = findings.copy()
    return findings


def _unclear(ran: Ran, work: Path, fault: Fault) -> list[str]:
    found = [f"noise: {ran.noise[-300:]}"] if ran.noise else []
    if fault in CRASHES:
        return found if ran.code == STRUCK else [*found, f"was not struck: {ran.code}"]
    if ran.code == 0:  # the fault did no harm, or was put right
        return found
    if ran.code != STOPPED:
        return [*found, f"ended with {ran.code}: {ran.error[-600:]}"]
    return found if str(work) in ran.error else [*found, f"does not say where: {ran.error}"]


def run(scenario: Scenario, work: Path, place: int, fault: Fault, *, trace: Path | None = None) -> Ran:
    """Run a scenario in a process of its own, in which a call fails."""
    reading, writing = os.pipe()
    noise = work.with_name("noise")
    pid = os.fork()
    if not pid:
        os.close(reading)
        _be(scenario, work, place, fault, writing, noise, trace)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        lines = pipe.read().decode().split("\0")[:-1]  # what is not ended was told to nobody
    _, status = os.waitpid(pid, 0)
    told = [tuple(line.split()) for line in lines if not line.startswith("!")]
    error = "".join(line[1:] for line in lines if line.startswith("!"))
    return Ran(os.waitstatus_to_exitcode(status), told, error, noise.read_text(errors="replace"))


def _be(scenario: Scenario, work: Path, place: int, fault: Fault, ledger: int, noise: Path, trace: Path | None) -> None:
    """Be the process: it never returns."""
    code = BUG
    try:
        os.dup2(os.open(noise, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        traced = -1 if trace is None else os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        scythe.archive.archive.JOURNAL_PAGES = scenario.journal_pages
        arm(work, place, fault, ledger=ledger, trace=traced)
        code, said = _work(scenario.work, work, ledger)
        arm(None, 0, Fault.COUNT)
        if said:
            os.write(ledger, f"!{said}\0".encode())
    finally:
        os._exit(code)


def _work(work: Callable[..., None], folder: Path, ledger: int) -> tuple[int, str]:
    try:
        work(folder, lambda *words: os.write(ledger, (" ".join(map(str, words)) + "\0").encode()))
    except (ArchiveFailed, OSError) as error:  # what the command line tells in one line
        return STOPPED, str(error)
    except BaseException:  # noqa: BLE001 (whatever it is, it is a finding)
        return BUG, traceback.format_exc()
    return 0, ""
