"""Run tests on changed code: modules and tests come in, what became of each change goes out.

Tests are collected once. One child process runs them all and notes which lines each test reaches and how long it takes.
Other children then try changes, some dozens each: a change is put in, the tests that reach its line are run, the
quickest first, until one fails, and it is taken back. A test that takes far longer than before ends its child.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from tools.mutate_changes import Change
from tools.mutate_install import Source, find_functions, install

KILLED, TIMED_OUT, SURVIVED, UNREACHED = "killed", "timed out", "survived", "unreached"
_BATCH = 60  # changes of one child
_LEAST_CPU_S, _TIMES = 1.0, 8.0  # a test may take so much longer than without a change
_HANGS_S = 300.0  # wall time of one change
_MEMORY = 3 << 30
_QUICK_S = 0.25  # a test that found the last defect of a function goes first, unless it takes longer
_Result = tuple[str, str, float]  # state, the test that failed, CPU time


@dataclass(frozen=True)
class Outcome:
    """What became of one change."""

    module: str
    line: int
    function: str
    before: str
    after: str
    number: int
    state: str
    by: str  # the test that failed
    tests: int  # that reach it
    cpu_s: float


@dataclass
class Trial:
    """One change, and the tests that reach it."""

    source: Source
    change: Change
    tests: list[str]

    def tell(self, result: _Result) -> Outcome:
        """Say what became of it."""
        state, by, cpu_s = result
        name, change = self.source.module.__name__, self.change
        return Outcome(name, change.line, *change.key, state, by, len(self.tests), round(cpu_s, 3))


class Mutations:
    """The pytest plug-in that tries changes instead of running the tests once."""

    def __init__(
        self,
        modules: Sequence[str],
        wanted: Callable[[str, Change], bool],
        note: Callable[[Outcome], None],
        longest_s: float,
    ) -> None:
        self._modules, self._wanted, self._note, self._longest_s = modules, wanted, note, longest_s
        self.broken: list[str] = []  # tests that fail without a change

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Import what no test imports, so that it has functions to change."""
        for name in self._modules:
            importlib.import_module(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every change."""
        sources = [Source.of(name) for name in self._modules]
        find_functions(sources)
        folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        reached, measured_s, self.broken = _measure(sources, session.items)
        cpu_s = {name: spent_s for name, spent_s in measured_s.items() if spent_s <= self._longest_s}
        children = _Children({item.nodeid: item for item in session.items}, cpu_s)
        for source in sources:
            trials = self._trials(source, reached.get(source.path, {}), cpu_s)
            while trials:
                count, results = children.run(trials[:_BATCH])
                for trial, result in zip(trials, results, strict=False):
                    self._note(trial.tell(result))
                del trials[:count]
                for left in folder.iterdir():
                    shutil.rmtree(left, ignore_errors=True)
        return True

    def _trials(self, source: Source, lines: dict[int, list[str]], cpu_s: dict[str, float]) -> list[Trial]:
        """Return the changes of a module that are wanted, with their tests, the quickest first."""
        everywhere = {name for names in lines.values() for name in names} or set(cpu_s)
        trials = []
        for change in source.changes:
            if self._wanted(source.module.__name__, change):
                is_inside = change.function and change.function not in source.at_import
                names = (_reaching(change, lines) if is_inside else everywhere) & set(cpu_s)
                trials.append(Trial(source, change, sorted(names, key=lambda name: (cpu_s[name], name))))
        return trials


def load_quietly() -> None:
    """Have property tests try the same cases each time, and not look for the shortest that fails."""
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutate", derandomize=True, database=None, phases=phases, deadline=None)
    settings.load_profile("mutate")


def _reaching(change: Change, lines: dict[int, list[str]]) -> set[str]:
    """Return the tests that reach a change, which may be a part of a statement on several lines."""
    node = change.new or change.holder
    last = max(getattr(node, "end_lineno", change.line) or change.line, change.line)
    found = {name for line in range(change.line, last + 1) for name in lines.get(line, ())}
    if found:
        return found
    first = change.around[-1].lineno
    before = [line for line in lines if first < line <= change.line]
    return set(lines[max(before)]) if before else set()


def _measure(
    sources: list[Source], items: list[pytest.Item]
) -> tuple[dict[str, dict[int, list[str]]], dict[str, float], list[str]]:
    """Return the tests that reach each line, the CPU time of each test, and those that fail."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            json.dump(_trace(sources, items), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        reached, cpu_s, broken = json.load(answer)
    os.waitpid(pid, 0)
    numbered = {path: {int(line): names for line, names in lines.items()} for path, lines in reached.items()}
    return numbered, cpu_s, broken


def _trace(sources: list[Source], items: list[pytest.Item]) -> tuple[dict[str, Any], dict[str, float], list[str]]:
    _be_silent()
    tracer = coverage.Coverage(data_file=None, config_file=False, include=[source.path for source in sources])
    tracer.start()
    cpu_s: dict[str, float] = {}
    broken = []
    clear = _caches()
    for item, following in _pairs(items):
        for each in clear:  # what one test left there would hide what the next one reaches
            each()
        tracer.switch_context(item.nodeid)
        start = time.process_time()
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.failed for report in reports):
            broken.append(item.nodeid)
        elif not any(report.skipped for report in reports):
            cpu_s[item.nodeid] = time.process_time() - start
    tracer.stop()
    found = tracer.get_data()
    lines = {source.path: found.contexts_by_lineno(source.path) for source in sources}
    return lines, cpu_s, broken


