"""Saved pages in their frames, and what is loaded for them: nothing before it is allowed, then only what is theirs."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.asking import Answer, ask, cookie, posting
from tests.web.conftest import Look, apart
from tests.web.serving import serve_in_thread
from tests.web.staging import show_on_stage
from tests.web.trap import Trap, set_trap

from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.page import Page
from scythe.web.frames import frames
from scythe.web.frames.frames import NO_PICTURE, Loads, sheet_addresses
from scythe.web.server import Serving
from scythe.web.state import NotThere, State, StateOptions


def png() -> bytes:
    """Return a red picture of 3 x 2 pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress(b"".join(b"\0" + b"\xff\0\0" * 3 for _ in range(2)))
    head = struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>fetch("/svg-script")</script></svg>'
PAGE = """<!doctype html><title>Loads</title><link rel=stylesheet href=/look.css><link rel=stylesheet href=/html.css>
<h1>Pictures</h1><img src=/red.png width=90 height=60><img src=/drawn.svg><img src=/page.png><img src=/moved.png>
<img src=/inside.png><img src=/large.png><img src=/gone.png>"""
RED, DRAWN, NONE, MOVED, INSIDE, LARGE, GONE = range(7)


@pytest.fixture
def trap() -> Iterator[Trap]:
    """The server of the site."""
    with set_trap() as set_:
        set_.bodies = {
            "/red.png": ("text/html", png()),  # what the header says is not believed
            "/drawn.svg": ("image/svg+xml", SVG),
            "/page.png": ("image/png", b"<script>alert(1)</script>"),
            "/look.css": ("text/css", b"@import '/imported.css'; h1{color:rgb(1,2,3);background:url(/background.png)}"),
            "/html.css": ("text/html", b"h1{color:red}"),
            "/large.png": ("image/png", png() + bytes(11_000_000)),
        }
        set_.moved = {"/moved.png": "/red.png", "/inside.png": "http://169.254.169.254/latest/meta-data"}
        yield set_


def open_state(trap: Trap, folder: Path, *, allow_private: bool = True) -> State:
    """Return a state with one page of the site."""
    page = LoadedPage("loads", PAGE.encode(), f"{trap.url}/page", "text/html")
    return State(StateOptions(None, folder / "site.json", "", FetchOptions(allow_private=allow_private)), [page])


@pytest.fixture
def state(trap: Trap, tmp_path: Path) -> State:
    """The page whose pictures are at the trap."""
    return open_state(trap, tmp_path)


def consent(serving: Serving, *, is_given: bool = True, site: str = "profile") -> int:
    """Allow loading, as the button does."""
    body = f'{{"site": "{site}", "is_given": {str(is_given).lower()}}}'.encode()
    return ask(serving, "/api/consent", "POST", headers=posting(serving.auth), body=body).status


def get(serving: Serving, path: str) -> Answer:
    return ask(serving, path, headers=cookie(serving.auth))


def is_sign(answer: Answer) -> bool:
    """Say whether the sign came that stands where a picture cannot be had."""
    return (answer.status, answer.kind) == (200, "image/svg+xml") and answer.body == NO_PICTURE.body


def test_before_consent_nothing_is_asked_for(serving: Serving, trap: Trap) -> None:
    frame = get(serving, "/frame/1")
    assert frame.status == 200
    assert "/picture/" not in frame.text
    assert "'self'" not in frame.headers["content-security-policy"].replace("frame-ancestors 'self'", "")
    assert [get(serving, f"/picture/1/{row}").status for row in range(7)] == [404] * 7
    assert [get(serving, f"/sheet/1/{row}").status for row in range(2)] == [404] * 2
    assert trap.hits == []


def test_after_consent_only_what_the_page_names_is_asked_for(serving: Serving, trap: Trap) -> None:
    assert consent(serving) == 200
    assert trap.hits == []  # consent itself asks for nothing
    red, drawn = get(serving, f"/picture/1/{RED}"), get(serving, f"/picture/1/{DRAWN}")
    assert (red.status, red.kind, red.body) == (200, "image/png", png())
    assert (drawn.status, drawn.kind) == (200, "image/svg+xml")
    assert "sandbox" in drawn.headers["content-security-policy"].split()
    assert get(serving, f"/picture/1/{MOVED}").kind == "image/png"
    for other in ("99", "-1", "x", "http://127.0.0.1/", "%2e%2e"):
        assert get(serving, f"/picture/1/{other}").status in (404, 422)
    assert get(serving, f"/picture/1/0?url={trap.url}/secret").status == 422
    assert sorted(set(trap.hits)) == ["/drawn.svg", "/moved.png", "/red.png"]


