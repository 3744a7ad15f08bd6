"""Published classifiers are fitted to labelled images, or it is said why not."""

from __future__ import annotations

import json
import sys

import pytest
from tests.site.labels.labelled import labelled

from scythe.errors import BadInput, MissingExtra
from scythe.model import PUBLISHED
from scythe.reading.papers.tc import MOST_ROWS, load_site_model, text_of
from scythe.site.papers.fit_tc import examples_of, fit_site_model, fit_tc

EXAMPLES = [('<p class="story"><img>', True), ("<a><img>", False)] * 3


@pytest.mark.parametrize("method", PUBLISHED)
def test_every_method_learns_what_one_token_tells(method: str) -> None:
    model = load_site_model(json.loads(json.dumps(fit_site_model(PAGES, method))))
    images = [text_of(image) for image in PAGES[0].page.images]
    assert model.predict(images) == [True, False, False]


# the images of a page differ in their file names; each page has the same three
PAGES = [labelled("a.jpg", "b.jpg", "c.jpg", url=f"https://news.example/{at}", ann=({0}, {1, 2})) for at in range(3)]


@pytest.mark.parametrize("method", PUBLISHED)
@pytest.mark.parametrize("answer", [True, False])
def test_one_kind_of_image_gives_no_model(method: str, answer: bool) -> None:
    tables = fit_tc([("<img>", answer)] * 9, method)
    assert not tables.is_model
    assert tables.why == ("every image is marked as relevant" if answer else "no image is marked as relevant")


def test_nothing_to_learn_from_gives_no_model() -> None:
    assert fit_tc([]).why == "no image is marked as relevant"
    assert fit_site_model([], "svm")["why"] == "no image is marked as relevant"


def test_fewer_than_five_images_have_no_five_neighbours() -> None:
    assert fit_tc(EXAMPLES[:4], "neighbours").why == "5 neighbours need as many labelled images; there are 4"
    assert fit_tc(EXAMPLES[:5], "neighbours").is_model


def test_boosting_gives_up_where_no_token_tells_the_kinds_apart() -> None:
    tables = fit_tc([("<img>", True), ("<img>", False)], "adaboost")
    assert not tables.is_model
    assert tables.why.startswith("no adaboost could be fitted: ")


def test_more_images_than_a_model_may_have_give_none() -> None:
    assert (
        fit_tc([("a", True), ("b", False)] * (MOST_ROWS // 2 + 1), "tree").why == "more than 20000 images to learn from"
    )


def test_trees_keep_only_the_tokens_they_ask_for() -> None:
    assert fit_tc(EXAMPLES, "tree").words in (("a", "img"), ("aimg",), ('class="story"img',), ("p",))
    assert len(fit_tc(EXAMPLES, "svm").words) == 3


def test_another_seed_may_choose_another_token_that_tells_as_much() -> None:
    assert len({fit_tc(EXAMPLES, "tree", seed=seed).words for seed in range(20)}) > 1


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(BadInput, match="expected one of adaboost, forest"):
        fit_tc(EXAMPLES, "oracle")


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(MissingExtra, match=r"pip install 'webscythe\[ml\]'"):
        fit_tc(EXAMPLES)


def test_images_that_people_do_not_agree_on_or_say_nothing_of_teach_nothing() -> None:
    page = labelled("a.jpg", "b.jpg", "c.jpg", "d.jpg", ann=({0, 1}, {2}), bob=({0}, {1}), eve=({2}, {0, 1}))
    assert [answer for _, answer in examples_of(page)] == [True, False]
    assert [text for text, _ in examples_of(page)] == [text_of(page.page.images[row]) for row in (0, 1)]


def test_more_tokens_than_can_be_learned_from_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.site.papers.fit_tc.MOST_ENTRIES", 3)
    tables = fit_tc(EXAMPLES, PUBLISHED[0])
    assert not tables.is_model
    assert tables.why == "more than 3 tokens to learn from"
