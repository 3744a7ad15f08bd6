"""Floors of the whole benchmark: what was reached once must be reached again, on the same data."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bench.command import app
from bench.machine import describe_machine
from bench.whole.floors import check_same, hold, load_floors, make_floors, save_floors, tell_floors
from bench.whole.parts import LESS, MORE, SPEED, Figure, Section, Setting
from bench.whole.report import Report
from bench.whole.run import PARTS
from tests.bench.small_sets import write_sets
from typer.testing import CliRunner, Result

from scythe.errors import BadInput

REPOSITORY = Path(__file__).parent / "floors.json"
FIGURES = (
    Figure("text/news/F1", "scythe", 0.9, "F1", MORE),
    Figure("text/news/F1", "trafilatura", 0.8, "F1", MORE),
    Figure("text/all/times as fast as trafilatura", "scythe", 5.0, "x", MORE, SPEED, "trafilatura"),
    Figure("text/all/CPU", "scythe", 5.0, "ms", kind=SPEED),
    Figure("learn/cuts that differ", "scythe", 0.0, "", LESS),
    Figure("schedule/auto, paging/missed", "auto, paging", 0.5, "%", LESS),
)


def section(name: str, *figures: Figure) -> Section:
    return Section(name, name, "", figures=figures)


def sections(*figures: Figure) -> tuple[Section, ...]:
    return tuple(section(name, *(one for one in figures if one.name.startswith(name))) for name in PARTS)


def make_report(*figures: Figure) -> Report:
    return Report(sections(*figures), describe_machine(), "python -m bench", Setting(), {"text/news.jsonl": "ab"})


def bench(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_a_run_gives_floors_for_what_is_ours_and_has_a_better_side() -> None:
    floors = {one.name: one for one in make_floors(make_report(*FIGURES)).floors}
    assert {name: (one.better, one.value) for name, one in floors.items()} == {
        "text/news/F1": (MORE, 0.897),
        "text/all/times as fast as trafilatura": (MORE, 2.5),
        "learn/cuts that differ": (LESS, 0.0),
        "schedule/auto, paging/missed": (LESS, 0.55),
    }


def test_floors_are_written_and_read_again(tmp_path: Path) -> None:
    floors = make_floors(make_report(*FIGURES))
    save_floors(tmp_path / "floors.json", floors)
    assert load_floors(tmp_path / "floors.json") == floors


@pytest.mark.parametrize(
    ("name", "value", "broken"),
    [
        ("text/news/F1", 0.8971, 0),
        ("text/news/F1", 0.8969, 1),
        ("text/all/times as fast as trafilatura", 2.6, 0),
        ("text/all/times as fast as trafilatura", 2.4, 1),
        ("learn/cuts that differ", 1.0, 1),
        ("schedule/auto, paging/missed", 0.54, 0),
        ("schedule/auto, paging/missed", 0.56, 1),
    ],
)
def test_a_figure_beyond_its_floor_breaks_it(name: str, value: float, broken: int) -> None:
    floors = make_floors(make_report(*FIGURES))
    now = [replace(one, value=value) if one.name == name and one.who != "trafilatura" else one for one in FIGURES]
    held = hold(floors, sections(*now), ["trafilatura"])
    assert sum(one.is_broken for one in held) == broken
    table = tell_floors(held)
    assert (table.rows[0][0], table.rows[0][-1]) == ((name, "BELOW") if broken else (FIGURES[0].name, "ok"))


def test_a_figure_that_is_not_measured_any_more_breaks_its_floor() -> None:
    held = hold(make_floors(make_report(*FIGURES)), sections(*FIGURES[1:]), ["trafilatura"])
    assert [one.floor.name for one in held if one.is_broken] == ["text/news/F1"]


@pytest.mark.parametrize(
    ("digests", "setting", "complaint"),
    [
        ({"text/news.jsonl": "cd"}, Setting(), "other data: text/news.jsonl differ"),
        ({"text/news.jsonl": "ab", "text/more.jsonl": "x"}, Setting(), "other data: text/more.jsonl"),
        ({"text/more.jsonl": "x"}, Setting(), "other data: text/more.jsonl, text/news.jsonl"),
        ({"text/news.jsonl": "ab"}, Setting(limit=2), "no --limit, no --folds.* this run has --limit 2"),
        ({"text/news.jsonl": "ab"}, Setting(is_held_out=True), "no --folds"),
    ],
)
def test_other_data_and_other_settings_are_not_compared(
    digests: dict[str, str], setting: Setting, complaint: str
) -> None:
    floors = make_floors(make_report(*FIGURES))
    check_same(floors, {"text/news.jsonl": "ab"}, Setting())
    with pytest.raises(BadInput, match=complaint):
        check_same(floors, digests, setting)


def test_the_command_pins_and_holds(tmp_path: Path) -> None:
    data, pinned = write_sets(tmp_path / "data"), tmp_path / "floors.json"
    asked = ("--data", data, "--only", "text,schedule", "--no-peers", "-o", tmp_path / "o")
    assert bench(*asked, "--pin", pinned).exit_code == 0
    held = bench(*asked, "--floors", pinned)
    assert held.exit_code == 0, held.output
    assert "floors: 0 of " in held.stdout
    saved = json.loads(pinned.read_text())
    saved["floors"]["text/news/F1"]["at_least"] = 1.01
    pinned.write_text(json.dumps(saved))
    broken = bench(*asked, "--floors", pinned)
    assert broken.exit_code == 1
    assert "floors: 1 of " in broken.stdout
    assert "| text/news/F1 |" in broken.stdout.partition("floors: 1 of ")[2].splitlines()[4]
    (data / "text" / "news.jsonl").write_bytes((data / "text" / "fundus.jsonl").read_bytes())
    other = bench(*asked, "--floors", pinned)
    assert (other.exit_code, "text/news.jsonl differ" in other.output) == (2, True)


def test_the_floors_of_this_repository_cover_every_part() -> None:
    floors = load_floors(REPOSITORY)
    assert {one.part for one in floors.floors} == set(PARTS)
    assert floors.setting == Setting(is_held_out=True)
    assert {name.split("/")[0] for name in floors.digests} == {"text", "sites", "records", "images", "arrivals"}
    assert all(len(digest) == 64 for digest in floors.digests.values())
