"""Examples are read from JSON, CSV and options, and tied to the page they are about."""

from pathlib import Path

import pytest

from scythe.cli.page_inputs import merge, own_examples, read_examples, show_on_a_page
from scythe.errors import BadInput
from scythe.fetch.inputs import LoadedPage

PAGES = [
    LoadedPage("shop/spade.html", b"<h1>Spade</h1><p>Price: $12", url="https://example.org/spade"),
    LoadedPage("shop/rake.html", b"<h1>Rake &amp; hoe</h1><p>Price: <b>$</b>12<img src=rake.jpg>"),
    LoadedPage("old/rake.html", b"<h1>Old rake</h1>"),
]


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_json_names_pages_by_file_address_or_the_end_of_either(tmp_path: Path) -> None:
    text = '{"https://example.org/spade": {"price": "$12"}, "shop/rake.html": {"price": [], "name": ["a", "b"]}}'
    found = read_examples(written(tmp_path, "e.json", text), PAGES)
    assert found == [{"price": ["$12"]}, {"price": [], "name": ["a", "b"]}, None]


def test_a_json_list_goes_page_by_page(tmp_path: Path) -> None:
    found = read_examples(written(tmp_path, "e.json", '[null, {"price": "$12"}]'), PAGES)
    assert found == [None, {"price": ["$12"]}, None]


def test_csv_rows_of_one_page_add_up_and_empty_cells_say_none(tmp_path: Path) -> None:
    text = "page,price,name\nspade.html,$12,Spade\nspade.html,$13,\nold/rake.html,,Old rake\n"
    found = read_examples(written(tmp_path, "e.csv", text), PAGES)
    assert found == [{"price": ["$12", "$13"], "name": ["Spade"]}, None, {"price": [], "name": ["Old rake"]}]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("e.json", "{", "not JSON"),
        ("e.json", "7", "an object such as"),
        ("e.json", '{"spade.html": 7}', "an object such as"),
        ("e.json", '{"spade.html": {"price": 12}}', "price: a text or a list of texts"),
        ("e.json", '{"rake.html": {}}', "is the name of 2 pages"),
        ("e.json", '{"hoe.html": {}}', "unknown page 'hoe.html'"),
        ("e.csv", "file,price\na,b\n", "one of them page"),
        ("e.csv", "", "one of them page"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, name: str, text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_examples(written(tmp_path, name, text), PAGES)


def test_an_option_is_the_example_of_the_first_page_that_shows_it() -> None:
    assert show_on_a_page(["name=Rake & hoe", "photo=rake.jpg"], PAGES) == [
        None,
        {"name": ["Rake & hoe"], "photo": ["rake.jpg"]},
        None,
    ]
    assert show_on_a_page(["price=$12"], PAGES)[0] == {"price": ["$12"]}


def test_an_option_that_no_page_shows_is_refused() -> None:
    with pytest.raises(BadInput, match=r"no page shows all of 'Spade', '\$13'"):
        show_on_a_page(["name=Spade", "price=$13"], PAGES)
    with pytest.raises(BadInput, match="write it as name=value"):
        show_on_a_page(["name="], PAGES)


def test_examples_of_several_kinds_are_put_together() -> None:
    assert merge([{"a": ["1"]}, None], [{"a": ["2"], "b": ["3"]}, None]) == [{"a": ["1"], "b": ["3"]}, None]


def test_examples_of_a_page_set_are_checked() -> None:
    assert own_examples([LoadedPage("x"), LoadedPage("y", example={"a": "1"})]) == [None, {"a": ["1"]}]
    with pytest.raises(BadInput, match="y: an object such as"):
        own_examples([LoadedPage("y", example=[])])
