"""The judge of coverage fails where a goal is missed, and where it could not tell."""

import json
from pathlib import Path

import pytest
from tools.coverage_gate import MET, SHORT, UNREADABLE, WHOLE, Reach, find_shortfalls, main

GUARDED = [path.replace("*", "store") for paths in WHOLE.values() for path in paths]
PERFECT = {path: Reach(10, 0, 4, 0) for path in (*GUARDED, "site.py", "reading/text/choose_text.py")}
KEYS = ("num_statements", "missing_lines", "num_branches", "missing_branches")


def judge(folder: Path, modules: dict[str, Reach]) -> int:
    """Judge what `coverage json` would write for these modules."""
    rows = {path: (one.lines, one.missed_lines, one.branches, one.missed_branches) for path, one in modules.items()}
    files = {f"src/scythe/{path}": {"summary": dict(zip(KEYS, row, strict=True))} for path, row in rows.items()}
    (folder / "coverage.json").write_text(json.dumps({"files": files}))
    return main([str(folder / "coverage.json"), "--out", str(folder / "table.md")])


def test_all_goals_met_pass_and_leave_a_table(tmp_path: Path) -> None:
    assert judge(tmp_path, PERFECT) == MET
    assert "| reading | 10 | 0 | 4 | 0 | 100.0 | 100.0 |" in (tmp_path / "table.md").read_text()


@pytest.mark.parametrize("path", GUARDED)
def test_one_line_or_branch_missed_of_a_guarded_part_fails(path: str) -> None:
    for missed in (Reach(10, 1, 4, 0), Reach(10, 0, 4, 1)):
        (line,) = find_shortfalls(PERFECT | {"site.py": Reach(900, 0, 900, 0), path: missed})
        assert path in line
    assert find_shortfalls({other: reach for other, reach in PERFECT.items() if other != path})  # was it renamed?


@pytest.mark.parametrize("missed", [Reach(1_000, 80, 10, 0), Reach(10, 0, 1_000, 80)], ids=["lines", "branches"])
def test_less_than_95_per_cent_of_all_fails(missed: Reach, tmp_path: Path) -> None:
    assert judge(tmp_path, PERFECT | {"site.py": missed}) == SHORT


def test_every_guarded_module_exists(root: Path) -> None:
    assert all(list((root / "src" / "scythe").glob(pattern)) for patterns in WHOLE.values() for pattern in patterns)


@pytest.mark.parametrize("text", ["", "[", "{}", '{"files": {}}', '{"files": {"src/scythe/x.py": {"summary": {}}}}'])
def test_a_report_of_nothing_or_without_branches_is_no_pass(text: str, tmp_path: Path) -> None:
    (tmp_path / "coverage.json").write_text(text)
    assert main([str(tmp_path / "coverage.json")]) == main([str(tmp_path / "absent.json")]) == UNREADABLE
