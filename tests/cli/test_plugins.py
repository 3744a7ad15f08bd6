"""Parts of another package, built and installed as its users would, and found by the command line."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.cli.conftest import PAGE, Run
from tests.testing.packages import install_package
from typer.testing import CliRunner

from scythe.cli.main import app
from scythe.demo.serve import DemoOptions, serve_demo
from scythe.output.warc import verify_warc


def install(root: Path, into: Path) -> None:
    """Build the example package and unpack its wheel, which is what an installer does, into a folder."""
    shutil.copytree(root / "examples" / "plug_in", into / "source")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into / "wheels")]
    done = subprocess.run(build, cwd=into / "source", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (wheel,) = (into / "wheels").glob("*.whl")
    with ZipFile(wheel) as file:
        file.extractall(into / "installed")


@pytest.fixture
def look_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Let processes that are started find what is installed in a folder."""

    def put(folder: Path) -> None:
        before = os.environ.get("PYTHONPATH", "")
        monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{before}" if before else str(folder))

    return put


@pytest.mark.slow
@pytest.mark.fault
def test_the_parts_of_an_installed_package_are_found_and_used(
    scythe: Run, look_in: Callable[[Path], None], root: Path, tmp_path: Path
) -> None:
    install(root, tmp_path)
    look_in(tmp_path / "installed")
    listed = [json.loads(line) for line in scythe("plugins", "--json").stdout.splitlines()]
    assert [(one["kind"], one["name"]) for one in listed if one["package"] == "scythe-barn 1.0"] == [
        ("text method", "paragraphs"),
        ("text characteristic", "speech"),
        ("record characteristic", "units"),
        ("fetcher", "plain"),
        ("store", "barn"),
    ]

    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    text = scythe("read", "page.html", "--method", "paragraphs").stdout
    assert text.startswith("Reapers walked the field before dawn")
    assert "A good year" not in text  # a heading, which is no paragraph

    with serve_demo(DemoOptions(pages=6)) as demo:
        stored = ("--fetcher", "plain", "--store", "barn:bodies.db")
        quickly = ("--allow-private", "--delay", "0", "--parts", "text", "--limit", "4")
        scythe("crawl", demo.url, *quickly, "--archive", "a.db", *stored)
    scythe("export", "a.db", "-o", "a.warc.gz", "--store", "barn:bodies.db")
    checked = verify_warc(tmp_path / "a.warc.gz")
    assert checked.complaints == ()
    assert checked.records >= 6  # four pages at least, and what begins and ends a file


def test_a_part_that_does_not_load_is_named_beside_those_that_do(
    scythe: Run, look_in: Callable[[Path], None], tmp_path: Path
) -> None:
    offers = {"scythe.stores": "barn = their_barn:Barn", "scythe.fetchers": "plain = their_barn:missing"}
    install_package(tmp_path / "installed", "their_barn", "class Barn: pass", offers)
    look_in(tmp_path / "installed")
    done = scythe("plugins", check=1)
    assert [line.split()[:4] for line in done.stdout.splitlines()] == [
        ["fetcher", "plain", "their_barn", "1.0"],
        ["store", "barn", "their_barn", "1.0"],
    ]
    assert "fetcher 'plain' cannot be loaded from 'their_barn:missing'" in done.stderr


def test_where_no_package_brings_parts_it_says_where_they_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.cli.plugins.list_plug_ins", list)  # others may be installed here
    done = CliRunner().invoke(app, ["plugins"])
    assert done.exit_code == 0
    assert done.stdout.startswith("No plug-ins installed. Packages offer them in the entry point groups scythe.")
    assert CliRunner().invoke(app, ["plugins", "--json"]).stdout == ""


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("read https://example.org/ --fetcher nobody", "unknown fetcher 'nobody'"),
        ("crawl https://example.org/ --archive a.db --fetcher nobody", "unknown fetcher 'nobody'"),
        ("watch https://example.org/ --archive a.db --fetcher nobody", "unknown fetcher 'nobody'"),
        ("crawl https://example.org/ --archive a.db --store barn:x", "unknown store 'barn'; expected one of folder"),
        ("crawl https://example.org/ --queue --store folder:x", "is an option of the workers: scythe worker --store"),
    ],
)
def test_what_nobody_brings_is_said(
    command: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 2
    assert complaint in done.stderr
