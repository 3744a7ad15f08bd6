"""Tables and plots of `scythe schedule`, for plans and for simulations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from scythe.archive.watches import watch_rows
from scythe.atomic_files import write_atomically
from scythe.cli.console import counted, neutralise, show_count
from scythe.cli.options import say_duration
from scythe.errors import ArchiveFailed, BadInput
from scythe.schedule.plots import History, VisitRow, lists_svg
from scythe.schedule.policies import DEFAULT, POLICIES, Foretold
from scythe.schedule.simulate import (
    PolicyTask,
    Score,
    Start,
    Trace,
    Trial,
    check_policies,
    mean,
    read_traces,
    score_trial,
    simulate,
)
from scythe.schedule.svg import require_raster, to_png
from scythe.watch_model import DAY_S, HOUR_S, Goals

if TYPE_CHECKING:
    from scythe.watching.plan_report import Planned

SUFFIXES = (".svg", ".png")


def check_plot(path: Path | None) -> None:
    """Raise BadInput or MissingExtra where a plot cannot be written, before anything is done for it."""
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path}: plots are written to {' or '.join(SUFFIXES)} files")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent}: there is no such folder")
    if path.suffix.lower() == ".png":
        require_raster()


def write_plot(path: Path, svg: str) -> None:
    """Write a drawing as the suffix says; a reader sees the old file or the whole new one."""
    write_atomically(path, to_png(svg) if path.suffix.lower() == ".png" else svg.encode())


FIGURES = ("fetches/day", "requests/day", "duplicates/fetch", "missed", "mean delay", "p95 delay")
_TRIAL_WIDE = 100  # columns of a table, at least


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to run over a trace, and what to show of it."""

    path: Path
    policies: tuple[str, ...]
    goals: Goals
    shown: int | None  # None: as meta.json says
    warm_s: float
    begin: str  # warm or cold
    plot: Path | None
    last_s: float  # of the trace, that the plot shows
    as_json: bool


@dataclass(frozen=True, slots=True)
class PolicyRun:
    """One policy on one trace."""

    policy: str
    trace: Trace
    trial: Trial
    score: Score
    forecast: Sequence[tuple[float, float]]


def choose_policies(names: Sequence[str]) -> tuple[str, ...]:
    """Return policies by their names, given one by one or with commas; `all` is all of them. Raises BadInput."""
    told = [name for part in names for name in part.split(",") if name]
    return tuple(POLICIES) if "all" in told else check_policies(told or [DEFAULT])


def run_experiment(wanted: Experiment) -> None:
    """Run every policy over every trace, print a table and write the plot."""
    check_plot(wanted.plot)
    traces = read_traces(wanted.path, wanted.shown)
    if wanted.shown is not None:
        traces = [replace(trace, shown=wanted.shown) for trace in traces]
    runs = list(_run_all(wanted, traces))
    if wanted.as_json:
        for run in runs:
            typer.echo(json.dumps({"days": round(run.trial.days, 3), **asdict(run.score)}))
    else:
        _show_trial(runs, traces)
    if wanted.plot is not None:
        histories = [_history([run for run in runs if run.trace is trace], trace, wanted) for trace in traces]
        title = histories[0].title if len(histories) == 1 else f"{len(histories)} traces"
        write_plot(wanted.plot, lists_svg(histories, title))
        typer.echo(neutralise(f"plot written to {wanted.plot}"), err=True)


def _run_all(wanted: Experiment, traces: Sequence[Trace]) -> Iterator[PolicyRun]:
    """Run the policies one after the other, under a bar where somebody is looking."""
    tasks = [(trace, policy) for trace in traces for policy in wanted.policies]
    with show_count("") as bar:
        for number, (trace, policy) in enumerate(tasks):
            if bar is not None:
                bar(number, len(tasks), f"{trace.name}: {policy}")
            yield _run(wanted, trace, policy)
            if bar is not None:
                bar(number + 1, len(tasks), f"{trace.name}: {policy}")


