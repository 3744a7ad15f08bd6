import subprocess
import sys

import pytest

from scythe.cli.main import VERBS, load_verb
from scythe.version import version

from .conftest import Run


def test_help_lists_every_verb_with_its_line(scythe: Run) -> None:
    out = scythe("--help").stdout
    for verb, line in VERBS.items():
        assert verb in out
        assert line[:40] in out


def test_no_arguments_show_the_help(scythe: Run) -> None:
    assert "Usage: scythe" in scythe(check=2).stderr


def test_version_is_that_of_the_package(scythe: Run) -> None:
    assert scythe("--version").stdout == f"scythe {version()}\n"


def test_an_unknown_verb_is_a_usage_error(scythe: Run) -> None:
    assert "reed" in scythe("reed", check=2).stderr


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_a_help_text(verb: str) -> None:
    commands = [load_verb(verb)]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, f"{verb}: {parameter.name} has no help"


def test_help_imports_no_model_no_client_and_no_terminal_painter() -> None:
    code = (
        "import sys; from scythe.cli.main import run; sys.argv = ['scythe', '--help']\n"
        "try: run()\nexcept SystemExit: pass\n"
        "heavy = ('numpy', 'aiohttp', 'rich', 'asyncio', 'bench')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
