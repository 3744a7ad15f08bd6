"""Help as a manual has it: the same parts everywhere, on any terminal, in a manual page too."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.man_page import page

from scythe.cli import read_help
from scythe.cli.main import VERBS, fold, load_verb

from .conftest import Run


def commands(verb: str) -> Iterator[Any]:
    waiting = [load_verb(verb)]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        yield command


def own_help() -> str:
    return read_help("scythe")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_shows_examples_and_what_its_exit_codes_mean(verb: str) -> None:
    said = load_verb(verb).help
    assert f"\n  scythe {verb}" in said.partition("\b\nExamples:\n")[2]
    assert "\b\nExit codes:\n  0  " in said
    assert "\n  2  invalid command" in said


def test_every_variable_of_the_environment_is_named_in_the_help_of_scythe() -> None:
    used = {one.envvar for verb in VERBS for command in commands(verb) for one in command.params if one.envvar}
    assert used == {"SCYTHE_ARCHIVE", "SCYTHE_TOKEN", "SCYTHE_WEBHOOK_SECRET"}
    assert [name for name in used if name not in own_help()] == []


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_a_terminal_of_eighty_columns(verb: str) -> None:
    for command in commands(verb):
        blocks = [part for part in fold(command.help or "", 80).split("\n\n") if part.startswith("\b")]
        for line in "\n".join(blocks).splitlines():
            # a command is never broken: it could not be copied
            assert len(line) <= 78 or line.startswith("  scythe "), line


def test_what_an_example_does_goes_below_it_where_there_is_no_room() -> None:
    assert fold("  scythe read page.html --all   everything that there is", 40).splitlines() == [
        "  scythe read page.html --all",
        "      everything that there is",
    ]
    assert fold("  130  interrupted; the same command goes on from where it was", 40).splitlines() == [
        "  130  interrupted; the same command",
        "       goes on from where it was",
    ]
    assert fold("  0  read", 40) == "  0  read"


def test_the_width_of_the_terminal_decides(scythe: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = scythe("batch", "--help").stdout.splitlines()
    monkeypatch.setenv("COLUMNS", "80")
    narrow = scythe("batch", "--help").stdout.splitlines()
    assert max(map(len, narrow)) <= 80 < max(map(len, wide))


def test_the_manual_page_is_that_of_the_commands(root: Path) -> None:
    """Messages: `make cli-reference` writes it."""
    assert (root / "man" / "scythe.1").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("program", [name for name in ("man",) if shutil.which(name)])
def test_the_manual_page_is_shown_without_warnings(root: Path, program: str) -> None:
    command = [program, "--warnings", "-l", str(root / "man" / "scythe.1")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "EXIT STATUS" in done.stdout
    assert "scythe watch" in done.stdout
