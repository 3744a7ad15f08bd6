"""What a classifier over tokens learned, in numbers: a record that fitting makes and predicting needs, and its JSON.

Nothing in the JSON names code, and what comes back is checked: every walk through a tree ends, every number is finite.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.rules import PUBLISHED

FORMAT = "scythe-tc"
VERSION = 1
NEIGHBOURS = 5  # that are asked; scikit-learn's default
MOST_WORDS = 500_000  # of one model; six pages have some 2 000
MOST_CHARS = 8_000_000  # of all words together
MOST_NODES = 500_000  # of all trees together; a hundred trees on six pages have some 5 000
MOST_TREES = 1_000
MOST_ROWS = 20_000  # images that a model is fitted to or remembers; six pages have some 200
MOST_ENTRIES = 2_000_000  # tokens of all of them
DEPTH = 1_000  # of a tree; real ones have some 20
_WHOLE, _REAL = "<u4", "<f8"

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TokenTrees:
    """Decision trees, their nodes one after the other, root first; the left child stands right behind its parent."""

    starts: Whole  # root of each tree
    right: Whole  # right child; 0: a leaf
    column: Whole  # the token looked at
    threshold: Real  # more of it: to the right
    irrelevant: Real  # of a leaf: share of images that are not relevant
    relevant: Real
    weights: Real  # of each tree in the vote; empty: the shares are averaged
    total: float = 1.0  # that votes are divided by


@dataclass(frozen=True, slots=True, eq=False)
class TokenRows:
    """Bags of tokens of images seen, as sparse rows, with what each of them says."""

    starts: Whole  # of each row, and the end of the last
    column: Whole
    count: Whole
    weights: Real  # neighbours: 1 relevant, 0 not; svm: coefficients of the support vectors
    gamma: float = 1.0  # svm: width of the kernel
    intercept: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class TokenTables:
    """A fitted model; without trees and rows there is none, and `why` says the reason."""

    method: str  # one of PUBLISHED
    words: tuple[str, ...] = ()  # tokens looked at; columns are places in it
    trees: TokenTrees | None = None
    rows: TokenRows | None = None
    why: str = ""

    @property
    def is_model(self) -> bool:
        """Whether there is anything to predict with."""
        return self.trees is not None or self.rows is not None


_TREES = {
    "starts": _WHOLE,
    "right": _WHOLE,
    "column": _WHOLE,
    "threshold": _REAL,
    "irrelevant": _REAL,
    "relevant": _REAL,
    "weights": _REAL,
}
_ROWS = {"starts": _WHOLE, "column": _WHOLE, "count": _WHOLE, "weights": _REAL}


def to_plain(tables: TokenTables) -> dict[str, object]:
    """Return the tables as plain values of JSON, arrays packed in base64."""
    saved: dict[str, object] = {"format": FORMAT, "version": VERSION, "method": tables.method}
    if tables.trees is not None:
        saved |= {"words": list(tables.words), "trees": _pack(tables.trees, _TREES) | {"total": tables.trees.total}}
    elif tables.rows is not None:
        rows = _pack(tables.rows, _ROWS) | {"gamma": tables.rows.gamma, "intercept": tables.rows.intercept}
        saved |= {"words": list(tables.words), "rows": rows}
    else:
        saved["why"] = tables.why
    return saved


def _pack(record: TokenTrees | TokenRows, kinds: Mapping[str, str]) -> dict[str, object]:
    return {name: b64encode(getattr(record, name).astype(kind).tobytes()).decode() for name, kind in kinds.items()}


def from_plain(saved: object) -> TokenTables:
    """Build tables from their plain form. Raises BadInput where they are not what `to_plain` writes."""
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise BadInput(f"not an image model: an object with format {FORMAT!r} was expected")
    if saved.get("version") != VERSION:
        raise BadInput(f"image model of version {saved.get('version')!r:.60}; this scythe reads version {VERSION}")
    method = saved.get("method")
    if method not in PUBLISHED:
        raise BadInput(f"image model of method {method!r:.60}; known are {', '.join(PUBLISHED)}")
    if "why" in saved:
        return TokenTables(method, why=str(saved["why"])[:1_000])
    try:
        words = _read_words(saved["words"])
        if method in ("neighbours", "svm"):
            return TokenTables(method, words, rows=_read_rows(saved["rows"], method, len(words)))
        return TokenTables(method, words, trees=_read_trees(saved["trees"], method, len(words)))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"not an image model: {error!r:.200}") from error


def _read_words(words: object) -> tuple[str, ...]:
    if not isinstance(words, list) or len(words) > MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BadInput(f"not an image model: words are at most {MOST_WORDS} texts")
    if len(set(words)) < len(words) or sum(map(len, words)) > MOST_CHARS:
        raise BadInput(f"not an image model: words are different, and of {MOST_CHARS} characters at most")
    return tuple(words)


def _read_trees(saved: Mapping[str, Any], method: str, words: int) -> TokenTrees:
    trees = TokenTrees(**_unpack(saved, _TREES), total=_number(saved["total"]))
    nodes, count = len(trees.right), len(trees.starts)
    sizes = {nodes, len(trees.column), len(trees.threshold), len(trees.irrelevant), len(trees.relevant)}
    votes = len(trees.weights) == (count if method == "adaboost" else 0)
    if len(sizes) > 1 or not votes or not 1 <= count <= MOST_TREES or nodes > MOST_NODES or trees.total <= 0:
        raise BadInput("not an image model: its trees are of uneven or unusual size")
    if method == "tree" and count != 1:
        raise BadInput(f"not an image model: one tree was expected, not {count}")
    inner = np.flatnonzero(trees.right)
    shares = np.concatenate((trees.irrelevant, trees.relevant))
    if not np.all((shares >= 0) & (shares <= 1)) or not np.all(trees.column[inner] < words):
        raise BadInput("not an image model: a leaf or a column is out of range")
    _check_shape(trees, inner)
    return trees


def _check_shape(trees: TokenTrees, inner: Whole) -> None:
    """Raise BadInput unless nodes form trees: all but the roots have one parent, in front of them and not far up."""
    nodes = len(trees.right)
    children = np.concatenate((inner + 1, trees.right[inner]))
    if np.any(trees.right[inner] <= inner + 1) or np.any(children >= nodes):
        raise BadInput("not an image model: a child does not stand behind its parent")
    parents = np.bincount(children, minlength=nodes)
    parents[trees.starts[trees.starts < nodes]] += 1
    if np.any(parents != 1) or np.any(trees.starts >= nodes):
        raise BadInput("not an image model: its nodes do not form trees")
    if depth_of(trees) > DEPTH:
        raise BadInput(f"not an image model: a tree is more than {DEPTH} deep")


def depth_of(trees: TokenTrees) -> int:
    """Return how many steps the longest walk takes, `DEPTH` + 1 where it takes more than that."""
    here, depth = trees.starts, 0
    while depth <= DEPTH:
        here = here[trees.right[here] > 0]
        if not len(here):
            break
        here = np.concatenate((here + 1, trees.right[here]))
        depth += 1
    return depth


def _read_rows(saved: Mapping[str, Any], method: str, words: int) -> TokenRows:
    rows = TokenRows(**_unpack(saved, _ROWS), gamma=_number(saved["gamma"]), intercept=_number(saved["intercept"]))
    count, entries = len(rows.weights), len(rows.column)
    least = NEIGHBOURS if method == "neighbours" else 0
    if not least <= count <= MOST_ROWS or len(rows.starts) != count + 1 or entries > MOST_ENTRIES:
        raise BadInput("not an image model: its rows are of uneven or unusual size")
    ends = rows.starts[0] == 0 and rows.starts[-1] == entries == len(rows.count)
    if not ends or np.any(np.diff(rows.starts) < 0) or np.any(rows.column >= words) or rows.gamma <= 0:
        raise BadInput("not an image model: a row or a column is out of range")
    if method == "neighbours" and not np.all((rows.weights == 0) | (rows.weights == 1)):
        raise BadInput("not an image model: neighbours are relevant (1) or not (0)")
    return rows


def _unpack(saved: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, kind in kinds.items():
        packed = np.frombuffer(b64decode(saved[name], validate=True), kind)
        if kind == _REAL and not np.all(np.abs(packed) <= 1e30):
            raise BadInput(f"not an image model: {name} has numbers that are none")
        made[name] = packed.astype(np.int64 if kind == _WHOLE else np.float64)
    return made


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e30:
        raise BadInput(f"not an image model: a number was expected, not {value!r:.60}")
    return float(value)
