"""What costs more than a cut is worked out when it is asked for, and then it is there."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from functools import cache

import pytest
from tests.demo_sites import demo_site

from scythe.demo import DemoPage
from scythe.model import Document
from scythe.page import Page
from scythe.reader import read
from scythe.site.site import Site

NEWS = [page for page in demo_site() if page.kind == "news" and page.language == "en"]
LEARNED, OTHER = NEWS[:-1], NEWS[-1]


@cache
def learned(*fields: str) -> Site:
    return Site.learn([(page.url, page.html) for page in LEARNED], fields=fields or None)


def extracted(page: DemoPage, *fields: str) -> Document:
    return learned(*fields).extract(page.html, url=page.url)


def test_images_are_those_of_the_text() -> None:
    doc = extracted(OTHER)
    assert doc.fields["images"].values == OTHER.gold_images
    assert tuple(image.src for image in doc.images if image.relevant) == OTHER.gold_images


def test_text_that_was_not_learned_can_still_be_asked_for() -> None:
    doc = extracted(OTHER, "title")
    assert "text" not in doc.fields
    assert OTHER.gold_text.splitlines()[0] in doc.text


def test_a_title_that_was_not_learned_is_what_reading_the_page_says() -> None:
    doc = extracted(OTHER, "date", "text")
    assert "title" not in doc.how
    assert doc.title == read(OTHER.html, OTHER.url).title
    assert doc.how["title"].startswith("tree: ")
    assert doc.how["title"].endswith("(the field was not learned)")
    assert "title" not in doc.fields


def test_a_title_that_was_not_learned_is_what_the_head_says_where_no_tree_may_be_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = learned("date")
    monkeypatch.setattr(Page, "from_bytes", None)
    doc = site.extract(OTHER.html, url=OTHER.url, via="cut")
    assert doc.title == OTHER.gold_title
    assert doc.how["title"] == "head: declared by the page (the field was not learned)"
    nothing = site.extract(b"<html><body><h1>No title</h1></body></html>", via="cut")
    assert (nothing.title, nothing.how["title"]) == ("", "missing: the field was not learned")


def test_a_title_that_was_learned_costs_no_look_at_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [extracted(OTHER), extracted(OTHER, "title")]
    late = extracted(OTHER, "date")
    monkeypatch.setattr(Page, "from_bytes", None)
    assert [doc.title for doc in documents] == [OTHER.gold_title] * 2
    with pytest.raises(TypeError):
        _ = late.title


def test_a_dictionary_that_said_how_stays_as_it_was() -> None:
    doc = extracted(OTHER)
    before = doc.how
    kept = dict(before)
    assert before["images"] == "cut: by rules, when asked for"
    assert doc.fields["images"].how == doc.how["images"] == "cut: 1 area"
    assert before == kept


@pytest.mark.parametrize("fields", [(), ("title",), ("date",), ("date", "text")])
def test_documents_survive_copies(fields: tuple[str, ...]) -> None:
    doc = extracted(OTHER, *fields)
    for other in (copy.deepcopy(doc), pickle.loads(pickle.dumps(doc)), replace(doc), doc.detach()):
        assert other.text == doc.text
        assert other.title == doc.title == OTHER.gold_title
        assert {name: field.values for name, field in other.fields.items()} == {
            name: field.values for name, field in doc.fields.items()
        }
