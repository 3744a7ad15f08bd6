"""Completion: what a shell is offered by the installed command."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scythe.cli.main import VERBS


def offered(*words: str) -> list[str]:
    asked = {
        "_SCYTHE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("scythe", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "scythe"], env=os.environ | asked, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("",), list(VERBS)),
        (("rec",), ["records"]),
        (("read", "--title"), ["--title-line"]),
        (("read", "-f", "htm"), ["html"]),
        (("cut", "--via", ""), ["auto", "cut", "tree"]),
        (("read", "--method", "cet"), ["cetr", "cetd"]),
        (("read", "--image-method", "near"), ["nearby"]),
        (("records", "--method", "m"), ["mdr"]),
        (("watch", "https://example.org/", "--policy", "a"), ["average", "adaptive", "auto"]),
        (("read", "notes"), []),  # the shell looks for files
        (("nonsense", "x"), []),
    ],
)
def test_verbs_options_and_values_are_offered(words: tuple[str, ...], values: list[str]) -> None:
    assert offered(*words) == values


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes_with_the_script_that_is_shown(tmp_path: Path) -> None:
    command = tmp_path / "scythe"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scythe "$@"\n')
    command.chmod(0o755)
    script = """eval "$(scythe --show-completion bash)"
COMP_WORDS=(scythe rec); COMP_CWORD=1; _scythe_completion scythe; echo "${COMPREPLY[@]}"; complete -p scythe
"""
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc"], input=script, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["records", "complete -o default -F _scythe_completion scythe"], done.stderr
