from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from scythe.errors import BadInput
from scythe.reading import forest
from scythe.reading.forest import Forest, from_json, load, to_json

# one tree: feature 0 above 0.5 ? (feature 1 above 2 ? 0.9 : 0.4) : 0.1
STUMP = Forest(
    features=("size", "links"),
    roots=np.array([0]),
    first=np.array([1, 1, 3, 3, 4]),
    feature=np.array([0, 0, 1, 0, 0]),
    threshold=np.array([0.5, np.inf, 2.0, np.inf, np.inf], dtype=np.float32),
    value=np.array([0.5, 0.1, 0.6, 0.4, 0.9], dtype=np.float32),
)


def test_each_row_ends_in_the_leaf_its_features_lead_to():
    scores = STUMP.predict(np.array([[0.0, 9.0], [0.5, 9.0], [0.6, 2.0], [0.6, 2.1]]))
    assert scores.tolist() == pytest.approx([0.1, 0.1, 0.4, 0.9])


def test_the_score_is_the_mean_over_the_trees():
    two = Forest(
        STUMP.features,
        np.array([0, 5]),
        np.append(STUMP.first, 5),
        np.append(STUMP.feature, 0),
        np.append(STUMP.threshold, np.float32(np.inf)),
        np.append(STUMP.value, np.float32(0.3)),
    )
    assert two.predict(np.array([[0.6, 2.1]])).tolist() == pytest.approx([0.6])


def test_a_forest_comes_back_from_json_as_it_was():
    again = from_json(to_json(STUMP))
    rows = np.random.default_rng(1).normal(1.0, 1.0, (50, 2))
    assert again.features == STUMP.features
    assert again.predict(rows).tolist() == STUMP.predict(rows).tolist()


def test_no_rows_give_no_scores():
    assert STUMP.predict(np.zeros((0, 2))).tolist() == []


def test_more_rows_than_are_scored_at_once_change_nothing():
    rows = np.random.default_rng(2).normal(1.0, 1.0, (4500, 2))
    alone = [float(STUMP.predict(rows[i : i + 1])[0]) for i in range(0, 4500, 500)]
    assert STUMP.predict(rows)[::500].tolist() == alone


def test_predictions_equal_those_of_scikit_learn():
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(3)
    rows = rng.normal(0.0, 1.0, (300, 6)).astype(np.float32).round(1)  # rounded: many values meet a threshold
    model = ensemble.ExtraTreesRegressor(n_estimators=7, max_leaf_nodes=20, random_state=3)
    model.fit(rows, rows[:, 0] * rows[:, 1] + rng.normal(0.0, 0.1, 300))
    trees = [estimator.tree_ for estimator in model.estimators_]
    own = from_json(to_json(_written(trees)))
    assert np.abs(own.predict(rows) - model.predict(rows)).max() < 1e-6


def _written(trees) -> Forest:
    """Write trees down level by level, as training does."""
    columns: dict[str, list] = {"first": [], "feature": [], "threshold": [], "value": [], "roots": []}
    for tree in trees:
        start, order, place = len(columns["first"]), [0], {0: 0}
        columns["roots"].append(start)
        for node in order:
            if (left := tree.children_left[node]) >= 0:
                place[left], place[tree.children_right[node]] = len(order), len(order) + 1
                order += [left, tree.children_right[node]]
        for node in order:
            left = tree.children_left[node]
            columns["first"].append(start + (place[left] if left >= 0 else place[node]))
            columns["feature"].append(max(tree.feature[node], 0))
            columns["threshold"].append(tree.threshold[node] if left >= 0 else np.inf)
            columns["value"].append(tree.value[node].ravel()[0])
    exact = np.array(columns["threshold"])
    single = exact.astype(np.float32)
    single = np.where(single > exact, np.nextafter(single, np.float32(-np.inf)), single)
    whole = {name: np.array(columns[name]) for name in ("roots", "first", "feature")}
    return Forest(tuple("abcdef"), **whole, threshold=single, value=np.array(columns["value"], dtype=np.float32))


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 99},
        {"format": "something else"},
        {"first": "AAAA"},
        {"value": "not base 64!"},
        {"features": ["size"]},
        {"roots": ""},
    ],
)
def test_a_damaged_table_is_refused(damage):
    saved = json.loads(to_json(STUMP)) | damage
    with pytest.raises(BadInput):
        from_json(json.dumps(saved))


def test_a_table_whose_nodes_lead_back_is_refused():
    circle = Forest(
        ("size",),
        np.array([0]),
        np.array([0, 1, 2]),
        np.array([0, 0, 0]),
        np.array([0.5, np.inf, np.inf], dtype=np.float32),
        np.zeros(3, dtype=np.float32),
    )
    with pytest.raises(BadInput, match="do not form trees"):
        from_json(to_json(circle))


def test_the_shipped_forest_loads_and_scores_between_zero_and_one():
    forest = load()
    scores = forest.predict(np.random.default_rng(4).normal(0.0, 5.0, (100, len(forest.features))))
    assert 0.0 <= scores.min() <= scores.max() <= 1.0


@pytest.mark.skipif(forest.COMPILED is None, reason="the compiled walk is not built: no C compiler was found")
def test_the_compiled_walk_gives_the_same_numbers():
    shipped = load()
    rows = np.random.default_rng(3).normal(0.5, 5.0, (500, len(shipped.features))).astype(np.float32)
    rows[::7, ::5] = np.nan
    rows[::11, ::3] = np.inf
    assert shipped.predict(rows).tolist() == shipped.predict_by_arrays(rows).tolist()


@pytest.mark.skipif(forest.COMPILED is None, reason="the compiled walk is not built: no C compiler was found")
@pytest.mark.parametrize(
    "changed",
    [
        {"roots": np.array([9])},
        {"roots": np.array([-1])},
        {"roots": np.array([], dtype=np.int64)},
        {"first": np.array([1, 1, 0, 3, 4])},
        {"first": np.array([1, 1, 3])},
        {"feature": np.array([7, 0, 1, 0, 0])},
        {"feature": np.array([-1, 0, 1, 0, 0])},
        {"threshold": np.zeros(5)},
        {"value": np.zeros(4, dtype=np.float32)},
    ],
    ids=str,
)
def test_arrays_that_are_no_forest_are_refused_by_the_compiled_walk(changed):
    with pytest.raises(ValueError, match=r"fit together|wrong size"):
        replace(STUMP, **changed).predict(np.ones((3, 2)))
