"""Published classifiers answer from their tables as scikit-learn answers, and damaged tables are refused."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from base64 import b64encode
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.reading.images.token_images import Examples, demo_pages

from scythe.errors import BadInput
from scythe.model import PUBLISHED, ImageContext, PageImages
from scythe.reading.papers import tc
from scythe.reading.papers.tc import (
    TcModel,
    TokenTables,
    TokenTrees,
    from_json,
    load_site_model,
    text_of,
    to_json,
    to_plain,
    tokenise,
)
from scythe.site.papers.fit_tc import fit_tc

MAKE = {
    "adaboost": lambda: AdaBoostClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(random_state=0),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier,
    "svm": SVC,
}
# few words, so that images often have the same tokens and neighbours are often equally far
bags = st.lists(st.sampled_from(["img", "div", 'class="a"', "b", "width=9"]), max_size=6).map(" ".join)
examples = st.lists(st.tuples(bags, st.booleans()), min_size=5, max_size=40).filter(
    lambda rows: len({answer for _, answer in rows}) == 2
)


def fitted(rows: Examples, method: str) -> tuple[TcModel, Any, CountVectorizer]:
    """Return our model, read back from its text, and scikit-learn's."""
    model = from_json(to_json(TcModel(fit_tc(rows, method))))
    counter = CountVectorizer(analyzer=tokenise)
    counts = counter.fit_transform([text for text, _ in rows])
    if model.why:
        return model, None, counter
    return model, MAKE[method]().fit(counts, [int(answer) for _, answer in rows]), counter


def farthest(model: TcModel, theirs: Any, texts: list[str], counts: Any) -> float:
    """Return the largest difference between our numbers and scikit-learn's."""
    gaps = [0.0]
    if model.tables.method != "svm":
        gaps.append(np.abs(np.array(model.predict_proba(texts)) - theirs.predict_proba(counts)[:, 1]).max())
    if model.tables.method in ("svm", "adaboost"):
        gaps.append(np.abs(np.array(model.decide(texts)) - theirs.decision_function(counts)).max())
    return max(gaps)


@pytest.mark.parametrize("method", PUBLISHED)
def test_images_of_the_demo_are_judged_as_scikit_learn_does(method: str) -> None:
    pages = demo_pages()
    model, theirs, counter = fitted([row for page in pages[1:7] for row in page], method)
    texts = [text for page in pages for text, _ in page]
    counts = counter.transform(texts)
    assert model.predict(texts) == theirs.predict(counts).astype(bool).tolist()
    assert farthest(model, theirs, texts, counts) < 1e-9


@pytest.mark.parametrize(
    ("method", "times"), [("adaboost", 6), ("forest", 2), ("tree", 25), ("neighbours", 40), ("svm", 25)]
)
def test_any_bags_are_judged_as_scikit_learn_does(method: str, times: int) -> None:
    seen = 0

    @settings(deadline=None, max_examples=times)
    @given(examples, st.lists(bags, min_size=1, max_size=20))
    def check(rows: Examples, texts: list[str]) -> None:
        nonlocal seen
        model, theirs, counter = fitted(rows, method)
        if theirs is None:
            return
        texts += [text for text, _ in rows]
        counts = counter.transform(texts)
        assert model.predict(texts) == theirs.predict(counts).astype(bool).tolist()
        assert farthest(model, theirs, texts, counts) < 1e-9
        seen += 1

    check()
    assert seen


def test_probabilities_of_svm_are_on_its_side_of_the_boundary() -> None:
    model = TcModel(fit_tc(demo_pages()[2], "svm"))
    texts = [text for page in demo_pages() for text, _ in page]
    assert [share >= 0.5 for share in model.predict_proba(texts)] == model.predict(texts)


@pytest.mark.parametrize("method", ["forest", "tree", "neighbours"])
def test_methods_without_a_decision_function_say_so(method: str) -> None:
    with pytest.raises(BadInput, match="no decision function"):
        TcModel(fit_tc(demo_pages()[1], method)).decide(["img"])


