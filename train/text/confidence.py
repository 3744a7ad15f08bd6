"""Fit the model of `doc.confidence` on pages of sites that the text network has not seen.

    python train/text/confidence.py --data DIR --folds train/folds --out src/scythe/reading/text/confidence.json

Needs scikit-learn. Sets of chunks are left out: their figures for single pages are too coarse.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from bench.confidence import Trust, judge_pages, report
from bench.folds import load_folds
from sklearn.neural_network import MLPRegressor

from scythe.reading.text.confidence import FORM, VERSION, ConfidenceModel, expect

HIDDEN, DECAY, KNOTS = 12, 1.0, 12
Numbers = np.ndarray


def fit(facts: Numbers, f1: Numbers) -> ConfidenceModel:
    """Fit a model that is not calibrated yet."""
    mean, scale = facts.mean(0), 1 / (facts.std(0) + 1e-3)
    net = MLPRegressor(
        hidden_layer_sizes=(HIDDEN,), alpha=DECAY, max_iter=400, early_stopping=True, n_iter_no_change=30,
        learning_rate_init=3e-3, random_state=0,
    )  # fmt: skip
    net.fit(np.clip((facts - mean) * scale, -4, 4), f1)
    (inner, outer), (bias, last) = net.coefs_, net.intercepts_
    wide = np.array([-10.0, 10.0])
    return ConfidenceModel(mean, scale, (inner, bias), (outer[:, 0], float(last[0])), (wide, wide))


def predict(model: ConfidenceModel, facts: Numbers) -> Numbers:
    return np.array([expect(model, row) for row in facts])


def calibrated(facts: Numbers, f1: Numbers, fold: Numbers) -> ConfidenceModel:
    """Fit a model, and its curve on what models said of the folds that they were fitted without."""
    raw = np.zeros(len(f1))
    for number in set(fold.tolist()):
        raw[fold == number] = predict(fit(facts[fold != number], f1[fold != number]), facts[fold == number])
    groups = np.array_split(np.argsort(raw, kind="stable"), KNOTS)
    knots = np.array([raw[group].mean() for group in groups])
    values = np.maximum.accumulate([f1[group].mean() for group in groups])
    model = fit(facts, f1)
    return ConfidenceModel(model.mean, model.scale, model.hidden, model.last, (knots, values))


def save(model: ConfidenceModel) -> str:
    def plain(values: Numbers) -> list:
        return json.loads(json.dumps(values.tolist()), parse_float=lambda text: float(f"{float(text):.5g}"))

    saved = {
        "format": FORM, "version": VERSION, "mean": plain(model.mean), "scale": plain(model.scale),
        "hidden": {"weights": plain(model.hidden[0]), "bias": plain(model.hidden[1])},
        "last": {"weights": plain(model.last[0]), "bias": model.last[1]},
        "knots": [plain(model.knots[0]), plain(model.knots[1])],
    }  # fmt: skip
    return json.dumps(saved, separators=(",", ":")) + "\n"


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--data", type=Path, required=True)
    args.add_argument("--folds", type=Path, required=True)
    args.add_argument("--out", type=Path, required=True)
    opts = args.parse_args()
    pages = list(judge_pages(opts.data, load_folds(opts.folds)))
    facts, f1 = np.stack([page.facts for page in pages]), np.array([page.f1 for page in pages])
    fold = np.array([page.fold for page in pages])
    said = np.zeros(len(pages))
    models = []
    for number in range(5):
        models.append(calibrated(facts[fold != number], f1[fold != number], fold[fold != number]))
        said[fold == number] = predict(models[-1], facts[fold == number])
    print(report([Trust(page.page_set, one, page.f1) for page, one in zip(pages, said.tolist(), strict=True)]))
    opts.out.write_text(save(calibrated(facts, f1, fold)))
    opts.out.with_suffix(".folds.json").write_text("[" + ",".join(save(model).strip() for model in models) + "]\n")


if __name__ == "__main__":
    main()
