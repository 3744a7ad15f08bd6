"""How `scythe worker` ends where the archive keeps it waiting."""

import os

import pytest
import typer

from scythe.cli import worker


class Ended(Exception):
    """The process would be gone."""


def test_a_worker_that_cannot_give_everything_back_says_so_and_ends_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(worker, "_LATE", [object()])
    with pytest.raises(Ended), worker._leaving():
        raise typer.Exit(130)
    assert codes == [130]
    assert capsys.readouterr().err == (
        "scythe: not everything could be released in time; other workers take over the rest\n"
    )


def test_a_worker_that_is_done_ends_as_any_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, worker._leaving():
        raise typer.Exit(3)
    assert (end.value.exit_code, capsys.readouterr().err) == (3, "")
