"""A state on the demo site, served for real, and a real browser that looks at it.

Every page that is looked at is held to the same: no error on its console, no request to any other host.
Screenshots are kept in `build/screenshots` for people to look at.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.web.serving import serve_in_thread

from scythe.demo import site
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.web.server import Serving
from scythe.web.state import State, StateOptions

ROOT = Path(__file__).resolve().parent.parent.parent
SHOTS = ROOT / "build" / "screenshots"
WIDE, NARROW = (1280, 800), (390, 844)
T = TypeVar("T")


def demo_pages(pages: int = 24, seed: int = 1) -> list[LoadedPage]:
    """Return saved pages of the demo site."""
    return [LoadedPage(page.path, page.html, page.url, page.content_type) for page in site(seed=seed, pages=pages)]


def make_state(folder: Path, pages: list[LoadedPage] | None = None, *, archive: str | None = None) -> State:
    """Return a state with a profile that is not there yet."""
    options = StateOptions(archive, folder / "site.json", "The Field Post", FetchOptions(allow_private=True), 0.0)
    return State(options, demo_pages() if pages is None else pages)


def apart(work: Callable[[], T]) -> T:
    """Do something in a thread of its own: where a browser is open, another loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state with saved pages of the demo site and an empty archive."""
    return make_state(tmp_path, archive=str(tmp_path / "archive.db"))


@pytest.fixture
def serving(state: State) -> Iterator[Serving]:
    """The state, served."""
    with serve_in_thread(state) as served:
        yield served


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for the tests of one module: it keeps an event loop running in this thread."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium is installed")
    playwright.expect.set_options(timeout=20_000)  # machines of builds are slow, and nobody waits where all is well
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Eyes:
    """One tab, and all that went wrong in it."""

    tab: Any  # playwright's Page
    own: str  # scheme, host and port that may be asked
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def shoot(self, name: str, *, full: bool = True) -> Path:
        """Keep a screenshot."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        path = SHOTS / f"{name}-{self.tab.viewport_size['width']}.png"
        self.tab.screenshot(path=path, full_page=full)
        return path

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window, once its style has come."""
        self.tab.wait_for_load_state("load")
        wide: int = self.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return wide


Look = Callable[..., Eyes]


@pytest.fixture
def look(chromium: Any, serving: Serving) -> Iterator[Look]:
    """Open pages of the served state, as in look("/rules", size=NARROW, dark=True); nothing may go wrong in them."""
    opened: list[tuple[Any, Eyes]] = []

    def open_tab(path: str = "/", *, size: tuple[int, int] = WIDE, dark: bool = False) -> Eyes:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        tab = context.new_page()
        tab.set_default_timeout(20_000)
        eyes = Eyes(tab, re.match(r"https?://[^/]+", serving.url)[0])  # type: ignore[index]
        tab.on("console", lambda said: eyes.errors.append(said.text) if said.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: eyes.errors.append(str(error)))
        tab.on("request", lambda asked: eyes.foreign.append(asked.url) if not _is_own(asked.url, eyes.own) else None)
        opened.append((context, eyes))
        tab.goto(serving.address(path))
        return eyes

    yield open_tab
    for context, eyes in opened:
        context.close()
        assert eyes.errors == []
        assert eyes.foreign == []


def _is_own(url: str, own: str) -> bool:
    return url.startswith((f"{own}/", "data:", "blob:", "about:"))
