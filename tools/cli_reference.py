"""Write docs/reference/cli.md, and man/scythe.1, from the commands themselves: `make cli-reference`."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scythe.cli import read_help
from scythe.cli.main import VERBS, load_verb

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "reference" / "cli.md"
HEAD = """# Commands

One verb per capability. `scythe VERB --help` shows the same on the terminal. This page is written by
`make cli-reference`; a test compares it with the commands.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command and subcommand with the words a user types for it."""
    for verb in VERBS:
        command = load_verb(verb)
        yield f"scythe {verb}", command
        for name, inner in getattr(command, "commands", {}).items():
            yield f"scythe {verb} {name}", inner


def describe(text: str) -> str:
    """Turn the help of a command into Markdown: a paragraph marked with \\b becomes a heading line and a block."""
    parts = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text or "")):
        if part.startswith("\b\n"):
            title, *lines = part.removeprefix("\b\n").splitlines()
            parts.append(f"{title}\n\n```text\n" + "\n".join(line.removeprefix("  ") for line in lines) + "\n```")
        else:
            parts.append(part)
    return "\n\n".join(parts)


def describe_options(command: Any) -> str:
    """Write the options as a table."""
    rows = ["| option | meaning | default |", "|---|---|---|"]
    for parameter in command.params:
        if parameter.param_type_name == "option":
            names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
            value = f" `{parameter.metavar}`" if parameter.metavar else "" if parameter.is_flag else " `VALUE`"
            meaning = (parameter.help or "").replace("|", "\\|")
            rows.append(f"| {names}{value.replace('|', chr(92) + '|')} | {meaning} | {default_of(parameter)} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def default_of(parameter: Any) -> str:
    """Say what an option is when it is not given."""
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or default == () or default is False:
        return "as the method decides" if parameter.secondary_opts else ""
    if default is True:
        return f"`{parameter.opts[0]}`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def reference() -> str:
    """Return the whole page."""
    sections = [HEAD, f"## scythe\n\n{describe(read_help('scythe'))}\n"]
    verbs = "\n".join(f"| [`{verb}`](#scythe-{verb}) | {line} |" for verb, line in VERBS.items())
    sections.append(f"| verb | does |\n|---|---|\n{verbs}\n")
    for name, command in commands():
        options = describe_options(command)
        sections.append(f"## {name}\n\n{describe(command.help)}\n" + (f"\n{options}\n" if options else ""))
    return "\n".join(sections)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "tools.man_page"], cwd=ROOT, check=True)
