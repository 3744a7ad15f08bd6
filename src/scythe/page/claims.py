"""Choose between what a page says in several places, by weights that were counted on pages whose answer is known.

`train/metadata.py` counts them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from scythe.package_files import packaged_text


@dataclass(slots=True)
class Claims:
    """What speaks for each answer."""

    features: dict[str, set[str]] = field(default_factory=dict)  # by answer
    texts: dict[str, str] = field(default_factory=dict)  # of each answer, the longest as a page writes it
    seen: dict[str, int] = field(default_factory=dict)  # how often each source spoke, less one

    def add(self, answer: str, text: str, source: str, *more: str) -> None:
        """Take note of what a source claims; the first claim of a source counts more than those after it."""
        number = self.seen[source] = self.seen.get(source, -1) + 1
        self.features.setdefault(answer, set()).update((source if number == 0 else f"{source} later", *more))
        if len(text) > len(self.texts.get(answer, "")):
            self.texts[answer] = text


def score_claims(judged: Mapping[str, set[str]], table: str) -> dict[str, float]:
    """Return the likely ones of all answers with their scores, in logits."""
    weights = _weights(table)
    scores = {answer: sum(weights.get(feature, 0.0) for feature in features) for answer, features in judged.items()}
    return {answer: score for answer, score in scores.items() if score > weights["least"]}


@cache
def _weights(table: str) -> dict[str, float]:
    lines = packaged_text("scythe.page", f"tables/{table}_weights.txt").splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(weight) for name, _, weight in pairs}
