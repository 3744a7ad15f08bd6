"""Train the shared image model: `python train/images/train.py --data DIR`; README.md has the other ways."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.folds import save_folds
from boost import boost, to_forest
from dataset import Rows, gold_rows, silver_rows, sources
from doubt import drop_doubtful
from score import log_loss, mean_f, reliability, site_scores

from bench import folds as bench_folds
from scythe.reading.forest import Forest, to_json
from scythe.reading.images import relevance
from scythe.reading.images.image_features import feature_names

FOLDS = 5
BOOSTERS = 6  # with other seeds; the mean of their logits is steadier than one
SHIFT = 0.9  # added to logits: a mean f over sites is best when images from about .29 on are taken
NOTHING = 1 / (1 + np.exp(8.0))


def folds_of(rows: Rows, seed: int) -> np.ndarray:
    """Return the fold of each row: sites with one or two pages are spread over folds, each large site is its own."""
    rng, fold = np.random.default_rng(seed), dict[str, int]()
    small = sorted(set(rows.sites[rows.sets == "fundus"]))
    for number, one in enumerate(rng.permutation(len(small))):
        fold[small[one]] = number % FOLDS
    for number, site in enumerate(sorted(set(rows.sites) - set(small))):
        fold[site] = FOLDS + number
    return np.array([fold[site] for site in rows.sites])


def grow(gold: Rows, silver: Rows, seed: int = 0, boosters: int = BOOSTERS) -> Forest:
    """Fit the model; sites with one page, which most are, have no counts, so that it learns to do without them."""
    features = np.vstack([gold.counted, silver.counted])
    labels = np.concatenate([gold.labels, silver.labels])
    weights = np.concatenate([gold.weights, silver.weights])
    used = weights > 0
    weights = weights[used] / weights[used].mean()
    models = [boost(features[used], labels[used], weights, 100 * seed + number) for number in range(boosters)]
    return to_forest(models, feature_names(), 1.0, SHIFT)


def predict(forest: Forest, rows: Rows, features: np.ndarray) -> np.ndarray:
    """Return the probabilities that the package would give."""
    scores = 1 / (1 + np.exp(-forest.predict(features)))
    return np.where(rows.nothing, np.minimum(scores, NOTHING), scores)


def fold_forests(gold: Rows, silver: Rows, seed: int, boosters: int) -> tuple[np.ndarray, list[Forest]]:
    """Return the fold of each row and for each fold a model that has seen no page of its sites."""
    fold = folds_of(gold, seed)
    return fold, [grow(gold.where(fold != number), silver, seed, boosters) for number in range(fold.max() + 1)]


def cross_validate(gold: Rows, silver: Rows, seed: int, boosters: int = BOOSTERS) -> tuple[np.ndarray, np.ndarray]:
    """Return for each image the score by a model that has not seen its site, with counts of the site and without."""
    fold, forests = fold_forests(gold, silver, seed, boosters)
    counted, alone = np.zeros(len(fold)), np.zeros(len(fold))
    for number, forest in enumerate(forests):
        own = fold == number
        rows = gold.where(own)
        counted[own], alone[own] = predict(forest, rows, rows.counted), predict(forest, rows, rows.alone)
    return counted, alone


def held_out_forests(gold: Rows, silver: Rows) -> list[Forest]:
    """Return for each fold of the benchmark a model without the sites that have a page in it."""
    left_out = [np.isin(gold.sites, gold.sites[gold.folds == fold]) for fold in range(bench_folds.FOLDS)]
    return [grow(gold.where(~own), silver, seed) for seed, own in enumerate(left_out)]


def show(gold: Rows, scores: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Print f, log loss and reliability of cross-validated scores."""
    print("seed | fundus f | page alone | log loss | wpstatic f | page alone | log loss")
    for seed, (counted, alone) in enumerate(scores):
        cells = [f"{mean_f(gold, one, name):.3f}" for name in ("fundus", "wpstatic") for one in (counted, alone)]
        losses = [f"{log_loss(gold, counted, name):.3f}" for name in ("fundus", "wpstatic")]
        print(" | ".join([str(seed), *cells[:2], losses[0], *cells[2:], losses[1]]))
    for name in ("fundus", "wpstatic"):
        cuts = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
        means = [np.mean([mean_f(gold, counted, name, cut) for counted, _ in scores]) for cut in cuts]
        print(name, "f by cut:", " ".join(f"{cut}: {mean:.3f}" for cut, mean in zip(cuts, means, strict=True)))
        for low, count, given, true in reliability(gold, scores[0][0], name):
            print(f"{name} from {low:.1f}: {count} images, given {given:.2f}, relevant {true:.2f}")
    large = gold.where(gold.sets == "wpstatic")
    print(site_scores(large, scores[0][0][gold.sets == "wpstatic"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with images/, text/ and records/")
    parser.add_argument("--scores", action="store_true", help="print cross-validated scores, write no table")
    parser.add_argument("--folds", type=Path, help="write the models of all folds there, for crossval.py")
    parser.add_argument("--folds-out", type=Path, help="write models for `bench --folds`, one per fold, there")
    parser.add_argument("--seeds", type=int, default=3, help="how often to cross-validate, with other folds and trees")
    asked = parser.parse_args()
    gold = gold_rows(asked.data)
    silver = drop_doubtful(silver_rows(asked.data, gold))
    if asked.scores:
        show(gold, [cross_validate(gold, silver, seed) for seed in range(asked.seeds)])
        return
    if asked.folds:
        fold, forests = fold_forests(gold, silver, 0, BOOSTERS)
        of_site = {str(site): int(number) for site, number in zip(gold.sites, fold, strict=True)}
        saved = {"sites": of_site, "forests": [to_json(forest, relevance.FORM) for forest in forests]}
        asked.folds.write_text(json.dumps(saved), "utf-8")
        return
    if asked.folds_out:
        models = [to_json(forest, relevance.FORM) for forest in held_out_forests(gold, silver)]
        save_folds(asked.folds_out, models, sources(asked.data))
        return
    forest = grow(gold, silver)
    file = Path(relevance.__file__).parent / "tables" / "relevance.json"
    file.write_text(to_json(forest, relevance.FORM), "utf-8")
    print(f"{len(gold.labels)} + {len(silver.labels)} images, {len(forest.first)} nodes, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
