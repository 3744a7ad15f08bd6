"""`python -m bench images` on sets written here."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.command import app
from bench.image_rows import LabelledRows, load_rows
from bench.image_trials import Plan, choose, try_site, try_sites
from bench.images import judge_page, run
from tests.bench.small_sets import image_row
from typer.testing import CliRunner

from scythe.demo.scoring import Counts


@pytest.fixture(scope="module")
def image_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "demo.jsonl"
    rows = [
        image_row(site, page, number, relevant=number == 0)
        for site in ("farm.example", "field.example")
        for page in range(24)
        for number in range(4)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_methods_that_learn_are_tried_on_pages_they_have_not_seen(image_set: Path) -> None:
    sites = load_rows(image_set)
    trials = try_sites(sites, Plan("tree", 3), seeds=2)
    assert [(trial.site, trial.pages, trial.images) for trial in trials] == [
        (site, 12, 48) for site in ("farm.example", "farm.example", "field.example", "field.example")
    ]
    assert all(trial.f == 1.0 and trial.accuracy == 1.0 and trial.log_loss == 0.0 for trial in trials)


def test_the_test_half_is_the_same_for_every_way_of_choosing(image_set: Path) -> None:
    pages = load_rows(image_set)["farm.example"]
    pool = pages[:12]
    chosen: Callable[[str], list[LabelledRows]] = lambda by: choose(pool, (), Plan("tree", 3, by), 0)
    for by in ("random", "algorithm1", "kinds", "cover"):
        assert len({page.page.url for page in chosen(by)}) == 3
        assert all(page in pool for page in chosen(by))
    marked = [  # every other page has no relevant image: another half would have another number of them
        LabelledRows(rows.site, rows.page, rows.relevant if number % 2 else (False,) * 4)
        for number, rows in enumerate(pages)
    ]
    for seed in range(4):
        found = [try_site("farm.example", marked, Plan("relevance", 3, by), seed) for by in ("random", "cover")]
        first, second = (trial for trial in found if trial is not None)
        assert (first.pages, second.pages) == (12, 12)
        assert first.counts.hits + first.counts.missed == second.counts.hits + second.counts.missed


def test_every_table_of_the_paper_has_its_shape(image_set: Path) -> None:
    tables = run(image_set, method=("adaboost", "og", "relevance"), pages=(1, 3), seeds=1)
    titles = [table.title for table in tables]
    assert titles[0].startswith("no page of a site labelled")
    assert [row[0] for row in tables[0].rows] == ["relevance", "og"]
    assert [row[0] for row in tables[1].rows] == ["relevance", "adaboost"]
    assert [row[0] for row in tables[2].rows] == [1, 3]
    assert tables[2].columns[1::2] == ("random", "clusters", "algorithm1", "kinds", "cover")
    assert [row[0] for row in tables[3].rows] == [10]


def test_pages_are_scored_by_any_address_of_an_image() -> None:
    words = "The scythe cuts the long grass of the meadow in the early morning. " * 12
    html = (
        "<html><head><title>Mowing</title><meta property='og:image' content='/lead-large.jpg'></head><body><article>"
        "<h1>Mowing</h1><figure><img src='/lead.jpg' srcset='/lead.jpg 300w, /lead-large.jpg 1200w'></figure>"
        f"<p>{words}</p></article><footer><img src='/logo.png'></footer></body></html>"
    )
    row = {"url": "https://farm.example/mowing", "html": html, "relevant_images": ["/lead.jpg", "/gone.jpg"]}
    counts, took_s = judge_page(row, "og")
    assert counts == Counts(1, 0, 1)
    assert took_s >= 0


def test_the_command_prints_tables_or_json(image_set: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(app, ["images", "--data", str(image_set), "--method", "og", "--pages", "1"])
    assert shown.exit_code == 0, shown.output
    assert "no page of a site labelled" in shown.stdout
    plain = runner.invoke(app, ["images", "--data", str(image_set), "--method", "og", "--json"])
    assert json.loads(plain.stdout)["tables"][0]["rows"][0][0] == "og"
    wrong = runner.invoke(app, ["images", "--data", str(image_set), "--pages", "0,x"])
    assert wrong.exit_code == 2
    assert "numbers from 1 to 1000" in wrong.stderr
