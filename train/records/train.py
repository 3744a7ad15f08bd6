"""Train the forest that ranks regions: `python train/records/train.py --data DIR [--scores | --folds-out FILE]`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from bench.folds import save_folds
from dataset import read_pages, sources
from grow import grow, to_forest
from prepare import Prepared, prepare
from score import HEADER, judge

from bench import folds as bench_folds
from scythe.reading import forest as module
from scythe.reading.forest import to_json

FOLDS = 5
CUTS = (0.18, 0.2, 0.22, 0.25, 0.3)


def folds_of(pages: Sequence[Prepared], seed: int) -> np.ndarray:
    """Return the fold of each page: a site is in one fold, the sites of each set are spread evenly."""
    rng, fold = np.random.default_rng(seed), dict[str, int]()
    for kind in sorted({page.kind for page in pages}):
        sites = sorted({page.site for page in pages if page.kind == kind})
        for number, one in enumerate(rng.permutation(len(sites))):
            fold.setdefault(sites[one], number % FOLDS)
    return np.array([fold[page.site] for page in pages])


def cross_validate(pages: Sequence[Prepared], columns: Sequence[int], seed: int) -> list[np.ndarray]:
    """Return the scores of all candidates, each by a forest that has seen no page of its site."""
    fold = folds_of(pages, seed)
    scores: list[np.ndarray] = [np.zeros(0)] * len(pages)
    for number in range(FOLDS):
        model = grow([page for page, own in zip(pages, fold, strict=True) if own != number], columns, seed)
        for index in np.flatnonzero(fold == number):
            scores[index] = model.predict(pages[index].described.rows[:, columns])
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with mixedlists, newslists and recipes")
    parser.add_argument("--scores", action="store_true", help="print cross-validated scores, write no table")
    parser.add_argument("--folds-out", type=Path, help="write forests for `bench --folds`, one per fold, there")
    parser.add_argument("--seeds", type=int, default=3, help="how often to cross-validate, with other folds and trees")
    asked = parser.parse_args()
    with Pool(2) as pool:
        pages = [page for page in pool.map(prepare, read_pages(asked.data), chunksize=4) if page is not None]
    names = pages[0].described.names
    columns = list(range(len(names)))
    if asked.scores:
        print(f"seed | cut | {HEADER}")
        for seed in range(asked.seeds):
            scores = cross_validate(pages, columns, seed)
            for cut in CUTS:
                print(f"{seed} | {cut:.2f} | {judge(pages, scores, cut)}", flush=True)
        return
    if asked.folds_out:
        without = [[page for page in pages if page.fold != fold] for fold in range(bench_folds.FOLDS)]
        models = [to_json(to_forest(grow(shown, columns, seed), names)) for seed, shown in enumerate(without)]
        save_folds(asked.folds_out, models, sources(asked.data))
        return
    forest = to_forest(grow(pages, columns), names)
    file = Path(module.__file__).parent / "tables" / "regions.json"
    file.write_text(to_json(forest), "utf-8")
    print(f"{len(pages)} pages, {len(names)} features, {len(forest.first)} nodes, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
