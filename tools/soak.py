"""Run crawls, a watch and the web page on one archive for hours: `python -m tools.soak --hours 2 --out FOLDER`.

Sites that keep changing are served from processes of their own. `scythe crawl` (a long one, and short ones again and
again, of new sites and of known ones), `scythe watch` and `scythe ui` work on one archive, as real processes; a client
asks the page twice a second and checks what it is told. Every ten seconds it is noted what each of them uses:
samples.jsonl. At the end, or at Ctrl-C, the folder gets report.json, report.md and plots.

Exit code 1: memory grows by 1 MB an hour or more after warm-up, or handles, threads or temporary files grow, or
anything went wrong: an exit code, a complaint, an answer, a record lost.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import signal
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.trial_runs import query
from bench.trials.harness import new_archives
from bench.trials.watch_trial import compare, count_asks
from tests.sites.replay_process import ReplayProcess, serve_replay_process
from tools.soak_client import Client, percentile
from tools.soak_plot import plot_all
from tools.soak_processes import Watched
from tools.soak_report import Report, Seen, make_report, to_json, to_markdown
from tools.soak_site import AGAIN_AFTER, Plan, crawled_sites, watched_site

NAMES = ("crawl", "watch", "ui")
_TABLES = ("urls", "fetches", "pages", "versions", "records", "bodies")
_EXPECTED = ("Ctrl-C ends it.",)  # said on standard error where nothing is wrong
_SUMMARY = re.compile(r"scythe: \d[\d ,]* visits?, .*")
_CODES = {"crawl": (0, 130), "watch": (130,), "ui": (0, 130)}  # after an interrupt
_NOTHING = 1  # a crawl that got no page
_WARM_UP_S = 3_600.0
_START_S = 60.0


@dataclass(frozen=True)
class Settings:
    """How long, how often, where."""

    seconds: float
    folder: Path
    is_postgres: bool = False
    every_s: float = 10.0  # between two samples
    rate: float = 2.0  # requests to the web page a second
    delay_s: float = 0.1  # between two pages of the long crawl
    warm_up_s: float | None = None  # None: a third of the time, an hour at most

    @property
    def warm_s(self) -> float:
        """How long nothing is judged."""
        return min(_WARM_UP_S, self.seconds / 3) if self.warm_up_s is None else self.warm_up_s


class Soak:
    """One run."""

    def __init__(
        self, settings: Settings, archive: str, watched: ReplayProcess, crawled: ReplayProcess, plan: Plan
    ) -> None:
        self.settings, self.archive, self.plan = settings, archive, plan
        self.watched, self.crawled = watched, crawled
        self.stop = threading.Event()
        self.samples: list[dict[str, Any]] = []
        self.rounds: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.began = time.monotonic()
        self._work = settings.folder / "work"
        self._work.mkdir()
        self._token = secrets.token_urlsafe(24)
        self._processes: dict[str, Watched] = {}
        self._round: Watched | None = None
        self._plan = [("new", n) for n in range(1, plan.rounds + 1)]
        for number in range(plan.rounds - AGAIN_AFTER, 0, -4):  # every fourth is crawled again, after its redesign
            self._plan.insert(number + AGAIN_AFTER - 1, ("again", number))

    def run(self) -> Report:
        """Run until the time is over, or it is stopped."""
        client = self._start()
        try:
            while not self.stop.is_set() and (now := self._now()) < self.settings.seconds:
                self._tend(now)
                self._sample(client)
                due = (len(self.samples)) * self.settings.every_s
                while not self.stop.is_set() and self._now() < min(due, self.settings.seconds):
                    self.stop.wait(min(1.0, max(0.01, due - self._now())))
                    self._tend(self._now())
        finally:
            seconds = self._now()
            client.stop()
            self._end()
        return self._report(client, seconds)

    def _now(self) -> float:
        return time.monotonic() - self.began

    def _start(self) -> Client:
        private = ("--archive", self.archive, "--allow-private")
        ui = self._launch("ui", "ui", *private, "--no-browser", SCYTHE_TOKEN=self._token)
        url = self._wait_for_address(ui)
        delays = ("--floor", "10s", "--max-delay", "30s", "--delay", "0.2", "--timeout", "10")
        self._launch("watch", "watch", *self.watched.urls, *private, "--json", *delays)
        large = self.crawled.bases[0] + "/"
        self._launch("crawl", "crawl", large, *private, "--delay", str(self.plan.delay_s), "--quiet")
        client = Client(url, self._token, self.settings.rate)
        client.start()
        return client

    def _launch(self, name: str, *arguments: str, **more: str) -> Watched:
        started = Watched(name, [sys.executable, "-m", "scythe", *arguments], self._work, **more)
        self._processes[name] = started
        return started

    def _wait_for_address(self, ui: Watched) -> str:
        until = time.monotonic() + _START_S
        while time.monotonic() < until and not ui.poll():
            if found := re.search(r"scythe is at (http://\S+)", ui.output.read_text()):
                return found[1].partition("?")[0]
            time.sleep(0.05)
        raise SystemExit(f"the web page did not start: {ui.said()}")

    def _tend(self, now: float) -> None:
        """Note what ended, and begin the next short crawl when it is due."""
        for name, process in self._processes.items():
            if process.poll() and not any(one["name"] == name for one in self.rounds):
                code = process.ended.code if process.ended else 0
                if name != "crawl" or code:  # the large site may be done before the time is over
                    self.errors.append(f"{name} ended by itself with {code} after {now:.0f} s")
                self.rounds.append({"name": name, "kind": "whole", "code": code, "began_s": 0.0, "peak_mb": 0.0})
        if self._round is not None and self._round.poll():
            self._note_round(self._round)
            self._round = None
        started = sum(one["kind"] != "whole" for one in self.rounds)
        if self._round is None and started < len(self._plan) and now >= self._due(started):
            self._round = self._begin_round(*self._plan[started])

    def _due(self, number: int) -> float:
        kind, site = self._plan[number]
        late = AGAIN_AFTER if kind == "again" else 0
        return (site - 1 + late) * self.plan.round_s

    def _begin_round(self, kind: str, site: int) -> Watched:
        name = f"round-{site}-{kind}"
        url = f"{self.crawled.bases[site]}/town-{site}/"
        command = [sys.executable, "-m", "scythe", "crawl", url, "--archive", self.archive, "--allow-private"]
        command += [
            "--delay",
            "0.1",
            "--patience",
            "30",
            "--raw",
            "--quiet",
            *(("--refresh",) if kind == "again" else ()),
        ]
        self._round_began, self._round_is = self._now(), (kind, site)
        return Watched(name, command, self._work)

    def _note_round(self, process: Watched) -> None:
        assert process.ended is not None
        kind, site = self._round_is
        note = {"name": process.name, "kind": kind, "site": site, "began_s": round(self._round_began, 1)}
        note |= {"took_s": round(self._now() - self._round_began, 1), **asdict(process.ended)}
        note["is_refused"] = is_refused(self.archive, self.crawled.bases[site], process.ended.code)
        self.rounds.append(note)
        if process.ended.code and not note["is_refused"]:
            self.errors.append(f"{process.name} ended with {process.ended.code}")
        if left := process.used().temporary:
            self.errors.append(f"{process.name} left {left} temporary files behind")
        self._listen(process)

    def _listen(self, process: Watched) -> None:
        for said in process.said():
            if said not in _EXPECTED and not _SUMMARY.fullmatch(said):
                self.errors.append(f"{process.name} says: {said}")

    def _sample(self, client: Client) -> None:
        for process in self._processes.values():
            self._listen(process)
        live = {name: one for name, one in self._processes.items() if not one.poll()}
        if self._round is not None and not self._round.poll():
            live["round"] = self._round
        recent = [1_000 * taken for taken in client.asked.take_recent()]
        wrong = [*self.errors, *client.asked.failures]
        sample = {
            "at_s": round(self._now(), 2),
            "processes": {name: asdict(one.used()) for name, one in live.items()},
            "archive": measure_archive(self.archive),
            "asked": {
                "count": len(recent),
                "p50_ms": _rounded(percentile(recent, 0.5)),
                "p99_ms": _rounded(percentile(recent, 0.99)),
                "failed": len(client.asked.failures),
            },
            "errors": len(wrong),
            "newest": wrong[-1][:300] if wrong else None,
        }
        self.samples.append(sample)
        with (self.settings.folder / "samples.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(sample) + "\n")

    def _end(self) -> None:
        if self._round is not None:
            code = self._round.end().code
            if code not in (0, 130):
                self.errors.append(f"{self._round.name} ended with {code} when interrupted")
            self._listen(self._round)
        for name, process in self._processes.items():
            was_there = not process.poll()
            code = process.end().code
            if was_there and code not in _CODES[name]:
                self.errors.append(f"{name} ended with {code} when interrupted")
            self._listen(process)
            if left := process.used().temporary:
                self.errors.append(f"{name} left {left} temporary files behind")

    def _report(self, client: Client, seconds: float) -> Report:
        events = count_events(self._processes["watch"].output)
        asks = count_asks(self.watched, self.archive)
        found = compare(self.watched, self.archive, asks)
        errors = self.errors + [f"web page: {line}" for line in client.asked.failures]
        errors += [f"the archive is damaged: {line}" for line in check_archive(self.archive)]
        wrong = {"lost": found.lost, "doubled": found.doubled, "mixed": found.mixed}
        errors += [f"watched records {name}: {count}" for name, count in wrong.items() if count]
        short = [one for one in self.rounds if one["kind"] != "whole"]
        visits = sum(one.visits for one in asks.values())
        seen = Seen(
            seconds=seconds,
            warm_up_s=self.settings.warm_s,
            rounds=short,
            asked=tell_asked(client, self.began),
            found={"stories": found.stories, "records": found.records, **wrong},
            errors=errors,
            notes={"visits": visits, **{f"events: {kind}": count for kind, count in sorted(events.items())}},
        )
        (self.settings.folder / "rounds.json").write_text(json.dumps(self.rounds, indent=1), encoding="utf-8")
        return make_report(self.samples, seen, NAMES)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def measure_archive(archive: str) -> dict[str, int]:
    """Return the bytes and the rows of an archive."""
    rows = query(archive, "SELECT " + ", ".join(f"(SELECT count(*) FROM {name})" for name in _TABLES))[0]
    more: dict[str, int] = {}
    if "://" in archive:
        sizes = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relnamespace::regnamespace::text = "
        size = int(query(archive, sizes + "current_schema() AND relkind = 'r'")[0][0])
    else:
        size = Path(archive).stat().st_size
        journal = Path(f"{archive}-wal")
        more = {"journal_bytes": journal.stat().st_size if journal.exists() else 0}
    return {"bytes": size, **more, **dict(zip(_TABLES, map(int, rows), strict=True))}


def is_refused(archive: str, origin: str, code: int) -> bool:
    """Say whether a short crawl ended with nothing because its site's outage had begun when it asked for robots.txt.

    Then it must not ask for anything else. A busy machine may take so long to start it.
    """
    return code == _NOTHING and query(archive, f"SELECT status FROM robots WHERE origin = '{origin}'") == [(503,)]


def check_archive(archive: str) -> list[str]:
    """Let SQLite look for damage; PostgreSQL has checked itself."""
    if "://" in archive:
        return []
    with sqlite3.connect(archive) as connection:
        said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    connection.close()
    return [] if said == ["ok"] else said


def count_events(output: Path) -> Counter[str]:
    """Count the events that a watch told, by kind."""
    lines = output.read_text(encoding="utf-8").splitlines(keepends=True)
    return Counter(json.loads(line)["kind"] for line in lines if line.endswith("\n"))


def tell_asked(client: Client, began: float) -> dict[str, Any]:
    """Say how long answers took, over all and for each path, at the beginning and at the end."""
    times = list(client.asked.times)
    taken = sorted(took for _, _, took in times)
    last = max((at for _, at, _ in times), default=began)
    third = (last - began) / 3
    paths = {}
    for path in sorted({path for path, _, _ in times}):
        own = [(at, took) for name, at, took in times if name == path]
        early = sorted(took for at, took in own if at < began + third)
        late = sorted(took for at, took in own if at > last - third)
        paths[path] = {
            "count": len(own),
            "p50_first_ms": _ms(percentile(early, 0.5)),
            "p50_last_ms": _ms(percentile(late, 0.5)),
            "p99_ms": _ms(percentile(sorted(took for _, took in own), 0.99)),
        }
    return {
        "requests": client.asked.count,
        "failed": len(client.asked.failures),
        "reconnected": client.asked.reconnected,
        "p50_ms": _ms(percentile(taken, 0.5)),
        "p99_ms": _ms(percentile(taken, 0.99)),
        "most_ms": _ms(taken[-1] if taken else None),
        "paths": paths,
    }


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(1_000 * seconds, 1)


def soak(settings: Settings, stop: threading.Event | None = None) -> Report:
    """Run a soak and write its report; `stop` ends it early."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    plan = Plan(settings.seconds, delay_s=settings.delay_s)
    begin = time.time()
    homes = [settings.folder / name for name in ("watched", "crawled")]
    for home in homes:
        home.mkdir()
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C must not end the sites before their visitors
    try:
        with (
            new_archives(settings.folder, is_postgres=settings.is_postgres) as archives,
            serve_replay_process(watched_site(plan, begin), homes[0]) as watched,
            serve_replay_process(crawled_sites(plan, begin), homes[1]) as crawled,
        ):
            run = Soak(settings, next(archives), watched, crawled, plan)
            run.stop = stop or run.stop
            if is_main:
                signal.signal(signal.SIGINT, lambda *_: run.stop.set())
                signal.signal(signal.SIGTERM, lambda *_: run.stop.set())
            report = run.run()
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
    write(settings, run.samples, report)
    return report


