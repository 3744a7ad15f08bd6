"""`scythe schedule --simulate`: a trace and policies come in, what each would have cost and lost goes out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from scythe.bench.schedule import Score, Task, check_policies, mean, score_trial
from scythe.cli.durations import say_duration
from scythe.cli.ending import neutralise
from scythe.cli.plot_files import check_plot, write_plot
from scythe.cli.progress import count_progress
from scythe.errors import BadInput
from scythe.schedule.foretold import Foretold
from scythe.schedule.plots import History, Lane, regions_svg
from scythe.schedule.policies import DEFAULT, POLICIES
from scythe.schedule.simulate import Start, Trial, simulate
from scythe.schedule.traces import Trace, read_traces
from scythe.watched import DAY_S, HOUR_S, Goals

if TYPE_CHECKING:
    from rich.table import Table

FIGURES = ("fetches/day", "requests/day", "duplicates/fetch", "missed", "mean delay", "p95 delay")
_WIDE = 100  # columns of a table, at least


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
class Run:
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
    traces = _traces(wanted)
    runs = list(_run_all(wanted, traces))
    if wanted.as_json:
        for run in runs:
            typer.echo(json.dumps(_plain(run)))
    else:
        _show(runs, traces)
    if wanted.plot is not None:
        histories = [_history([run for run in runs if run.trace is trace], trace, wanted) for trace in traces]
        title = histories[0].title if len(histories) == 1 else f"{len(histories)} traces"
        write_plot(wanted.plot, regions_svg(histories, title))
        typer.echo(neutralise(f"plot written to {wanted.plot}"), err=True)


def _traces(wanted: Experiment) -> list[Trace]:
    traces = read_traces(wanted.path, wanted.shown)
    return traces if wanted.shown is None else [replace(trace, shown=wanted.shown) for trace in traces]


def _run_all(wanted: Experiment, traces: Sequence[Trace]) -> Iterator[Run]:
    """Run the policies one after the other, under a bar where somebody is looking."""
    bar = count_progress() if sys.stderr.isatty() else None
    with bar or nullcontext():
        task = bar.add_task("", total=len(traces) * len(wanted.policies)) if bar else None
        for trace in traces:
            for policy in wanted.policies:
                if bar and task is not None:
                    bar.update(task, description=f"{trace.name}: {policy}")
                yield _run(wanted, trace, policy)
                if bar and task is not None:
                    bar.advance(task)


def _run(wanted: Experiment, trace: Trace, policy: str) -> Run:
    task = Task(policy, wanted.goals, wanted.begin)
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
    return Run(policy, trace, trial, score_trial(policy, trace, trial), made[0].forecast)


def _plain(run: Run) -> dict[str, Any]:
    return {"days": round(run.trial.days, 3), **asdict(run.score)}


def _show(runs: Sequence[Run], traces: Sequence[Trace]) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False, width=max(Console().width, _WIDE))
    for trace in traces:
        own = [run for run in runs if run.trace is trace]
        first = own[0]
        title = (
            f"{trace.name}: {first.trial.days:.0f} days, {first.score.arrivals / first.trial.days:.1f} records a day"
        )
        console.print(_table(neutralise(f"{title}, {trace.shown} shown"), [run.score for run in own]))
        floor = f"{first.score.floor_day:.2f}"
        console.print(f"No policy can miss nothing with fewer than {floor} fetches a day, the rate over P.\n")
    if len(traces) > 1:
        policies = dict.fromkeys(run.policy for run in runs)
        means = [_mean([run.score for run in runs if run.policy == policy]) for policy in policies]
        console.print(_table(f"mean of {len(traces)} traces", means))


def _table(title: str, scores: Sequence[Score]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

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
    return replace(
        scores[0],
        trace="mean",
        fetches_day=mean([one.fetches_day for one in scores]) or 0.0,
        requests_day=mean([one.requests_day for one in scores]) or 0.0,
        duplicates_fetch=mean([one.duplicates_fetch for one in scores]) or 0.0,
        missed=mean([one.missed for one in scores]) or 0.0,
        mean_delay_h=mean([one.mean_delay_h for one in scores]),
        p95_delay_h=mean([one.p95_delay_h for one in scores]),
    )


def _history(runs: Sequence[Run], trace: Trace, wanted: Experiment) -> History:
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
        said=said,
        lanes=[_lane(run, start, is_alone=len(runs) == 1) for run in runs],
        arrivals=trace.arrivals,
        forecast=told.forecast,
        start=start,
        end=end,
    )


def _lane(run: Run, start: float, *, is_alone: bool) -> Lane:
    score = run.score
    said = "" if is_alone else f"{score.fetches_day:.2f}/day, {100 * score.missed:.2f} % missed"
    visits = [visit.at for visit in run.trial.visits if visit.at >= start - DAY_S]
    return Lane(run.policy, visits, [at for at in run.trial.missed_at if at >= start], said=said)
