"""Score judgements of images as the benchmark does: labels and probabilities come in, figures go out."""

from __future__ import annotations

import numpy as np
from dataset import Rows

RELEVANT = 0.5


def site_scores(rows: Rows, scores: np.ndarray, cut: float = RELEVANT) -> dict[str, float]:
    """Return f of each site that has a relevant image, its pages pooled."""
    found = {}
    for site in np.unique(rows.sites):
        own = rows.sites == site
        wanted, taken = rows.labels[own] > 0, scores[own] >= cut
        if wanted.any():
            found[str(site)] = float(2 * (wanted & taken).sum() / (wanted.sum() + taken.sum()))
    return found


def mean_f(rows: Rows, scores: np.ndarray, name: str, cut: float = RELEVANT) -> float:
    """Return the mean f over the sites of one set."""
    own = rows.sets == name
    return float(np.mean(list(site_scores(rows.where(own), scores[own], cut).values())))


def log_loss(rows: Rows, scores: np.ndarray, name: str) -> float:
    """Return the mean of minus the logarithm of the probability given to what is true."""
    own = rows.sets == name
    given = np.where(rows.labels[own] > 0, scores[own], 1 - scores[own])
    return float(-np.log(np.clip(given, 1e-6, 1)).mean())


def reliability(rows: Rows, scores: np.ndarray, name: str) -> list[tuple[float, int, float, float]]:
    """Return for tenths of probability: its lower end, how many images, their mean probability, the share relevant."""
    own = rows.sets == name
    given, labels = scores[own], rows.labels[own]
    tenth = np.minimum((given * 10).astype(int), 9)
    found = []
    for number in np.unique(tenth):
        here = tenth == number
        found.append((number / 10, int(here.sum()), float(given[here].mean()), float(labels[here].mean())))
    return found
