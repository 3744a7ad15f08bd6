"""The network against a slow restatement of what it computes, block by block."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scythe.errors import BadInput
from scythe.page import Page
from scythe.reading.text.block_features import (
    HeadSummary,
    Vocabulary,
    describe,
)
from scythe.reading.text.network import FORMAT, VERSION, from_json, load, score

HTML = """<html><body class="home"><nav><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul></nav>
<article class="post-body"><h1>A late harvest</h1><p>It rained. It rained again, for weeks.</p><p>Then it stopped.</p>
<h2>After the rain</h2><p>The sun came <b>out</b>.<br>We went to work.</p></article>
<div id=comments><p>Nice one!</p></div>"""
HEAD = HeadSummary("A late harvest", "Rain and sun", ("og:article",))


def saved(width: int = 4, vector: int = 3, seed: int = 1) -> dict:
    random = np.random.default_rng(seed)
    tokens = {
        "names": ["<p>", "<li>", "post", "body", "<a>"],
        "words": ["it", "the", "news", "=1"],
        "page": ["og:article"],
    }
    columns = describe(Page.from_text(HTML).blocks, HEAD, Vocabulary([], [], [])).numbers.shape[1]
    sizes = {"names": vector, "words": vector, "page": 2}
    tables = {
        kind: {
            "vocabulary": words,
            "scale": 0.02,
            "rows": random.integers(-127, 128, (len(words), sizes[kind])).tolist(),
        }
        for kind, words in tokens.items()
    }
    inputs = columns + 5 * vector + 2
    return tables | {
        "format": FORMAT,
        "version": VERSION,
        "mean": random.normal(size=columns).tolist(),
        "scale": np.abs(random.normal(size=columns)).tolist(),
        "first": {
            "weights": (random.normal(size=(inputs, width)) / 9).tolist(),
            "bias": random.normal(size=width).tolist(),
        },
        "rounds": [
            {
                "reach": reach,
                "weights": (random.normal(size=(10 * width, width)) / 4).tolist(),
                "bias": random.normal(size=width).tolist(),
            }
            for reach in (1, 2)
        ],
        "kind": {
            "names": ["article", "thread", "product"],
            "round": 1,
            "weights": random.normal(size=(2 * width, 3)).tolist(),
            "bias": random.normal(size=3).tolist(),
            "rounds": [random.normal(size=(3, width)).tolist()],
            "last": random.normal(size=3).tolist(),
        },
        "last": {"weights": random.normal(size=width).tolist(), "bias": 0.1},
    }


@pytest.mark.parametrize("html", ["<p>x", "<p>\u6536</p>", "<a>one</a>", "<li>" * 30 + "deep", "<b>1</b><br>2<br>3"])
def test_the_smallest_pages_have_finite_scores(html):
    network = load()
    features = describe(Page.from_text(html).blocks, HeadSummary("", "", ()), network.vocabulary)
    assert np.isfinite(features.numbers).all()
    assert np.isfinite(score(network, features)[0]).all()


@pytest.mark.parametrize(
    "change",
    [{"format": "other"}, {"version": 99}, {"rounds": 3}, {"first": {}}, {"kind": {}}, {"names": {"vocabulary": []}}],
)
def test_a_file_that_is_no_network_of_this_version_is_refused(change):
    with pytest.raises(BadInput):
        from_json(json.dumps(saved() | change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "42"])
def test_text_that_is_no_network_is_refused(text):
    with pytest.raises(BadInput):
        from_json(text)
