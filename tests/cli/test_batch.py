"""`scythe batch` as people follow it: what is shown on the way, told at the end, and which code it ends with."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from tests.batch.warcs import page, write
from tests.cli.conftest import Terminal
from typer.testing import CliRunner

from scythe.batch.batch import Progress
from scythe.batch.learn_sites import LearnReport
from scythe.batch.units import BatchReport, FailedCapture, Unit, UnitReport
from scythe.cli import batch as batch_report
from scythe.cli.batch import batch as app
from scythe.cli.batch import show_batch, summarise

EXTRACTING = Progress("extracting", 8, 2, 1_200, 10.0)


def told(*units: UnitReport, learned: LearnReport | None = None) -> list[str]:
    return list(summarise(BatchReport(units, 2.0, learned), "out", ("text",)))


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Run the command in this process, which keeps its answers to signals."""
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)
    yield lambda *arguments: CliRunner().invoke(app, [*arguments, "-o", "out", "--processes", "1", "--no-learn"])
    signal.signal(signal.SIGTERM, before)


def test_a_file_of_which_nothing_could_be_kept_is_named_and_the_command_fails(
    batch: Callable[..., Result], tmp_path: Path
) -> None:
    write(tmp_path / "good.warc.gz", [page(1), page(2)])
    write(tmp_path / "bad.warc.gz", [page(3)])
    given = ("good.warc.gz", "bad.warc.gz", "--parts", "text")
    whole = batch(*given, "--json")
    assert (whole.exit_code, json.loads(whole.stdout)["documents"]) == (0, 3)
    [table] = (tmp_path / "out" / "documents").glob("*bad*")
    table.unlink()
    table.mkdir()  # where the table is to be written again
    done = batch(*given, "--quiet")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"scythe: {tmp_path / 'bad.warc.gz'}: ")
    assert done.stderr.count("\n") == 1


def test_files_without_a_page_are_an_exit_code_of_their_own(batch: Callable[..., Result], tmp_path: Path) -> None:
    write(tmp_path / "none.warc.gz", [])
    done = batch("none.warc.gz", "--parts", "text")
    assert done.exit_code == 3
    assert "0 pages" in done.stdout


def test_sites_that_were_learned_are_told_with_those_that_could_not_be() -> None:
    failed = {"a.example": "no field", "b.example": "no field"}
    lines = told(learned=LearnReport(90, ("c.example",), few=3, failed=failed, failures=7, seconds=250.0))
    assert lines[2:5] == [
        "  learned 1 site in 4 min 10 s, 3 with too few pages",
        "  not learned: 2 x no field",
        "  not learned: 5 more, whose reasons are not kept",
    ]
    assert not any("learned" in line for line in told(learned=LearnReport(learned=("c.example",), resumed=True)))


def test_how_pages_were_got_is_told_in_shares() -> None:
    unit = UnitReport(Unit("a.warc", "a"), documents=5, how={"cut": 3, "cold": 2}, fields={"cut": 9, "tree": 1})
    assert "  90.0 % of the fields of learned pages were cut out of bytes (pages: 3 cut, 2 cold)" in told(unit)


def test_damages_and_failures_are_told_and_those_left_out_counted() -> None:
    damages = tuple(FailedCapture(100 * number, "no record begins here") for number in range(9))
    failures = tuple(FailedCapture(number, f"reason {number}") for number in range(9))
    unit = UnitReport(
        Unit("a.warc", "a"), failed=12, failures=failures, damaged=30, damages=damages, skipped={"a redirect": 4}
    )
    lines = told(unit)
    assert "  no page: 4 x a redirect" in lines
    assert "  failed: 1 x reason 0" in lines
    assert "  failed: 1 for other reasons" in lines
    assert "  failed: 3 more, whose reasons are not kept" in lines
    assert "  damaged: a.warc at byte 700: no record begins here" in lines
    assert "  damaged: 22 more places" in lines
    assert sum("damaged: a.warc" in line for line in lines) == 8


def test_where_nobody_looks_a_line_comes_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with show_batch(quiet=False) as watch:
        assert watch is not None
        watch(EXTRACTING)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(batch_report, "_LINE_S", 0.0)
        watch(EXTRACTING)
        watch(Progress("learning", 8))
        watch(Progress("extracting", 8, 0, 1, 0.5))
    assert capsys.readouterr().err.splitlines() == [
        "scythe: extracting, 1200 pages, 120 pages/s, 2 of 8 parts",
        "scythe: learning, 0 of 8 parts",
        "scythe: extracting, 1 page, 0 of 8 parts",
    ]


def test_who_looks_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with show_batch(quiet=False) as watch:
        assert watch is not None
        watch(EXTRACTING)
    assert "1200 pages, 120 pages/s" in terminal.getvalue()
    assert "2/8" in terminal.getvalue()


def test_quiet_shows_nothing() -> None:
    with show_batch(quiet=True) as watch:
        assert watch is None
