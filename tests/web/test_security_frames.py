"""Hostile pages in the real browser: on the stage, opened by themselves, and where nobody stops them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.web.asking import ask, posting
from tests.web.conftest import WIDE, Look, make_state
from tests.web.hostile import OTHER, WORKING, attempts, hostile_page
from tests.web.staging import show_on_stage
from tests.web.trap import Trap, set_trap

from scythe.fetch.inputs import LoadedPage
from scythe.web.frames.frames import FRAME_POLICIES, sheet_addresses
from scythe.web.server import Serving
from scythe.web.state import State

SENTINEL = "() => [document.title, String(window.pwned), document.cookie, localStorage.getItem('pwned')]"
FOCUSABLE = "[href],button,input,select,textarea,[tabindex],summary,iframe,object,embed,[contenteditable]"


@pytest.fixture
def trap() -> Iterator[Trap]:
    """A foreign host."""
    with set_trap() as set_:
        yield set_


@pytest.fixture
def state(trap: Trap, tmp_path: Path) -> State:
    """All attempts on one page, then each on a page of its own."""
    alone = attempts(trap.url, {**WORKING, **OTHER})
    pages = [
        LoadedPage(name, html.encode(), f"https://site.example/{name}", "text/html") for name, html in alone.items()
    ]
    return make_state(tmp_path, [hostile_page(trap.url), *pages])


def settle(tab: Any) -> None:
    """Wait until all that was going to be asked for has been."""
    tab.wait_for_load_state("networkidle")


def test_the_page_works_where_nobody_stops_it(chromium: Any, trap: Trap) -> None:
    # the control: without it, all that follows could pass because the attempts are bad ones
    trap.bodies["/page"] = ("text/html", hostile_page(trap.url, WORKING).body)
    said: list[str] = []
    with closing(chromium.new_context()) as context:
        tab = context.new_page()
        tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        tab.on("console", lambda line: said.append(f"{line.type}: {line.text}"))
        tab.goto(f"{trap.url}/page")
        settle(tab)
        title, pwned, cookie, kept = tab.evaluate(SENTINEL)
    assert (title, pwned, cookie, kept) == ("pwned", "yes", "pwned=1", "1")
    assert {"pwned", "error: pwned"} <= set(said)
    worked = {path.removeprefix("/hit/") for path in trap.hits}
    assert set(WORKING) - {"parent", "kept", "dialog", "console"} <= worked


def test_a_page_that_leads_away_does_so_where_nobody_stops_it(chromium: Any, trap: Trap) -> None:
    trap.bodies["/page"] = ("text/html", attempts(trap.url, OTHER)["refresh"].encode())
    trap.bodies["/hit/refresh"] = ("text/html", b"elsewhere")
    with closing(chromium.new_context()) as context:
        tab = context.new_page()
        tab.goto(f"{trap.url}/page")
        tab.wait_for_url("**/hit/refresh")
    assert trap.hits.count("/hit/refresh") == 1


@pytest.mark.parametrize("has_consent", [False, True])
def test_on_the_stage_nothing_runs_leads_away_or_asks(
    look: Look, serving: Serving, trap: Trap, state: State, has_consent: bool
) -> None:
    if has_consent:
        body = b'{"site": "profile", "is_given": true}'
        assert ask(serving, "/api/consent", "POST", headers=posting(serving.auth), body=body).status == 200
    eyes = look("/")
    said: list[str] = []
    eyes.tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    eyes.tab.context.on("page", lambda tab: said.append(f"another tab: {tab.url}"))
    before = eyes.tab.evaluate(SENTINEL)
    show_on_stage(eyes, 1)
    settle(eyes.tab)
    box = eyes.tab.locator(".stage").bounding_box()
    for down in range(20, 200, 20):  # whatever lies there: links over all of the page, labels, buttons
        eyes.tab.mouse.click(box["x"] + 60, box["y"] + down)
    after = eyes.tab.evaluate(SENTINEL)
    assert before == after == ["Overview \u00b7 scythe", "undefined", "", None]
    assert eyes.tab.evaluate(f"stage.document.body.querySelectorAll('{FOCUSABLE}').length") == 0
    assert eyes.tab.evaluate("[stage.document.title, stage.document.scripts.length]") == ["Hostile", 0]
    assert said == []
    # after consent, pictures and sheets of the page are asked for, by this server: nothing else ever is
    with state.lock:
        page = state.opened(state.pages()[0])
        addresses = [*sheet_addresses(page), *(str(use.loaded) for use in page.images)]
    asked = {urlsplit(address).path for address in addresses if address.startswith(trap.url)}
    assert set(trap.hits) <= (asked if has_consent else set())
    assert ("/hit/picture" in trap.hits) == has_consent


@pytest.mark.soak
def test_each_attempt_alone_does_nothing_either(look: Look, trap: Trap, state: State) -> None:
    eyes = look("/")
    said: list[str] = []
    eyes.tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    for page in state.pages()[1:]:
        show_on_stage(eyes, page.number)
    settle(eyes.tab)
    assert (eyes.tab.title(), eyes.tab.url, said, trap.hits) == ("Overview \u00b7 scythe", f"{eyes.own}/", [], [])


HEAVY = (
    "<table>" + "<tr><td rowspan=9999 colspan=9999>x<td rowspan=9999 colspan=9999>y" * 300,
    "<div style='filter:blur(999px);backdrop-filter:blur(999px);width:3000px;height:3000px'>x</div>" * 300,
    # rules that depend on the height of the frame, which depends on them
    "<style>p{height:50vh}@media(min-height:1000px){p{height:500px}}@media(max-height:999px){p{height:3000px}}</style><p>x",
    "<p style='width:1e9px;height:1e9px'>x",
)


def test_pages_made_to_stop_a_browser_come_to_rest(look: Look, state: State, trap: Trap) -> None:
    pages = [LoadedPage(f"{number}", html.encode(), None, "text/html") for number, html in enumerate(HEAVY)]
    eyes = look("/")
    for page in state.add_pages("profile", pages):
        show_on_stage(eyes, page.number)
        lays, high, wide = eyes.tab.evaluate("[stage.lays, stage.frame.clientHeight, stage.sheet.clientWidth]")
        assert lays < 50
        assert high <= 60_000
        assert wide <= 3_000


@pytest.mark.parametrize("path", ["/annotate", "/fields?page=1", "/rules", "/records?page=1"])
def test_pages_that_show_it_stay_themselves(look: Look, trap: Trap, path: str) -> None:
    eyes = look(path)
    settle(eyes.tab)
    frames = [frame.url.partition("?")[0] for frame in eyes.tab.frames[1:]]
    assert all(url.startswith(f"{eyes.own}/frame/") for url in frames)
    assert eyes.tab.title().endswith(" \u00b7 scythe")
    assert trap.hits == []


def test_opened_by_itself_the_frame_does_nothing(look: Look, trap: Trap) -> None:
    eyes = look("/frame/1")
    settle(eyes.tab)
    eyes.tab.mouse.click(100, 100)
    assert (eyes.tab.title(), eyes.tab.url, trap.hits) == ("Hostile", f"{eyes.own}/frame/1", [])
    assert eyes.tab.evaluate("window.origin") == eyes.own
    eyes.errors.clear()  # the browser asks for a favicon.ico, which is not there


def test_the_policy_alone_would_do(chromium: Any, trap: Trap) -> None:
    # the page as it is, sent with the headers of a frame: a hole in the writing is still no way out
    trap.bodies["/page"] = ("text/html", hostile_page(trap.url).body)
    trap.headers = {"Content-Security-Policy": FRAME_POLICIES[0]}
    with closing(chromium.new_context(viewport={"width": WIDE[0], "height": WIDE[1]})) as context:
        tab = context.new_page()
        said: list[str] = []
        tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        tab.goto(f"{trap.url}/page")
        settle(tab)
        title, pwned = tab.evaluate("() => [document.title, String(window.pwned)]")
    assert (title, pwned, said) == ("Hostile", "undefined", [])
    assert {path for path in trap.hits if path.startswith("/hit/")} <= {
        "/hit/refresh"
    }  # a document may lead itself away
