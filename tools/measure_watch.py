"""Watch a replayed site and compare: `python -m tools.measure_watch [--traces DIR] [--days D] [--speed S]`.

A local news server replays three traces on five list pages, so many times faster than they were, with redesigns and
outages in between (`tools.watch_trial`). The engine of `scythe watch` watches them by the same clock. Then its archive
is compared with what the site showed: records lost, records archived twice; and what it asked for with what the
simulation asks for. Ends with exit code 1 where anything was lost or doubled or the requests differ by over 10 %.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.watch_expected import Expected, expect, simulate_alone
from tools.watch_trial import (
    Asks,
    Found,
    Settings,
    compare,
    count_asks,
    make_trial,
    pick_traces,
    start_watch,
    watch_command,
)

from scythe.demo.replay import Replay
from scythe.demo.replay_serve import ReplayProcess, serve_replay_process
from scythe.schedule.simulate import Trace
from scythe.watch_model import DAY_S, HOUR_S, Goals

_START_S = 2.0  # real, for two processes to start
_ENDING_S = 60.0
_WITHIN = 0.10


@dataclass
class Verdict:
    """What a trial came to."""

    found: Found = field(default_factory=Found)
    asks: dict[str, Asks] = field(default_factory=dict)
    expected: dict[str, Expected] = field(default_factory=dict)
    alone: dict[str, Expected] = field(default_factory=dict)  # by scythe.schedule.simulate, of pages with one list
    events: Counter[str] = field(default_factory=Counter)
    code: int = 0
    complaint: str = ""

    def total(self, *, is_expected: bool = False, with_older: bool = False) -> int:
        """Return visits, or requests with those for older pages, of all pages."""
        rows: list[Asks] | list[Expected] = list(self.expected.values() if is_expected else self.asks.values())
        return sum(row.visits + (row.older if with_older else 0) for row in rows)

    def differs(self, *, with_older: bool = False) -> float:
        """Return by which share the watch asked more than the simulation."""
        wanted = self.total(is_expected=True, with_older=with_older)
        return self.total(with_older=with_older) / max(wanted, 1) - 1

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost or doubled, and as much was asked for as was expected."""
        close = abs(self.differs()) <= _WITHIN and abs(self.differs(with_older=True)) <= _WITHIN
        return not self.found.faults and not self.code and close


@dataclass(frozen=True)
class Wish:
    """What is wanted of the watch."""

    policy: str = "auto"
    max_delay_s: float | None = None


PLAIN = Wish()


def measure(traces: Sequence[Trace], settings: Settings, folder: Path, wish: Wish = PLAIN) -> Verdict:
    """Run one trial in a folder."""
    replay = make_trial(traces, settings).started(time.time() + _START_S)
    until = replay.pace.start + settings.days * DAY_S
    archive, events = str(folder / "archive.db"), folder / "events.jsonl"
    with serve_replay_process(replay, folder) as server:
        more = ["--policy", wish.policy, "--timeout", str(_timeout_s(settings))]
        more += ["--max-delay", str(wish.max_delay_s)] if wish.max_delay_s else []
        process = start_watch(watch_command(archive, server.urls, replay.pace, until, *more), events)
        verdict = Verdict()
        try:
            _, said = process.communicate(timeout=replay.pace.real(until) - time.time() + _ENDING_S)
            verdict.code, verdict.complaint = process.returncode, said[-2_000:]
        except subprocess.TimeoutExpired:
            verdict.code, verdict.complaint = 1, "it did not end"
        finally:
            process.kill()
        _judge(verdict, server, archive, wish)
    verdict.events = _count(events)
    return verdict


def _timeout_s(settings: Settings) -> float:
    """Return how long a request may hang: half an hour of the site's time, within what this machine may need."""
    return max(1_800.0 / settings.speed, 1.5)


def _judge(verdict: Verdict, server: ReplayProcess, archive: str, wish: Wish) -> None:
    replay: Replay = server.replay
    verdict.asks = count_asks(server, archive)
    verdict.found = compare(server, archive, verdict.asks)
    goals = Goals(max_delay_s=wish.max_delay_s)
    for page in replay.pages:
        ours = verdict.asks[page.path]
        span = (ours.first, ours.last)
        verdict.expected[page.path] = expect(replay, page, goals, span, wish.policy)
        alone = simulate_alone(replay, page, goals, span, wish.policy)
        if alone is not None:
            verdict.alone[page.path] = alone


def _count(events: Path) -> Counter[str]:
    """Count the events by their kind."""
    rows = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    kinds.update(f"region {row['what']}" for row in rows if row["kind"] == "region")
    kinds.update("gap closed" if row["is_closed"] else "gap open" for row in rows if row["kind"] == "gap")
    return kinds


def tabulate(verdict: Verdict) -> str:
    """Write what was found as a table."""
    lines = ["| page | visits | simulated | older pages | simulated | failed | lost |", "|---|---|---|---|---|---|---|"]
    for path, asks in verdict.asks.items():
        wanted = verdict.expected[path]
        lost = verdict.found.lost_by_page[path]
        cells = (path, asks.visits, wanted.visits, asks.older, wanted.older, asks.failed, lost)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    found, kinds = verdict.found, sorted(verdict.events.items())
    lines.append(f"\nstories {found.stories}, lost {found.lost}, archived twice {found.doubled}")
    lines.append(f"records {found.records}, of two stories {found.mixed}, of none {found.others}")
    for name, older in (("visits", False), ("requests", True)):
        ours, wanted = verdict.total(with_older=older), verdict.total(is_expected=True, with_older=older)
        lines.append(f"{name} {ours} against {wanted} ({100 * verdict.differs(with_older=older):+.1f} %)")
    ours = sum(verdict.asks[path].visits for path in verdict.alone)
    older = sum(verdict.asks[path].older for path in verdict.alone)
    visits, pages = (sum(getattr(one, name) for one in verdict.alone.values()) for name in ("visits", "older"))
    lines.append(
        f"pages with one list: visits {ours} against {visits}, requests {ours + older} against {visits + pages}"
    )
    lines.append("events: " + ", ".join(f"{kind} {count}" for kind, count in kinds))
    return "\n".join(lines + [f"such as {name}" for name in found.names])


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=Path, help="a folder of traces with meta.json; else three are made")
    parser.add_argument("--pick", default="", help="names of three of them, with commas between")
    parser.add_argument("--days", type=float, default=10.0)
    parser.add_argument("--speed", type=float, default=1_000.0)
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--max-delay", type=float, help="hours in which a record is to be seen")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="neither redesigns nor outages")
    parser.add_argument("--keep", type=Path, help="leave archive, events and ledger in this folder")
    said = parser.parse_args()
    traces = pick_traces(said.traces, said.pick.split(",") if said.pick else ())
    settings = Settings(said.days, said.speed, not said.calm, not said.calm, said.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = said.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        wish = Wish(said.policy, said.max_delay * HOUR_S if said.max_delay else None)
        verdict = measure(traces, settings, folder, wish)
    print(f"{', '.join(trace.name for trace in traces)}: {said.days:g} days at {said.speed:g} times their speed")
    print(tabulate(verdict))
    if verdict.complaint:
        print(verdict.complaint, file=sys.stderr)
    raise SystemExit(0 if verdict.is_right else 1)


if __name__ == "__main__":
    main()
