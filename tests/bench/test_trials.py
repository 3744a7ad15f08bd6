"""`python -m bench.trials`: every trial has a command, and a line in bench/README.md."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bench.trials.__main__ import TRIALS, first_line, main, make_command
from bench.trials.harness import print_table, report
from typer.testing import CliRunner


@pytest.mark.parametrize("name", TRIALS)
def test_every_trial_tells_what_it_does(name: str, root: Path) -> None:
    pytest.importorskip("scrapy")
    said = CliRunner().invoke(make_command(name), ["--help"])
    assert said.exit_code == 0, said.output
    assert first_line(name)[:40] in said.output
    assert f"`{name.replace('_', '-')}" in (root / "bench" / "README.md").read_text(encoding="utf-8")


def test_a_name_that_is_no_trial_lists_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["measure-all"])
    assert len(capsys.readouterr().out.splitlines()) == len(TRIALS)


@dataclass
class Verdict:
    lost: int
    restart_s: list[float] = field(default_factory=list)

    def faults(self) -> int:
        return self.lost


def test_a_verdict_with_faults_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(Verdict(0, [3.0, 1.0, 2.0])) == 0
    assert '"median": 2.0' in capsys.readouterr().out
    assert report(Verdict(2)) == 1
    assert '"faults": 2' in capsys.readouterr().out
    assert report(None) == 0


def test_tables_are_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("page", "ms"), [("/a", 3)])
    assert capsys.readouterr().out == "| page | ms |\n|---|---|\n| /a | 3 |\n"
