"""`scythe completion`: the name of a shell comes in, what makes it complete scythe goes to standard output.

What may come next on the command line: the words before come in, values with their meaning go out.

Everything is read from the commands themselves, so that a new option completes without further ado: names and help of
options, choices from metavars in lower case (`auto|cut|tree`), files where the metavar says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any

import typer

from scythe.cli.console import plain_errors, quiet_ends
from scythe.cli.main import VERBS, load_verb
from scythe.errors import BadInput

FILES, FOLDERS, NOTHING_ELSE = "files", "folders", "none"
_OF_FILES = {"FILE", "LIST", "PROFILE", "ARCHIVE", "CSV", "INPUTS", "PAGES", "PAGE"}
_OF_FOLDERS = {"DIR", "OUT"}
_OF_NUMBERS = {("crawl", "limit")}  # PAGES there is how many
_FILES_BY_NAME = {"data"}  # options without a metavar


@dataclass(frozen=True, slots=True)
class Answer:
    """What may stand where the cursor is."""

    values: tuple[tuple[str, str], ...] = ()  # with what each means
    others: str = NOTHING_ELSE  # or what the shell itself is to look for


@dataclass(slots=True)
class Place:
    """Where on the command line the cursor is."""

    verb: str = ""
    command: Any = None  # None: before the verb
    waiting: Any = None  # the option whose value comes next
    arguments: int = 0  # words that were neither options nor their values
    only_arguments: bool = False  # after --
    used: frozenset[str] = frozenset()  # names of the options that are there already


def complete(words: Sequence[str]) -> Answer:
    """Return what may stand in place of the last word; `words` begin after the name of the program."""
    # bash makes words of their own of the = in --format=md
    *before, last = [word for word in words[:-1] if word != "="] + [words[-1] if words and words[-1] != "=" else ""]
    place = Place()
    for word in before:
        if not _step(place, word):
            return Answer()
    if place.waiting is not None:
        return _values(place, place.waiting, last)
    name, sign, value = last.partition("=")
    if sign and not place.only_arguments and (option := _option(place.command, name)) is not None:
        answer = _values(place, option, value)
        return Answer(tuple((f"{name}={one}", said) for one, said in answer.values), answer.others)
    if last.startswith("-") and not place.only_arguments:
        return _matching(last, _options(place))
    if (inner := _commands(place)) is not None:
        return _matching(last, inner)
    return _argument(place, last)


def _step(place: Place, word: str) -> bool:
    """Go past one word; False where it cannot be understood."""
    if place.waiting is not None:
        place.waiting = None
    elif word == "--":
        place.only_arguments = True
    elif word.startswith("-") and word != "-" and not place.only_arguments:
        name, sign, _ = word.partition("=")
        option = _option(place.command, name)
        if option is not None:
            place.used |= {option.name}
            place.waiting = None if option.is_flag or sign else option
    elif place.command is None:
        if word not in VERBS:
            return False
        place.verb, place.command = word, load_verb(word)
    elif (inner := getattr(place.command, "commands", None)) is not None:
        place.command = inner.get(word)
        return place.command is not None
    else:
        place.arguments += 1
    return True


def _matching(last: str, offered: Iterable[tuple[str, str]]) -> Answer:
    return Answer(tuple(pair for pair in offered if pair[0].startswith(last)))


def _commands(place: Place) -> list[tuple[str, str]] | None:
    if place.command is None:
        return [(verb, line) for verb, (_, line) in VERBS.items()]
    inner = getattr(place.command, "commands", None)
    return None if inner is None else [(name, _first_line(one.help)) for name, one in inner.items()]


def _parameters(command: Any, kind: str) -> list[Any]:
    parameters = [] if command is None else command.params
    return [one for one in parameters if one.param_type_name == kind and not getattr(one, "hidden", False)]


def _option(command: Any, name: str) -> Any:
    for option in _parameters(command, "option"):
        if name in option.opts or name in option.secondary_opts:
            return option
    return None


def _options(place: Place) -> list[tuple[str, str]]:
    offered = [("--version", "Show the version and exit.")] if place.command is None else []
    for option in _parameters(place.command, "option"):
        if option.multiple or option.name not in place.used:
            names = [name for name in (*option.opts, *option.secondary_opts) if name.startswith("--")]
            offered += [(name, _first_line(option.help)) for name in names]
    return [*offered, ("--help", "Show how it is used and exit.")]


def _argument(place: Place, last: str) -> Answer:
    arguments = _parameters(place.command, "argument")
    if place.arguments < len(arguments):
        return _values(place, arguments[place.arguments], last)
    if arguments and arguments[-1].nargs == -1:
        return _values(place, arguments[-1], last)
    return _matching(last, _options(place)) if not place.only_arguments else Answer()


def _values(place: Place, parameter: Any, last: str) -> Answer:
    metavar = (parameter.metavar or "").strip("[].")
    known = _known(place.verb, parameter.name)
    if known is not None and metavar in ("NAMES", "KINDS"):  # several, with commas
        chosen, comma, _ = last.rpartition(",")
        rest = (name for name in known() if name not in chosen.split(","))
        return _matching(last, ((f"{chosen}{comma}{name}", "") for name in rest))
    if known is not None:
        return _matching(last, ((name, "") for name in known()))
    parts = metavar.split("|")
    if len(parts) > 1 and all(part == part.lower() and "/" not in part for part in parts):
        return _matching(last, ((part, "") for part in parts))
    words = {word.strip(".[]").partition(".")[0] for part in parts for word in part.split()}
    if (place.verb, parameter.name) in _OF_NUMBERS:
        return Answer()
    if words & _OF_FILES or parameter.name in _FILES_BY_NAME:
        return Answer(others=FILES)
    return Answer(others=FOLDERS if words & _OF_FOLDERS else NOTHING_ELSE)


def _known(verb: str, parameter: str) -> Callable[[], Iterable[str]] | None:
    """Return what lists the values of a parameter, where they have names; each is imported when it is asked for."""
    by_verb = {("read", "method"): _text_methods, ("records", "method"): _record_methods}
    by_name = {
        "engine": lambda: ("local", "ray"),
        "events": _event_kinds,
        "fetcher": _fetchers,
        "image_method": _image_methods,
        "parts": _parts,
        "policy": _policies,
        "shell": lambda: ("bash", "fish", "zsh"),
    }
    return by_verb.get((verb, parameter)) or by_name.get(parameter)


def _text_methods() -> Iterable[str]:
    from scythe.reading.text import method_names

    return method_names()


def _record_methods() -> Iterable[str]:
    from scythe.reading.lists.list_methods import ATTRIBUTE_METHODS, RECORD_METHODS

    return dict.fromkeys((*RECORD_METHODS, *ATTRIBUTE_METHODS))


def _image_methods() -> Iterable[str]:
    from scythe.reading.images.image_methods import METHODS

    return METHODS


def _event_kinds() -> Iterable[str]:
    from scythe.watching.events import KINDS

    return KINDS


def _fetchers() -> Iterable[str]:
    from scythe.plugins import plug_in_names

    return plug_in_names("fetcher")


def _parts() -> Iterable[str]:
    from scythe.engine.crawl_options import PARTS

    return PARTS


def _policies() -> Iterable[str]:
    from scythe.schedule.policies import POLICIES

    return POLICIES


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


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
