"""Pick fields as a person would, and count what is right: `python tools/measure_fields.py FILE... [--steps N]`.

Each FILE holds pages as JSON lines (`site html gold`; gold: accepted values by field), compressed or not. Of each site
the page with most fields is shown first; then, step after step, a page is looked at and put right: the one that the
table puts first; to compare, the most doubtful one without asking for a common one second; or simply the next one. On
all pages not shown the cells are counted that are right, that are doubtful, and that are both wrong and doubtful.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from measure_lists import open_lines

from scythe.fetch.inputs import LoadedPage
from scythe.site.learn.page_text import words_of
from scythe.web.fields.fields_session import Pick, Sitting, Sittings, learn
from scythe.web.fields.fields_sheet import Sheets
from scythe.web.fields.fields_trial import DOUBTFUL
from scythe.web.state import PROFILE, BackgroundJob, RoomOptions, State

Gold = dict[str, list[str]]
POLICIES = ("the page that the table puts first", "the most doubtful page", "the next page")


class Trial:
    """One site, and somebody who knows what its pages say."""

    def __init__(self, rows: Sequence[dict[str, Any]], policy: str) -> None:
        pages = [LoadedPage(str(at), row["html"].encode(), f"https://site.example/{at}") for at, row in enumerate(rows)]
        self.room = State(RoomOptions(), pages)
        self.sitting: Sitting = self.room.part(Sittings).of(PROFILE)
        self.gold: dict[int, Gold] = {at + 1: row["gold"] for at, row in enumerate(rows)}
        self.names = sorted({name for gold in self.gold.values() for name, values in gold.items() if values})
        self.policy = policy
        self.seconds: list[float] = []

    def show(self, page: int) -> None:
        """Say all that a page has; what the page does not show cannot be picked."""
        sheet = self.room.part(Sheets).get(self.room.pages()[page - 1])
        for name in self.names:
            values = self.gold[page].get(name, [])
            there = [value for value in values if sheet.shows(value)]
            if there or not values:  # the page set does not say which of its spellings a person would click
                self.sitting.show(page, name, tuple(map(Pick, there)))

    def learn(self) -> None:
        begin = time.perf_counter()
        learn(self.room, self.sitting, BackgroundJob(1, "", ""))
        self.seconds.append(time.perf_counter() - begin)

    def next(self) -> int | None:
        """Return the page to look at next."""
        assert self.sitting.trial is not None
        rows = [row for row in self.sitting.trial.rows if row.page not in self.sitting.shown]
        if self.policy == POLICIES[1]:
            odd = [row for row in rows if not any(_is_asked(reason) for cell in row.cells for reason in cell.reasons)]
            rows = odd or rows
        elif self.policy == POLICIES[2]:
            rows.sort(key=lambda row: row.page)
        return rows[0].page if rows else None

    def count(self) -> Counter[str]:
        """Count the cells of pages that were not shown."""
        assert self.sitting.trial is not None
        found: Counter[str] = Counter()
        got = {row.page: {cell.name: cell for cell in row.cells} for row in self.sitting.trial.rows}
        for page, gold in self.gold.items():
            if page in self.sitting.shown:
                continue
            for name in self.names:
                cell = got.get(page, {}).get(name)
                wanted = {words_of(value) for value in gold.get(name, [])}
                value = words_of(cell.values[0]) if cell and cell.values else ""
                is_right = value in wanted if wanted else not value
                is_doubtful = cell is not None and cell.doubt >= DOUBTFUL
                found += Counter(cells=1, right=is_right, doubtful=is_doubtful, caught=is_doubtful and not is_right)
        return found


def _is_asked(reason: str) -> bool:
    return reason.startswith("only one page is shown")


def run(rows: Sequence[dict[str, Any]], steps: int, policy: str) -> tuple[list[Counter[str]], list[float]]:
    """Show one page after the other; return what was counted after each."""
    trial = Trial(rows, policy)
    first = max(trial.gold, key=lambda page: (sum(map(bool, trial.gold[page].values())), -page))
    page: int | None = first
    counts = []
    for _ in range(steps):
        if page is not None:
            trial.show(page)
            trial.learn()
            page = trial.next()
        counts.append(trial.count())
    return counts, trial.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()
    sites: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in options.files:
        for row in map(json.loads, open_lines(path)):
            sites[row["site"]].append(row)
    for policy in POLICIES:
        print(policy, flush=True)
        totals = [Counter[str]() for _ in range(options.steps)]
        seconds: list[float] = []
        for rows in sites.values():
            counts, took = run(rows, options.steps, policy)
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            seconds += took
        for shown, total in enumerate(totals, start=1):
            wrong = total["cells"] - total["right"]
            print(
                f"  {shown} shown: {total['right'] / total['cells']:.4f} of {total['cells']} cells right, "
                f"{total['doubtful']} doubtful, {total['caught']} of {wrong} wrong ones among them"
            )
        print(f"  {sorted(seconds)[len(seconds) // 2]:.2f} s to learn and try (median), {max(seconds):.2f} at most")


if __name__ == "__main__":
    main()
