"""`scythe watch --render`: a list that only scripts can write is watched through the system's browser."""

import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fetch.server import page, serve
from tests.watching.board import Board

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.skipif(
        not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), reason="no Chromium is installed"
    ),
]


def test_a_list_that_scripts_write_is_watched(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    board = Board()
    board.add(10)
    written = board.page(1)
    inside = written[written.index("<body>") + len("<body>") : written.index("</body>")]
    empty = f"<html><body><script>document.body.innerHTML = {json.dumps(inside)};</script></body></html>".encode()

    async def answer(target: str) -> AsyncIterator[bytes]:
        html = "Content-Type: text/html; charset=utf-8"
        yield page(b"", status="404 No") if target == "/robots.txt" else page(empty, html)

    with serve(answer) as server:
        command = [
            sys.executable,
            "-m",
            "scythe",
            "watch",
            server.url("/news"),
            "--render",
            "--allow-private",
            "--once",
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [event["new"] for event in events if event["kind"] == "visit"] == [10]
