"""Write docs/reference/cli.md from what the commands say about themselves: `make cli-reference`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scythe.cli.main import VERBS, load_verb

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
HEAD = """# Commands

One verb per capability. This page is what `--help` says, written by `make cli-reference`; a test compares the two.
"""


def commands() -> Iterator[tuple[str, ...]]:
    """Yield every command and subcommand as the words a user types after `scythe`."""
    yield ()
    for verb in VERBS:
        yield (verb,)
        for name in getattr(load_verb(verb), "commands", {}):
            yield (verb, name)


def help_of(words: tuple[str, ...]) -> str:
    """Return the help of one command as an 80-column terminal shows it."""
    shown = subprocess.run(
        [sys.executable, "-m", "scythe", *words, "--help"],
        capture_output=True,
        check=True,
        env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
    )
    return "\n".join(line.rstrip() for line in shown.stdout.decode().splitlines()).strip()


def reference() -> str:
    """Return the whole page."""
    sections = [f"## {' '.join(('scythe', *words))}\n\n```text\n{help_of(words)}\n```\n" for words in commands()]
    return "\n".join([HEAD, *sections])


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
