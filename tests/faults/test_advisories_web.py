"""Advisories about web pages of peers, on our own: one test each, named after it, by its own trigger.

What each is about, and which are held by tests of the web page itself: docs/why/reliability.md.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.web.asking import call
from tests.web.serving import serve_in_thread

import scythe
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.output.document_writers import Exporter
from scythe.web.server import Serving
from scythe.web.state import State, StateOptions

pytestmark = pytest.mark.fault
WORDS = "Words of a text that goes on for a while, as articles do. " * 12
HOSTILE = f"""<!doctype html><title>A page</title><h1>A saved page</h1><p>{WORDS}</p>
<p>&lt;a href="javascript:alert(1)"&gt;click&lt;/a&gt; {WORDS}</p><a href="javascript:alert(1)">link</a>"""
NAMES = ("../../../etc/passwd", "/etc/passwd", "C:\\Windows\\x", "a/../../b", "..", "nul", "x\0y", "\u202egnp.exe")
OPERATIONS = ("/api/read", "/api/extract", "/api/runs/crawl", "/api/watch", "/api/pages")


def test_GHSA_q8xq_qg4x_wphg_text_that_was_escaped_on_the_page_stays_text() -> None:
    document = scythe.read(HOSTILE, url="http://site.example/1")
    assert '<a href="javascript:alert(1)">click</a>' in document.text
    assert not [a for a in LexborHTMLParser(document.html).css("a") if "javascript" in (a.attributes.get("href") or "")]
    assert "](javascript:" not in document.markdown
    assert "<a href" not in re.sub(r"\\<", "", document.markdown)


@pytest.mark.parametrize("name", NAMES)
def test_GHSA_8757_69j2_hx56_GHSA_mh42_m7cg_49fr_no_title_is_a_path(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    document = scythe.read(f"<title>{name}</title><h1>{name}</h1><p>{WORDS}</p>", url="http://site.example/")
    Exporter(folder).put(document)
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert {file.parent for file in written} == {folder}
    profile = tmp_path / "site.json"  # one that names a file, as a restored backup of the peer did
    profile.write_text(json.dumps({"scythe_profile": 1, "layouts": [], "snapshot": name, "checksum": "0"}))
    with pytest.raises(BadInput):
        scythe.Site.load(profile)


@pytest.fixture(scope="module")
def serving() -> Iterator[Serving]:
    with serve_in_thread(State(StateOptions(None, None, "", FetchOptions(timeout_s=5), 0.0), [])) as served:
        yield served


@pytest.mark.parametrize("path", OPERATIONS)
def test_CVE_2026_26216_GHSA_365w_hqf6_vxfg_no_request_brings_code_or_names_a_file_to_write(
    serving: Serving, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = {"hooks": {"on_page": "open('code-was-run', 'w')"}}
    named = "js_code command on_new output_path output archive profile path store file".split()
    for more in (code, *({key: str(tmp_path / "written")} for key in named)):
        assert call(serving, path, {"url": "http://site.example/", **more}).status == 422, more
    assert list(tmp_path.iterdir()) == []
