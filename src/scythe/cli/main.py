"""The `scythe` command: dispatch to a verb, and format help for the terminal.

Verbs are imported only when they run: `scythe --help` must not load a parser or a model.
"""

from __future__ import annotations

import gc
import json
import re
import shutil
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from scythe.cli import read_help
from scythe.memory import SELDOM
from scythe.package_files import packaged_text
from scythe.url import hide_users

_EXAMPLE = re.compile(r"(  \S(?:.*?\S)?)( {2,})(\S.*)")  # a command or code, then what it does
_INDENT = 2  # of all that a command says of itself, added when it is shown
_SHORT = 24  # characters: what is said of a longer command goes below it


def fold(text: str, width: int | None = None) -> str:
    """Break lines of the blocks that are shown as they are: what a command does goes below it where it does not fit.

    `width` is in characters; None: that of the terminal.
    """
    width = (width or shutil.get_terminal_size().columns) - _INDENT
    return "\n".join(line for whole in text.splitlines() for line in _lines(whole, width))


def _lines(line: str, width: int) -> list[str]:
    found = _EXAMPLE.fullmatch(line)
    if len(line) <= width or found is None:
        return [line]
    head = found[1] + found[2]
    if len(head) > _SHORT:
        return [found[1], *_wrapped(found[3], width, "      ")]
    first, *others = _wrapped(found[3], width, " " * len(head))
    return [head + first.lstrip(), *others]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    lines = [indent]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width and lines[-1].strip():
            lines.append(indent)
        lines[-1] += word if lines[-1] == indent else f" {word}"
    return lines


# verb, which its module is called like -> the line `scythe --help` shows
VERBS: dict[str, str] = json.loads(packaged_text("scythe.cli", "help/verbs.json"))


# (verb, option) -> the names that a shell completes, asked for only then; metavars such as auto|cut|tree name their own
_VALUES: dict[tuple[str, str], Callable[[], Iterable[str]]] = {
    ("read", "method"): lambda: import_module("scythe.reading.text").method_names(),
    ("read", "image_method"): lambda: import_module("scythe.reading.images.image_methods").METHODS,
    ("records", "method"): lambda: import_module("scythe.reading.lists.list_methods").RECORD_METHODS,
    ("watch", "policy"): lambda: import_module("scythe.schedule.policies").POLICIES,
    ("schedule", "policy"): lambda: import_module("scythe.schedule.policies").POLICIES,
}


def _complete_values(verb: str, parameter: Any) -> None:
    choices = (parameter.metavar or "").split("|")
    names = _VALUES.get(
        (verb, parameter.name), choices.copy if len(choices) > 1 and "|".join(choices).islower() else None
    )
    if names is not None:
        # what typer sets for `autocompletion=`: here once for all verbs
        parameter._custom_shell_complete = lambda _ctx, _parameter, begun: [
            one for one in names() if one.startswith(begun)
        ]


def load_verb(name: str) -> Any:
    """Import a verb and return its command."""
    application = getattr(import_module(f"scythe.cli.{name}"), name)
    command = typer.main.get_command(application)
    command.name, command.short_help = name, VERBS[name]
    for parameter in command.params:
        _complete_values(name, parameter)
    return command


_UsageError: Any = typer.BadParameter.__base__  # of the click that this typer has, its own or another


class LazyVerbs(TyperGroup):
    """A group that knows its verbs by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in VERBS:
            return None
        return TyperCommand(cmd_name, short_help=VERBS[cmd_name], help=VERBS[cmd_name])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, _load_to_run(name, rest) if name in VERBS else command, rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            error.message = hide_users(error.message)
            raise


def _load_to_run(name: str, arguments: list[str]) -> Any:
    command = load_verb(name)
    if not arguments or "--help" in arguments:
        command.help = fold(command.help or "")
    return command


app = typer.Typer(
    cls=LazyVerbs,
    name="scythe",
    no_args_is_help=True,
    rich_markup_mode=None,  # its panels cost more than half of the start-up time
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from scythe.extension import native
        from scythe.version import version

        missing = "" if native is not None else " (without its compiled extension: the same results, slower)"
        typer.echo(f"scythe {version()}{missing}")
        raise typer.Exit


@app.callback(help=read_help("scythe"))
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Run the verb that is named, or say what there is."""


def run() -> None:
    """Run the command line; the entry point of the console script."""
    gc.set_threshold(SELDOM)  # in a process of our own
    app(prog_name="scythe")
