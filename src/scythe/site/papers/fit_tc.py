"""Fit one of the five classifiers of the TC paper (003) to labelled images, with scikit-learn's defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scythe.errors import BadInput, MissingExtra
from scythe.model import PUBLISHED, LabelledPage
from scythe.reading.papers.tc import (
    MOST_ENTRIES,
    MOST_ROWS,
    NEIGHBOURS,
    TokenRows,
    TokenTables,
    TokenTrees,
    from_plain,
    text_of,
    to_plain,
    tokenise,
)
from scythe.site.labels.annotators import agreed_marks


def fit_tc(examples: Sequence[tuple[str, bool]], method: str = "adaboost", *, seed: int = 0) -> TokenTables:
    """Fit one of PUBLISHED to texts of images and whether they are relevant.

    Where no model is possible, the tables have none and say why. Raises BadInput for an unknown method and MissingExtra
    where scikit-learn is not installed.
    """
    if method not in PUBLISHED:
        raise BadInput(f"unknown published image method {method!r}; expected one of {', '.join(PUBLISHED)}")
    why = _no_model(examples, method)
    if why:
        return TokenTables(method, why=why)
    words, bags = _bags([text for text, _ in examples])
    if bags.nnz > MOST_ENTRIES:
        return TokenTables(method, why=f"more than {MOST_ENTRIES} tokens to learn from")
    answers = np.array([relevant for _, relevant in examples], dtype=np.int64)
    try:
        tables = _fit(method, words, bags, answers, seed)
        return from_plain(to_plain(tables))
    except (ValueError, BadInput) as error:  # boosting gives up where no single token tells the classes apart
        return TokenTables(method, why=f"no {method} could be fitted: {error}")


def fit_site_model(labelled: Sequence[LabelledPage], method: str, *, seed: int = 0) -> dict[str, object]:
    """Fit a published method to pages that people marked, and return the model as plain values of JSON."""
    return to_plain(fit_tc([example for page in labelled for example in examples_of(page)], method, seed=seed))


def examples_of(labelled: LabelledPage) -> list[tuple[str, bool]]:
    """Return the text of each image that people agree on and whether it is relevant, in page order."""
    return [(text_of(labelled.page.images[row]), answer) for row, answer in agreed_marks(labelled).items()]


def _no_model(examples: Sequence[tuple[str, bool]], method: str) -> str:
    """Say why there cannot be a model; empty where there can."""
    relevant = sum(answer for _, answer in examples)
    if relevant in (0, len(examples)):
        return "no image is marked as relevant" if not relevant else "every image is marked as relevant"
    if method == "neighbours" and len(examples) < NEIGHBOURS:
        return f"{NEIGHBOURS} neighbours need as many labelled images; there are {len(examples)}"
    return f"more than {MOST_ROWS} images to learn from" if len(examples) > MOST_ROWS else ""


def _bags(texts: Sequence[str]) -> tuple[tuple[str, ...], Any]:
    """Return the tokens of all texts, sorted, and how often each text has each: a sparse matrix, a row a text."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingExtra("published image methods need scikit-learn: pip install 'webscythe[ml]'") from None
    counter = CountVectorizer(analyzer=tokenise)
    bags = counter.fit_transform(texts)
    return tuple(counter.get_feature_names_out().tolist()), bags


def _fit(method: str, words: tuple[str, ...], bags: Any, answers: Any, seed: int) -> TokenTables:
    if method == "svm":
        from sklearn.svm import SVC

        fitted = SVC().fit(bags, answers)
        vectors, weights = fitted.support_vectors_, fitted.dual_coef_.toarray().ravel()
        gamma, intercept = float(fitted._gamma), float(fitted.intercept_[0])
        rows = TokenRows(vectors.indptr, vectors.indices, vectors.data, weights, gamma=gamma, intercept=intercept)
        return TokenTables(method, words, rows=rows)
    if method == "neighbours":
        # KNeighborsClassifier only remembers what it is given
        return TokenTables(method, words, rows=TokenRows(bags.indptr, bags.indices, bags.data, answers))
    if method == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return _tree_tables(method, words, [DecisionTreeClassifier(random_state=seed).fit(bags, answers)])
    if method == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return _tree_tables(method, words, RandomForestClassifier(random_state=seed).fit(bags, answers).estimators_)
    from sklearn.ensemble import AdaBoostClassifier

    boosted = AdaBoostClassifier(random_state=seed).fit(bags, answers)
    weights = boosted.estimator_weights_
    return _tree_tables(method, words, boosted.estimators_, weights[: len(boosted.estimators_)], float(weights.sum()))


def _tree_tables(
    method: str, words: tuple[str, ...], fitted: Sequence[Any], weights: Any = (), total: float = 1.0
) -> TokenTables:
    """Return the nodes of all trees in one table, and of the words those that a tree asks for."""
    trees = [estimator.tree_ for estimator in fitted]
    starts = np.cumsum([0] + [tree.node_count for tree in trees])
    inner = np.concatenate([tree.children_left >= 0 for tree in trees])
    rights = np.concatenate([tree.children_right + start for tree, start in zip(trees, starts, strict=False)])
    used, columns = np.unique(np.concatenate([tree.feature for tree in trees])[inner], return_inverse=True)
    column = np.zeros(len(inner), dtype=np.int64)
    column[inner] = columns
    shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
    nodes = TokenTrees(
        starts=starts[:-1],
        right=np.where(inner, rights, 0),
        column=column,
        threshold=np.where(inner, np.concatenate([tree.threshold for tree in trees]), 0.0),
        irrelevant=shares[:, 0],
        relevant=shares[:, 1],
        weights=np.asarray(weights, dtype=np.float64),
        total=total,
    )
    return TokenTables(method, tuple(words[at] for at in used), trees=nodes)
