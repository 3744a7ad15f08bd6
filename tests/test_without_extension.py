"""Without its compiled extension scythe reads, learns and extracts the same, and says that it is missing."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from scythe import Document, Site, read
from scythe.demo import site
from scythe.extension import native
from scythe.page.links_from_bytes import read_hrefs

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
LEARNED = 12  # pages


def everything() -> dict[str, Any]:
    """Return what pages of the demo say, read cold and by what was learned of the site, in JSON.

    Places in the bytes are left out: only the extension knows them.
    """
    pages = site(pages=8)
    learned = Site.learn([(page.url, page.html) for page in pages[:LEARNED]])
    documents = [learned.extract(page.html, page.url) for page in pages]
    cut = [learned.extract(page.html, page.url, via="cut") for page in pages]
    links = [read_hrefs(page.html, page.url) for page in pages]
    return {
        "read": [document.to_dict() for document in (read(page.html, url=page.url) for page in pages)],
        "documents": [said(document) for document in documents],
        "lists": [[repr(document.lists), [image.src for image in document.images]] for document in documents],
        "cut": [said(document) for document in cut],
        "links": [repr((found.links, found.canonical, found.next, found.feeds, found.noindex)) for found in links],
    }


def said(document: Document) -> list[Any]:
    """Return title, text and the values of fields."""
    return [document.title, document.text, {name: field.values for name, field in document.fields.items()}]


def in_new_process() -> dict[str, Any]:
    code = "import json, tests.test_without_extension as t; assert t.native is None; print(json.dumps(t.everything()))"
    environment = os.environ | {"SCYTHE_NO_EXTENSION": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_pages_are_read_learned_and_extracted_alike() -> None:
    here, there = json.loads(json.dumps(everything())), in_new_process()
    for part, expected in here.items():
        assert there[part] == expected, part


def test_the_version_says_that_it_is_missing() -> None:
    command = [sys.executable, "-m", "scythe", "--version"]
    for value, is_missing in (("1", True), ("0", False)):
        environment = os.environ | {"SCYTHE_NO_EXTENSION": value}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        assert ("without its compiled extension" in said) == is_missing
