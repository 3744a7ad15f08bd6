"""Grow a forest and write it down: prepared pages come in, the table of the package goes out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from prepare import Prepared
from sklearn.ensemble import ExtraTreesRegressor

from scythe.reading.forest import Forest

WEIGHT = {"mixedlists": 2.0, "newslists": 1.0, "recipes": 0.7}  # of a page: the sets differ in size and variety
POOR, POOR_KEPT = 0.05, 60  # candidates below this grade are nearly all alike: so many of a page are enough
TREES, LEAVES, FEATURES, LEAST = 80, 150, 0.3, 3


def grow(pages: Sequence[Prepared], columns: Sequence[int], seed: int = 0) -> ExtraTreesRegressor:
    """Fit a forest to the grades of all candidates of the pages."""
    rng = np.random.default_rng(seed)
    rows, grades, weights = [], [], []
    for page in pages:
        good = page.grades > POOR
        kept = np.concatenate([np.flatnonzero(good), rng.permutation(np.flatnonzero(~good))[:POOR_KEPT]])
        rows.append(page.described.rows[kept][:, columns])
        grades.append(page.grades[kept])
        weights.append(np.full(len(kept), WEIGHT[page.kind] / len(kept)))
    model = ExtraTreesRegressor(
        n_estimators=TREES,
        max_leaf_nodes=LEAVES,
        max_features=FEATURES,
        min_samples_leaf=LEAST,
        random_state=seed,
        n_jobs=2,
    )
    weight = np.concatenate(weights)
    return model.fit(np.concatenate(rows), np.concatenate(grades), weight / weight.mean())


def to_forest(model: ExtraTreesRegressor, features: Sequence[str]) -> Forest:
    """Return the fitted trees as the package walks them."""
    first, feature, threshold, value, roots = [], [], [], [], []
    for tree in (estimator.tree_ for estimator in model.estimators_):
        start = len(first)
        roots.append(start)
        order, place = [0], {0: 0}
        for node in order:  # grows while it is read: parents before children, children side by side
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            if left >= 0:
                place[left], place[right] = len(order), len(order) + 1
                order += [left, right]
        for node in order:
            left = int(tree.children_left[node])
            first.append(start + (place[left] if left >= 0 else place[node]))
            feature.append(int(tree.feature[node]) if left >= 0 else 0)
            threshold.append(float(tree.threshold[node]) if left >= 0 else np.inf)
            value.append(float(tree.value[node].ravel()[0]))
    exact = np.array(threshold)
    single = exact.astype(np.float32)
    # a feature is compared in single precision: the next number below the threshold separates the same values
    single = np.where(single > exact, np.nextafter(single, np.float32(-np.inf)), single)
    return Forest(
        tuple(features), np.array(roots), np.array(first), np.array(feature), single, np.array(value, dtype=np.float32)
    )
