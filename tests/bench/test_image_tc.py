"""Published image classifiers can be scored: fitted to rows of one site, they answer for other rows."""

from dataclasses import dataclass, field

import pytest
from bench.image_tc import AdaBoost

from bench import image_tc
from scythe.model import PUBLISHED

ADAPTERS = (image_tc.AdaBoost, image_tc.Forest, image_tc.Tree, image_tc.Neighbours, image_tc.Svm)


@dataclass
class Rows:
    """A page as the scorer hands it over."""

    labels: list[int]
    url: str = "https://x.example/1"
    images: list[dict[str, object]] = field(default_factory=list)


def page(*labels: int) -> Rows:
    """A page whose relevant images stand in figures."""
    texts = {0: '<div class="side"><a href="/"><img src="/a.png">', 1: '<div class="text"><figure><img src="/b.jpg">'}
    return Rows(list(labels), images=[{"img_text": texts[label], "src": ""} for label in labels])


@pytest.mark.parametrize("make", ADAPTERS)
def test_every_adapter_learns_from_one_page(make: type[AdaBoost]) -> None:
    adapter = make()
    adapter.fit([page(0, 1, 0, 1, 0, 1)], [page(0)])
    assert adapter.predict(page(1, 0)) == [True, False]
    assert adapter.predict_many([page(1), page(0, 1)]) == [1.0, 0.0, 1.0]


def test_there_is_one_adapter_for_each_method_and_scorers_see_that_it_is_tc() -> None:
    assert tuple(make.method for make in ADAPTERS) == PUBLISHED
    assert all(make.name.startswith("TC") for make in ADAPTERS)


def test_without_a_model_nothing_is_relevant_and_scorers_can_tell() -> None:
    adapter = AdaBoost()
    adapter.fit([page(0, 0)])
    assert vars(adapter)["m"] is None
    assert adapter.predict(page(1, 0)) == [False, False]
