"""Advisories about web pages of peers, on our own: one test each, named after it, by its own trigger.

A state is served for real, with an archive and saved pages that hold what the advisories used. What each is about:
docs/why/reliability.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.routing import Mount, Route
from tests.archive.visiting import begin, done
from tests.web.asking import ask, bearer, call, cookie, posting

import scythe
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.crawl_model import Extracted
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.output.document_files import Exporter
from scythe.web.app import all_operations, make_app
from scythe.web.auth import Auth, Guarded
from scythe.web.safe_html import clean_css
from scythe.web.server import Serving, serve_in_thread
from scythe.web.state import State, StateOptions

pytestmark = pytest.mark.fault
TEMPLATE = "{{ 7*7 }}{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}"
SCRIPT = "<script>alert(1)</script>"
WORDS = "Words of a text that goes on for a while, as articles do. " * 12
TITLES = (TEMPLATE, SCRIPT, '" onmouseover="alert(1)', "<img src=x onerror=alert(1)>", "javascript:alert(1)")
HOSTILE = f"""<!doctype html><title>{SCRIPT.replace("<", "&lt;")} {TEMPLATE}</title>
<style>body {{ color: red }}</style><h1>A saved page</h1><p>{WORDS}</p>
<p>&lt;a href="javascript:alert(1)"&gt;click&lt;/a&gt; {WORDS}</p><a href="javascript:alert(1)">link</a>
<script>parent.pwned = 1</script>"""


@dataclass(frozen=True)
class Served:
    """A served state, and the folder of all its files."""

    serving: Serving
    folder: Path

    def shows(self, path: str) -> str:
        """Return a page of ours as a browser with leave gets it."""
        answer = ask(self.serving, path, headers={**cookie(self.serving.auth), "Accept": "text/html"})
        assert answer.status == 200, path
        return answer.text


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("advisories")
    where = str(folder / "archive.db")
    with open_archive(where) as archive:
        _, tasks = begin(archive, *(f"{number}?x={title}" for number, title in enumerate(TITLES)))
        store_outcomes(
            archive,
            [
                done(task, extracted=Extracted(title, f"{title} {WORDS}"))
                for task, title in zip(tasks, TITLES, strict=True)
            ],
        )
    pages = [LoadedPage(TEMPLATE, HOSTILE.encode(), "http://site.example/1", "text/html")]
    state = State(StateOptions(where, folder / "site.json", SCRIPT + TEMPLATE, FetchOptions(timeout_s=5), 0.0), pages)
    with serve_in_thread(state) as serving:
        yield Served(serving, folder)


VIEWS = ("/", "/archive", "/archive?q=words", "/archive/page/1", "/records?page=1", "/sites", "/runs")


@pytest.mark.parametrize("path", VIEWS)
def test_CVE_2024_32651_no_text_of_others_is_a_template(served: Served, path: str) -> None:
    html = served.shows(path)
    assert "49<class" not in unescape(html)
    assert "&lt;class" not in html
    assert "{{ 7*7 }}" in unescape(html) or path in ("/runs", "/sites", "/records?page=1")


@pytest.mark.parametrize("path", VIEWS)
def test_CVE_2023_24769_CVE_2024_34061_CVE_2025_62780_titles_and_addresses_are_text(served: Served, path: str) -> None:
    tree = LexborHTMLParser(served.shows(path))
    for node in tree.css("script"):
        assert (node.attributes.get("src") or "").startswith("/static/")
        assert not node.text().strip()
    for node in tree.css("*"):
        assert not any(key.startswith("on") for key in node.attributes)
        assert not re.match(r"\s*javascript:", node.attributes.get("href") or "", re.I)
    policy = ask(served.serving, path, headers=cookie(served.serving.auth)).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy


def test_CVE_2024_34061_what_a_query_says_is_text(served: Served) -> None:
    html = served.shows("/archive?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert SCRIPT not in html
    assert SCRIPT in unescape(html)


def test_GHSA_q8xq_qg4x_wphg_text_that_was_escaped_on_the_page_stays_text() -> None:
    document = scythe.read(HOSTILE, url="http://site.example/1")
    assert '<a href="javascript:alert(1)">click</a>' in document.text
    assert not [a for a in LexborHTMLParser(document.html).css("a") if "javascript" in (a.attributes.get("href") or "")]
    assert "](javascript:" not in document.markdown
    assert "<a href" not in re.sub(r"\\<", "", document.markdown)


@pytest.mark.parametrize("path", ["/static/x/../../auth.py", "/static/..%2f..%2fgate.py", "/static/%2e%2e/auth.py"])
def test_GHSA_9jj8_v89v_xjvw_no_path_leads_out_of_the_static_folder(served: Served, path: str) -> None:
    answer = ask(served.serving, path, headers=bearer(served.serving.auth))
    assert answer.status == 404
    assert b"import" not in answer.body


NAMES = ("../../../etc/passwd", "/etc/passwd", "C:\\Windows\\x", "a/../../b", "..", "nul", "x\0y", "\u202egnp.exe")


@pytest.mark.parametrize("name", NAMES)
def test_GHSA_8757_69j2_hx56_GHSA_mh42_m7cg_49fr_no_title_is_a_path(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    document = scythe.read(f"<title>{name}</title><h1>{name}</h1><p>{WORDS}</p>", url="http://site.example/")
    Exporter(folder).put(document)
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert {file.parent for file in written} == {folder}
    with pytest.raises(BadInput):
        scythe.Site.load(_file_naming(tmp_path, name))


def _file_naming(folder: Path, name: str) -> Path:
    """Write a profile that names a file, as a restored backup of the peer did."""
    path = folder / "site.json"
    path.write_text(json.dumps({"scythe_profile": 1, "layouts": [], "snapshot": name, "checksum": "0"}))
    return path


def test_GHSA_cgj8_g98g_4p9x_a_stored_page_is_no_page_of_this_server(served: Served) -> None:
    answer = ask(served.serving, "/frame/1", headers=cookie(served.serving.auth))
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not LexborHTMLParser(answer.text).css("script")
    for path in ("/archive/download?q=words", "/api/search?q=words"):
        given = ask(served.serving, path, headers=cookie(served.serving.auth))
        assert given.status == 200
        assert given.kind not in ("text/html", "application/xhtml+xml", "image/svg+xml")


def test_GHSA_4j9m_cxq4_9c36_nothing_ends_a_style_sheet_or_asks_from_it() -> None:
    said = clean_css(
        "a { color: red</style><script>x()</script> } @import 'http://evil.example/'; b { c: url(//evil.example/) }"
    )
    assert "</style" not in said
    assert "evil.example" not in said


def routes() -> list[tuple[str, str]]:
    """List all routes and methods of the application, with a 1 for whatever is named in their paths."""
    app = make_app(State(StateOptions(None, None, "", FetchOptions(), 0.0), []), Auth())
    assert isinstance(app, Guarded)
    found = [("/static/scythe.js", "GET")]
    for route in app.app.routes:  # type: ignore[attr-defined]
        assert isinstance(route, Route | Mount)
        if isinstance(route, Route):
            path = re.sub(r"\{[^}]*\}", "1", route.path)
            found += [(path, method) for method in sorted((route.methods or set()) - {"HEAD"})]
    return found


def test_GHSA_jmrh_xmgh_x9j4_every_route_wants_the_token(served: Served) -> None:
    assert len(routes()) > 50
    for path, method in routes():
        assert ask(served.serving, path, method, body=b"{}").status == 401, path


def test_GHSA_g36r_fm2p_87xm_nothing_changes_by_a_get_or_by_another_site(served: Served) -> None:
    before = {file: file.read_bytes() for file in served.folder.iterdir() if file.suffix == ".json"}
    changing = [operation for operation in all_operations() if operation.changes]
    assert len(changing) > 15
    assert {operation.method for operation in changing} == {"POST"}
    ours = posting(served.serving.auth)
    for operation in changing:
        path = re.sub(r"\{[^}]*\}", "1", operation.path)
        for forged in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}, {"X-Scythe": ""}):
            assert ask(served.serving, path, "POST", headers={**ours, **forged}, body=b"{}").status == 403
    assert {file: file.read_bytes() for file in served.folder.iterdir() if file.suffix == ".json"} == before


CODE = "async def hook(page, **kw):\n    open('code-was-run', 'w')\n    return page"


@pytest.mark.parametrize("path", ["/api/read", "/api/extract", "/api/runs/crawl", "/api/watch", "/api/pages"])
def test_CVE_2026_26216_a_request_that_brings_code_is_refused(
    served: Served, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for more in (
        {"hooks": {"on_page": CODE}},
        {"js_code": "x()"},
        {"command": "touch code-was-run"},
        {"on_new": "touch x"},
    ):
        answer = call(served.serving, path, {"url": "http://site.example/", **more})
        assert answer.status == 422, more
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/api/read", "/api/extract", "/api/runs/crawl", "/api/watch", "/api/pages"])
def test_GHSA_365w_hqf6_vxfg_no_request_names_a_file_to_write(served: Served, path: str, tmp_path: Path) -> None:
    for key in ("output_path", "output", "archive", "profile", "path", "store", "file"):
        answer = call(served.serving, path, {"url": "http://site.example/", key: str(tmp_path / "written")})
        assert answer.status == 422, key
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "file:/etc/passwd", "/etc/passwd", "source:file:///etc/passwd"])
def test_CVE_2026_26217_CVE_2024_51483_CVE_2024_56509_the_interface_reads_no_file(served: Served, url: str) -> None:
    answer = call(served.serving, "/api/read", {"url": url})
    assert answer.status in (422, 502)
    assert b"root:" not in answer.body


def test_CVE_2026_27696_CVE_2025_28197_the_interface_fetches_nothing_inside(served: Served) -> None:
    for url in (
        "http://169.254.169.254/",
        "http://127.0.0.1:8000/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://100.64.0.1/",
    ):
        answer = call(served.serving, "/api/read", {"url": url})
        assert answer.status == 502
        assert "not on the public internet" in answer.text
