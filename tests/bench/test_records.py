"""`python -m bench records` on page sets written here."""

import json
from pathlib import Path

import pytest
from bench.command import app
from typer.testing import CliRunner

from bench import records as bench
from scythe.errors import BadInput

NAMES = "Barley Rye Oats Wheat Millet Spelt Sorghum Maize".split()
ITEMS = "".join(
    f"<li class=item><h3><a href='/p/{i}'>{name} flour, milled on stone</a></h3><p>Sold in bags of {i + 1} kilo since "
    f"the autumn of {1990 + i}.</p><span class=price>{i}.50 EUR</span></li>"
    for i, name in enumerate(NAMES)
)
LIST_PAGE = (
    "<title>Flour</title><nav><ul><li><a href=/>Home</a><li><a href=/a>About</a><li><a href=/c>Contact</a></ul></nav>"
    f"<main><h1>Flour</h1><ul class=products>{ITEMS}</ul><div class=pagination><b>1</b> <a href='?page=2'>2</a> "
    "<a class=next href='?page=2'>Next</a></div></main><footer><p>Made by hand</p></footer>"
)
GOLD = [
    {
        "title": f"{name} flour, milled on stone",
        "leaves": [
            f"{name} flour, milled on stone",
            f"Sold in bags of {i + 1} kilo since the autumn of {1990 + i}.",
            f"{i}.50 EUR",
        ],
        "region": 0,
    }
    for i, name in enumerate(NAMES)
]
LIST_ROW = {
    "id": "1",
    "site": "a",
    "url": "https://example.org/flour",
    "html": LIST_PAGE,
    "gold": GOLD,
    "plain_siblings": False,
    "paging_css": {"NEXT": ".next", "PAGE": ".pagination a"},
}
PRODUCT_ROW = {
    "id": "2",
    "site": "b",
    "url": "https://example.org/p",
    "html": "<h1>Sickle</h1><table><tr><th>Brand</th><td>Falx</td></tr><tr><th>Weight</th><td>300 g</td></tr></table>",
    "gold": {"brand": ["Falx"], "price": [], "currency": ["EUR"]},
}
RECIPE_ROW = {
    "id": "3",
    "site": "c",
    "html": "<h1>Soup</h1><script>var no = 1</script><ul><li>2 cups of barley<li>1 large onion<li>3 carrots</ul>",
    "gold": {"ingredients": ["2 cups of barley", "1 large onion", "3 carrots"], "instructions": ""},
}


def write(folder: Path, name: str, *rows: dict[str, object]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_list_page_is_scored_for_records_and_paging(tmp_path):
    tables = bench.run(write(tmp_path, "lists", LIST_ROW))
    assert [table.title.split(",")[0] for table in tables] == ["records", "paging"]
    scores = dict(zip(tables[0].columns, tables[0].rows[0], strict=True))
    assert scores["method"] == "auto"
    assert scores["first"] == scores["first, hard"] == scores["best"] == 1.0
    assert (scores["page P"], scores["page R"], scores["title column"]) == (1.0, 1.0, 1.0)
    assert tables[1].rows[0][1:] == (1, 1, 1.0, 0, 0)


def test_ingredients_are_looked_for_without_scripts(tmp_path):
    table = bench.run(write(tmp_path, "recipes", RECIPE_ROW))[0]
    scores = dict(zip(table.columns, table.rows[0], strict=True))
    assert scores["best"] == 1.0
    assert scores["in first 3"] == 1.0


def test_attributes_are_counted_one_by_one_and_together(tmp_path):
    table = bench.run(write(tmp_path, "products", PRODUCT_ROW))[0]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["brand"] == (1.0, 1.0, 1.0, 1)
    assert rows["all together"][-1] == 1
    assert "currency" not in rows


@pytest.mark.parametrize(
    ("rows", "methods", "complaint"),
    [
        ([LIST_ROW], ("guess",), "no method is called guess"),
        ([LIST_ROW, {"html": "<p>", "url": None}], ("auto",), "gold"),
    ],
)
def test_what_cannot_be_scored_is_refused_before_anything_runs(tmp_path, rows, methods, complaint):
    with pytest.raises(BadInput, match=complaint):
        bench.run(write(tmp_path, "lists", *rows), methods=methods)


def test_the_command_prints_json_with_its_caution(tmp_path):
    done = CliRunner().invoke(app, ["records", "--data", str(write(tmp_path, "lists", LIST_ROW)), "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert "memory, not skill" in answer["caution"]
    assert answer["tables"][0]["name"] == "lists"
