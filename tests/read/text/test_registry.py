from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from scythe.errors import BadInput
from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.read import text

PUBLISHED = [name for name in text.BUILT_IN if name != "auto"]


def keep_all(page: Page, options: TextOptions) -> Reading:
    return Reading("all", kept=tuple(range(len(page.blocks))), why="" if len(page.blocks) else "no text")


NOT_CALLABLE = "a text"


def offer(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> None:
    found = EntryPoints(EntryPoint(name, value, text.GROUP) for name, value in points)
    monkeypatch.setattr(text, "entry_points", lambda *, group: found.select(group=group))


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_method_keeps_the_promises(name: str) -> None:
    text.check_text_method(text.method(name))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_reading_carries_the_name_of_its_method(name: str) -> None:
    page = Page.from_text("<body><div>" + "<p>One, two. Three, four! Five; six.</p>" * 40 + "</div></body>")
    reading = text.method(name)(page, TextOptions())
    assert reading.method == name
    assert len(reading.kept) == 40


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'densest'.*auto, sentences, characters, vsse, cetr, cetd"):
        text.method("densest")


def test_another_package_can_add_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, ("all", f"{__name__}:keep_all"))
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(keep_all=keep_all))
    assert text.method_names() == (*text.BUILT_IN, "all")
    assert text.method("all") is keep_all


def test_another_package_cannot_replace_a_built_in_method(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, ("sentences", "os:getcwd"))
    assert text.method_names() == text.BUILT_IN
    assert text.method("sentences").__module__ == "scythe.read.text.sentences"


@pytest.mark.parametrize("value", ["no_such_module_here:read", "os:no_such_name", "os:sep"])
def test_a_method_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    offer(monkeypatch, ("broken", value))
    with pytest.raises(BadInput, match="'broken'"):
        text.method("broken")


@pytest.mark.parametrize(
    ("reading", "complaint"),
    [
        (Reading("bad", kept=(1, 0)), "do not ascend"),
        (Reading("bad", kept=(10_000,)), "outside"),
        (Reading("", kept=(0,)), "does not name"),
        (Reading("bad"), "no reason"),
        (Reading("bad", why="x", scores=(1.0,) * 9_999), "scores"),
        ("text", "expected a Reading"),
    ],
)
def test_the_check_finds_a_broken_promise(reading: Reading, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        text.check_text_method(lambda page, options: reading)


def test_the_check_finds_a_method_that_changes_its_mind() -> None:
    readings = iter(Reading("moody", why=str(i)) for i in range(100))
    with pytest.raises(AssertionError, match="second reading"):
        text.check_text_method(lambda page, options: next(readings))


def test_the_check_accepts_a_good_method() -> None:
    text.check_text_method(keep_all)
