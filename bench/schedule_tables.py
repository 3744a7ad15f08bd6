"""Sum up the benchmark of schedules: scores come in, tables go out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from bench.cut_tables import Cell, Table
from bench.schedule import Knob, Reach
from scythe.schedule.simulate import Score, mean
from scythe.watch_model import HOUR_S, Goals

FIGURES = (
    "fetches/day",
    "requests/day",
    "duplicates/fetch",
    "against average",
    "duplicates/new",
    "missed %",
    "worst missed %",
    "mean delay h",
    "p95 delay h",
)
NOTE = (
    "Means over the traces. duplicates/fetch is the paper's mean absolute error on duplicates, where none would be "
    "right; against average: how many fewer or more than the constant schedule it compares with. No policy can fetch "
    "less often than {floor:.2f} times a day, the rate over P, and miss nothing."
)


def make_tables(scores: Sequence[Score], *, per_trace: bool = False) -> list[Table]:
    """Return the table of all policies, and with `per_trace` one for each."""
    groups = [(name, list(group)) for name, group in groupby(scores, key=lambda one: one.policy)]
    tables = [tell_policies(groups)]
    if per_trace:
        tables += [tell_traces(name, group) for name, group in groups]
    return tables


def tell_policies(groups: Sequence[tuple[str, list[Score]]]) -> Table:
    """Compare the policies by their means."""
    average = next((mean([one.duplicates_fetch for one in group]) for name, group in groups if name == "average"), None)
    traces = groups[0][1]
    floor = mean([one.floor_day for one in traces]) or 0.0
    title = f"{len(traces)} traces, {sum(one.arrivals for one in traces)} arrivals after the warm-up"
    rows = tuple((name, *_figures(group, average)) for name, group in groups)
    return Table("schedule", title, ("policy", *FIGURES), rows, NOTE.format(floor=floor))


def tell_traces(policy: str, scores: Sequence[Score]) -> Table:
    """Show what one policy did on every trace."""
    columns = ("trace", "P", "arrivals", "floor/day", *(name for name in FIGURES if name[:5] not in ("again", "worst")))
    rows = tuple(
        (
            one.trace,
            one.shown,
            one.arrivals,
            one.floor_day,
            one.fetches_day,
            one.requests_day,
            one.duplicates_fetch,
            one.duplicates_new,
            100 * one.missed,
            one.mean_delay_h,
            one.p95_delay_h,
        )
        for one in scores
    )
    return Table(policy, "every trace", columns, rows)


def tell_curves(tried: Sequence[tuple[Knob, Sequence[Reach]]]) -> Table:
    """Show the points of the frontier."""
    rows = [
        (knob.name, _say_goal(one.goals), one.requests_day, one.mean_delay_h, one.p95_delay_h, 100 * one.missed)
        for knob, reached in tried
        for one in reached
    ]
    columns = ("policy", "goal", "requests/day", "mean delay h", "p95 delay h", "missed %")
    return Table("frontier", "goals from thrifty to eager", columns, tuple(rows))


def _say_goal(goals: Goals) -> str:
    said = []
    if goals.max_delay_s is not None:
        said.append(f"max delay {goals.max_delay_s / HOUR_S:g} h")
    if goals.delay_s is not None:
        said.append(f"p{100 * goals.delay_share:g} within {goals.delay_s / HOUR_S:g} h")
    return ", ".join(said) or "its own"


def _figures(scores: Sequence[Score], average: float | None) -> tuple[Cell, ...]:
    duplicates = mean([one.duplicates_fetch for one in scores])
    return (
        mean([one.fetches_day for one in scores]),
        mean([one.requests_day for one in scores]),
        duplicates,
        None if average is None or duplicates is None else duplicates - average,
        mean([one.duplicates_new for one in scores]),
        100 * (mean([one.missed for one in scores]) or 0.0),
        100 * max(one.missed for one in scores),
        mean([one.mean_delay_h for one in scores]),
        mean([one.p95_delay_h for one in scores]),
    )
