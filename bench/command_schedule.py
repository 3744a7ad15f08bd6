"""`python -m bench schedule`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.command_cut import report
from scythe.cli.console import count_progress
from scythe.cli.options import MaxDelay, Miss, Within
from scythe.errors import ScytheError

if TYPE_CHECKING:
    from bench.schedule import Knob, Reach, Tick
    from scythe.schedule.simulate import Trace

CAUTION = (
    "Recorded lists: what a policy would have seen of them had it asked; what a site does with the asking is not in."
)


def schedule(
    data: Annotated[Path, typer.Option(help="Arrivals (.csv, .csv.xz: site,unix_time) or a folder with meta.json.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="fixed, average, ses, adaptive, poisson, seasonal, auto, nutch, stormcrawler; may be repeated."
        ),
    ] = None,
    miss: Miss = 0.01,
    max_delay: MaxDelay = None,
    p95: Within = None,
    recover: Annotated[
        bool, typer.Option("--recover", help="Older pages can be followed, at one request each.")
    ] = False,
    cold: Annotated[bool, typer.Option("--cold", help="Start without history, knowing only one page.")] = False,
    dated: Annotated[bool, typer.Option("--dated", help="The same, but records say when they were published.")] = False,
    shown: Annotated[
        int | None, typer.Option(min=1, metavar="P", help="Number of records a list shows; default: from meta.json.")
    ] = None,
    per_trace: Annotated[bool, typer.Option("--per-trace", help="Also show every trace.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw mean delay against fetches here, and its p95 in FILE-p95.svg."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Run schedules over recorded arrivals: what they fetch, see twice, miss, and how late they are."""
    from bench import schedule as bench
    from bench.schedule_tables import make_tables, tell_curves
    from scythe.schedule.simulate import PolicyTask, check_policies, read_traces
    from scythe.watch_model import Goals

    progress = count_progress()
    bar = progress.add_task("loading", total=None)

    def tick(name: str, trace: str, total: int) -> None:
        progress.update(bar, description=f"{name}: {trace}", total=total, advance=1)

    try:
        goals = Goals(miss=miss, max_delay_s=max_delay, delay_s=p95, recovers=recover)
        begin = "dated" if dated else "cold" if cold else "warm"
        names = check_policies(policy or [])
        with progress:
            traces = read_traces(data, shown)
            scores = bench.score_policies(traces, [PolicyTask(name, goals, begin) for name in names], tick)
            tables = make_tables(scores, per_trace=per_trace)
            if plot is not None:
                progress.reset(bar)
                tables.append(tell_curves(_draw(plot, traces, bench.knobs(names, goals, begin), tick)))
    except (ScytheError, OSError) as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    report(tables, CAUTION, as_json=as_json)


def _draw(plot: Path, traces: list[Trace], knobs: list[Knob], tick: Tick) -> list[tuple[Knob, list[Reach]]]:
    """Try every policy with many goals and draw what comes of it, by mean delay and by p95."""
    from bench.pareto_plot import frontier_svg
    from bench.schedule import draw_curve, try_knob

    total = sum(len(knob.tasks) for knob in knobs) * len(traces)
    tried = [(knob, try_knob(knob, traces, lambda name, trace, _: tick(name, trace, total))) for knob in knobs]
    for measure, path in (("mean", plot), ("p95", plot.with_stem(f"{plot.stem}-p95"))):
        curves = [draw_curve(knob, reached, measure) for knob, reached in tried]
        path.write_text(frontier_svg(curves, measure=measure), encoding="utf-8")
    return tried
