"""`python -m bench` without a part: everything at once, on sets made here."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench.command import app
from bench.cut_tables import Table
from bench.folds import save_folds
from bench.whole import images
from bench.whole.charts import QUALITY, SPEED, VISITS
from bench.whole.parts import LESS, SEEN, UNSEEN, boldest, few, number_of, share
from bench.whole.run import PARTS
from tests.bench.small_sets import FOLDERS, write_sets
from typer.testing import CliRunner, Result

SVG = "{http://www.w3.org/2000/svg}"
WITH_DATA = "text,cut,learn,records,images,schedule"


def bench(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """One run of all parts that need data."""
    out = tmp_path_factory.mktemp("out") / "results"
    return bench("--data", data, "--only", WITH_DATA, "-o", out), out


def test_one_command_writes_tables_numbers_and_charts(whole: tuple[Result, Path]) -> None:
    done, out = whole
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in out.iterdir()) == sorted(("results.md", "results.json", QUALITY, SPEED, VISITS))
    saved = json.loads((out / "results.json").read_text())
    assert [section["name"] for section in saved["sections"]] == WITH_DATA.split(",")
    assert all(section["figures"] and section["tables"] and section["details"] for section in saved["sections"])
    assert {name.split("/")[0] for name in saved["data"]} == set(FOLDERS)
    assert saved["machine"]["cpus"] >= 1


def test_the_tables_have_a_column_for_each_tool_and_name_the_best(whole: tuple[Result, Path]) -> None:
    done, out = whole
    written = (out / "results.md").read_text()
    assert "## Main text" in written
    assert "| page set (pages) | scythe (has seen these sites) |" in written
    assert "![Main text](bench-quality.svg)" in written
    assert "`python -m bench --data DIR --only text,cut,learn,records,images,schedule`" in written
    assert str(out.parent) not in written  # no place of this machine
    for part in ("| one value, two rules agreeing |", "whole page with its text", "values right, 3 pages shown, F1"):
        assert part in done.stdout
    assert "**" in done.stdout
    assert "Python 3." in done.stdout


def test_it_says_that_models_that_ship_have_seen_the_sites(whole: tuple[Result, Path]) -> None:
    _, out = whole
    sections = {one["name"]: one for one in json.loads((out / "results.json").read_text())["sections"]}
    assert all(SEEN in sections[name]["said"] for name in ("text", "records", "images"))
    assert SEEN not in sections["schedule"]["said"]


@pytest.mark.parametrize("name", [QUALITY, SPEED, VISITS])
def test_charts_are_complete_in_themselves_and_know_dark_paper(whole: tuple[Result, Path], name: str) -> None:
    svg = (whole[1] / name).read_text()
    root = ElementTree.fromstring(svg)
    assert root.findtext(f"{SVG}title")
    assert "scythe" in (root.findtext(f"{SVG}desc") or "") or "auto" in (root.findtext(f"{SVG}desc") or "")
    assert "prefers-color-scheme:dark" in svg
    assert "href" not in svg
    assert "url(" not in svg


def test_with_models_by_fold_the_tables_say_that_sites_are_unseen(data: Path, tmp_path: Path) -> None:
    shipped = {"text": "reading.text/auto.json", "records": "reading.lists/tables/regions.json"}
    for task, place in shipped.items():
        package, _, name = place.partition("/")
        model = files(f"scythe.{package}").joinpath(name).read_text("utf-8")
        save_folds(tmp_path / f"{task}.json.xz", [model, model], [])
    asked = ("--data", data, "--only", "text,records", "--no-peers")
    done = bench(*asked, "--folds", tmp_path, "-o", tmp_path / "o")
    assert done.exit_code == 0, done.output
    assert "| page set (pages) | scythe, sites unseen |" in done.stdout
    assert done.stdout.count(UNSEEN) == 2
    assert SEEN not in done.stdout
    assert "had not seen the sites" in (tmp_path / "o" / QUALITY).read_text()
    missing = bench("--data", data, "--only", "images", "--folds", tmp_path, "-o", tmp_path / "o")
    assert (missing.exit_code, "has no images.json.xz" in missing.output) == (2, True)
    alone = bench("records", "--data", data, "--limit", "1", "--folds", tmp_path)
    assert "judged by models that have not seen it" in alone.stdout, alone.output
    assert bench("text", "--data", data, "--limit", "1", "--folds", tmp_path).exit_code == 0
    assert "has no images.json.xz" in bench("images", "--data", data, "--folds", tmp_path).output


def test_progress_goes_to_standard_error_alone(data: Path, tmp_path: Path) -> None:
    done = bench("--data", data, "--only", "schedule", "--limit", "1", "-o", tmp_path / "o")
    assert "bench: schedule:" in done.stderr
    assert "bench: schedule:" not in done.stdout
    assert "1 lists" in done.stdout
    assert "only the first 1 pages" in (tmp_path / "o" / "results.md").read_text()


def test_a_folder_that_is_not_there_is_skipped_and_said(tmp_path: Path) -> None:
    folder = write_sets(tmp_path / "data")
    for path in (folder / "records").iterdir():
        path.unlink()
    (folder / "records").rmdir()
    done = bench("--data", folder, "--only", "records,schedule", "--no-peers", "-o", tmp_path / "o")
    assert done.exit_code == 0, done.output
    assert "records: the data have no folder records" in done.stderr
    assert "Skipped: the data have no folder records." in (tmp_path / "o" / "results.md").read_text()


def test_without_peers_scythe_is_alone(data: Path, tmp_path: Path) -> None:
    done = bench("--data", data, "--only", "text,records,schedule", "--no-peers", "-o", tmp_path)
    assert done.exit_code == 0, done.output
    sections = json.loads((tmp_path / "results.json").read_text())["sections"]
    who = {figure["who"] for section in sections for figure in section["figures"]}
    assert who == {"scythe", "auto, paging"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--only", "text"], "--data DIR is needed"),
        (["--data", "none"], "there is no such folder"),
        (["--data", "."], "has none of the folders text, sites, records, images, arrivals"),
        (["--data", ".", "--only", "text,taste"], "no part is called taste; there are text, cut"),
        (["--data", ".", "--folds", "."], "holds no models of folds"),
        (["--only", "crawl", "--crawl-pages", "3"], "too small to crawl"),
        (["--data", ".", "text"], "options of text are written behind it"),
        (["--only", "crawl", "--floors", "none.json"], "none.json holds no floors"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = bench(*arguments)
    assert done.exit_code == 2
    assert complaint in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_parts_of_an_earlier_run_are_kept_when_asked_for(data: Path, tmp_path: Path) -> None:
    asked = ("--data", data, "--no-peers", "--limit", "1", "-o", tmp_path)
    assert bench(*asked, "--only", "schedule,records").exit_code == 0
    before = json.loads((tmp_path / "results.json").read_text())["sections"]
    done = bench(*asked, "--only", "text", "--keep")
    assert done.exit_code == 0, done.output
    after = json.loads((tmp_path / "results.json").read_text())["sections"]
    assert [section["name"] for section in after] == ["text", "records", "schedule"]
    assert after[1:] == [before[0], before[1]] or after[1:] == [before[1], before[0]]
    assert "## Planning visits" in (tmp_path / "results.md").read_text()
    assert bench(*asked, "--only", "text").exit_code == 0  # without the word they are gone
    assert len(json.loads((tmp_path / "results.json").read_text())["sections"]) == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"machine": {}}, "another machine or packages"),
        ({"setting": {"limit": 7, "crawl_pages": 1000}}, "another --limit"),
        ({"data": {"text/news.jsonl": "0"}}, "another version of the data"),
        ({"version": 0}, "holds no results to keep"),
        ({"sections": [{"name": "schedule"}]}, "holds no results to keep"),
    ],
)
def test_what_was_measured_otherwise_is_not_kept(
    data: Path, tmp_path: Path, change: dict[str, object], complaint: str
) -> None:
    asked = ("--data", data, "--no-peers", "--only", "schedule", "-o", tmp_path)
    assert bench(*asked).exit_code == 0
    results = tmp_path / "results.json"
    results.write_text(json.dumps(json.loads(results.read_text()) | change))
    done = bench("--data", data, "--no-peers", "--only", "text", "--keep", "-o", tmp_path)
    assert (done.exit_code, complaint in done.output) == (2, True), done.output


def test_a_damaged_set_is_named_and_what_was_measured_before_is_kept(tmp_path: Path) -> None:
    folder = write_sets(tmp_path / "data")
    (folder / "records" / "lists.jsonl").write_text("{\n")
    done = bench("--data", folder, "--only", "schedule,records", "--no-peers", "-o", tmp_path / "o")
    assert done.exit_code == 2
    assert "lists.jsonl, after 1 lines" in done.output
    saved = json.loads((tmp_path / "o" / "results.json").read_text())
    assert [section["name"] for section in saved["sections"]] == ["schedule"]


def test_help_teaches_by_examples_and_lists_every_part() -> None:
    said = bench("--help").output
    assert "python -m bench --data DIR --folds train/folds" in said
    assert all(name in said for name in PARTS)


def test_every_part_is_also_a_command_of_its_own() -> None:
    for name in PARTS:
        assert bench(name, "--help").exit_code == 0


def test_numbers_are_written_as_the_readme_has_them() -> None:
    assert [share(value) for value in (0.9641, 0.0, 0.99951, 1.0, None)] == [".964", ".000", "1.00", "1.00", ""]
    assert [few(value, "ms") for value in (0.123, 5.04, 27.46, 128.3, 2086.0)] == [
        "0.12 ms",
        "5.04 ms",
        "27.5 ms",
        "128 ms",
        "2 086 ms",
    ]
    assert boldest([".9", ".8"], [0.9, 0.8]) == ("**.9**", ".8")
    assert boldest(["2 ms", "", "1 ms"], [2.0, None, 1.0], LESS) == ("2 ms", "", "**1 ms**")
    assert boldest([".9"], [0.9]) == (".9",)


def test_a_cell_that_is_no_number_has_none() -> None:
    table = Table("t", "", ("name", "F1"), (("a", ".5"), ("b", "-"), ("c", None)))
    assert [number_of(table, row, "F1") for row in "abcd"] == [0.5, None, None, None]
    assert number_of(table, "a", "P") is None


def test_pages_to_label_are_compared_by_who_chooses_them() -> None:
    columns = ("pages", "random", "std", "algorithm1", "std", "cover", "std")
    title = "{}: f by pages labelled and how they are chosen"
    ours = Table("wp", title.format("relevance"), columns, ((3, 0.5, 0, 0.6, 0, 0.9, 0),))
    tc = Table("wp", title.format("adaboost"), columns, ((3, 0.1, 0, 0.2, 0, 0.3, 0), (6, None, 0, None, 0, None, 0)))
    found = {(one.name, one.who): one.value for one in images.figures_of([ours, tc])}
    assert found == {
        ("images/wp/3 pages labelled, chosen by scythe suggest", "scythe"): 0.9,
        ("images/wp/3 pages labelled, chosen at random", "scythe"): 0.5,
        ("images/wp/3 pages labelled, chosen by scythe suggest", "TC, AdaBoost"): 0.3,
        ("images/wp/3 pages labelled, chosen by scythe suggest", "TC, AdaBoost, its own choice"): 0.2,
        ("images/wp/3 pages labelled, chosen at random", "TC, AdaBoost"): 0.1,
    }
