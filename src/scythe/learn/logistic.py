"""Fit a logistic model that starts from guesses: a kernel, labels and guesses come in, weights of rows go out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 40  # of Newton's method; it needs five to fifteen
_CLOSE = 1e-4  # gain of a step from which on nothing changes any more


def fit_rows(kernel: Floats, labels: Floats, counts: Floats, guesses: Floats) -> Floats:
    """Return row weights `a`, so that `guesses + kernel @ a` are the likeliest log-odds of the labels (0 or 1).

    The log-odds differ from the guesses by a Gaussian process with this kernel; `counts` says how often each row was
    seen. Newton's method with steps halved until they gain (Rasmussen and Williams, algorithm 3.1).
    """
    weights = np.zeros(len(labels))
    logits = guesses.copy()
    best = _fitness(weights, logits, labels, counts, guesses)
    for _ in range(_STEPS):
        step = _newton_weights(kernel, logits, labels, counts, guesses) - weights
        share = 1.0
        while True:
            tried = weights + share * step
            logits_there = kernel @ tried + guesses
            fitness = _fitness(tried, logits_there, labels, counts, guesses)
            if fitness >= best or share < 1e-3:
                break
            share /= 2
        if fitness <= best:
            break
        gain, best, weights, logits = fitness - best, fitness, tried, logits_there
        if gain < _CLOSE:
            break
    return weights


def _fitness(weights: Floats, logits: Floats, labels: Floats, counts: Floats, guesses: Floats) -> float:
    surprise = counts * np.logaddexp(0.0, np.where(labels > 0, -logits, logits))
    return float(-0.5 * weights @ (logits - guesses) - surprise.sum())


def _newton_weights(kernel: Floats, logits: Floats, labels: Floats, counts: Floats, guesses: Floats) -> Floats:
    chances = 1 / (1 + np.exp(-logits))
    curvature = counts * chances * (1 - chances) + 1e-9
    root = np.sqrt(curvature)
    target = curvature * (logits - guesses) + counts * (labels - chances)
    system = root[:, None] * kernel * root[None, :]
    system[np.diag_indices_from(system)] += 1.0
    solved = np.linalg.solve(system, root * (kernel @ target))
    return np.asarray(target - root * solved, dtype=np.float64)
