"""Without its compiled extension scythe reads, learns and extracts the same, and says that it is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from scythe import Site, read
from scythe.demo import site
from scythe.extension import native
from scythe.page.links_from_bytes import read_hrefs

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
LEARNED = 12  # pages


def everything() -> dict[str, Any]:
    """Return documents and links of pages of the demo, read cold and by what was learned of the site, in JSON."""
    pages = site(pages=8)
    learned = Site.learn([(page.url, page.html) for page in pages[:LEARNED]])
    profile = learned.to_json()
    documents = [learned.extract(page.html, page.url) for page in pages]
    cut = [learned.extract(page.html, page.url, via="cut") for page in pages]
    return {
        "read": [document.to_dict() for document in (read(page.html, url=page.url) for page in pages)],
        "profile": {key: value for key, value in json.loads(profile).items() if key not in ("learned", "checksum")},
        "documents": [document.to_dict() for document in documents],
        "lists": [[repr(document.lists), [image.src for image in document.images]] for document in documents],
        "cut": [document.to_dict() for document in cut],
        "links": [repr(read_hrefs(page.html, page.url)) for page in pages],
    }


def without_reasons(part: Any) -> Any:
    """Leave out why something is missing: the bytes and the tree have their own reasons."""
    if isinstance(part, dict):
        return {key: without_reasons(value) for key, value in part.items()}
    if isinstance(part, list):
        return [without_reasons(value) for value in part]
    return "missing" if isinstance(part, str) and part.startswith("missing: ") else part


def in_new_process() -> dict[str, Any]:
    code = "import json, tests.test_without_extension as t; assert t.native is None; print(json.dumps(t.everything()))"
    environment = os.environ | {"SCYTHE_NO_EXTENSION": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_pages_are_read_learned_and_extracted_alike() -> None:
    here, there = json.loads(json.dumps(everything())), in_new_process()
    for part, expected in here.items():
        assert without_reasons(there[part]) == without_reasons(expected), part


def test_the_version_says_that_it_is_missing() -> None:
    command = [sys.executable, "-m", "scythe", "--version"]
    for value, is_missing in (("1", True), ("0", False)):
        environment = os.environ | {"SCYTHE_NO_EXTENSION": value}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        assert ("without its compiled extension" in said) == is_missing
