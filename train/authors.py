"""Count the weights by which a page's authors are chosen: `python train/authors.py FILE.jsonl.xz...`.

Rows hold `html url author`, an empty author where there is none. Prints how often the chosen authors are right on sites
that were not counted (five folds by host), on how many pages without an author none is given, and writes the weights of
all given pages to `src/scythe/page/tables/author_weights.txt`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from scythe.page import Page, authors, metadata
from scythe.page.authors import key_of
from scythe.url import host

OUT = Path(__file__).parents[1] / "src/scythe/page/tables/author_weights.txt"
FOLDS = 5
HEAD = "# What speaks for a claim to name the authors, in logits; counted by train/authors.py.\n"


@dataclass
class Written:
    """One page: its set, its authors, and what speaks for each claim on it."""

    name: str
    fold: int
    gold: set[str]
    claims: authors.Claims
    judged: dict[str, set[str]]


def read(paths: list[Path]) -> Iterator[Written]:
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if "author" not in row:
                    continue
                page = Page.from_text(row["html"], url=row.get("url"))
                claims, judged = metadata.judged_claims(page.head, page.linked_data, page._body, page.url, page.base)
                key = hashlib.md5((host(page.url or "") or str(row.get("id"))).encode()).digest()[0]
                said = row["author"] if isinstance(row["author"], str) else ", ".join(row["author"] or ())
                gold = {key_of(name) for name in authors._BETWEEN.split(said or "")} - {""}
                yield Written(path.name.split(".")[0], key % FOLDS, gold, claims, judged)


def is_right(page: Written, key: str) -> bool:
    names = [key_of(name) for name in page.claims.names[key]]
    return any(a == b or (min(len(a), len(b)) > 4 and (a in b or b in a)) for a in page.gold for b in names)


def vector(features: set[str], names: dict[str, int]) -> np.ndarray:
    row = np.zeros(len(names))
    row[[names[feature] for feature in features if feature in names]] = 1
    return row


def weigh(pages: list[Written], names: dict[str, int]) -> LogisticRegression:
    rows, right, weights = [], [], []
    for page in pages:
        for key, features in page.judged.items():
            rows.append(vector(features, names))
            right.append(is_right(page, key))
            weights.append(len(page.judged) ** -0.5)
    return LogisticRegression(C=0.3, max_iter=3_000).fit(np.array(rows), right, sample_weight=weights)


def report(pages: list[Written], names: dict[str, int]) -> None:
    found: list[tuple[Written, float, bool]] = []
    for fold in range(FOLDS):
        model = weigh([page for page in pages if page.fold != fold], names)
        for page in (page for page in pages if page.fold == fold):
            scored = [(float(model.decision_function([vector(f, names)])[0]), key) for key, f in page.judged.items()]
            best = max(scored, default=(-99.0, ""))
            found.append((page, best[0], bool(best[1]) and is_right(page, best[1])))
    for name in sorted({page.name for page in pages}):
        for least in (-2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.5):
            with_gold = [right and score > least for page, score, right in found if page.name == name and page.gold]
            without = [score <= least for page, score, _ in found if page.name == name and not page.gold]
            none = f", none on {np.mean(without):.3f} of {len(without)}" if without else ""
            print(f"{name:10} above {least:5}: right {np.mean(with_gold):.3f} of {len(with_gold)}{none}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--least", type=float, default=-1.0, help="logit below which no author is given")
    asked = parser.parse_args()
    pages = list(read(asked.data))
    names = {
        name: number for number, name in enumerate(sorted({f for p in pages for fs in p.judged.values() for f in fs}))
    }
    possible = [any(is_right(page, key) for key in page.judged) for page in pages if page.gold]
    print(f"claimed at all: {np.mean(possible):.3f}")
    report(pages, names)
    model = weigh(pages, names)
    weights = {name: weight for name, weight in zip(names, model.coef_[0], strict=True) if abs(weight) >= 0.05}
    least = asked.least - float(model.intercept_[0])
    lines = [f"{name} {weight:.2f}\n" for name, weight in [("least", least), *sorted(weights.items())]]
    OUT.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
