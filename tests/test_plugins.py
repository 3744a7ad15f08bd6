"""Parts of other packages: found by their entry points, loaded on demand, complained about by name."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.testing.packages import install_package

from scythe.errors import BadInput
from scythe.model import TextOptions
from scythe.page import Page
from scythe.plugins import GROUPS, list_plug_ins, load_plug_in
from scythe.reading.lists.list_methods import attribute_method
from scythe.reading.text import method

TEXT, RECORD = GROUPS["text characteristic"], GROUPS["record characteristic"]
QUOTES = (
    "class Quotes:\n    def weigh(self, elements):\n        return [float(t.count('\"')) for t in elements.leaf_text]\n"
)
MARKS = "class Stars:\n    def mark(self, elements):\n        return ['*' in text for text in elements.text]\n"

Install = Callable[[str, str, dict[str, str]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install packages for one test, each in a folder of its own."""

    def put(name: str, code: str, offers: dict[str, str]) -> None:
        folder = tmp_path / name
        install_package(folder, name, code, offers)
        monkeypatch.syspath_prepend(folder)

    return put


def test_a_characteristic_of_another_package_widens_vsse(install: Install) -> None:
    install("their_quotes", QUOTES, {TEXT: "quotes = their_quotes:Quotes"})
    page = Page.from_text('<p>Long and, well. Marked!</p><section><b>"so"</b></section>')
    assert [page.blocks.text[i] for i in method("vsse")(page, TextOptions()).kept] == ["Long and, well. Marked!"]
    reading = method("vsse+quotes")(page, TextOptions())
    assert (reading.method, reading.kept) == ("vsse+quotes", (0, 1))


def test_a_characteristic_of_another_package_moves_the_area_of_hmm(install: Install) -> None:
    install("their_stars", MARKS, {RECORD: "stars = their_stars:Stars"})
    stars = "".join(f"<p>* {n}</p>" for n in range(999))
    pairs = "".join(f"<p>{name}: 2</p>" for name in ("Price", "Size", "Height", "Depth", "Colour"))
    page = Page.from_text(f"<div>{pairs}</div><section><p>Weight: 1</p>{stars}</section>")
    assert ("Price", "2") in attribute_method("hmm")(page)
    assert ("Weight", "1") not in attribute_method("hmm")(page)
    assert attribute_method("hmm+stars")(page) == (("Weight", "1"),)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("vsse+nobody", "unknown text characteristic 'nobody'; none is known"),
        ("cetd+quotes", "only vsse takes characteristics"),
        ("vsse+", "unknown text characteristic ''"),
    ],
)
def test_a_characteristic_that_cannot_be_had_is_named(name: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        method(name)


def test_a_part_without_what_it_must_do_is_named(install: Install) -> None:
    install("their_quotes", QUOTES, {RECORD: "quotes = their_quotes:Quotes"})
    with pytest.raises(BadInput, match="record characteristic 'quotes' is a Quotes without a method 'mark'"):
        attribute_method("hmm+quotes")


def test_a_name_that_two_packages_offer_is_refused_with_both(install: Install) -> None:
    install("first", QUOTES, {TEXT: "quotes = first:Quotes"})
    install("second", QUOTES, {TEXT: "quotes = second:Quotes"})
    with pytest.raises(BadInput, match=r"'quotes' is offered by first 1\.0 and second 1\.0: uninstall one"):
        load_plug_in("text characteristic", "quotes")


def test_a_package_that_does_not_load_is_named(install: Install) -> None:
    install("broken", "this is no Python", {TEXT: "quotes = broken:Quotes"})
    with pytest.raises(BadInput, match="text characteristic 'quotes' cannot be loaded from 'broken:Quotes'"):
        load_plug_in("text characteristic", "quotes")


def test_what_is_installed_is_listed_without_loading_it(install: Install) -> None:
    install("broken", "raise SystemExit", {TEXT: "b = broken:B\na = broken:A", RECORD: "c = broken:C"})
    listed = [(one.kind, one.name, one.value, one.package) for one in list_plug_ins() if one.package == "broken 1.0"]
    assert listed == [
        ("text characteristic", "a", "broken:A", "broken 1.0"),
        ("text characteristic", "b", "broken:B", "broken 1.0"),
        ("record characteristic", "c", "broken:C", "broken 1.0"),
    ]
