"""Every route there is, asked for without leave: the table of routes is read from the application itself.

Whatever an area adds is in the table, and so is held to the same (GHSA-jmrh-xmgh-x9j4: one route without its login).
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.routing import Mount, Route
from tests.web.asking import Answer, ask, bearer, call, cookie, posting
from tests.web.conftest import demo_pages, make_state
from tests.web.serving import serve_in_thread
from tests.web.trap import set_trap

from scythe.archive.search_index import index_new
from scythe.archive.stored_sites import add_site
from scythe.fetch.fetch_options import FetchOptions
from scythe.web.app import all_documents, all_operations, all_views, make_app
from scythe.web.auth import NOTHING_POLICY, PAGE_POLICY, Auth, Guarded
from scythe.web.frames.frames import FRAME_POLICIES
from scythe.web.server import Serving
from scythe.web.state import State, StateOptions

BOUND = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "SAMEORIGIN",
    "x-dns-prefetch-control": "off",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Place:
    """One thing that can be asked for."""

    path: str
    method: str


@dataclass(frozen=True)
class Open:
    """A served state, and where its state is kept."""

    state: State
    serving: Serving
    folder: Path


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """One state for all of these: none of them may change it."""
    folder = tmp_path_factory.mktemp("routes")
    state = make_state(folder, demo_pages(3), archive=str(folder / "archive.db"))
    with state.archive() as archive:
        add_site(archive, "field-post", "https://field-post.example/")  # type: ignore[arg-type]
        index_new(archive)  # made of the rest, when somebody searches first
    with serve_in_thread(state) as serving:
        yield Open(state, serving, folder)


def places() -> list[Place]:
    """List all routes of the application, with a 1 for whatever is named in their paths, and all static files."""
    app = make_app(make_state(Path()), Auth())
    assert isinstance(app, Guarded)
    found = []
    for route in app.app.routes:  # type: ignore[attr-defined]
        if isinstance(route, Mount):
            folder = Path(route.app.directory)  # type: ignore[attr-defined]
            found += [Place(f"{route.path}/{file.name}", "GET") for file in sorted(folder.iterdir()) if file.is_file()]
        else:
            assert isinstance(route, Route), "a kind of route that this test does not know"
            path = re.sub(r"\{[^}]*\}", "1", route.path)
            found += [Place(path, method) for method in sorted((route.methods or set()) - {"HEAD"})]
    return found


PLACES = places()
FOREIGN = [
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://["},
    {"Origin": "http://127.0.0.1"},  # this machine, another port
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},  # cookies know no ports
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
]
POSTS = [place for place in PLACES if place.method == "POST"]
GETS = [place for place in PLACES if place.method == "GET"]


def state(opened: Open) -> object:
    """Return all that a request could change."""
    with sqlite3.connect(opened.folder / "archive.db") as connection:
        rows = list(connection.iterdump())
    connection.close()
    files = {file.name: file.read_bytes() for file in opened.folder.iterdir() if file.suffix == ".json"}
    state = opened.state
    return rows, files, state.pages(), [job.number for job in state.jobs.seen()], sorted(state._consents)


def is_bound(answer: Answer) -> bool:
    """Say whether an answer binds the browser: all headers, and a policy; pages have the pages' or a frame's."""
    policy = answer.headers.get("content-security-policy", "")
    if answer.kind == "text/html" and policy not in (PAGE_POLICY, NOTHING_POLICY, *FRAME_POLICIES):
        return False
    is_safe = "default-src 'none'" in policy and ("sandbox" in policy or policy == PAGE_POLICY)
    return is_safe and all(answer.headers.get(name) == value for name, value in BOUND.items())


def test_the_table_has_every_view_operation_and_document() -> None:
    known = {place.path for place in PLACES}
    declared = [one.path for one in (*all_views(), *all_operations(), *all_documents())]
    assert len(declared) > 10
    assert {re.sub(r"\{[^}]*\}", "1", path) for path in declared} <= known
    assert {"/static/scythe.js", "/static/stage.js", "/static/scythe.css"} <= known
    assert {place.method for place in PLACES} == {"GET", "POST"}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.method} {place.path}")
def test_without_the_token_nothing_is_told(opened: Open, place: Place) -> None:
    serving = opened.serving
    wrong = {"Authorization": "Bearer " + "A" * 32, "Cookie": f"{serving.auth.cookie}={'0' * 64}"}
    for headers in ({}, wrong, {"Accept": "text/html"}, {"Content-Type": "application/json"}):
        answer = ask(serving, place.path, place.method, headers=headers, body=b"{}")
        assert answer.status == 401
        assert is_bound(answer)
        assert len(answer.body) < 600  # the same few words everywhere


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.method} {place.path}")
def test_under_another_name_nothing_is_told(opened: Open, place: Place) -> None:
    serving = opened.serving
    login = {**bearer(serving.auth), **cookie(serving.auth), "Content-Type": "application/json"}
    # DNS rebinding: the browser of the victim asks 127.0.0.1 in the name of the attacker's page
    for host in ("rebind.example", f"localhost.evil.example:{urlsplit(serving.url).port}"):
        answer = ask(serving, place.path, place.method, headers={"Host": host, **login}, body=b"{}")
        assert answer.status == 421
        assert is_bound(answer)


@pytest.mark.parametrize("place", POSTS, ids=lambda place: place.path)
def test_others_cannot_change_a_thing(opened: Open, place: Place) -> None:
    serving = opened.serving
    ours = posting(serving.auth)
    before = state(opened)
    for more in FOREIGN:
        assert ask(serving, place.path, "POST", headers={**ours, **more}, body=b"{}").status == 403
    for word in ("", "0" * 64):
        assert ask(serving, place.path, "POST", headers={**ours, "X-Scythe": word}, body=b"{}").status == 403
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""):
        answer = ask(serving, place.path, "POST", headers={**ours, "Content-Type": kind}, body=b"{}")
        assert answer.status == 415
        assert is_bound(answer)
    assert state(opened) == before


@pytest.mark.parametrize("place", POSTS, ids=lambda place: place.path)
def test_what_changes_something_is_no_get_ghsa_g36r_fm2p_87xm(opened: Open, place: Place) -> None:
    before = state(opened)
    for method in ("GET", "HEAD"):
        answer = ask(
            opened.serving,
            f"{place.path}?site=profile&url=https://x.example",
            method,
            headers=cookie(opened.serving.auth),
        )
        # the same path may be read, or a name in another path may be anything
        assert answer.status in (404, 405, 422) or Place(place.path, "GET") in PLACES
        assert is_bound(answer)
    assert state(opened) == before


@pytest.mark.parametrize("place", GETS, ids=lambda place: place.path)
def test_reading_changes_nothing_and_every_answer_binds_the_browser(opened: Open, place: Place) -> None:
    before = state(opened)
    login = cookie(opened.serving.auth)
    for path in (place.path, f"{place.path}?nothing=knows-this", f"{place.path}?site=%3Cnone%3E"):
        answer = ask(opened.serving, path, headers=login)
        assert answer.status in (200, 400, 404, 409, 422)
        assert is_bound(answer)
    assert ask(opened.serving, place.path, "HEAD", headers=login).status < 500
    assert ask(opened.serving, place.path, "POST", headers=posting(opened.serving.auth), body=b"\xff").status in (
        400,
        405,
    )
    assert state(opened) == before


def test_errors_of_every_kind_bind_the_browser_too(opened: Open) -> None:
    serving = opened.serving
    login = cookie(serving.auth)
    asked = {
        404: ask(serving, "/nowhere", headers=login),
        405: ask(serving, "/api/about", "DELETE", headers=login),
        422: ask(serving, "/frame/x", headers=login),
        401: ask(serving, "/nowhere"),
    }
    assert {status: answer.status for status, answer in asked.items()} == {status: status for status in asked}
    assert all(is_bound(answer) for answer in asked.values())
    assert ask(serving, "/api/nowhere", headers=login).kind == "application/json"


def test_an_error_of_our_own_says_nothing_and_binds_the_browser(
    opened: Open, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(number: int) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(opened.state, "page", break_down)
    answer = ask(opened.serving, "/frame/1", headers=cookie(opened.serving.auth))
    assert (answer.status, b"secret" in answer.body, is_bound(answer)) == (500, False, True)


INSIDE = (
    "file:///etc/passwd",  # CVE-2026-26217, CVE-2024-51483
    "file:/etc/passwd",  # CVE-2024-56509
    "/etc/passwd",
    "http://169.254.169.254/latest/meta-data/",  # CVE-2026-27696
    "http://TRAP/",
    "TRAP/",
    "http://TRAP\\@public.example/",  # GHSA-rph4-96w6-q594
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://2130706433:PORT/",
    "http://100.64.0.1/",  # GHSA-gwph-fp79-379w
    "gopher://TRAP/",
    "javascript:alert(1)",
)


@pytest.mark.slow
def test_no_operation_reaches_into_the_network_or_the_disk(tmp_path: Path) -> None:
    with set_trap() as trap:
        own = urlsplit(trap.url)
        state = State(
            StateOptions(str(tmp_path / "archive.db"), tmp_path / "site.json", "", FetchOptions(timeout_s=2.0), 0.0)
        )
        asking = [one for one in all_operations() if one.method == "POST" and "url" in one.wanted.__struct_fields__]
        with serve_in_thread(state) as serving:
            for operation in asking:
                for address in INSIDE:
                    url = address.replace("TRAP", own.netloc).replace("PORT", str(own.port))
                    answer = call(serving, operation.path, {"url": url})
                    assert answer.status in (200, 404, 409, 422, 502)
                    assert b"root:" not in answer.body
            state.jobs.close()
    assert {operation.path for operation in asking} >= {"/api/pages", "/api/read", "/api/extract", "/api/runs/crawl"}
    assert [job.state for job in state.jobs.seen() if job.state == "done"] == []
    assert trap.hits == []
