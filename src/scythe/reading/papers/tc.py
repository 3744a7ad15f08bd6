"""TC: judge images by the tokens of their tags (paper 003), with a fitted classifier read from JSON.

Predictions follow scikit-learn's order of additions and tie-breaking, without importing it. Nothing in the JSON names
code, and it is checked: every walk through a tree ends, every number is finite.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.model import PUBLISHED, ImageContext, PageImages

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
        raise BadInput(f"image model of method {method!r:.60}; expected one of {', '.join(PUBLISHED)}")
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
        raise BadInput("not an image model: a child node must come after its parent")
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
            raise BadInput(f"not an image model: {name} contains NaN or infinity")
        made[name] = packed.astype(np.int64 if kind == _WHOLE else np.float64)
    return made


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e30:
        raise BadInput(f"not an image model: a number was expected, not {value!r:.60}")
    return float(value)


_SPACED = ("//", "/", ".", "?", ";")  # become a space, in this order, so that `//` leaves one space and not two


def text_of(context: ImageContext) -> str:
    """Return the paper's textual data of an image: the opening tags of grandparent, parent and image."""
    return "".join(context.tags)


def tokenise(text: str, *, as_printed: bool = False) -> list[str]:
    """Cut text into tokens as the paper's code does, or with `as_printed` as the paper's example shows.

    The code leaves quotes in (`class="row`), glues tags that no space parts (`wrapper"div`) and makes empty tokens
    where spaces meet; the printed bag has none of that. The published scores come from the code.
    """
    text = text.lower().replace("<", " " if as_printed else "").replace(">", "").strip()
    for mark in _SPACED:
        text = text.replace(mark, " ")
    if as_printed:
        return text.replace('"', " ").split()
    # the second call finds something only where five or more spaces met; it stands here because it does in the original
    return text.replace("  ", " ").replace("   ", " ").split(" ")


_CELLS = 2_000_000  # of a matrix that is made at once: bounds memory
_BELOW = math.nextafter(0.5, 0.0)


