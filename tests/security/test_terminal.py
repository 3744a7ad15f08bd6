"""Commands on a terminal, over pages that try to drive it."""

import os
import pty
import re
import subprocess
import sys
import threading
from html import unescape
from pathlib import Path

import pytest
from tests.archive.visiting import begin, done, extracted
from tests.security.hostile import hostile_page

from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.demo import site

TITLE, CLEAR, BELL, C1 = b"\x1b]0;", b"\x1b[2J", b"\x07", "\u009b31m".encode()
ATTACK = "&#27;]0;scytheCanary&#7;\x1b]0;scytheCanary\x07\x1b[2J\u009b31m"
# One process, all commands: most of the time of a command is its start.
RUN_ALL = """
import sys
from scythe.cli.main import run
for line in open("commands").read().splitlines():
    sys.argv = ["scythe", *line.split()]
    print("COMMAND", line, flush=True)
    try:
        run()
    except SystemExit as end:
        print("EXIT", end.code, flush=True)
"""
_SILENT = ("learn", "check", "suggest")  # they say nothing of what stands in pages
COMMANDS = (
    "read story-0.html -f json", "read story-0.html -f md", "records list.html",
    "learn news-0.html news-1.html news-2.html news-3.html news-4.html news-5.html -o site.json",
    "cut site.json news-6.html news-7.html", "explain site.json news-6.html", "check site.json news-6.html news-7.html",
    "suggest story-0.html story-1.html story-2.html --count 2",
    "read missing-\x1b]0;scytheCanary\x07.html", "export stories.db -f csv",
)  # fmt: skip


def look(folder: Path, code: str) -> bytes:
    """Run Python on a terminal and return all that it shows there, errors too."""
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def take() -> None:
        try:
            while piece := os.read(ours, 65_536):
                shown.append(piece)
        except OSError:  # how Linux says that nobody holds the other side
            pass

    reader = threading.Thread(target=take)
    reader.start()
    environment = {**os.environ, "COLUMNS": "200", "LINES": "50", "TERM": "xterm-256color"}
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, timeout=300, **streams)
    os.close(theirs)
    reader.join(60)
    os.close(ours)
    return b"".join(shown)


@pytest.mark.fault
def test_no_command_sends_what_a_page_says_to_the_terminal(tmp_path: Path) -> None:
    for number in range(8):
        page = hostile_page(number).replace("barley", f"barley {ATTACK}").replace("<h1>", f"<h1>{ATTACK}")
        (tmp_path / f"story-{number}.html").write_text(page, encoding="utf-8")
    news = [page.html.decode() for page in site(pages=90) if "/news/2" in page.path and page.path.count("/") == 4]
    for number, page in enumerate(news[:8]):
        attacked = re.sub("(<(?:p|h1)[^>]*>)", lambda tag: tag[0] + ATTACK, page)
        (tmp_path / f"news-{number}.html").write_text(attacked, encoding="utf-8")
    rows = "".join(f"<li><a href='/t{n}'>Tool {n} {ATTACK}</a><span>{n} euro</span></li>" for n in range(12))
    (tmp_path / "list.html").write_text(f"<title>{ATTACK}</title><ul>{rows}</ul>", encoding="utf-8")
    with open_archive(tmp_path / "stories.db") as archive:
        _, (task,) = begin(archive, "a")
        store_outcomes(archive, [done(task, extracted=extracted(unescape(ATTACK)))])
    (tmp_path / "commands").write_text("\n".join(COMMANDS), encoding="utf-8")
    shown = look(tmp_path, RUN_ALL)
    ran = shown.split(b"COMMAND ")[1:]
    assert len(ran) == len(COMMANDS)
    for command, said in zip(COMMANDS, ran, strict=True):
        said = said.partition(b"\n")[2]  # without the line that names it
        assert b"scytheCanary" in said or command.split()[0] in _SILENT, command
        for attack in (TITLE, CLEAR, BELL, C1):
            assert attack not in said, f"{command}: {attack!r}"
