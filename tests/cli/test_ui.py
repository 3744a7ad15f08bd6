"""`scythe ui` as a user starts it: in a process of its own, until a signal ends it."""

import json
import os
import signal
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest
from tests.cli.conftest import Run

from scythe.cli.ui import _open, open_page
from scythe.web.server import ServeOptions
from scythe.web.state import State, StateOptions


@contextmanager
def ui(folder: Path, *arguments: str, verb: str = "ui") -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start the web page; give its process, its address and its token. It is killed at the end if it still runs."""
    command = [sys.executable, "-m", "scythe", verb, "--no-browser", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("scythe is at http://"), line or (process.stderr and process.stderr.read())
            parts = urlsplit(line.split()[-1])
            yield process, f"{parts.scheme}://{parts.netloc}", parse_qs(parts.query)["token"][0]
        finally:
            process.kill()


def ask(url: str, token: str) -> object:
    request = Request(url, headers={"Authorization": f"Bearer {token}"})
    with urlopen(request, timeout=20) as answer:
        return json.load(answer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_saved_pages_until_a_signal_ends_it(tmp_path: Path, page: Path, number: signal.Signals) -> None:
    with ui(tmp_path, str(page), "--profile", "site.json") as (process, url, token):
        pages = ask(f"{url}/api/pages", token)
        assert isinstance(pages, list)
        assert [one["name"] for one in pages] == [str(page)]
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{url}/", timeout=20)
        assert refused.value.code == 401
        refused.value.close()
        process.send_signal(number)
        assert process.wait(20) == 0


def test_without_anything_it_opens_the_archive_of_the_folder(tmp_path: Path) -> None:
    for _ in range(2):
        with ui(tmp_path) as (process, url, token):
            about = ask(f"{url}/api/about", token)
            assert isinstance(about, dict)
            assert about["archive"] == "web.scythe.db"
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["web.scythe.db"]


def test_two_archives_in_a_folder_are_named_and_none_is_taken(scythe: Run, tmp_path: Path) -> None:
    for name in ("a.scythe.db", "b.scythe.db"):
        (tmp_path / name).touch()
    done = scythe("ui", "--no-browser", check=2)
    assert "a.scythe.db, b.scythe.db" in done.stderr
    assert "--archive" in done.stderr


def test_a_token_that_could_be_guessed_is_refused(scythe: Run, page: Path) -> None:
    assert "16 characters" in scythe("ui", str(page), "--token", "1234", "--no-browser", check=2).stderr


def test_a_port_that_is_taken_is_named(scythe: Run, tmp_path: Path, page: Path) -> None:
    with ui(tmp_path, str(page)) as (_, url, _):
        port = url.rpartition(":")[2]
        assert f"127.0.0.1:{port}" in scythe("ui", str(page), "--port", port, "--no-browser", check=2).stderr


def test_what_is_no_archive_is_told_before_anything_is_served(scythe: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear reader" * 200)
    assert "letter.txt" in scythe("ui", "--archive", "letter.txt", "--no-browser", check=1).stderr


@pytest.mark.parametrize(
    ("browser", "complaint"),
    [("true", ""), ("false", "no browser could be opened"), ("error", "no browser could be opened")],
)
def test_the_page_is_opened_in_a_browser_or_it_says_that_there_is_none(
    browser: str, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def take(address: str) -> bool:
        asked.append(address)
        if browser == "error":
            raise webbrowser.Error("could not locate runnable browser")
        return browser == "true"

    monkeypatch.setattr(webbrowser, "open", take)
    _open("http://127.0.0.1:8000/?token=x")
    assert asked == ["http://127.0.0.1:8000/?token=x"]
    assert capsys.readouterr().err == (f"scythe: {complaint}\n" if complaint else "")


def test_who_serves_to_others_is_warned_and_the_page_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    files: list[Path] = []
    texts: list[str] = []

    def take(address: str) -> bool:
        opened.append(address)
        files.append(Path(urlsplit(address).path))
        texts.append(files[0].read_text())
        assert [path.stat().st_mode & 0o777 for path in (files[0], files[0].parent)] == [0o600, 0o700]
        os.kill(os.getpid(), signal.SIGINT)  # as somebody does who has seen enough
        return True

    monkeypatch.setattr(webbrowser, "open", take)
    open_page(State(StateOptions()), ServeOptions("0.0.0.0"), "/rules", opens=True)
    said = capsys.readouterr()
    address = said.out.removeprefix("scythe is at ").strip()
    assert "/rules?token=" in address
    assert f"url={address}" in texts[0]
    assert "anyone who reaches 0.0.0.0 and has the token may use this page; it is sent without TLS" in said.err
    assert address.rpartition("=")[2] not in opened[0], "what a browser is started with, every user can read"
    assert not files[0].parent.exists()


def test_no_program_that_is_started_has_the_token_in_its_arguments(tmp_path: Path, page: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/said"\n')
    browser.chmod(0o700)
    os.mkfifo(tmp_path / "said")  # reading waits for the browser
    command = [sys.executable, "-m", "scythe", "ui", str(page), "--profile", "site.json"]
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "BROWSER": f"{browser} %s"}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        token = process.stdout.readline().strip().rpartition("token=")[2]
        said = (tmp_path / "said").read_text()
        process.send_signal(signal.SIGINT)
    assert said.startswith("file://")
    assert len(token) > 16
    assert token not in said
