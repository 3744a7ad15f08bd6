"""The judge of coverage fails where a goal is missed, and where it could not tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.coverage_gate import MET, SHORT, UNREADABLE, WHOLE, Reach, by_package, find_shortfalls, main, read_modules

ROOT = Path(__file__).resolve().parent.parent / "src" / "scythe"
GUARDED = [path.replace("*", "store") for paths in WHOLE.values() for path in paths]
PERFECT = {path: Reach(10, 0, 4, 0) for path in (*GUARDED, "site.py", "reading/text/choose_text.py")}


def write_report(folder: Path, modules: dict[str, Reach]) -> Path:
    """Write what `coverage json` would for these modules."""
    files = {
        f"src/scythe/{path}": {
            "summary": {
                "num_statements": reach.lines,
                "missing_lines": reach.missed_lines,
                "num_branches": reach.branches,
                "missing_branches": reach.missed_branches,
            }
        }
        for path, reach in modules.items()
    }
    report = folder / "coverage.json"
    report.write_text(json.dumps({"files": files}))
    return report


def test_all_goals_met_pass_and_leave_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.md"
    assert main([str(write_report(tmp_path, PERFECT)), "--out", str(table)]) == MET
    assert "| reading | 10 | 0 | 4 | 0 | 100.0 | 100.0 |" in table.read_text()
    assert capsys.readouterr().out == table.read_text()
    assert table.read_text().endswith("coverage passed\n")


@pytest.mark.parametrize("missed", [Reach(10, 1, 4, 0), Reach(10, 0, 4, 1)])
@pytest.mark.parametrize("path", GUARDED)
def test_one_line_or_branch_missed_of_a_guarded_part_fails(path: str, missed: Reach) -> None:
    (line,) = find_shortfalls(PERFECT | {"site.py": Reach(900, 0, 900, 0), path: missed})
    assert path in line


@pytest.mark.parametrize(
    ("what", "missed"), [("lines", Reach(1_000, 80, 10, 0)), ("branches", Reach(10, 0, 1_000, 80))]
)
def test_less_than_95_per_cent_of_all_fails(what: str, missed: Reach, tmp_path: Path) -> None:
    report = write_report(tmp_path, PERFECT | {"site.py": missed})
    (line,) = find_shortfalls(read_modules(json.loads(report.read_bytes())))
    assert f"% of all {what}" in line
    assert main([str(report)]) == SHORT


def test_a_guarded_module_that_was_not_measured_fails() -> None:
    modules = {path: reach for path, reach in PERFECT.items() if path != "limits.py"}
    assert find_shortfalls(modules) == ["limits: no module limits.py was measured; was it renamed?"]


def test_every_guarded_module_exists() -> None:
    assert all(list(ROOT.glob(pattern)) for patterns in WHOLE.values() for pattern in patterns)


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}", '{"files": {}}', '{"files": {"src/scythe/site/site.py": {"summary": {"num_statements": 1}}}}'],
)
def test_a_report_of_nothing_or_without_branches_is_no_pass(text: str, tmp_path: Path) -> None:
    report = tmp_path / "coverage.json"
    report.write_text(text)
    assert main([str(report)]) == UNREADABLE
    assert main([str(tmp_path / "absent.json")]) == UNREADABLE


def test_packages_are_the_folders_below_the_package() -> None:
    sums = by_package(
        {"site.py": Reach(1, 1), "limits.py": Reach(2), "read/a/b.py": Reach(3), "read/c.py": Reach(4, 2)}
    )
    assert sums == {"scythe": Reach(3, 1), "read": Reach(7, 2)}
    assert sums["read"].line_share == pytest.approx(500 / 7)
    assert sums["read"].branch_share == 100.0
