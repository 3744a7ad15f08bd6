"""Score rows of features with a trained forest of decision trees, without scikit-learn.

The children of a node are adjacent, so the next node is the first child plus the result of the comparison; a leaf is
its own first child. All rows walk all trees at once.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.extension import native
from scythe.package_files import packaged_text

COMPILED = native
RECORDS = "scythe-record-forest"  # what a saved forest calls itself
VERSION = 1
ROWS = 2_000  # scored at once: bounds memory
_PACKED = {"first": "<u4", "feature": "<u2", "threshold": "<f4", "value": "<f4", "roots": "<u4"}


@dataclass(frozen=True, slots=True)
class Forest:
    """Regression trees, the nodes of all of them one after the other."""

    features: tuple[str, ...]  # what the columns of the input are called, in order
    roots: NDArray[np.int64]
    first: NDArray[np.int64]  # first child; of a leaf the leaf itself
    feature: NDArray[np.int64]
    threshold: NDArray[np.float32]  # above it: the second child
    value: NDArray[np.float32]

    def predict(self, rows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return the mean over the trees for each row."""
        values = np.ascontiguousarray(rows, dtype=np.float32)
        if COMPILED is not None and len(values):
            return np.frombuffer(COMPILED.predict_forest(_pack(self, values.shape[1]), values))
        return self.predict_by_arrays(values)

    def predict_by_arrays(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Do what the compiled walk does, which must give the same numbers."""
        parts = [self._walk(values[start : start + ROWS]) for start in range(0, len(values), ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _walk(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        count, width = rows.shape
        flat = rows.ravel()
        node = np.repeat(self.roots, count)
        base = np.tile(np.arange(count) * width, len(self.roots))
        active = np.arange(len(node))
        here = node
        while len(active):
            above = flat.take(base + self.feature.take(here)) > self.threshold.take(here)
            below = self.first.take(here) + above
            moved = np.flatnonzero(below != here)
            node[active] = below
            active, here, base = active[moved], below[moved], base[moved]
        found: NDArray[np.float64] = self.value.take(node).reshape(-1, count).mean(axis=0, dtype=np.float64)
        return found


_REMEMBERED = 8  # forests: the shipped ones, and those of a cross-validation, which take turns
_packed: list[tuple[Forest, int, object]] = []


def _pack(forest: Forest, width: int) -> object:
    """Return a forest as the compiled walk reads it; that of the last ones is remembered."""
    for known, wide, packed in _packed:
        if known is forest and wide == width:
            return packed
    assert COMPILED is not None
    made: object = COMPILED.pack_forest(
        forest.roots, forest.first, forest.feature, forest.threshold, forest.value, width
    )
    _packed[:] = [(forest, width, made), *_packed][:_REMEMBERED]
    return made


def from_json(text: str, form: str = RECORDS) -> Forest:
    """Build a forest from its saved form. Raises BadInput when the text is not one of this form and version."""
    try:
        saved = json.loads(text)
        if saved["format"] != form or saved["version"] != VERSION:
            raise BadInput(f"expected {form} version {VERSION}, got {saved['format']} version {saved['version']}")
        parts = {name: np.frombuffer(b64decode(saved[name], validate=True), kind) for name, kind in _PACKED.items()}
        forest = Forest(
            features=tuple(saved["features"]),
            roots=parts["roots"].astype(np.int64),
            first=parts["first"].astype(np.int64),
            feature=parts["feature"].astype(np.int64),
            threshold=parts["threshold"].astype(np.float32),
            value=parts["value"].astype(np.float32),
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadInput(f"not a saved forest: {error!r}") from error
    _check(forest)
    return forest


def _check(forest: Forest) -> None:
    """Raise BadInput unless every walk ends: children lie behind their parents, features exist."""
    count = len(forest.first)
    own = np.arange(count)
    leaf = forest.first == own
    sizes = {count, len(forest.feature), len(forest.threshold), len(forest.value)}
    ahead = bool(np.all(leaf & (forest.threshold == np.inf) | (forest.first > own) & (forest.first < count - 1)))
    known = bool(np.all(forest.feature < len(forest.features))) and bool(np.all(forest.roots < count))
    if len(sizes) > 1 or not ahead or not known or not len(forest.roots):
        raise BadInput("not a saved forest: its nodes do not form trees")


def to_json(forest: Forest, form: str = RECORDS) -> str:
    """Return the saved form, which `from_json` reads."""
    saved: dict[str, Any] = {"format": form, "version": VERSION, "features": list(forest.features)}
    for name, kind in _PACKED.items():
        saved[name] = b64encode(getattr(forest, name).astype(kind).tobytes()).decode()
    return json.dumps(saved, indent=0, ensure_ascii=False) + "\n"


@lru_cache(maxsize=1)
def load() -> Forest:
    """Return the forest that ships with the package."""
    return from_json(packaged_text("scythe.reading.lists", "tables/regions.json"))