def test_a_picture_is_known_by_its_bytes_and_its_size(serving: Serving, trap: Trap) -> None:
    consent(serving)
    asked = [get(serving, f"/picture/1/{row}") for row in (NONE, LARGE, GONE)]
    assert [is_sign(answer) for answer in asked] == [True] * 3


def test_a_redirect_into_the_network_is_not_followed(trap: Trap, tmp_path: Path) -> None:
    state = open_state(trap, tmp_path)
    with serve_in_thread(state) as serving:
        consent(serving)
        answer = get(serving, f"/picture/1/{INSIDE}")
    assert is_sign(answer)


def test_what_is_inside_the_network_is_refused_unless_allowed(trap: Trap, tmp_path: Path) -> None:
    with serve_in_thread(open_state(trap, tmp_path, allow_private=False)) as serving:
        consent(serving)
        pictures, sheet = [get(serving, f"/picture/1/{row}") for row in range(7)], get(serving, "/sheet/1/0")
    assert [is_sign(answer) for answer in pictures] == [True] * 7
    assert (sheet.kind, sheet.body) == ("text/css", b"")
    assert trap.hits == []


def test_a_picture_looked_at_again_asks_nobody_and_consent_can_be_taken_back(serving: Serving, trap: Trap) -> None:
    consent(serving)
    assert [get(serving, "/picture/1/0").status for _ in range(3)] == [200, 200, 200]
    assert trap.hits == ["/red.png"]
    consent(serving, is_given=False)
    assert get(serving, "/picture/1/0").status == 404
    assert consent(serving, site="nowhere") == 404


def test_of_many_pictures_the_last_are_kept(serving: Serving, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_KEPT_BYTES", len(SVG) + 1)
    consent(serving)
    for row in (RED, DRAWN, DRAWN, RED):
        assert get(serving, f"/picture/1/{row}").status == 200
    assert trap.hits == ["/red.png", "/drawn.svg", "/red.png"]


def test_style_sheets_come_cleaned_and_only_if_they_are_some(serving: Serving, trap: Trap) -> None:
    consent(serving)
    sheet = get(serving, "/sheet/1/0")
    assert (sheet.kind, sheet.text.strip()) == ("text/css", "h1{color:rgb(1,2,3);background:none}")
    other = get(serving, "/sheet/1/1")
    assert (other.kind, other.body) == ("text/css", b"")


def test_the_browser_asks_this_server_only_before_and_after_consent(look: Look, serving: Serving, trap: Trap) -> None:
    red = trap.bodies["/red.png"]
    trap.bodies |= dict.fromkeys(
        ("/drawn.svg", "/page.png", "/moved.png", "/inside.png", "/large.png", "/gone.png"), red
    )
    trap.moved = {}
    eyes = look("/")
    show_on_stage(eyes, 1)
    eyes.tab.wait_for_load_state("networkidle")
    assert trap.hits == []
    assert consent(serving) == 200
    show_on_stage(eyes, 1)
    eyes.tab.wait_for_load_state("networkidle")
    assert eyes.tab.evaluate("stage.images().map((image) => image.naturalWidth)") == [3] * 7
    assert eyes.tab.evaluate("getComputedStyle(stage.document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    assert {"/imported.css", "/background.png"}.isdisjoint(trap.hits)


def test_pages_that_are_not_at_hand_are_not_there(serving: Serving) -> None:
    assert [get(serving, f"/frame/{page}").status for page in ("2", "0", "-1", "x", "1.5")] == [404, 404, 404, 422, 422]
    assert get(serving, "/frame/1/../2").status == 404


def test_nothing_is_asked_for_without_consent_whoever_calls(trap: Trap, state: State) -> None:
    page = state.page(1)
    assert page is not None
    with pytest.raises(NotThere, match="not to be loaded"):
        state.part(Loads).get(page, f"{trap.url}/red.png")
    assert trap.hits == []
    state.consent("profile", is_given=True)
    assert apart(lambda: state.part(Loads).get(page, f"{trap.url}/red.png"))[0] == png()


def test_sheets_without_an_address_of_the_web_are_left_out() -> None:
    html = "<link rel=stylesheet><link rel=stylesheet href=javascript:x><link rel=stylesheet href=a.css>"
    assert sheet_addresses(Page.from_text(html, url="https://a.example/b/")) == ["https://a.example/b/a.css"]
