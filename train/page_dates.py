"""Count the weights by which a page's date of publication is chosen: `python train/page_dates.py FILE.jsonl.xz...`.

Rows hold `html url date`. Prints how often the chosen day is right on sites that were not counted (five folds by host),
and writes the weights of all given pages to `src/scythe/page/tables/date_weights.txt`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from scythe.page import Page, metadata, page_dates
from scythe.page.dates import find_days
from scythe.page.head import BodyQueries
from scythe.url import host

OUT = Path(__file__).parents[1] / "src/scythe/page/tables/date_weights.txt"
LATEST = date(2100, 1, 1)
FOLDS = 5
HEAD = "# What speaks for a day to be that of publication, in logits; counted by train/page_dates.py.\n"


@dataclass
class Dated:
    """One page: its set, its day, and what speaks for each day that it names."""

    name: str
    fold: int
    day: date
    evidence: page_dates.DayEvidence


def read(paths: list[Path]) -> Iterator[Dated]:
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                stated = find_days(str(row.get("date") or ""))
                if not stated:
                    continue
                page = Page.from_text(row["html"], url=row.get("url"))
                item = metadata._main_object(page.linked_data, (page.metadata.canonical, page.url))
                body = BodyQueries(page.map, page.mentions, lambda page=page: page.blocks)  # type: ignore[misc]
                evidence = metadata.published_evidence(page.head, page.linked_data, item, body, page.url)
                key = hashlib.md5((host(page.url or "") or str(row.get("id"))).encode()).digest()[0]
                yield Dated(path.name.split(".")[0], key % FOLDS, stated[0][0], evidence)


def weigh(pages: list[Dated], names: dict[str, int]) -> LogisticRegression:
    rows, right, weights = [], [], []
    for page in pages:
        days = page.evidence.features(LATEST)
        for day, features in days.items():
            rows.append(vector(features, names))
            right.append(is_right(page, day))
            weights.append(len(days) ** -0.5)
    return LogisticRegression(C=0.3, max_iter=3_000).fit(np.array(rows), right, sample_weight=weights)


def vector(features: set[str], names: dict[str, int]) -> np.ndarray:
    row = np.zeros(len(names))
    row[[names[feature] for feature in features if feature in names]] = 1
    return row


def is_right(page: Dated, day: str) -> bool:
    return abs((date.fromisoformat(day) - page.day).days) <= 1


def report(pages: list[Dated], names: dict[str, int]) -> None:
    chosen: dict[str, list[tuple[float, bool]]] = {}
    for fold in range(FOLDS):
        model = weigh([page for page in pages if page.fold != fold], names)
        for page in (page for page in pages if page.fold == fold):
            days = page.evidence.features(LATEST)
            scored = [(float(model.decision_function([vector(days[day], names)])[0]), day) for day in days]
            best = max(scored, default=(-99.0, ""))
            chosen.setdefault(page.name, []).append((best[0], bool(best[1]) and is_right(page, best[1])))
    for name, found in chosen.items():
        for least in (-9.0, -1.5, -1.0, -0.5, 0.0):
            given = [right for score, right in found if score > least]
            print(
                f"{name:10} above {least:4}: right {sum(given) / len(found):.3f}, of those given {np.mean(given):.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--least", type=float, default=-1.5, help="logit below which no day is given")
    asked = parser.parse_args()
    pages = list(read(asked.data))
    all_features = {feature for page in pages for days in page.evidence.features(LATEST).values() for feature in days}
    names = {name: number for number, name in enumerate(sorted(all_features))}
    report(pages, names)
    model = weigh(pages, names)
    weights = {name: weight for name, weight in zip(names, model.coef_[0], strict=True) if abs(weight) >= 0.05}
    least = asked.least - float(model.intercept_[0])
    lines = [f"{name} {weight:.2f}\n" for name, weight in [("least", least), *sorted(weights.items())]]
    OUT.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
