"""Every fuzz target holds on some inputs, and what looks for defects finds those that were planted."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fuzz.drive import ROOT, Budget, run_targets
from tests.fuzz.groups import api
from tests.fuzz.judge import Defect, Judge
from tests.fuzz.mutate import Mutator
from tests.fuzz.registry import GROUPS, RAW, STRUCTURED, all_targets, find_target

pytestmark = pytest.mark.fault
TARGETS = all_targets()
INPUTS = {"api": 8, "cut": 6, "page": 12, "file": 8}  # dear ones get fewer
USUAL = 40


@pytest.fixture(scope="module", autouse=True)
def opened_again() -> Iterator[None]:
    """Leave the process as it was: the targets of the interface let nothing out of it."""
    yield
    api.stop()


@pytest.mark.parametrize("name", TARGETS)
def test_target_holds_on_odd_inputs(name: str) -> None:
    found: list[Defect] = []
    target = TARGETS[name]
    judge = Judge(target, found.append)
    judge.warm_up()
    mutator = Mutator(target, 1)
    for _ in range(INPUTS.get(name.partition(".")[0], USUAL)):
        judge.try_one(mutator.make())
    assert not [defect.why for defect in found if defect.what != "slow"]  # machines of builds may be slow


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_a_seed_are_always_the_same(name: str) -> None:
    one, other = (Mutator(TARGETS[name], 5) for _ in range(2))
    assert [one.make() for _ in range(5)] == [other.make() for _ in range(5)]


def test_there_are_targets_of_both_kinds_in_all_groups() -> None:
    assert {target.kind for target in TARGETS.values()} == {RAW, STRUCTURED}
    assert {name.partition(".")[0] for name in TARGETS} == set(GROUPS)


@pytest.mark.parametrize("what", ["exception", "loss", "slow", "crash", "hang", "stuck"])
def test_planted_defect_is_found_and_can_be_seen_again(what: str, tmp_path: Path) -> None:
    planted = f"planted.{what}"
    budget = Budget(40, 600, hang_s=0.1, stuck_s=3.0 if what == "stuck" else 300.0, deaths=1)
    (outcome,) = run_targets([planted], budget, tmp_path)
    assert outcome.defects > 0
    saved = [path for path in (tmp_path / planted).iterdir() if path.suffix != ".txt"]
    assert {path.name.partition("-")[0] for path in saved} == {what}
    assert f"replay {saved[0]} {planted}" in saved[0].with_suffix(".txt").read_text()
    if what != "hang" and what != "stuck":
        replay = [sys.executable, "-m", "tests.fuzz", "replay", saved[0], planted]
        assert subprocess.run(replay, cwd=ROOT, capture_output=True).returncode != 0


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "tests.fuzz", "planted.none", "--inputs", "500", "--out", str(tmp_path)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 raw inputs" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_defect_is_shown_by_a_short_input() -> None:
    found: list[Defect] = []
    Judge(find_target("planted.exception"), found.append).try_one(b"a" * 5_000 + b"\xff" + b"b" * 5_000)
    assert [defect.data for defect in found] == [b"\xff"]