def write(settings: Settings, samples: Sequence[dict[str, Any]], report: Report) -> None:
    """Write the report and the plots."""
    (settings.folder / "report.json").write_text(to_json(report), encoding="utf-8")
    (settings.folder / "report.md").write_text(to_markdown(report), encoding="utf-8")
    for name, drawing in plot_all(samples, (*NAMES, "round"), settings.warm_s):
        (settings.folder / name).write_text(drawing, encoding="utf-8")


def main() -> None:
    """Run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--out", type=Path, required=True, help="a folder that is empty, or not there")
    parser.add_argument("--postgres", action="store_true", help="keep the archive in a PostgreSQL server of our own")
    parser.add_argument("--warm-up", type=float, help="minutes; otherwise a third of the time, an hour at most")
    parser.add_argument("--rate", type=float, default=2.0, help="requests to the web page a second")
    parser.add_argument("--delay", type=float, default=0.1, help="seconds between two pages of the long crawl")
    said = parser.parse_args()
    if said.out.exists() and any(said.out.iterdir()):
        raise SystemExit(f"{said.out} is not empty")
    warm_s = None if said.warm_up is None else 60 * said.warm_up
    folder = said.out.resolve()
    settings = Settings(3_600 * said.hours, folder, said.postgres, rate=said.rate, delay_s=said.delay, warm_up_s=warm_s)
    report = soak(settings)
    print(to_markdown(report))
    raise SystemExit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
