from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from scythe import plugins
from scythe.errors import BadInput
from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.reading import text
from scythe.testing import check_text_method

PUBLISHED = [name for name in text.BUILT_IN if name != "auto"]


def keep_all(page: Page, options: TextOptions) -> Reading:
    return Reading("all", kept=tuple(range(len(page.blocks))), why="" if len(page.blocks) else "no text")


NOT_CALLABLE = "a text"


def offer(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> None:
    found = EntryPoints(EntryPoint(name, value, plugins.GROUPS[text.KIND]) for name, value in points)
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: found.select(group=group))


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_method_keeps_the_promises(name: str) -> None:
    check_text_method(text.method(name))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_reading_carries_the_name_of_its_method(name: str) -> None:
    page = Page.from_text("<body><div>" + "<p>One, two. Three, four! Five; six.</p>" * 40 + "</div></body>")
    reading = text.method(name)(page, TextOptions())
    assert reading.method == name
    assert len(reading.kept) == 40


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'densest'.*auto; sentences:.*; characters:.*; vsse:.*; cetr:.*; cetd"):
        text.method("densest")


def test_another_package_can_add_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, ("all", f"{__name__}:keep_all"))
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(keep_all=keep_all))
    assert text.method_names() == (*text.BUILT_IN, "all")
    assert text.method("all") is keep_all


def test_another_package_cannot_replace_a_built_in_method(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, ("sentences", "os:getcwd"))
    assert text.method_names() == text.BUILT_IN
    assert text.method("sentences").__module__ == "scythe.reading.papers.sentences"


@pytest.mark.parametrize("value", ["no_such_module_here:read", "os:no_such_name", "os:sep"])
def test_a_method_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    offer(monkeypatch, ("broken", value))
    with pytest.raises(BadInput, match="'broken'"):
        text.method("broken")