def page_of(*texts: str) -> PageImages:
    return PageImages(images=tuple(ImageContext("", ("", "", text)) for text in texts))


def test_scores_of_a_page_are_a_half_or_more_where_an_image_is_relevant() -> None:
    # two trees that contradict each other: a probability of .5, and scikit-learn takes the first class
    stump = {"starts": [0, 3], "right": [2, 0, 0, 2 + 3, 0, 0], "column": [0] * 6, "threshold": [0.5] * 6}
    shares = {"irrelevant": [0, 1, 0, 0, 0, 1], "relevant": [0, 0, 1, 0, 1, 0], "weights": []}
    arrays = {name: np.array(values) for name, values in (stump | shares).items()}
    model = TcModel(TokenTables("forest", ("img",), trees=TokenTrees(**arrays)))
    assert model.predict(["img"]) == [False]
    assert model.predict_proba(["img"]) == [0.5]
    assert model.score(page_of("img")) == [math.nextafter(0.5, 0)]
    sure = TcModel(fit_tc(demo_pages()[2], "adaboost"))
    images = page_of(*(text for text, _ in demo_pages()[2]))
    answers = sure.predict([text_of(image) for image in images.images])
    assert [score >= 0.5 for score in sure.score(images)] == answers
    assert any(answers)


@pytest.mark.parametrize("method", PUBLISHED)
def test_no_images_have_no_answers(method: str) -> None:
    model = TcModel(fit_tc(demo_pages()[2], method))
    assert (model.predict([]), model.predict_proba([]), model.score(PageImages())) == ([], [], [])


def test_without_a_model_nothing_is_relevant_and_the_reason_is_kept() -> None:
    model = from_json(to_json(TcModel(fit_tc([("<img>", False)], "tree"))))
    assert model.why == "no image is marked as relevant"
    assert model.predict(["<img>"]) == [False]
    assert model.score(page_of("<img>")) == [0.0]


def test_many_images_at_once_are_judged_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for page in demo_pages()[1:4] for row in page]
    texts = [text for text, _ in rows]
    for method in ("tree", "neighbours", "svm"):
        model = TcModel(fit_tc(rows, method))
        whole = model.predict_proba(texts)
        monkeypatch.setattr(tc, "_CELLS", 1_000)  # so that a few images are many
        assert model.predict_proba(texts) == pytest.approx(whole, abs=1e-12)
        monkeypatch.undo()


def test_prediction_needs_no_scikit_learn() -> None:
    saved = to_json(TcModel(fit_tc(demo_pages()[2], "adaboost")))
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['scipy'] = None\n"
        "from scythe.reading.papers.tc import from_json\n"
        "print(from_json(sys.stdin.read()).predict(['<img>']))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=saved, capture_output=True, text=True, check=True)
    assert done.stdout == "[False]\n"


def packed(*numbers: float, kind: str = "<u4") -> str:
    return b64encode(np.array(numbers).astype(kind).tobytes()).decode()


