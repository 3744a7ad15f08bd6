"""The command line: any arguments come in; they are understood, or refused in words."""

from functools import cache
from typing import Any

import typer
from tests.fuzz.registry import STRUCTURED, target
from tests.fuzz.shapes import _HOSTS

from scythe.cli.main import VERBS, load_verb
from scythe.errors import ScytheError

TOKENS = (
    *(*b"--format --out -o -- - --every 6h 0 -1 nan 1e9 --jobs =".split(), b"\n"),
    *(name.encode("utf-8", "replace") for name in _HOSTS[:10]),
)

# click, or the copy of it that typer brings
_CLICK = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
_REFUSALS: tuple[type[BaseException], ...] = (_CLICK, typer.Exit, typer.Abort)


@cache
def _verbs() -> tuple[Any, ...]:
    return tuple(load_verb(name) for name in VERBS)


@cache
def lines() -> tuple[bytes, ...]:
    """Return arguments, one a line, behind a byte for the verb."""
    found = []
    for number, verb in enumerate(_verbs()):
        options = [option for one in getattr(verb, "params", ()) for option in one.opts if option.startswith("-")]
        found.append(bytes([number]) + "\n".join(["https://example.org/", *options]).encode())
        found.extend(bytes([number]) + f"{option}\n3\nfile.json".encode() for option in options)
    return tuple(found)


@target("cli.arguments", seeds=lines, tokens=TOKENS, shape="lines", kind=STRUCTURED, most_bytes=2_000)
def parse_arguments(data: bytes) -> None:
    """Any arguments of any verb are parsed or refused; nothing is run."""
    verbs = _verbs()
    verb = verbs[data[0] % len(verbs) if data else 0]
    arguments = [part for part in data[1:].decode("utf-8", "surrogateescape").split("\n") if part]
    if any(part in ("--help", "--version") for part in arguments):
        return
    try:
        with verb.make_context("scythe", arguments, resilient_parsing=False):
            pass
    except (*_REFUSALS, ScytheError):
        pass
