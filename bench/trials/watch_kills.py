"""Kill watches and let them go on.

The engine watches a replayed site (`watch_trial`). At random moments (so many requests after its start, and some
milliseconds) it is killed with SIGKILL, every other time together with its workers, and started again with the same
words, until there were so many kills; then it runs on for half a day of the site's time. The archive is compared with
what the site showed and with itself: the journal of visits against the totals of regions, both against the records.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.sites.replay import Replay
from tests.sites.replay_process import ReplayProcess, serve_replay_process

from bench.trial_runs import Ledger, Moments, query
from bench.trials.harness import trial_folder
from bench.trials.watch_trial import (
    Found,
    Settings,
    compare,
    count_asks,
    make_traces,
    make_trial,
    start_watch,
    watch_command,
)
from scythe.watch_model import DAY_S

_RUN_S = 120.0
_MOST_REQUESTS = 12  # between two kills
_KILL_EVERY_S = 4.0  # real, on the average: starting takes most of it
# Visits every hour, so that kills come in the middle of them; a machine that does much else may take its time.
_MORE = ("--max-delay", "3600", "--timeout", "20")


@dataclass
class Verdict:
    """What was found wrong, each of it as a number that should be 0; and what was done."""

    kills: int = 0
    kills_of_all: int = 0  # workers included
    runs: int = 0
    visits: int = 0
    days: float = 0.0  # of the site's time
    stories: int = 0
    lost: int = 0
    doubled: int = 0
    mixed: int = 0
    doubled_sightings: int = 0
    wrong_totals: int = 0  # regions whose totals are not those of their journal
    wrong_records: int = 0  # records more or fewer than the journal counts
    wrong_visits: int = 0  # visits that are in the journal twice
    stuck: int = 0  # pages that were not visited any more after the last kill
    orphans: int = 0  # workers that outlived their parent
    complaints: list[str] = field(default_factory=list)
    restart_s: list[float] = field(default_factory=list)  # from the start of a run to its first request

    def faults(self) -> int:
        """Return the sum of all that should not be."""
        wrong = self.wrong_totals + self.wrong_records + self.wrong_visits + self.doubled_sightings
        return self.lost + self.doubled + self.mixed + wrong + self.stuck + self.orphans + len(self.complaints)


@dataclass(frozen=True)
class Trial:
    """One site, one archive, one sequence of chances."""

    server: ReplayProcess
    archive: str
    folder: Path
    random: Random

    def run_killed(self, kills: int, verdict: Verdict) -> float:
        """Watch, killed so many times; return what the site's clock showed at the last one."""
        replay: Replay = self.server.replay
        moments, ledger = Moments(self.random, _MOST_REQUESTS, 0.15, _RUN_S), Ledger(self.server.ledger)
        for _ in range(kills):
            process = self._start(float("inf"), verdict)
            ended, seen = moments.wait_for_one(process, ledger, verdict)
            if ended is not None:
                verdict.complaints.append(f"exit code {ended}: {_said(process)}")
                break
            if not seen:
                verdict.complaints.append(f"nothing was asked for within {_RUN_S} s")
            moments.kill(process, verdict)
            _said(process)
        return replay.pace.now()

    def run_on(self, verdict: Verdict, since: float, for_s: float) -> None:
        """Watch until every page was visited again, and so long; then end as usual.

        By what is done and not by the clock alone: on a busy machine a watch may take longer to start than this lasts.
        """
        process = self._start(float("inf"), verdict)
        deadline = time.monotonic() + _RUN_S
        while process.poll() is None and time.monotonic() < deadline and not self._all_visited(since):
            time.sleep(0.2)
        time.sleep(for_s / self.server.replay.pace.speed)
        process.terminate()
        try:
            code = process.wait(_RUN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        said = _said(process)
        if code != 0:
            verdict.complaints.append(f"exit code {code}: {said}")

    def _all_visited(self, since: float) -> bool:
        """Say whether a visit of every page that began since then is stored."""
        if not any(one.at > since for one in self.server.asked):
            return False  # there may be no archive yet
        return all(one.last > since for one in count_asks(self.server, self.archive).values())

    def _start(self, until: float, verdict: Verdict) -> subprocess.Popen[str]:
        verdict.runs += 1
        pace = self.server.replay.pace
        until = min(until, pace.start + 10_000 * DAY_S)
        command = watch_command(self.archive, self.server.urls, pace, until, *_MORE)
        return start_watch(command, self.folder / "events.jsonl")

    def judge(self, verdict: Verdict, since: float) -> None:
        """Compare the archive with the site, and with itself; after `since` every page must have been visited."""
        server, archive = self.server, self.archive
        asks = count_asks(server, archive)
        found: Found = compare(server, archive, asks)
        verdict.stories, verdict.lost = found.stories, found.lost
        verdict.doubled, verdict.mixed = found.doubled, found.mixed
        verdict.complaints += [f"such as {name}" for name in found.names]
        verdict.stuck = sum(one.last < since for one in asks.values())
        _judge_journal(archive, verdict)


def _judge_journal(archive: str, verdict: Verdict) -> None:
    """Compare what the archive says twice."""

    def number(sql: str) -> int:
        return int(query(archive, sql)[0][0] or 0)

    sums = "SELECT list, count(shown) AS looks, sum(new) AS records, sum(lost) AS lost FROM looks GROUP BY list"
    same = "s.looks = r.looks AND s.records = r.records AND s.lost = r.lost"
    verdict.wrong_totals = number(f"SELECT count(*) FROM lists r JOIN ({sums}) s ON s.list = r.id WHERE NOT ({same})")
    verdict.wrong_records = abs(number("SELECT count(*) FROM records") - number("SELECT sum(new) FROM looks"))
    twice = "SELECT count(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING count(*) > 1) AS one"
    verdict.wrong_visits = number(twice.format("looks", "list, at"))
    verdict.doubled_sightings = number(twice.format("sightings", "record, page"))
    verdict.visits = number("SELECT count(*) FROM fetches WHERE status IN (200, 304)")


def _said(process: subprocess.Popen[str]) -> str:
    """Return the last words of a process that ended."""
    assert process.stderr is not None
    with process.stderr:
        return process.stderr.read()[-500:]


@dataclass(frozen=True)
class Chances:
    """How much to try."""

    kills: int = 100
    speed: float = 2_000.0
    seed: int = 1
    after_s: float = DAY_S / 2  # of the site's time that it runs on after the last kill


def measure(chances: Chances, places: Iterator[str], folder: Path) -> Verdict:
    """Kill as often as asked for and return what was found."""
    days = chances.kills * _KILL_EVERY_S * chances.speed / DAY_S + 1
    settings = Settings(days, chances.speed, redesigns=True, outages=False, seed=chances.seed)
    replay = make_trial(make_traces(), settings).started(time.time() + 0.5)
    verdict = Verdict()
    with serve_replay_process(replay, folder) as server:
        trial = Trial(server, next(places), folder, Random(chances.seed))
        last = trial.run_killed(chances.kills, verdict)
        trial.run_on(verdict, last, chances.after_s)
        verdict.days = (replay.pace.now() - replay.pace.start) / DAY_S
        trial.judge(verdict, last)
    return verdict


def run(*, kills: int = 100, speed: float = 2_000.0, postgres: bool = False, seed: int = 1) -> Verdict:
    with trial_folder(postgres=postgres) as (folder, places):
        return measure(Chances(kills, speed, seed), places, folder)
