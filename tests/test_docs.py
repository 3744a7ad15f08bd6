"""Documents tell the truth: every block of Python, console and shell runs, links lead somewhere, nothing is left out.

Console blocks are run as they are; blocks of shell speak of sites and files that readers have, and of programs that run
until they are interrupted: there `scythe` is tests/stand_in.py, which runs the same command on this machine.
"""

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
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.documents import DOCUMENTS, ROOT, SHELL, Block, blocks_of, fill_pantry, lay_out, open_places
from tests.stand_in import VARIABLE, Places

from scythe.cli.main import VERBS, load_verb

LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
RUNNABLE = sorted({block.document for block in BLOCKS if block.language in ("python", "pycon", "console", *SHELL)})
PATIENCE_S = 300  # for all commands of a block, on a busy machine
pytestmark = pytest.mark.docs


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """Servers, and files of each kind that documents take for granted."""
    pantry = tmp_path_factory.mktemp("pantry")
    with open_places(pantry) as found:
        fill_pantry(pantry, found)
        lay_out(pantry / "bin", pantry)
        yield found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples of the source tree, where documents are tried out."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("document", RUNNABLE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_a_document_runs_in_order(document: Path, desk: Path, request: pytest.FixtureRequest) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(document):
        if block.language == "python" and ">>> " not in block.text:
            exec(compile(block.text, block.where, "exec"), names)
        elif block.language in ("python", "pycon"):
            assert not run_session(block, names)
        elif block.language == "console":
            assert not run_console(block)
        elif block.language in SHELL:
            assert not run_shell(block, settle_places(block, request))


def settle_places(block: Block, request: pytest.FixtureRequest) -> Places:
    """Return where the things of a block are; a database is only started where one is spoken of."""
    places: Places = request.getfixturevalue("places")
    if "postgresql://" in block.document.read_text(encoding="utf-8"):
        return replace(places, database=request.getfixturevalue("postgres_url"))
    return places


def run_shell(block: Block, places: Places) -> str:
    """Run a block of shell commands and return what it said if one of them failed, or nothing."""
    if not Path("saved").exists():
        shutil.copytree(Path(places.pantry) / "saved", "saved")
    environment = os.environ | {
        "PATH": f"{places.pantry}/bin{os.pathsep}{os.environ['PATH']}",
        VARIABLE: places.dump(),
        "SCYTHE_ARCHIVE": places.database,  # as an earlier block may have said
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", block.text],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE_S,
        env=environment,
    )
    return f"{block.where} ended with {done.returncode}:\n{done.stdout}" if done.returncode else ""


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


SHELL_BLOCKS = [block for block in BLOCKS if block.language in SHELL]


@pytest.mark.parametrize("block", SHELL_BLOCKS, ids=lambda block: block.where)
def test_options_that_shell_blocks_use_exist(block: Block) -> None:
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


EXAMPLE = re.compile(r"^ {2}((?:curl|scythe|watch)\b.*?)(?: {2,}\S.*)?$", re.MULTILINE)
NOT_HERE = {
    "mcp": "speaks with a program: tests/cli/test_mcp.py",
    "demo": "takes long: tests/cli/test_demo.py",
    "bench": "takes long: tests/bench",
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


def test_the_command_reference_is_what_help_says() -> None:
    from tools.cli_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make cli-reference"


def test_the_reference_of_the_json_interface_is_what_the_server_says() -> None:
    from tools.http_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make http-reference"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target, heading in links_of(document):
        assert target.exists(), f"{document.relative_to(ROOT)} links to {target}"
        if heading:
            assert heading in anchors_of(target), f"{document.relative_to(ROOT)} links to #{heading} of {target.name}"


def links_of(document: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that a document links to, each with the heading in it, or nothing."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for place in re.findall(r"\]\(([^)\s]+)", text):
        if not re.match(r"[a-z]+:", place):
            path, _, heading = place.partition("#")
            yield (document.parent / path if path else document), heading


def anchors_of(document: Path) -> set[str]:
    """Return the names of a document's headings, as GitHub and mkdocs make them."""
    text = document.read_text(encoding="utf-8")
    headings, named = re.findall(r"^#+ (.+)$", text, re.MULTILINE), re.findall(r"\{#([\w-]+)\}", text)
    return {*named} | {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def test_the_places_that_the_walk_names_exist() -> None:
    named = re.findall(r"`([\w/]+\.py): (\w+)`", (ROOT / "docs" / "why" / "walk.md").read_text(encoding="utf-8"))
    assert len(named) > 30
    for path, name in named:
        source = (ROOT / "src" / "scythe" / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?(?:def|class) {name}\b", source, re.MULTILINE), f"{path} has no {name}"


def test_extras_that_documents_install_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {
        name.strip()
        for document in DOCUMENTS
        for names in re.findall(r"\bscythe\[([\w, ]+)\]", document.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    assert named
    assert named <= set(extras)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_page_is_linked_from_another(page: Path) -> None:
    if page == ROOT / "docs" / "index.md":
        return
    linking = [document for document in DOCUMENTS if document != page]
    assert any(target.resolve() == page for document in linking for target, _ in links_of(document))
