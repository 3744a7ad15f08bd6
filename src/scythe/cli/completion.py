"""`scythe completion`: the name of a shell comes in, what makes it complete scythe goes to standard output."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated

import typer

from scythe.cli.completing import complete
from scythe.cli.ending import plain_errors, quiet_ends
from scythe.errors import BadInput

SHELLS = ("bash", "fish", "zsh")

HELP = """Print what makes a shell complete scythe: verbs, options, their values, files.

It is read once, when a shell starts; what may come next it asks scythe itself, so that it never grows old.

\b
Examples:
  scythe completion bash > ~/.local/share/bash-completion/completions/scythe
  scythe completion zsh > ~/.zfunc/_scythe    with fpath+=~/.zfunc before compinit in ~/.zshrc
  scythe completion fish > ~/.config/fish/completions/scythe.fish
  eval "$(scythe completion bash)"            in this shell only

\b
Exit codes:
  0  printed
  2  the command was not understood
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Shell = Annotated[str, typer.Argument(metavar="bash|fish|zsh", show_default=False)]


@app.command(help=HELP, no_args_is_help=True)
def completion(shell: Shell) -> None:
    with quiet_ends(), plain_errors():
        if shell not in SHELLS:
            raise BadInput(f"no completion is known for {shell!r:.60}; there is {', '.join(SHELLS)}")
        script = files("scythe.cli") / "completions" / f"scythe.{shell}"
        typer.echo(script.read_text(encoding="utf-8"), nl=False)


def answer(words: Sequence[str]) -> None:
    """Print what a shell asks for: what else it is to look for, then a value and its meaning on each line."""
    found = complete(words)
    typer.echo("\n".join([found.others, *(f"{value}\t{said}" for value, said in found.values)]))
