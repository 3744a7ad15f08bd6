import os
import re
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer

from scythe import Page
from scythe.cli import demo
from scythe.demo import wording

from .conftest import Run


@pytest.mark.slow
@pytest.mark.fault
def test_demo_tells_its_story_through_a_redesign_and_a_list_that_grows(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scythe", "demo", "--pages", "50", "--watch", "2", "--report", "report.html"]
    # ten seconds of CPU time, which a machine that has much else to do may take minutes for
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    out = " ".join(done.stdout.split())
    acts = re.findall(r"^(\d)\. (.+)$", done.stdout, re.MULTILINE)
    names = ["Crawl", "Learn", "Cut", "Speed-up", "Redesign", "Watch", "Report", "What to try next"]
    assert acts == [(str(number), name) for number, name in enumerate(names, start=1)]
    found = re.search(r"every page of the site is found: (\d+) of (\d+)", out)
    assert found is not None
    assert found[1] == found[2]
    for text in ("read by the tree the site was learned", "text F1", "A list page, as records", "times as fast"):
        assert text in out
    assert re.search(r"After \d+ pages the site got another design", out)
    assert re.search(r"(\d+) records were published until the last visit, \1 of them seen: none lost, none twice", out)
    assert re.search(r"Mon \d\d:\d\d \d+ records there; next \w+ \d\d:\d\d, about \d+ \(.+?\)", out)
    assert "✗" not in out
    assert "\x1b" not in done.stdout + done.stderr
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80
    report = Page.from_bytes((tmp_path / "report.html").read_bytes())
    shown = " ".join(" ".join(report.blocks.text).split())
    assert f"of {found[2]} pages found" in shown
    assert "A list that grows" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html"]


@pytest.mark.soak
def test_demo_as_it_is_by_default_holds_what_it_promises(scythe: Run, tmp_path: Path) -> None:
    out = " ".join(scythe("demo").stdout.split())
    assert "With charts, for a browser: scythe-demo.html" in out
    assert re.search(r"Noticed on page \d+, healed after \d+ page", out)
    assert "a redesign heals by itself: after" in out
    assert (tmp_path / "scythe-demo.html").stat().st_size < 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_ends_a_demo_with_130_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scythe", "demo", "--pages", "50"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        address = next(found for line in process.stdout if (found := re.search(r"http://127\.0\.0\.1:(\d+)/", line)))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: everything that was started gets it
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "scythe: interrupted\n"
    with socket.socket() as asked, pytest.raises(OSError, match="refused"):
        asked.connect(("127.0.0.1", int(address[1])))
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "scythe-demo.html").exists()


def test_a_demo_that_does_not_keep_what_it_promises_says_so_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(wording, "LEAST_F1", 1.01)  # which nothing reaches
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        demo.demo(["--pages", "3", "--no-watch"])
    assert ended.value.code == 1
    told = capsys.readouterr()
    assert "did not hold: F1 of the text is at least 1.01" in told.err
    assert re.search(r"(✗|NOT) F1 of the text", told.out)
    assert "6. Report" in told.out  # there is no watch before it
    assert (tmp_path / "scythe-demo.html").exists()


@pytest.mark.parametrize("command", [command for _, command in demo.SUGGESTED if command != "--help"])
def test_what_is_suggested_is_understood(command: str) -> None:
    name, *arguments = command.split()
    chosen = typer.main.get_command(getattr(import_module(f"scythe.cli.{name}"), name))
    with chosen.make_context(name, list(arguments)) as understood:
        assert arguments[-1] in str(understood.params)


def test_demo_saves_the_same_content_in_another_design(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "3", "--save", "old")
    scythe("demo", "--pages", "3", "--save", "new", "--design", "1")
    old, new = (
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.html"))
        for name in ("old", "new")
    )
    assert old == new
    assert (tmp_path / "old" / old[-1]).read_bytes() != (tmp_path / "new" / old[-1]).read_bytes()


def test_demo_saves_its_pages_for_other_commands(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "12", "--save", "site")
    assert len(list((tmp_path / "site").rglob("*.html"))) == 13
    scythe("read", "site", "-o", "site.jsonl")
    assert len((tmp_path / "site.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_demo_says_beforehand_that_a_report_cannot_be_written(scythe: Run) -> None:
    done = scythe("demo", "--report", "nowhere/report.html", check=1)
    assert done.stdout == ""
    assert "there is no folder nowhere" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_demo_serves_its_site_until_interrupted() -> None:
    command = [sys.executable, "-m", "scythe", "demo", "--serve", "--pages", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 0
