"""Completion: what is offered where, and that real shells offer it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scythe.cli.completion import FILES, FOLDERS, NOTHING_ELSE, complete
from scythe.cli.main import VERBS, load_verb

from .conftest import Run


def offered(*words: str) -> list[str]:
    return [value for value, _ in complete(words).values]


def test_verbs_come_first_each_with_its_line() -> None:
    assert offered("") == list(VERBS)
    assert complete(["re"]).values == (("read", VERBS["read"][1]), ("records", VERBS["records"][1]))
    assert offered("--v") == ["--version"]
    assert offered("bench", "sca") == ["scale"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_verb_is_offered_with_its_help(verb: str) -> None:
    commands = [((verb,), load_verb(verb))]
    while commands:
        words, command = commands.pop()
        commands += [((*words, name), inner) for name, inner in getattr(command, "commands", {}).items()]
        found = dict(complete([*words, "--"]).values)
        for option in command.params:
            if option.param_type_name == "option" and not option.hidden:
                for name in (*option.opts, *option.secondary_opts):
                    assert not name.startswith("--") or found[name]


def test_an_option_is_offered_once_unless_it_may_be_repeated() -> None:
    assert offered("crawl", "--delay", "2", "--de") == ["--depth", "--deny"]
    assert offered("crawl", "--deny", "x", "--den") == ["--deny"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("read", "--format", ""), ["txt", "md", "html", "json", "jsonl"]),
        (("read", "-f", "j"), ["json", "jsonl"]),
        (("cut", "--via=t"), ["--via=tree"]),
        (("cut", "--via", "=", "t"), ["tree"]),  # as bash splits it
        (("cut", "--via", "="), ["auto", "cut", "tree"]),
        (("read", "--method", "cet"), ["cetr", "cetd"]),
        (("records", "--method", ""), ["auto", "mdr", "stm", "hmm", "cnbe"]),
        (("read", "--image-method", "near"), ["nearby"]),
        (("watch", "https://example.org/", "--policy", "a"), ["average", "adaptive", "auto"]),
        (("crawl", "--parts", "text,im"), ["text,images"]),
        (("crawl", "--parts", "text,te"), []),
        (("watch", "--events", "lost,rec"), ["lost,record"]),
        (("batch", "x", "--engine", ""), ["local", "ray"]),
        (("completion", "z"), ["zsh"]),
        (("crawl", "--limit", ""), []),
        (("nonsense", "--fo"), []),
    ],
)
def test_values_that_have_names_are_offered(words: tuple[str, ...], values: list[str]) -> None:
    answer = complete(words)
    assert [value for value, _ in answer.values] == values
    assert answer.others == NOTHING_ELSE


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (("read", ""), FILES),
        (("read", "page.html", "saved/"), FILES),
        (("read", "--", "--odd"), FILES),
        (("cut", "site.json", ""), FILES),
        (("crawl", "https://example.org/", "-o", ""), FILES),
        (("watch", "--archive", ""), FILES),
        (("learn", "--output=", "x"), FILES),
        (("batch", "in/", "--profile-dir", ""), FOLDERS),
        (("bench", "text", "--data", ""), FILES),
        (("watch", "--webhook", ""), NOTHING_ELSE),
        (("crawl", ""), NOTHING_ELSE),
    ],
)
def test_the_shell_looks_for_files_where_files_are_meant(words: tuple[str, ...], others: str) -> None:
    answer = complete(words)
    assert answer.values == ()
    assert answer.others == others


def test_a_shell_that_is_not_known_is_named(scythe: Run) -> None:
    assert "there is bash, fish, zsh" in scythe("completion", "ksh", check=2).stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with the command as it is installed."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "scythe"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scythe "$@"\n')
    command.chmod(0o755)
    return command


BASH = """eval "$(scythe completion bash)"
ask() { COMP_WORDS=(scythe "$@"); COMP_CWORD=$#; _scythe; printf '%s ' "${COMPREPLY[@]}"; echo; }
ask rec
ask cut --via = t
ask read --title
complete -p scythe
"""
FISH = """scythe completion fish | source
complete -C 'scythe rec'
complete -C 'scythe cut --via=t'
complete -C 'scythe read --title'
complete -C 'scythe read notes'
"""
ZSH = """autoload -Uz compinit; compinit -u -D
eval "$(scythe completion zsh)"
_describe() { print -r -- ${(j: :)${(@P)3}%%:*} }
_files() { print files "$@" }
ask() { words=(scythe "$@"); CURRENT=$#words; _scythe }
ask rec
ask cut --via=t
ask read --title
ask read notes
print $_comps[scythe]
"""
SHELLS = {
    "bash": (["bash", "--norc"], BASH, ["records", "tree", "--title-line", "complete -F _scythe scythe"]),
    "fish": (["fish", "--no-config"], FISH, ["records", "--via=tree", "--title-line", "notes.html"]),
    "zsh": (["zsh", "-f"], ZSH, ["records", "--via=tree", "--title-line", "files", "_scythe"]),
}


@pytest.mark.parametrize("shell", [name for name in SHELLS if shutil.which(name)])  # bash is everywhere
def test_a_real_shell_offers_verbs_values_options_and_files(program: Path, shell: str) -> None:
    command, script, expected = SHELLS[shell]
    (program.parent.parent / "notes.html").write_text("<p>x")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        input=script,
        cwd=program.parent.parent,
        env=os.environ | {"PATH": path, "HOME": str(program.parent), "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    shown = [line.split("\t")[0].strip() for line in done.stdout.splitlines()]
    for line in expected:
        assert any(line in one for one in shown), done.stdout + done.stderr
