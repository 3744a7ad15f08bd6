"""The examples that the help of each command shows run: on this machine, by tests/stand_in.py."""

import re
from pathlib import Path

import pytest
from tests.documents import ROOT, Block, run_shell, settle_places

from scythe.cli.main import VERBS, load_verb

pytestmark = [pytest.mark.docs, pytest.mark.soak]  # two minutes: `make long-tests`
EXAMPLE = re.compile(r"^ {2}((?:curl|scythe|watch)\b.*?)(?: {2,}\S.*)?$", re.MULTILINE)
NOT_HERE = {
    "mcp": "speaks with a program: tests/cli/test_mcp.py",
    "demo": "takes long: tests/cli/test_demo.py",
    "completion": "writes to folders of the shell: tests/cli/test_completion.py",
    "plugins": "NAME stands for a plug-in: tests/cli/test_plugins.py",
}


def examples_of(verb: str) -> list[str]:
    """Return the commands that the help of a verb shows."""
    text = load_verb(verb).help or ""
    return [found.strip() for found in EXAMPLE.findall(text)]


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in NOT_HERE])
def test_examples_of_help_run(verb: str, desk: Path, request: pytest.FixtureRequest) -> None:
    commands = examples_of(verb)
    assert commands
    text = "\n".join(f"mkdir {number}; cd {number}\n{command}\ncd .." for number, command in enumerate(commands))
    block = Block(ROOT / "docs" / "reference" / "cli.md", 1, "sh", text)
    assert not run_shell(block, settle_places(block, request))