def _pairs(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    following: list[pytest.Item | None] = [*items[1:], None]
    return zip(items, following, strict=True)


@dataclass
class _Children:
    """Tries changes in child processes."""

    tests: dict[str, pytest.Item]
    cpu_s: dict[str, float]
    _killers: dict[str, str] = field(default_factory=dict)  # by function: the test that found its last defect

    def run(self, trials: list[Trial]) -> tuple[int, list[_Result]]:
        """Try some changes, as many as one child can; return how many and what became of them."""
        results, is_sound = self._fork(trials)
        if not is_sound and len(trials) > 1:  # something stayed of a change: each gets a child of its own
            return 1, self._fork(trials[:1])[0]
        for trial, (state, by, _) in zip(trials, results, strict=False):
            if state == KILLED:
                self._killers[_place(trial)] = by
        return len(results), results

    def _fork(self, trials: list[Trial]) -> tuple[list[_Result], bool]:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                self._work(trials, lambda line: print(json.dumps(line), file=out, flush=True))
            os._exit(0)
        os.close(writer)
        lines: list[Any] = []
        with os.fdopen(reader, buffering=1) as told:
            while select.select([told], [], [], _HANGS_S)[0] and (line := told.readline()):
                lines.append(json.loads(line))
            else:
                if not select.select([told], [], [], 0)[0]:
                    os.kill(pid, signal.SIGKILL)
        _, status, _ = os.wait4(pid, 0)
        is_sound = lines.pop() if lines and isinstance(lines[-1], bool) else True
        results = [(str(state), str(by), float(cpu_s)) for state, by, cpu_s in lines]
        if os.WIFSIGNALED(status) and len(results) < len(trials):
            results.append((KILLED if os.WTERMSIG(status) == signal.SIGSEGV else TIMED_OUT, "", 0.0))
        return results, is_sound

    def _work(self, trials: list[Trial], tell: Callable[[Any], None]) -> None:
        """Try changes one after the other; at last, see whether tests pass again that had failed."""
        _be_silent()
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        clear = _caches()
        failed: set[str] = set()
        for trial in trials:
            start = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, _LEAST_CPU_S)
            try:
                take_back = install(trial.source, trial.change)
            except Exception as why:  # noqa: BLE001 (any error when a module is run shows the change)
                tell((KILLED, f"import: {why}"[:200], 0.0))
                return
            by = self._first_failure(trial)
            state = KILLED if by else SURVIVED if trial.tests else UNREACHED
            tell((state, by, time.process_time() - start))
            if take_back is None:
                return
            take_back()
            for each in clear:
                each()
            failed |= {by} - {""}
        tell(not any(self._fails(name) for name in failed if self.cpu_s[name] < _QUICK_S))

    def _first_failure(self, trial: Trial) -> str:
        last = self._killers.get(_place(trial), "")
        names = trial.tests
        if last in names and self.cpu_s[last] < _QUICK_S:
            names = [last, *(name for name in names if name != last)]
        by = next((name for name in names if self._fails(name)), "")
        self._killers[_place(trial)] = by or last
        return by

    def _fails(self, name: str) -> bool:
        signal.setitimer(signal.ITIMER_PROF, max(_LEAST_CPU_S, _TIMES * self.cpu_s[name]))
        try:
            return any(report.failed for report in runtestprotocol(self.tests[name], log=False, nextitem=None))
        except BaseException:  # noqa: BLE001 (whatever ends a test shows the change)
            return True


def _place(trial: Trial) -> str:
    return f"{trial.source.path}:{trial.change.function}"


def _caches() -> list[Callable[[], None]]:
    """Return what empties the caches of functions: they know what a change made of them."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "scythe"]
    values = [value for module in modules for value in vars(module).values()]
    return [value.cache_clear for value in values if callable(getattr(value, "cache_clear", None))]


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (the process ends with it)