def _run(wanted: Experiment, trace: Trace, policy: str) -> PolicyRun:
    task = PolicyTask(policy, wanted.goals, wanted.begin)
    since = trace.arrivals[-1] - wanted.last_s if wanted.plot is not None else float("inf")
    made: list[Foretold] = []

    def make(start: Start | None) -> Foretold:
        made.append(Foretold(task.make(start), since))
        return made[-1]

    goals = wanted.goals
    try:
        trial = simulate(
            trace.arrivals, trace.shown, make, warm_s=wanted.warm_s, begin=wanted.begin, recovers=goals.recovers
        )
    except BadInput as error:
        raise BadInput(f"{trace.name}: {error}; --warm-up can be shorter") from None
    return PolicyRun(policy, trace, trial, score_trial(policy, trace, trial), made[0].forecast)


def _show_trial(runs: Sequence[PolicyRun], traces: Sequence[Trace]) -> None:
    console = Console(soft_wrap=True, highlight=False, width=max(Console().width, _TRIAL_WIDE))
    for trace in traces:
        own = [run for run in runs if run.trace is trace]
        first = own[0]
        title = (
            f"{trace.name}: {first.trial.days:.0f} days, {first.score.arrivals / first.trial.days:.1f} records a day"
        )
        console.print(_trial_table(neutralise(f"{title}, {trace.shown} shown"), [run.score for run in own]))
        floor = f"{first.score.floor_day:.2f}"
        console.print(f"No policy can miss nothing with fewer than {floor} fetches a day, the rate over P.\n")
    if len(traces) > 1:
        policies = dict.fromkeys(run.policy for run in runs)
        means = [_mean([run.score for run in runs if run.policy == policy]) for policy in policies]
        console.print(_trial_table(f"mean of {len(traces)} traces", means))


def _trial_table(title: str, scores: Sequence[Score]) -> Table:
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("policy", *FIGURES):
        table.add_column(name, justify="left" if name == "policy" else "right", no_wrap=True)
    for one in scores:
        figures = (f"{one.fetches_day:.2f}", f"{one.requests_day:.2f}", f"{one.duplicates_fetch:.1f}")
        table.add_row(
            one.policy, *figures, f"{100 * one.missed:.2f} %", _delay(one.mean_delay_h), _delay(one.p95_delay_h)
        )
    return table


def _delay(hours: float | None) -> str:
    return "-" if hours is None else say_duration(hours * HOUR_S)


def _mean(scores: Sequence[Score]) -> Score:
    """Return a score of the means; that of the delays is of those there are."""
    counts = ("fetches_day", "requests_day", "duplicates_fetch", "missed")
    means: dict[str, Any] = {
        name: mean([getattr(one, name) for one in scores]) for name in (*counts, "mean_delay_h", "p95_delay_h")
    }
    return replace(scores[0], trace="mean", **means | {name: means[name] or 0.0 for name in counts})


def _history(runs: Sequence[PolicyRun], trace: Trace, wanted: Experiment) -> History:
    """Return what a plot shows: the end of the trace, and a lane for each policy."""
    end = trace.arrivals[-1]
    start = max(trace.arrivals[0], end - wanted.last_s)
    told = next((run for run in runs if run.policy == DEFAULT), runs[0])
    first = runs[0].score
    said = f"{first.arrivals / runs[0].trial.days:.1f} records a day, {trace.shown} shown; "
    if len(runs) == 1:
        said += f"{first.fetches_day:.2f} fetches a day, {100 * first.missed:.2f} % missed"
        said += "" if first.mean_delay_h is None else f", seen after {_delay(first.mean_delay_h)} in the mean"
    else:
        said += f"the forecast is that of {told.policy}"
    return History(
        title=f"{trace.name}: the last {(end - start) / DAY_S:.0f} of {(end - trace.arrivals[0]) / DAY_S:.0f} days",
        subtitle=said,
        lanes=[_lane(run, start, is_alone=len(runs) == 1) for run in runs],
        arrivals=trace.arrivals,
        forecast=told.forecast,
        start=start,
        end=end,
    )


