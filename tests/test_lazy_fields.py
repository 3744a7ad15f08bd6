"""What costs more than a cut is worked out when it is asked for, and then it is there."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest
from tests.demo_sites import demo_site

from scythe.demo import DemoPage
from scythe.model import Document
from scythe.site import Site

NEWS = [page for page in demo_site() if page.kind == "news" and page.language == "en"]
LEARNED, OTHER = NEWS[:-1], NEWS[-1]


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


@pytest.mark.parametrize("fields", [(), ("title",)])
def test_documents_survive_copies(fields: tuple[str, ...]) -> None:
    doc = extracted(OTHER, *fields)
    for other in (copy.deepcopy(doc), pickle.loads(pickle.dumps(doc)), replace(doc), doc.detach()):
        assert other.text == doc.text
        assert {name: field.values for name, field in other.fields.items()} == {
            name: field.values for name, field in doc.fields.items()
        }
