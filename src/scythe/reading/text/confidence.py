"""Predict the F1 of a chosen text: a small network over what is known of the choice, and a calibrating curve."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.model import PAGE_KINDS, Reading
from scythe.package_files import packaged_text
from scythe.page import Page
from scythe.page.blocks import Blocks

Numbers = NDArray[np.float64]
FORM = "scythe-confidence"
VERSION = 1
_WORD_CHARS = 6  # of a script without spaces, or of long words: what counts as one at least


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """One hidden layer; `knots` are predictions and the mean F1 of pages of which it predicted that."""

    mean: Numbers
    scale: Numbers
    hidden: tuple[Numbers, Numbers]
    last: tuple[Numbers, float]
    knots: tuple[Numbers, Numbers]


def describe_choice(blocks: Blocks, reading: Reading) -> Numbers:
    """Return what is known of a choice of blocks: how sure it is, how much of the page it takes, the kind of page."""
    sizes = [max(text.count(" ") + 1, len(text) / _WORD_CHARS) for text in blocks.text]
    words, scores = np.array(sizes), np.array(reading.scores)
    rows = np.array(reading.kept, dtype=np.intp)
    weighed, chosen = scores * words, scores[rows]
    expected, taken, total = float(weighed.sum()), float(words[rows].sum()), float(words.sum())
    chars = sum(len(blocks.text[i]) for i in reading.kept)
    linked = sum(blocks.link_chars[i] for i in reading.kept)
    told = reading.kind.probabilities
    return np.array([
        2 * float(weighed[rows].sum()) / (taken + expected),
        float((weighed * (1 - scores)).sum()) / (expected + 1e-6),
        float(words[(scores > 0.2) & (scores < 0.8)].sum()) / (taken + 1),
        np.log1p(taken) / 8, np.log1p(total) / 8, taken / total, np.log1p(len(scores)) / 6,
        np.log1p(np.count_nonzero(np.diff(rows) > 1)) / 4, len(rows) / len(scores),
        float(chosen.mean()), float(np.quantile(chosen, 0.1)), float(scores.max()), linked / (chars + 1),
        float(np.mean([blocks.box_hidden[box] for box in blocks.box])),
        *(told.get(kind, 0.0) for kind in PAGE_KINDS),
    ])  # fmt: skip


def expect_quality(page: Page, reading: Reading) -> float | None:
    """Return the F1 that the text of a reading can be expected to have; None for one without text or scores."""
    if not reading.kept or len(reading.scores) != len(page.blocks):
        return None
    return round(expect(load_confidence(), describe_choice(page.blocks, reading)), 3)


def expect(model: ConfidenceModel, facts: Numbers) -> float:
    """Return the F1 that a text with these facts can be expected to have."""
    weights, bias = model.hidden
    inner = np.maximum(np.clip((facts - model.mean) * model.scale, -4.0, 4.0) @ weights + bias, 0.0)
    raw = float(inner @ model.last[0] + model.last[1])
    return float(np.interp(raw, *model.knots))


def from_saved(saved: dict[str, Any]) -> ConfidenceModel:
    """Return a model from its saved form."""
    if saved["format"] != FORM or saved["version"] != VERSION:
        raise ValueError(f"expected {FORM} version {VERSION}")

    def array(values: object) -> Numbers:
        return np.array(values, dtype=np.float64)

    return ConfidenceModel(
        array(saved["mean"]),
        array(saved["scale"]),
        (array(saved["hidden"]["weights"]), array(saved["hidden"]["bias"])),
        (array(saved["last"]["weights"]), float(saved["last"]["bias"])),
        (array(saved["knots"][0]), array(saved["knots"][1])),
    )


@lru_cache(maxsize=1)
def load_confidence() -> ConfidenceModel:
    """Return the model that ships with the package."""
    return from_saved(json.loads(packaged_text("scythe.reading.text", "confidence.json")))