def _lane(run: PolicyRun, start: float, *, is_alone: bool) -> VisitRow:
    score = run.score
    said = "" if is_alone else f"{score.fetches_day:.2f}/day, {100 * score.missed:.2f} % missed"
    visits = [visit.at for visit in run.trial.visits if visit.at >= start - DAY_S]
    return VisitRow(run.policy, visits, [at for at in run.trial.missed_at if at >= start], note=said)


COLUMNS = ("next visit", "in", "new", "risk", "a day", "records", "lost", "last visit", "why", "list")
_LEFT = ("next visit", "why", "list")
_WIDE = 10_000  # columns a table may have: addresses are not cut, terminals wrap them
_WHY = 28  # letters


def show_plan(where: str, sites: Sequence[str], *, plot: Path | None, last_s: float, as_json: bool) -> None:
    """Print when every list of an archive is visited next, and why; draw their journals where wanted."""
    from scythe.archive.open import open_archive
    from scythe.watching.plan_report import draw_plan, read_plan

    check_plot(plot)
    if "://" not in where and not Path(where).exists():
        raise ArchiveFailed(f"{where}: there is no archive; `scythe watch SITE --archive {where}` begins one")
    now = datetime.now(UTC)
    with open_archive(where, create=False) as archive:
        plan = read_plan(archive, sites, now)
        histories = draw_plan(archive, plan, now, last_s) if plot is not None else []
        is_watched = bool(plan) or bool(watch_rows(archive))
    if not plan:
        said = f"no page is watched here; `scythe watch SITE --archive {where}` begins with one"
        if is_watched:
            said = f"{', '.join(sites)} is not watched here; without SITE all that is watched is shown"
        typer.echo(neutralise(f"{where}: {said}"), err=as_json)
        return
    rows = [planned for planned, _, _ in plan]
    if as_json:
        for planned in rows:
            typer.echo(json.dumps(planned.to_plain()))
    else:
        _show_plan(rows, now)
    if plot is not None:
        title = histories[0].title if len(histories) == 1 else f"{counted(len(histories), 'list')} of {where}"
        write_plot(plot, lists_svg(histories, title))
        typer.echo(neutralise(f"{counted(len(histories), 'list')} drawn in {plot}"), err=True)


def _show_plan(rows: Sequence[Planned], now: datetime) -> None:
    console = Console(soft_wrap=True, highlight=False, width=_WIDE)
    console.print(_plan_table(rows, now))
    pages = len({planned.page for planned in rows})
    lists = counted(sum(bool(planned.region) for planned in rows), "list")
    rate = sum(planned.rate_day or 0.0 for planned in rows)
    console.print(f"{counted(pages, 'page')}, {lists}, {rate:.3g} new records a day; times are UTC")


def _plan_table(rows: Sequence[Planned], now: datetime) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in _LEFT else "right", no_wrap=True)
    for planned in rows:
        table.add_row(*(Text(neutralise(cell)) for cell in _cells(planned, now)))
    return table


def _cells(planned: Planned, now: datetime) -> tuple[str, ...]:
    why = planned.why if len(planned.why) <= _WHY else planned.why[: _WHY - 1] + "…"
    last = "-"
    if planned.last_at is not None:  # clocks may have been set back since
        last = f"{say_duration(max((now - planned.last_at).total_seconds(), 0.0))} ago"
    return (
        "-" if planned.next_at is None else f"{planned.next_at.astimezone(UTC):%Y-%m-%d %H:%M}",
        _until(planned.next_at, now),
        _figure(planned.expected),
        "-" if planned.risk is None else f"{100 * planned.risk:.2f} %",
        _figure(planned.rate_day),
        str(planned.records),
        str(planned.lost),
        last,
        why,
        f"{planned.page} {planned.region}".rstrip(),
    )


def _until(at: datetime | None, now: datetime) -> str:
    """Say how far off a moment is: 3 h; one that is over is due."""
    if at is None:
        return "never"
    left_s = (at - now).total_seconds()
    return say_duration(left_s) if left_s > 0 else "due"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
