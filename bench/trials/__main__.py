"""Run one trial: `python -m bench.trials NAME [OPTIONS]`.

A trial is a module here with a function `run`. Its parameters are the options of the command line, and what it returns
is printed: a verdict as JSON, with exit code 1 where it counts faults; rows as a table.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from bench.trials.harness import report

_NOT_TRIALS = {
    "__init__",
    "__main__",
    "harness",
    "scheduler_spider",
    "text_spider",
    "trial_hosts",
    "watch_run",
    "watch_trial",
}
TRIALS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _NOT_TRIALS)


def first_line(name: str) -> str:
    """Return what a trial says of itself, without importing it."""
    text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def make_command(name: str) -> Any:
    """Return the command of a trial: its parameters become options."""
    module = import_module(f"bench.trials.{name}")

    @functools.wraps(module.run)
    def command(**given: Any) -> None:
        raise typer.Exit(report(module.run(**given)))

    command.__signature__ = inspect.signature(module.run, eval_str=True)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(help="\b\n" + (module.__doc__ or ""))(command)
    return app


def main(arguments: list[str]) -> None:
    """Run the trial that is named first, or list all."""
    name = arguments[0].replace("-", "_") if arguments else ""
    if name not in TRIALS:
        print("\n".join(f"{one:16} {first_line(one)}" for one in TRIALS))
        raise SystemExit(0 if name in ("", "__help") else 2)
    make_command(name)(args=arguments[1:], prog_name=f"python -m bench.trials {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
