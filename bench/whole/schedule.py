"""Planning visits in a whole run: recorded arrivals come in, what policies fetch, miss and delay goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from bench.cut_tables import Cell, Table
from bench.schedule import score_policies
from bench.schedule_tables import make_tables
from bench.whole.parts import LESS, SCYTHE, Figure, Section, Tick, Wish, few
from scythe.schedule.simulate import PolicyTask, Score, mean, read_traces
from scythe.watch_model import Goals

NAME, FOLDER = "schedule", "arrivals"
RECOVERS = "auto, paging"
POLICIES = {  # what each is, as a reader knows it
    "auto": "`auto`, at most 1 % missed",
    "seasonal": "hour-of-week profile, 99 % safe",
    "poisson": "Poisson, 99 % safe",
    "average": "constant, by the mean rate (paper 004's yardstick)",
    "ses": "exponential smoothing (paper 004)",
    "adaptive": "sooner after a change, later after none (Nutch)",
    "fixed": "every hour",
    RECOVERS: "`auto` with older pages to follow (requests a day)",
}
_SAID = (
    "Means over recorded lists, the first 28 days known. What a policy would have seen had it asked; what a site does "
    "with the asking is not in. No plan can miss nothing with fewer than {floor:.2f} visits a day."
)


def measure(wish: Wish, tick: Tick) -> Section:
    """Run every policy over every list."""
    traces = read_traces(wish.place(FOLDER))[: wish.limit]
    names = [name for name in POLICIES if name != RECOVERS] if wish.compares else ["auto"]

    def step(name: str, trace: str, total: int) -> None:
        tick(f"{name}: {trace}", total)

    scores = score_policies(traces, [PolicyTask(name, Goals()) for name in names], step)
    followed = score_policies(traces, [PolicyTask("auto", Goals(recovers=True))], step)
    scores += [replace(one, policy=RECOVERS, fetches_day=one.requests_day) for one in followed]
    figures = tuple(_figures(scores))
    floor = mean([one.floor_day for one in followed]) or 0.0
    records = sum(one.arrivals for one in followed)
    said = f"{len(traces)} lists, {records} records. {_SAID.format(floor=floor)}"
    tables = make_tables(scores, per_trace=True)
    return Section(NAME, "Planning visits", said, (_table(figures),), tuple(tables), figures)


def _figures(scores: Sequence[Score]) -> Iterator[Figure]:
    for policy, group in groupby(scores, key=lambda one: one.policy):
        own = list(group)
        who = SCYTHE if policy == "auto" else policy
        kept = LESS if policy in ("auto", RECOVERS) else ""
        yield Figure(f"schedule/{policy}/visits a day", who, mean([one.fetches_day for one in own]) or 0.0, "", kept)
        yield Figure(f"schedule/{policy}/missed", who, 100 * (mean([one.missed for one in own]) or 0.0), "%", kept)
        yield Figure(f"schedule/{policy}/missed, worst list", who, 100 * max(one.missed for one in own), "%", kept)
        delay = mean([one.p95_delay_h for one in own])
        if delay is not None:
            yield Figure(f"schedule/{policy}/p95 delay", who, delay, "h")


def _table(figures: Sequence[Figure]) -> Table:
    values = {figure.name: figure.value for figure in figures}
    rows: list[tuple[Cell, ...]] = []
    for policy, words in POLICIES.items():
        visits = values.get(f"schedule/{policy}/visits a day")
        if visits is None:
            continue
        missed = [values[f"schedule/{policy}/{what}"] for what in ("missed", "missed, worst list")]
        cells = [few(visits), *(_per_cent(value) for value in missed)]
        cells.append(few(values.get(f"schedule/{policy}/p95 delay"), "h"))
        rows.append((words, *(f"**{cell}**" if policy == "auto" else cell for cell in cells)))
    columns = ("mean over the lists", "visits a day", "missed", "missed, worst list", "p95 delay")
    return Table(NAME, "Visits and what they miss", columns, tuple(rows))


def _per_cent(value: float) -> str:
    return "0" if not value else f"{value:.2f} %" if value < 9.95 else f"{value:.0f} %"