TREE = to_plain(fit_tc([("img a", True), ("img b", False), ("img a b", False)], "tree"))
NEAR = to_plain(fit_tc([("a", True), ("b", False), ("a b", True), ("c", False), ("d", True)], "neighbours"))
DAMAGES: dict[str, dict[str, Any]] = {
    "another format": TREE | {"format": "pickle"},
    "a newer version": TREE | {"version": 2},
    "an unknown method": TREE | {"method": "oracle"},
    "no words": {key: value for key, value in TREE.items() if key != "words"},
    "words that are numbers": TREE | {"words": [1, 2]},
    "a word twice": TREE | {"words": ["a", "a"]},
    "no trees": TREE | {"trees": {}},
    "trees that are none": TREE | {"trees": "AAAA"},
    "rows instead of trees": TREE | {"method": "svm"},
    "votes of a single tree": TREE | {"method": "adaboost"},
}
for name, part, damage in [
    ("a loop", "trees", {"right": packed(1, 0, 0, 0, 0)}),
    ("a child in front", "trees", {"right": packed(0, 0, 1, 0, 0)}),
    ("a child shared by two", "trees", {"right": packed(2, 3, 0, 0, 0)}),
    ("a child beyond the end", "trees", {"right": packed(9, 0, 0, 0, 0)}),
    ("a root beyond the end", "trees", {"starts": packed(7)}),
    ("no root", "trees", {"starts": ""}),
    ("a column too many", "trees", {"column": packed(9, 9, 9, 9, 9)}),
    ("a threshold that is no number", "trees", {"threshold": packed(math.nan, 0, 0, 0, 0, kind="<f8")}),
    ("an endless share", "trees", {"relevant": packed(math.inf, 0, 0, 0, 0, kind="<f8")}),
    ("a share above one", "trees", {"relevant": packed(2, 2, 2, 2, 2, kind="<f8")}),
    ("half a number", "trees", {"right": "AAA="}),
    ("no base64", "trees", {"right": "?"}),
    ("a list instead of base64", "trees", {"right": [1]}),
    ("a total of nothing", "trees", {"total": 0}),
    ("a total in words", "trees", {"total": "1"}),
    ("a total that is no number", "trees", {"total": math.nan}),
    ("rows that go back", "rows", {"starts": packed(0, 2, 1, 4, 5, 6)}),
    ("rows beyond the end", "rows", {"starts": packed(0, 1, 2, 4, 5, 99)}),
    ("a row too few", "rows", {"starts": packed(0, 1, 2, 4, 6)}),
    ("a word too many", "rows", {"column": packed(0, 1, 0, 1, 2, 77)}),
    ("fewer neighbours than are asked", "rows", {"starts": packed(0, 6), "weights": packed(1, kind="<f8")}),
    ("a neighbour that is half relevant", "rows", {"weights": packed(0.5, 0, 1, 0, 1, kind="<f8")}),
    ("a kernel of no width", "rows", {"gamma": 0}),
]:
    whole = copy.deepcopy(TREE if part == "trees" else NEAR)
    whole[part] |= damage  # type: ignore[operator]
    DAMAGES[name] = whole


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_models_are_refused(damage: str) -> None:
    assert not load_site_model(TREE).why
    assert not load_site_model(NEAR).why
    with pytest.raises(BadInput, match="image model"):
        load_site_model(DAMAGES[damage])


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000, '{"format": "scythe-tc"}', "NaN"])
def test_texts_that_are_no_model_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="image model"):
        from_json(text)


def test_a_tree_that_is_one_long_chain_is_refused() -> None:
    depth = 100_000
    right = [2 * depth - at if at < depth else 0 for at in range(2 * depth + 1)]
    nodes = len(right)
    zeros = packed(*[0.0] * nodes, kind="<f8")
    trees = {"starts": packed(0), "right": packed(*right), "column": packed(*[0] * nodes), "threshold": zeros}
    trees |= {"irrelevant": zeros, "relevant": zeros, "weights": "", "total": 1.0}  # type: ignore[dict-item]
    with pytest.raises(BadInput, match="deep"):
        load_site_model(TREE | {"trees": trees})


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(["starts", "right", "column", "threshold", "irrelevant", "relevant", "weights"]),
    st.binary(max_size=64),
)
def test_a_model_that_is_accepted_answers(name: str, noise: bytes) -> None:
    saved = copy.deepcopy(TREE)
    saved["trees"][name] = b64encode(noise).decode()  # type: ignore[index]
    try:
        model = load_site_model(json.loads(json.dumps(saved)))
    except BadInput:
        return
    assert len(model.predict(["img a", "b"])) == 2


@pytest.mark.parametrize("method", PUBLISHED)
def test_the_same_labels_give_the_same_text(method: str) -> None:
    rows = demo_pages()[2]
    texts = [to_json(TcModel(fit_tc(rows, method))) for _ in range(2)]
    assert texts[0] == texts[1] == to_json(from_json(texts[0]))
