"""Documents tell the truth: every block of Python, console and shell runs, links lead somewhere, nothing is left out.

Console blocks are run as they are; blocks of shell speak of sites and files that readers have, and of programs that run
until they are interrupted: there `scythe` is tests/stand_in.py, which runs the same command on this machine.
"""

import contextlib
import doctest
import io
import re
import shlex
import socket
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.documents import DOCUMENTS, ROOT, SHELL, Block, blocks_of, run_shell, settle_places

from scythe.cli.main import VERBS, load_verb

LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
RUNNABLE = sorted({block.document for block in BLOCKS if block.language in ("python", "pycon", "console", *SHELL)})
pytestmark = [pytest.mark.docs, pytest.mark.slow]


@pytest.mark.parametrize("document", RUNNABLE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_a_document_runs_in_order(document: Path, desk: Path, request: pytest.FixtureRequest) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in on_free_ports(document):
        if block.language == "python" and ">>> " not in block.text:
            exec(compile(block.text, block.where, "exec"), names)
        elif block.language in ("python", "pycon"):
            assert not run_session(block, names)
        elif block.language == "console":
            assert not run_console(block)
        elif block.language in SHELL:
            assert not run_shell(block, settle_places(block, request))


def on_free_ports(document: Path) -> Iterator[Block]:
    """Yield the blocks of a document with free ports for those its consoles serve on: a reader's own may be taken."""
    named = dict.fromkeys(re.findall(r"^\$ .*--port (\d+)", document.read_text(encoding="utf-8"), re.MULTILINE))
    with contextlib.ExitStack() as held:
        sockets = {port: held.enter_context(socket.create_server(("127.0.0.1", 0))) for port in named}
        free = {port: str(one.getsockname()[1]) for port, one in sockets.items()}
    for block in blocks_of(document):
        yield replace(block, text=re.sub("|".join(free) or r"\Z", lambda port: free.get(port[0], ""), block.text))


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


def test_the_command_reference_is_what_help_says() -> None:
    from tools.cli_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make cli-reference"


def test_the_reference_of_the_json_interface_is_what_the_server_says() -> None:
    from tools.http_reference import TARGET, reference

    assert TARGET.read_text(encoding="utf-8") == reference(), "run: make http-reference"


LINKING = [*DOCUMENTS, ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "bench").rglob("*.md"))]


@pytest.mark.parametrize("document", LINKING, ids=lambda path: str(path.relative_to(ROOT)))
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
        for names in re.findall(r"\bwebscythe\[([\w, ]+)\]", document.read_text(encoding="utf-8"))
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
