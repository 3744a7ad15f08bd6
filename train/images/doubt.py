"""Leave out silver labels that the other silver sites speak against: rows come in, the same rows go out, reweighed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from boost import boost
from dataset import Rows

PARTS = 3
HARDLY, LIKELY = 0.07, 0.6  # probabilities: relevant ones below the first, others above the second are left out


def drop_doubtful(silver: Rows) -> Rows:
    """Set the weight of images to 0 whose label a model of other silver sites finds most unlikely.

    No image labelled by people takes part, so this may come before any cross-validation over them.
    """
    rng = np.random.default_rng(0)
    sites, of_site = np.unique(silver.sites, return_inverse=True)
    part = rng.integers(0, PARTS, len(sites))[of_site]
    scores = np.zeros(len(part))
    for number in range(PARTS):
        own, used = part == number, (part != number) & (silver.weights > 0)
        weights = silver.weights[used]
        model = boost(silver.counted[used], silver.labels[used], weights / weights.mean(), number)
        scores[own] = model.predict(silver.counted[own])
    doubtful = np.where(silver.labels > 0, scores < HARDLY, scores > LIKELY)
    return replace(silver, weights=np.where(doubtful, 0.0, silver.weights))
