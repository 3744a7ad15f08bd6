"""Count the weights by which title, authors and day are chosen: `python train/metadata.py title FILE.jsonl.xz...`.

Rows hold `html url` and `title`, `author` (empty where there is none) or `date`. Prints how often the choice is right
on sites that were not counted (five folds by host), and writes the weights of all given pages to
`src/scythe/page/tables/{title,author,date}_weights.txt`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from scythe.page import Page, authors, metadata
from scythe.page.authors import key_of
from scythe.page.dates import find_days
from scythe.page.page_dates import latest_day
from scythe.url import host

OUT = Path(__file__).parents[1] / "src/scythe/page/tables"
FOLDS = 5
HEAD = "# What speaks for an answer, in logits; counted by train/metadata.py.\n"
Judged = dict[str, set[str]]
NOTHING = -99.0  # below every score


@dataclass
class Answered:
    """One page: its set, what speaks for each answer, which of them are right, and whether it has one."""

    name: str
    fold: int
    judged: Judged
    right: set[str]
    has_answer: bool


def judge_title(page: Page, row: dict[str, Any]) -> tuple[Judged, set[str], bool]:
    judged = metadata.judged_titles(page.said)[1]
    gold = key_of(row["title"] or "")
    return judged, {gold}, bool(gold)


def judge_author(page: Page, row: dict[str, Any]) -> tuple[Judged, set[str], bool]:
    claims, judged = metadata.judged_authors(page.said)
    said = row["author"] if isinstance(row["author"], str) else ", ".join(row["author"] or ())
    gold = {key_of(name) for name in authors._BETWEEN.split(said or "")} - {""}
    return judged, {key for key in judged if any(agree(name, gold) for name in claims.names[key])}, bool(gold)


def agree(name: str, gold: set[str]) -> bool:
    key = key_of(name)
    return any(key == one or (min(len(key), len(one)) > 4 and (key in one or one in key)) for one in gold)


def judge_date(page: Page, row: dict[str, Any]) -> tuple[Judged, set[str], bool]:
    judged = metadata.published_days(page.said).judged(latest_day())
    stated = find_days(str(row["date"] or ""))
    near = {day for day in judged if stated and abs((date.fromisoformat(day) - stated[0][0]).days) <= 1}
    return judged, near, bool(stated)


JUDGES: dict[str, Callable[[Page, dict[str, Any]], tuple[Judged, set[str], bool]]] = {
    "title": judge_title,
    "author": judge_author,
    "date": judge_date,
}
LEAST = {"title": NOTHING, "author": -0.85, "date": -1.5}  # logits below which nothing is given


def read(what: str, paths: list[Path]) -> Iterator[Answered]:
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if what not in row or (what != "author" and not row[what]):
                    continue
                page = Page.from_text(row["html"], url=row.get("url"))
                key = hashlib.md5((host(page.url or "") or str(row.get("id"))).encode()).digest()[0]
                yield Answered(path.name.split(".")[0], key % FOLDS, *JUDGES[what](page, row))


def vector(features: set[str], names: dict[str, int]) -> np.ndarray:
    row = np.zeros(len(names))
    row[[names[feature] for feature in features if feature in names]] = 1
    return row


def weigh(pages: list[Answered], names: dict[str, int]) -> LogisticRegression:
    rows, right, weights = [], [], []
    for page in pages:
        for answer, features in page.judged.items():
            rows.append(vector(features, names))
            right.append(answer in page.right)
            weights.append(len(page.judged) ** -0.5)
    return LogisticRegression(C=0.3, max_iter=3_000).fit(np.array(rows), right, sample_weight=weights)


def report(pages: list[Answered], names: dict[str, int]) -> None:
    found: list[tuple[Answered, float, bool]] = []
    for fold in range(FOLDS):
        model = weigh([page for page in pages if page.fold != fold], names)
        for page in (page for page in pages if page.fold == fold):
            scored = [(float(model.decision_function([vector(f, names)])[0]), key) for key, f in page.judged.items()]
            best = max(scored, default=(NOTHING, ""))
            found.append((page, best[0], best[1] in page.right))
    for name in sorted({page.name for page in pages}):
        of_set = [one for one in found if one[0].name == name]
        for least in (NOTHING, -2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.5):
            right = [is_right and score > least for page, score, is_right in of_set if page.has_answer]
            given = [is_right for page, score, is_right in of_set if page.has_answer and score > least]
            none = [score <= least for page, score, _ in of_set if not page.has_answer]
            said = f", none on {np.mean(none):.3f} of {len(none)}" if none else ""
            print(f"{name:10} above {least:5}: right {np.mean(right):.3f} of {len(right)}, ", end="")
            print(f"of those given {np.mean(given):.3f}{said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=JUDGES)
    parser.add_argument("data", nargs="+", type=Path)
    asked = parser.parse_args()
    pages = list(read(asked.what, asked.data))
    names = {
        name: number for number, name in enumerate(sorted({f for p in pages for fs in p.judged.values() for f in fs}))
    }
    possible = [not page.right.isdisjoint(page.judged) for page in pages if page.has_answer]
    print(f"said anywhere: {np.mean(possible):.3f}")
    report(pages, names)
    model = weigh(pages, names)
    weights = {name: weight for name, weight in zip(names, model.coef_[0], strict=True) if abs(weight) >= 0.05}
    least = LEAST[asked.what] - float(model.intercept_[0])
    lines = [f"{name} {weight:.2f}\n" for name, weight in [("least", least), *sorted(weights.items())]]
    (OUT / f"{asked.what}_weights.txt").write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
