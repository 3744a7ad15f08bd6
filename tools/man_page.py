"""Write man/scythe.1 from the commands themselves: `make cli-reference`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.cli_reference import commands, default_of

from scythe.cli import read_help

TARGET = Path(__file__).resolve().parent.parent / "man" / "scythe.1"
SECTIONS = {"Exit codes": "EXIT STATUS", "Environment": "ENVIRONMENT", "Files": "FILES"}


def roff(text: str) -> str:
    """Return text so that it is shown as it is."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def parts(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Split the help of a command: title and lines of each block shown as it is, or the text of a paragraph."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if part.startswith("\b\n"):
            title, *lines = part.removeprefix("\b\n").splitlines()
            yield title.rstrip(":"), "", lines
        else:
            yield "", " ".join(part.split()), []


def block(lines: list[str]) -> list[str]:
    """Return lines as they are, in the font of a terminal."""
    return [".EX", *(roff(line) for line in lines), ".EE"]


def describe(text: str) -> list[str]:
    """Return what a command says of itself."""
    found = []
    for title, said, lines in parts(text):
        found += [".PP", f".B {roff(title)}", *block(lines)] if title else [".PP", roff(said)]
    return found


def describe_option(option: Any) -> list[str]:
    """Return one option with its meaning."""
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" \\fI{roff(option.metavar or 'VALUE')}\\fR"
    default = default_of(option).strip("`")
    return [".TP", names + value, roff((option.help or "") + (f" [{default}]" if default else ""))]


def page() -> str:
    """Return the whole manual page."""
    own = list(parts(read_help("scythe")))
    lines = ['.TH SCYTHE 1 "" "scythe" "User Commands"', ".SH NAME", "scythe \\- harvest web sites"]
    lines += [".SH SYNOPSIS", ".B scythe", "\\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]", ".SH DESCRIPTION"]
    for title, said, shown in own:
        if title not in SECTIONS:
            lines += [".PP", f".B {roff(title)}", *block(shown)] if title else [".PP", roff(said)]
    lines.append(".SH VERBS")
    for name, command in commands():
        lines += [f".SS {roff(name)}", *describe(command.help or "")]
        options = [one for one in command.params if one.param_type_name == "option"]
        lines += [line for option in options for line in describe_option(option)]
    for title, _, shown in own:
        if title in SECTIONS:
            lines += [f".SH {SECTIONS[title]}", *block(shown)]
    lines += [".SH SEE ALSO", "The documentation in the folder docs of the source archive."]
    return "\n".join(lines) + "\n"


def write() -> None:
    """Write the page to where the package takes it from."""
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
