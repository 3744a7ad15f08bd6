"""Judge images by the tokens of their tags, as paper 003 (TC) does: a fitted model and images in, answers out.

Everything is computed from the model's tables, without scikit-learn, in scikit-learn's order of additions and with its
way out of ties, so that the answers are those of the classifier that was fitted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.model import PageImages
from scythe.page.image_tokens import text_of, tokenise
from scythe.page.token_tables import (
    NEIGHBOURS,
    Real,
    TokenRows,
    TokenTables,
    TokenTrees,
    Whole,
    depth_of,
    from_plain,
    to_plain,
)

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
