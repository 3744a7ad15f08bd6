"""`scythe schedule`: show the plan of an archive, or simulate policies."""

from __future__ import annotations

from pathlib import Path

from scythe.cli.options import MaxDelay, Miss, WatchedSites, Within, option, parse_duration, verb
from scythe.errors import BadInput

LAST_S = 14 * 86_400.0


@verb(needs_arguments=False)
# long because every option stands here, once: the signature is the help
def schedule(
    sites: WatchedSites = None,
    archive: str = option("watch.scythe.db", "Archive of `scythe watch`: a file or postgresql://...", "FILE|URL"),
    simulate: Path | None = option(None, "Run policies over recorded arrivals.", "CSV|DIR"),
    policy: list[str] | None = option(None, "Policies to run, repeated or comma-separated.", "NAME"),
    shown: int | None = option(None, "Number of records the list shows; default: from meta.json.", "P", min=1),
    miss: Miss = 0.01,
    max_delay: MaxDelay = None,
    p95: Within = None,
    recover: bool = option(False, "Older pages can be followed, at one request each."),
    warm_up: float | None = option(
        None, "How much history the policy starts with; default: 28d.", "TIME", parser=parse_duration
    ),
    cold: bool = option(False, "Start without history, knowing only one page."),
    last: float | None = option(
        None, "Time span of the plot, up to the end; default: 14d.", "TIME", parser=parse_duration
    ),
    output: Path | None = option(None, "Write a plot here.", "--output -o FILE.svg|.png"),
    as_json: bool = option(False, "Print JSON lines instead of a table.", "--json"),
) -> None:
    if simulate is None:
        if policy or shown or recover or cold or max_delay or p95 or warm_up:
            raise BadInput("policies and goals are tried on a trace: name one with --simulate")
        from scythe.cli.schedule_report import show_plan

        show_plan(archive, sites or [], plot=output, last_s=last or LAST_S, as_json=as_json)
        return
    if sites:
        raise BadInput("--simulate takes a trace, not a SITE")
    from scythe.cli.schedule_report import Experiment, choose_policies, run_experiment
    from scythe.schedule.simulate import WARM_S
    from scythe.watch_model import Goals

    run_experiment(
        Experiment(
            path=simulate,
            policies=choose_policies(policy or []),
            goals=Goals(miss=miss, max_delay_s=max_delay, delay_s=p95, recovers=recover),
            shown=shown,
            warm_s=warm_up or WARM_S,
            begin="cold" if cold else "warm",
            plot=output,
            last_s=last or LAST_S,
            as_json=as_json,
        )
    )
