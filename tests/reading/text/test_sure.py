"""A document says how good its text can be expected to be, and what kind of page it is from."""

from __future__ import annotations

import copy
import pickle

import pytest

import scythe
from scythe.demo import site as demo_site
from scythe.model import PAGE_KINDS

STORY = "<title>Barley</title><article><h1>Barley</h1>" + "".join(
    f"<p>In week {i} the reapers cut the barley of field {i}, and the rain, which had been late, came at last.</p>"
    for i in range(12)
)
DOUBTFUL = "<div><a href=/a>Terms</a><div>Ask us</div><div>From 12.99</div><div>In stock: 4, 7 and 12</div></div>" * 9


def test_a_plain_story_is_trusted_more_than_scraps() -> None:
    story, scraps = scythe.read(STORY), scythe.read(DOUBTFUL)
    assert story.confidence is not None
    assert 0.85 < story.confidence <= 1
    assert scraps.confidence is None or scraps.confidence < story.confidence


def test_confidence_outlives_the_page() -> None:
    document = scythe.read(STORY)
    for other in (copy.deepcopy(document), pickle.loads(pickle.dumps(document)), document.detach()):
        assert other.confidence == document.confidence
        assert other.kind == document.kind
    assert document.to_dict()["confidence"] == document.confidence


def test_a_document_without_text_or_scores_has_no_confidence() -> None:
    assert scythe.read("").confidence is None
    assert scythe.read(STORY, method="cetd").confidence is None
    assert scythe.read("", "https://example.org/").kind.name == ""


def test_the_probabilities_of_all_kinds_add_up() -> None:
    kind = scythe.read(STORY, "https://example.org/barley").kind
    assert kind.name == str(kind) == "article"
    assert set(kind.probabilities) == set(PAGE_KINDS)
    assert sum(kind.probabilities.values()) == pytest.approx(1, abs=0.01)


def test_a_list_is_a_front_page_only_at_the_address_of_the_host() -> None:
    rows = "".join(
        f"<li><h3><a href=/story/{i}>Reapers begin work on field {i}</a></h3><p>The rain was late.</p></li>"
        for i in range(30)
    )
    html = f"<title>News of the valley</title><main><h1>Latest news</h1><ul>{rows}</ul></main>"
    inner, front = (scythe.read(html, f"https://example.org/{path}").kind for path in ("news/page/2", ""))
    assert inner.probabilities["front page"] == 0
    assert front.probabilities["listing"] == 0
    assert front.probabilities["front page"] > 0


def test_pages_that_are_cut_are_of_the_kind_of_their_layout() -> None:
    stories = [page for page in demo_site() if page.url.startswith("https://demo.scythe.example/news/")][:12]
    site = scythe.Site.learn([(page.url, page.html) for page in stories[:8]])
    document = site.extract(stories[-1].html, url=stories[-1].url)
    assert document.how["text"].startswith("cut")
    assert document.kind.name == scythe.read(stories[-1].html, url=stories[-1].url).kind.name
