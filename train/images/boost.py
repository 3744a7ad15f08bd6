"""Boost trees and write them down: rows with labels come in, the forest that the package walks goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm
import numpy as np

from scythe.reading.forest import Forest

SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 8,
    "min_child_samples": 20,
    "lambda_l2": 5.0,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 31,
    "verbose": -1,
    "num_threads": 2,
}
ROUNDS = 120


def boost(rows: np.ndarray, labels: np.ndarray, weights: np.ndarray, seed: int = 0) -> lightgbm.Booster:
    """Fit boosted trees."""
    return lightgbm.train({**SETTINGS, "seed": seed}, lightgbm.Dataset(rows, labels, weight=weights), ROUNDS)


def to_forest(boosters: Sequence[lightgbm.Booster], features: Sequence[str], scale: float, shift: float) -> Forest:
    """Return the trees so that the mean over them is `scale` times the mean logit of the boosters plus `shift`."""
    trees = [tree["tree_structure"] for booster in boosters for tree in booster.dump_model()["tree_info"]]
    first, feature, threshold, value, roots = [], [], [], [], []
    for tree in trees:
        start = len(first)
        roots.append(start)
        order = [tree]
        for node in order:  # grows while it is read: parents before children, children side by side
            if "split_feature" not in node:
                first.append(start + len(first) - start)
                feature.append(0)
                threshold.append(np.inf)
                value.append(node["leaf_value"] * scale * len(trees) / len(boosters) + shift)
                continue
            first.append(start + len(order))
            feature.append(node["split_feature"])
            threshold.append(node["threshold"])
            value.append(0.0)
            order += [node["left_child"], node["right_child"]]
    exact = np.array(threshold)
    single = exact.astype(np.float32)
    # a feature is compared in single precision: the next number below the threshold separates the same values
    single = np.where(single > exact, np.nextafter(single, np.float32(-np.inf)), single)
    arrays = (np.array(roots), np.array(first), np.array(feature), single, np.array(value, dtype=np.float32))
    return Forest(tuple(features), *arrays)