class TcModel:
    """A fitted model of one site. Without a model (see `why`) no image is relevant."""

    def __init__(self, tables: TokenTables) -> None:
        self.tables = tables
        self._columns = {word: column for column, word in enumerate(tables.words)}
        self._voice: _Trees | _Neighbours | _Kernel | None = None
        if tables.trees is not None:
            self._voice = _Trees(tables.trees)
        elif tables.rows is not None:
            self._voice = (_Neighbours if tables.method == "neighbours" else _Kernel)(tables.rows, len(tables.words))

    @property
    def why(self) -> str:
        """Say why there is no model; empty where there is one."""
        return self.tables.why

    def predict(self, texts: Sequence[str]) -> list[bool]:
        """Say of each text, as `text_of` gives it, whether its image is relevant."""
        return [answer for answers, _ in self._answers(texts) for answer in answers.tolist()]

    def predict_proba(self, texts: Sequence[str]) -> list[float]:
        """Return the probability of each to be relevant.

        It is scikit-learn's, which is not calibrated (boosting never leaves .12 to .88); for svm, which has none there,
        it is the logistic function of `decide`.
        """
        return [share for _, shares in self._answers(texts) for share in shares.tolist()]

    def decide(self, texts: Sequence[str]) -> list[float]:
        """Return the decision function of adaboost or svm: relevant above 0. Raises BadInput for other methods."""
        voice = self._voice
        if not (isinstance(voice, _Kernel) or (isinstance(voice, _Trees) and voice.is_vote)):
            raise BadInput(f"{self.tables.method} has no decision function{': ' * bool(self.why)}{self.why}")
        return [value for counts in self._counts(texts, voice.width) for value in voice.decide(counts).tolist()]

    def score(self, page: PageImages) -> list[float]:
        """Return the probability of each image of a page, at least .5 exactly where `predict` says relevant."""
        scores = []
        for answers, shares in self._answers([text_of(image) for image in page.images]):
            bounded = np.where(answers, np.maximum(shares, 0.5), np.minimum(shares, _BELOW))
            scores += bounded.tolist()
        return scores

    def _answers(self, texts: Sequence[str]) -> Iterator[tuple[NDArray[np.bool_], Real]]:
        if self._voice is None:
            yield np.zeros(len(texts), dtype=np.bool_), np.zeros(len(texts))
            return
        for counts in self._counts(texts, self._voice.width):
            yield self._voice.answer(counts)

    def _counts(self, texts: Sequence[str], width: int) -> Iterator[Real]:
        """Yield how often each text has each word, a row a text, so many rows at once as memory allows."""
        column_of, words = self._columns, len(self._columns)
        step = max(1, _CELLS // max(words, width, 1))
        for start in range(0, len(texts), step):
            part = texts[start : start + step]
            places = []
            for row, text in enumerate(part):
                base = row * words
                places += [base + column_of[token] for token in tokenise(text) if token in column_of]
            found = np.bincount(np.array(places, dtype=np.int64), minlength=len(part) * words)
            yield found.reshape(len(part), words).astype(np.float64)


class _Trees:
    """Votes of boosted stumps, or the mean shares of one tree or many."""

    def __init__(self, trees: TokenTrees) -> None:
        self._trees = trees
        self._depth = depth_of(trees)
        own = np.arange(len(trees.right))
        leaf = trees.right == 0
        self._threshold = np.where(leaf, np.inf, trees.threshold)  # nothing is above it, and below is the leaf itself
        self._column = np.where(leaf, 0, trees.column)
        self._next = np.stack((np.where(leaf, own, own + 1), np.where(leaf, own, trees.right)), axis=1).ravel()
        self._says = np.where(trees.relevant > trees.irrelevant, 1.0, -1.0)  # a tie is for the first class: irrelevant
        self.is_vote = len(trees.weights) > 0
        self.width = len(trees.starts)

    def answer(self, counts: Real) -> tuple[NDArray[np.bool_], Real]:
        if self.is_vote:
            decided = self.decide(counts)
            return decided > 0, _logistic(decided)
        leaves = self._leaves(counts)
        # added one by one, as scikit-learn does: numpy's own sum adds in pairs, and ties would break elsewhere
        against = np.cumsum(self._trees.irrelevant[leaves], axis=0)[-1] / len(leaves)
        share = np.cumsum(self._trees.relevant[leaves], axis=0)[-1] / len(leaves)
        return share > against, share

    def decide(self, counts: Real) -> Real:
        votes = self._says[self._leaves(counts)] * self._trees.weights[:, None]
        value: Real = np.cumsum(votes, axis=0)[-1] / self._trees.total
        return value + value  # for the class and against the other

    def _leaves(self, counts: Real) -> Whole:
        """Return the leaf that each row (second axis) reaches in each tree (first axis)."""
        rows, words = counts.shape
        node = np.repeat(self._trees.starts[:, None], rows, axis=1)
        if not words:
            return node
        flat = counts.astype(np.float32).ravel()  # scikit-learn compares single with double precision
        base = np.arange(rows) * words
        for _ in range(self._depth):
            above = flat.take(base + self._column.take(node)) > self._threshold.take(node)
            node = self._next.take(2 * node + above)
        return node


class _Bags:
    """Bags of tokens that others are compared with."""

    def __init__(self, rows: TokenRows, words: int) -> None:
        self._rows = rows
        self.width = max(1, len(rows.weights))
        row = np.repeat(np.arange(len(rows.weights)), np.diff(rows.starts))
        order = np.argsort(rows.column, kind="stable")
        self._row, self._count = row[order], rows.count[order].astype(np.float64)
        self._ends = np.searchsorted(rows.column[order], np.arange(words + 1))
        self._norm = np.bincount(row, rows.count.astype(np.float64) ** 2, minlength=len(rows.weights))

    def distances(self, counts: Real) -> Real:
        """Return the squared distance of each row of counts to each bag: whole numbers, exact in any order."""
        products = np.zeros((len(counts), len(self._norm)))
        columns = np.flatnonzero(counts.any(axis=0))
        step = max(1, _CELLS // self.width)
        for start in range(0, len(columns), step):
            part = columns[start : start + step]
            products += counts[:, part] @ self._dense(part)
        squared: Real = (counts**2).sum(axis=1)[:, None] - 2 * products + self._norm
        return squared

    def _dense(self, columns: Whole) -> Real:
        """Return the counts of some words, a row a word and a column a bag."""
        sizes = self._ends[columns + 1] - self._ends[columns]
        firsts = np.repeat(self._ends[columns] - np.cumsum(sizes) + sizes, sizes)
        entries = firsts + np.arange(len(firsts))
        dense = np.zeros((len(columns), len(self._norm)))
        dense[np.repeat(np.arange(len(columns)), sizes), self._row[entries]] = self._count[entries]
        return dense


class _Neighbours(_Bags):
    """The share of relevant images among the nearest."""

    def answer(self, counts: Real) -> tuple[NDArray[np.bool_], Real]:
        # which of several equally far neighbours are asked is up to argpartition, in scikit-learn too
        nearest = np.argpartition(self.distances(counts), NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]
        votes = self._rows.weights[nearest].sum(axis=1)
        return 2 * votes > NEIGHBOURS, votes / NEIGHBOURS


class _Kernel(_Bags):
    """The side of the boundary between support vectors, with radial kernels."""

    def answer(self, counts: Real) -> tuple[NDArray[np.bool_], Real]:
        decided = self.decide(counts)
        return decided >= 0, _logistic(decided)  # libsvm gives the boundary itself to the second class

    def decide(self, counts: Real) -> Real:
        distances, places = np.unique(self.distances(counts), return_inverse=True)
        # the C library's exponential, which libsvm uses; numpy's may differ in the last bit
        near = np.array([math.exp(-self._rows.gamma * value) for value in distances.tolist()])
        kernels = near[places].reshape(len(counts), -1)
        summed = np.cumsum(kernels * self._rows.weights, axis=1)
        value: Real = (summed[:, -1] if summed.shape[1] else np.zeros(len(counts))) + self._rows.intercept
        return value


def _logistic(values: Real) -> Real:
    """Return 1 / (1 + e^-x), at least .5 exactly where x is not negative."""
    bounded: Real = 1 / (1 + np.exp(-np.clip(values, -700, 700)))
    return bounded


def to_json(model: TcModel) -> str:
    """Return the saved form of a model, which `from_json` reads."""
    return json.dumps(to_plain(model.tables), ensure_ascii=False, indent=0) + "\n"


def from_json(text: str) -> TcModel:
    """Read a model. Raises BadInput where the text is not what `to_json` writes."""
    try:
        return load_site_model(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not an image model: {error!r:.200}") from error


def load_site_model(saved: object) -> TcModel:
    """Make a model from what `learn.tc.fit_site_model` returned. Raises BadInput where it is something else."""
    return TcModel(from_plain(saved))
