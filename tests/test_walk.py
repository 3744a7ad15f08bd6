"""A page passes few modules: those of the package whose functions are entered, import-time code left out."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from tests.demo_sites import demo_site

import scythe
from scythe.cli.main import app

HOME = str(Path(scythe.__file__).parent) + os.sep
PAGES = [(page.url, page.html) for page in demo_site(pages=120) if page.kind == "news" and page.language == "en"]


def modules_entered(work: Callable[[], object]) -> set[str]:
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(HOME):
            entered.add(code.co_filename.removeprefix(HOME))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return entered


@pytest.fixture(scope="module")
def site() -> scythe.Site:
    return scythe.Site.learn(PAGES)  # which also imports and loads what is needed once


def test_learning_a_site_passes_at_most_60_modules(site: scythe.Site) -> None:
    assert len(modules_entered(lambda: scythe.Site.learn(PAGES))) <= 60


def test_a_page_that_is_cut_passes_at_most_8_modules(site: scythe.Site) -> None:
    passed: list[set[str]] = []
    for url, body in PAGES[:8]:
        documents: list[scythe.Document] = []
        passed.append(modules_entered(lambda: documents.append(site.extract(body, url))))  # noqa: B023  (called at once)
        assert documents[0].how["text"].startswith("cut")
    # one page in four is shown to the rule table, too
    at_table = {"site/element_rules.py", "site/papers/position_hints.py"}
    assert max(len(entered - at_table) for entered in passed) <= 8
    assert sum(bool(entered & at_table) for entered in passed) <= 2


def test_reading_a_file_on_the_command_line_passes_at_most_40_modules(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(PAGES[0][1])
    assert len(modules_entered(lambda: app(["read", str(path)], standalone_mode=False))) <= 40
