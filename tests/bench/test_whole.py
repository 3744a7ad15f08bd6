"""`python -m bench` without a part: everything at once, on sets made here."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from bench.command import app
from bench.folds import save_folds
from bench.whole.charts import QUALITY, SPEED, VISITS
from bench.whole.parts import SEEN, UNSEEN
from bench.whole.run import PARTS
from tests.bench.small_sets import FOLDERS, write_sets
from typer.testing import CliRunner, Result

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


def test_help_teaches_by_examples_and_lists_every_part() -> None:
    said = bench("--help").output
    assert "python -m bench --data DIR --folds train/folds" in said
    assert all(name in said for name in PARTS)
