"""Documents tell the truth: every Python and console block runs, and the command reference is what --help says."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scythe.cli.main import VERBS, load_verb

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
pytestmark = pytest.mark.docs


@dataclass(frozen=True)
class Block:
    document: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def blocks_of(document: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a Markdown file."""
    language: str | None = None
    start, lines = 0, []
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        fence = re.match(r"^\s*```(\S*)", line)
        if fence and language is None:
            language, start, lines = fence[1], number, []
        elif fence:
            yield Block(document, start, language or "", "\n".join(lines))
            language = None
        elif language is not None:
            lines.append(line)


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
RUNNABLE = sorted({block.document for block in BLOCKS if block.language in ("python", "pycon", "console")})


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples of the source tree, where documents are tried out."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("document", RUNNABLE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_a_document_runs_in_order(document: Path, desk: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(document):
        if block.language == "python" and ">>> " not in block.text:
            exec(compile(block.text, block.where, "exec"), names)
        elif block.language in ("python", "pycon"):
            assert not run_session(block, names)
        elif block.language == "console":
            assert not run_console(block)


def run_session(block: Block, names: dict[str, object]) -> str:
    """Run a session and return what came out otherwise than shown, or nothing."""
    test = doctest.DocTestParser().get_doctest(block.text + "\n", names, block.where, str(block.document), block.line)
    report = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        outcome = doctest.DocTestRunner(optionflags=LOOSELY).run(test, out=report.write, clear_globs=False)
    names.update(test.globs)
    return report.getvalue() if outcome.failed else ""


def run_console(block: Block) -> str:
    """Run the commands of a block and return the first that failed or printed something else than shown, or nothing."""
    for command, expected in commands_of(block.text):
        done = subprocess.run(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
        )
        got = done.stdout
        if expected and not doctest.OutputChecker().check_output(expected + "\n", got, LOOSELY):
            return f"{block.where}: {command}\nexpected:\n{expected}\ngot:\n{got}"
        if not expected and done.returncode != 0:
            return f"{block.where}: {command}\n{got}"
    return ""


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.removeprefix("> ")
        yield command, expected.rstrip()


def test_commands_are_told_from_their_output() -> None:
    text = "$ one \\\n> --more\nout\n\nput\n$ two"
    assert list(commands_of(text)) == [("one --more", "out\n\nput"), ("two", "")]


SHOWN_ONLY = [block for block in BLOCKS if block.language in ("sh", "bash", "shell")]


@pytest.mark.parametrize("block", SHOWN_ONLY, ids=lambda block: block.where)
def test_commands_that_are_only_shown_at_least_exist(block: Block) -> None:
    for line in block.text.replace("\\\n", " ").splitlines():
        for piece in re.split(r"[|;]|&&", line):
            words = shlex.split(piece, comments=True)
            if len(words) > 1 and words[0] == "scythe" and not words[1].startswith("-"):
                assert words[1] in VERBS, f"{block.where}: {piece}"
                known = options_of(words[1])
                used = {word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)}
                assert used <= known, f"{block.where}: {used - known}"


def options_of(verb: str) -> set[str]:
    commands, options = [load_verb(verb)], {"--help"}
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            options |= {*parameter.opts, *parameter.secondary_opts}
    return options


def test_the_command_reference_is_what_help_says() -> None:
    from tools.cli_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make cli-reference"


def test_the_reference_of_the_json_interface_is_what_the_server_says() -> None:
    from tools.http_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make http-reference"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (document.parent / target).exists(), f"{document.relative_to(ROOT)} links to {target}"
