"""`--render`: a site that only scripts can write is crawled through the system's browser."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fetch.server import by_path, page, serve

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.skipif(
        not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), reason="no Chromium is installed"
    ),
]
SCRIPT = b"""
const texts = {"/": "Home of the scythe", "/more": "More about the blade"};
document.body.innerHTML = `<article>
  <h1>${texts[location.pathname]}</h1><p>${"This was written by a script. ".repeat(9)}</p>
  </article><a href="/more">more</a><a href="/moved">moved</a>`;
if (location.pathname == "/moved") location.replace("/more");
"""


def test_pages_and_links_that_scripts_write_are_crawled(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    shell = page(
        b"<!doctype html><title>App</title><body><script src=/app.js></script></body>", "Content-Type: text/html"
    )
    pages = dict.fromkeys(("/", "/more", "/moved"), shell)
    pages["/app.js"] = page(SCRIPT, "Content-Type: text/javascript")
    out = tmp_path / "out.jsonl"
    with serve(by_path(pages)) as server:
        command = [sys.executable, "-m", "scythe", "crawl", server.url("/"), "--render", "--allow-private"]
        command += ["--delay", "0", "--archive", str(tmp_path / "a.db"), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = {row["url"].rpartition("/")[2]: row["text"] for row in map(json.loads, out.read_text().splitlines())}
    assert sorted(found) == ["", "more"]  # the third leads to the second
    assert all("written by a script" in text for text in found.values())
    assert [head.split(" ")[1] for head in server.heads].count("/app.js") == 1


def test_the_browser_does_not_ask_for_what_robots_forbids(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    pages = {
        "/": page(b"<title>t</title><p>plain text</p><script src=/private/a.js></script>", "Content-Type: text/html"),
        "/robots.txt": page(b"User-agent: *\nDisallow: /private/\n", "Content-Type: text/plain"),
    }
    with serve(by_path(pages)) as server:
        command = [sys.executable, "-m", "scythe", "crawl", server.url("/"), "--render", "--allow-private"]
        command += ["--delay", "0", "--archive", str(tmp_path / "a.db"), "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert not any("/private/" in head for head in server.heads)
