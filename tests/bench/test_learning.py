"""Counting what learned sites cut and whether it is right."""

import json
from pathlib import Path

import pytest
from bench.command import app
from bench.learning import LearningRun, run
from typer.testing import CliRunner

WORDS = "barley wheat river harvest farmer meadow autumn market village bridge orchard winter mill".split()


def html(number: int) -> str:
    text = "".join(
        f"<p>{' '.join(WORDS[(number * 5 + line * 3 + i) % len(WORDS)] for i in range(30))}, they said.</p>"
        for line in range(5)
    )
    return (
        f"<html><head><title>Story {number} of the valley</title></head><body>"
        f"<div class='menu'><a href='/'>Home</a></div><div class='page'>"
        f"<h1 class='head'>Story {number} of the valley</h1><p class='price'>Price: <b>{number}.50</b></p>"
        f"<div class='story'>{text}</div></div><div class='foot'>All rights reserved</div></body></html>"
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites")
    told = [{"id": str(n), "site": "shop/one", "html": html(n), "gold": {"price": [f"{n}.50"]}} for n in range(8)]
    untold = [{"id": str(n), "site": "news", "html": html(n)} for n in range(8)]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, told + untold)), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def done(data: Path) -> LearningRun:
    return run(data)


def test_every_page_that_was_not_learned_is_counted(done: LearningRun) -> None:
    assert {tally.pages for tally in done.tallies.values()} == {4}
    assert set(done.tallies) == {(name, manner) for name in ("shop", "pages") for manner in ("first", "spread")}


def test_what_is_cut_is_what_the_tree_gives(done: LearningRun) -> None:
    assert all(tally.different == 0 for tally in done.tallies.values())
    assert done.tallies["shop", "first"].hows["cut"] == 4


def test_values_by_example_are_right(done: LearningRun) -> None:
    assert {shots: counts["shop", "price"].hits for shots, counts in done.shown.items()} == {1: 7, 2: 6, 3: 5}


def test_the_command_prints_tables_and_json(data: Path) -> None:
    printed = CliRunner().invoke(app, ["learn", "--data", str(data), "--site-limit", "1"])
    assert printed.exit_code == 0
    assert "cut, not the tree's" in printed.output
    answered = CliRunner().invoke(app, ["learn", "--data", str(data), "--site-limit", "1", "--json"])
    assert json.loads(answered.stdout)["tables"][0]["name"] == "cuts"
