"""`scythe schedule`: show the plan of an archive, or simulate policies."""

from __future__ import annotations

from pathlib import Path

from scythe.cli.options import MaxDelay, Miss, WatchedSites, Within, option, parse_duration, verb
from scythe.errors import BadInput

HELP = """Show when watched lists are visited next and why, or try policies on a recorded trace.

Without --simulate: the plan in an archive of `scythe watch`. One line per list: the next visit, the number of new
records expected by then, the risk of missing one, and what set the time. SITE is a host or the beginning of a URL;
without it all lists are shown.

With --simulate: run policies over recorded arrivals, lines of `site,unix_time` in a CSV file (or .csv.xz) or a folder
of such files. A list shows its newest P records; records that leave it between two visits are missed. P comes from
--shown or from meta.json beside the file: {"NAME": {"P": 30}}.

Examples:
  scythe schedule                                     what is due when, and why
  scythe schedule example.org --archive my.db         one site
  scythe schedule -o plan.svg                         plot arrivals, expectations and visits
  scythe schedule --json | jq -r 'select(.risk > 0.01) | .page'
  scythe schedule --simulate news.csv --shown 30      what would `auto` have cost and missed?
  scythe schedule --simulate news.csv --policy all    and the others?
  scythe schedule --simulate news.csv --policy auto,ses -o policies.svg
  scythe schedule --simulate news.csv --miss 0.001 --max-delay 6h
  scythe schedule --simulate news.csv --recover       older pages can be followed: nothing is missed

Policies:
  auto      the fewest fetches that meet --miss and the delays, by a forecast with uncertainty (the default)
  seasonal  a Poisson forecast by the hour of the week
  poisson   a Poisson forecast of the rate of the last days
  ses       exponential smoothing of the last intervals, as published
  average   a constant interval by the mean rate: the baseline of ses
  adaptive  sooner after a change, later otherwise, as many crawlers do
  fixed     every hour, or every --max-delay
  all       all of these

Exit codes:
  0  done, even if nothing is watched
  1  the archive could not be read or the plot not written
  2  invalid command or trace
"""

LAST_S = 14 * 86_400.0


@verb(HELP, needs_arguments=False)
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
