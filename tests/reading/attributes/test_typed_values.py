"""Texts as money, numbers, dates, durations, truths and addresses."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet
from tests.archive.visiting import begin, done
from typer.testing import CliRunner

import scythe
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_documents import to_document, to_extracted
from scythe.cli.learn import learn
from scythe.errors import BadInput
from scythe.output.archive_export import export_archive, plan_export
from scythe.url import Url


def shop(number: int) -> tuple[str, bytes]:
    row = f"<dt>Price<dd class=price>€ {number}2.50<dt>Made<dd class=made>{number + 1} May 2020"
    row += f"<dt>Code<dd class=code>0{number}7"
    return f"https://a.example/{number}", f"<title>Rake {number}</title><h1>Rake {number}</h1><dl>{row}</dl>".encode()


PAGES = [shop(number) for number in range(1, 9)]
RULES = {"price": "<dd class=price>", "made": "<dd class=made>", "code": "<dd class=code>"}


def test_types_are_learned_with_fields_and_kept() -> None:
    site = scythe.Site.learn(PAGES, rules=RULES)
    assert dict(site.profile.types) == {"price": "money", "made": "date"}
    doc = scythe.Site.from_json(site.to_json()).extract(PAGES[3][1], PAGES[3][0])
    price = doc.fields["price"]
    assert (price.values, price.type, price.typed) == (("€ 42.50",), "money", ({"amount": 42.5, "currency": "EUR"},))
    assert (doc.fields["made"].typed, doc.fields["code"].typed) == (("2020-05-05",), ())
    stored = to_document(to_extracted(doc, ("text",)), Url(PAGES[3][0]))
    assert stored.fields["price"] == price
    said = json.loads(json.dumps(doc.to_dict()))["fields"]
    assert said["price"]["typed"] == [{"amount": 42.5, "currency": "EUR"}]
    assert "typed" not in said["code"]


def test_types_can_be_said_and_examples_have_them_too() -> None:
    said = scythe.Site.learn(PAGES, rules=RULES, types={"code": "number", "made": "text"})
    assert dict(said.profile.types) == {"price": "money", "code": "number"}
    for wrong in ({"price": "cash"}, {"none": "money"}):
        with pytest.raises(BadInput, match="types: expected fields that are shown or named"):
            scythe.Site.learn(PAGES, rules=RULES, types=wrong)
    shown = scythe.Site.learn(PAGES, [{"price": f"€ {n}2.50"} for n in range(1, 9)])
    shown.add_fields(PAGES, [{"made": f"{n + 1} May 2020"} for n in range(1, 9)])
    assert dict(shown.profile.types) == {"price": "money", "made": "date"}
    profile = shown.to_json().replace('"money"', '"cash"')
    with pytest.raises(BadInput, match=r"line \d+: type of price: expected one of money, number"):
        scythe.Site.from_json(profile)


def test_the_command_line_takes_and_shows_types(tmp_path: Path) -> None:
    for number, (_, body) in enumerate(PAGES):
        (tmp_path / f"{number}.html").write_bytes(body)
    out = str(tmp_path / "out.json")
    rules = ["--rule", "price=<dd class=price>", "--rule", "code:number=<dd class=code>"]
    done = CliRunner().invoke(learn, [str(tmp_path), "-o", out, *rules])
    assert "money: € 12.50" in done.stdout
    assert "number: 017" in done.stdout
    wrong = CliRunner().invoke(learn, [str(tmp_path), "-o", out, "--field", "price:cash=€ 12.50"])
    assert wrong.exit_code == 2
    assert "cash: expected one of the types money, number" in wrong.stderr


def test_tables_of_an_archive_have_typed_columns_beside_the_text(tmp_path: Path) -> None:
    site = scythe.Site.learn(PAGES, rules=RULES, types={"code": "number"})
    with open_archive(tmp_path / "a.db") as archive:
        tasks = begin(archive, *(url.rpartition("/")[2] for url, _ in PAGES))[1]
        outcomes = [
            done(task, extracted=to_extracted(site.extract(body, url), ("text",)))
            for task, (url, body) in zip(tasks, PAGES, strict=True)
        ]
        store_outcomes(archive, outcomes)
        plan = plan_export(tmp_path / "a.parquet", None, "pages", tuple((name, name) for name in COLUMNS))
        export_archive(archive, plan)
        export_archive(archive, tmp_path / "a.csv")
        export_archive(archive, tmp_path / "whole.parquet")
        streamed = scythe.scan_archive(archive).read_all().to_pylist()
    table = parquet.read_table(tmp_path / "a.parquet")
    assert [str(field.type) for field in table.schema] == ["string", "double", "string", "double", "string", "int64"]
    rows = sorted(table.to_pylist(), key=lambda row: row["price"])
    assert rows[0] == dict(zip(COLUMNS, ("€ 12.50", 12.5, "EUR", 17.0, "2020-05-02", 1), strict=True))
    assert "price,price_amount,price_currency" in (tmp_path / "a.csv").read_text().splitlines()[0]
    for line in (streamed[0], parquet.read_table(tmp_path / "whole.parquet").to_pylist()[0]):
        fields = {field["name"]: field for field in line["fields"]}
        assert (fields["price"]["type"], fields["price"]["typed"]) == ("money", ["EUR"])
        assert isinstance(fields["price"]["numbers"][0], float)
        assert fields["made"]["typed"][0].startswith("2020-05-")


COLUMNS = ("price", "price_amount", "price_currency", "code_number", "made_iso", "version")
