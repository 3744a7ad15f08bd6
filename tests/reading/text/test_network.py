"""The network against a slow restatement of what it computes, block by block."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scythe.errors import BadInput
from scythe.page import Page
from scythe.reading.text.block_features import (
    COMMA,
    DENSE,
    STOP,
    HeadSummary,
    Vocabulary,
    count_letters,
    describe,
    split_names,
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


def slow_score(weights: dict, features) -> tuple[list[float], list[float]]:
    """Restate the network without any of the shortcuts: one block, one box, one sum at a time."""
    tables = {
        k: np.vstack([np.zeros(len(weights[k]["rows"][0])), np.array(weights[k]["rows"]) * weights[k]["scale"]])
        for k in ("names", "words", "page")
    }

    def bag(table, bags, owner):
        return sum(
            (tables[table][row] for row in bags.ids[bags.offsets[owner] : bags.offsets[owner + 1]]), tables[table][0]
        )

    count, parent = len(features.numbers), features.box_parent
    hidden = []
    for i in range(count):
        box = features.box[i]
        path, at = bag("names", features.names, box), box
        while at != 0:
            at = parent[at]
            path = path + bag("names", features.names, at)
        near = parent[box]
        around = bag("names", features.names, near) + bag("names", features.names, parent[near])
        vectors = [
            bag("names", features.leads, i),
            bag("names", features.names, box),
            around,
            path,
            bag("words", features.openings, i),
        ]
        page = sum((tables["page"][row] for row in features.page_ids), tables["page"][0])
        numbers = np.clip((features.numbers[i] - np.array(weights["mean"])) * np.array(weights["scale"]), -5, 5)
        inputs = np.concatenate([numbers, np.tanh(np.concatenate([*vectors, page]))])
        hidden.append(np.maximum(inputs @ np.array(weights["first"]["weights"]) + weights["first"]["bias"], 0))
    head, kinds = weights["kind"], np.zeros(3)
    for number, layer in enumerate(weights["rounds"]):
        page = np.concatenate([np.mean(hidden, axis=0), np.max(hidden, axis=0)])
        told = np.zeros(len(hidden[0]))
        if number == head["round"]:
            kinds = np.exp(page @ np.array(head["weights"]) + head["bias"])
            kinds = kinds / kinds.sum()
            told = kinds @ np.array(head["rounds"][0])
        zero, reach = np.zeros_like(hidden[0]), layer["reach"]
        new = []
        for i in range(count):
            near = parent[features.box[i]]
            far = parent[near]
            seen = [
                hidden[i],
                hidden[i - reach] if i >= reach else zero,
                hidden[i + reach] if i + reach < count else zero,
            ]
            for box in (near, far, parent[parent[far]]):
                inside = hidden[features.box_start[box] : features.box_end[box]]
                seen.append(np.mean(inside, axis=0) if inside else zero)
            seen.append(
                np.mean([hidden[j] for j in range(count) if features.cluster[j] == features.cluster[i]], axis=0)
            )
            seen += [np.mean(hidden, axis=0), np.max(hidden, axis=0), hidden[features.heading[i]]]
            sums = np.concatenate(seen) @ np.array(layer["weights"]) + layer["bias"] + told
            new.append(hidden[i] + np.maximum(sums, 0))
        hidden = new
    bias = weights["last"]["bias"] + kinds @ np.array(head["last"])
    return [1 / (1 + np.exp(-(h @ np.array(weights["last"]["weights"]) + bias))) for h in hidden], kinds.tolist()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_network_equals_its_slow_restatement(seed):
    weights = saved(seed=seed)
    network = from_json(json.dumps(weights))
    features = describe(Page.from_text(HTML).blocks, HEAD, network.vocabulary)
    blocks, kinds = score(network, features)
    expected, told = slow_score(weights, features)
    assert blocks.tolist() == pytest.approx(expected, abs=1e-4)
    assert kinds.tolist() == pytest.approx(told, abs=1e-4)


def test_slices_of_the_products_change_nothing():
    network = load()
    html = (
        "<div>" + "".join(f"<p class=a{i % 5}>Line {i}, of a long page. It goes on.</p>" for i in range(700)) + "</div>"
    )
    features = describe(Page.from_text(html).blocks, HEAD, network.vocabulary)
    scores, kinds = score(network, features)
    assert len(scores) == 700
    assert np.isfinite(scores).all()
    assert sum(kinds) == pytest.approx(1)
    assert (scores == score(network, features)[0]).all()


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


def test_letters_count_kinds_and_sentence_ends():
    letters = count_letters(["One. Two, three!", "\u4e00\u4e8c\u3002\u4e09\u3002", "3.14 is no end"])
    assert letters.counts[0, COMMA] == 1
    assert letters.counts[1, DENSE] == 3
    assert letters.sentences.tolist() == [2, 2, 0]
    assert letters.last.tolist()[:2] == [STOP, STOP]
    assert letters.counts.sum(axis=1).tolist() == [16, 5, 14]


def test_names_are_split_into_lower_case_words_once_each():
    assert split_names("postBody entry-content post_123 XMLHttp") == ("post", "body", "entry", "content", "xml", "http")
    assert split_names("") == ()
    assert len(split_names("word " * 1000)) == 1


def test_the_totals_of_a_box_are_those_of_its_blocks():
    blocks = Page.from_text(HTML).blocks
    for box, (start, end) in enumerate(zip(blocks.box_start, blocks.box_end, strict=True)):
        inside = {i for i in range(len(blocks)) if box in blocks.boxes_above(i)}
        assert inside == set(range(start, end))
