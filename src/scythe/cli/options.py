"""Make verbs of functions; options shared by several verbs, and groups of them.

The signature of a verb is the table of its options: each stands there with its default and its help, and nowhere else.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, Signature, signature
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.models import OptionInfo

from scythe.cli import read_help
from scythe.cli.console import FAILED, plain_errors, quiet_ends
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, check_base, find_sources, list_sources, load
from scythe.limits import LIMITS
from scythe.output.rows import AUTO, PLAIN, SAFE


def option(default: Any, said: str, shown: str = "", **bounds: Any) -> Any:
    """Declare an option by its default, its help, and its names and metavar as a help shows them: `--output -o FILE`.

    Without names it is called like its parameter; a flag that is not off by default can be switched off: `--no-name`.
    """
    names = [word for word in shown.split() if word.startswith("-")]
    metavar = " ".join(word for word in shown.split() if word not in names) or None
    return typer.Option(default, *names, metavar=metavar, help=said, **bounds)


def argument(metavar: str) -> Any:
    """Declare an argument."""
    return typer.Argument(metavar=metavar, show_default=False)


ProfilePath = Annotated[str, argument("PROFILE")]
Pages = Annotated[list[str], argument("PAGES")]
MorePages = Annotated[list[str] | None, argument("[PAGES]...")]
BaseUrl = Annotated[str | None, option(..., "The URL of the file, or the base URL of a folder's files.", "--url URL")]
Delay = Annotated[float, option(..., "Delay between two pages of a site.", "SECONDS", min=0.0, max=60.0)]
Timeout = Annotated[float, option(..., "Timeout for one page, including DNS.", "SECONDS", min=0.1)]
AllowPrivate = Annotated[bool, option(..., "Allow this machine and private networks.", "--allow-private")]
FetchedBy = Annotated[str, option(..., "Fetch through this plug-in; see `scythe plugins`.", "--fetcher NAME")]
StoreAt = Annotated[
    str, option(..., "Store raw responses here, not in the archive: folder:PATH, ...", "--store NAME:PLACE")
]
AsJson = Annotated[bool, option(..., "Print JSON.", "--json")]
ColumnNames = Annotated[
    str | None, option(..., "Write these columns, in this order, renamed after =.", "--columns NAME[=NEW],...")
]
CsvSafe = Annotated[
    bool | None,
    option(
        ...,
        "Put ' in front of every CSV cell that a spreadsheet may calculate, numbers too, or of none; default: not "
        "of numbers, dates and telephone numbers.",
        "--csv-safe/--csv-plain",
    ),
]
Quiet = Annotated[bool, option(..., "No progress and no summary.", "--quiet -q")]


def csv_cells(is_safe: bool | None) -> str:
    """Return what --csv-safe and --csv-plain ask for."""
    return AUTO if is_safe is None else SAFE if is_safe else PLAIN


UNITS_S = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
WORDS = {"sec": "s", "min": "m", "hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w"}
LONGEST_S = 3_660 * 86_400.0  # ten years: nobody waits longer, and no date overflows
_EXAMPLES = "expected a duration such as 45s, 90m, 6h, 1.5d, 1w or 1h30m"


def parse_duration(text: str) -> float:
    """Return the seconds that `text` says; raise typer.BadParameter with examples where it says none."""
    rest = text.lower().replace(" ", "").strip()
    parts = re.findall(r"([0-9.]+)([a-z]+)", rest)
    try:
        total = sum(float(number) * UNITS_S[WORDS.get(unit, unit)] for number, unit in parts)
    except (ValueError, KeyError):  # no number; no unit
        parts = []
    if not parts or "".join(map("".join, parts)) != rest:  # a number without a unit could mean anything
        raise typer.BadParameter(f"{text!r}: {_EXAMPLES}" if rest else _EXAMPLES)
    if not 0 < total <= LONGEST_S:
        raise typer.BadParameter(f"{text!r} is not between 0 and ten years; {_EXAMPLES}")
    return total


def say_duration(seconds: float) -> str:
    """Write a length of time in the largest unit that it fills, with at most one decimal: 6 h, 1.5 d, 45 s."""
    size, unit = 1.0, "s"
    for name, unit_s in UNITS_S.items():
        if name != "w" and abs(seconds) >= 0.995 * unit_s:
            size, unit = unit_s, name
    said = f"{seconds / size:.1f}".removesuffix(".0")
    return f"{said} {'min' if unit == 'm' else unit}"


WatchedSites = Annotated[list[str] | None, argument("[SITE...]")]
Miss = Annotated[float, option(..., "Largest share of records that may be missed.", "SHARE", min=0.0001, max=0.5)]
MaxDelay = Annotated[
    float | None, option(..., "See every record within TIME: 6h, 90m, 1d.", "TIME", parser=parse_duration)
]
Within = Annotated[
    float | None,
    option(..., "See 95 % of records within TIME; may pause at night.", "--p95 TIME", parser=parse_duration),
]


def site_address(site: str) -> str:
    """Let a host name alone stand for its site."""
    return site if "://" in site else f"https://{site}"


def comma_separated(names: str) -> tuple[str, ...]:
    """Return the names of an option that takes several."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def fetch_flags(timeout: Timeout = LIMITS.fetch_s, allow_private: AllowPrivate = False) -> FetchOptions:
    """Say how pages are fetched by a command that reads some of them."""
    return FetchOptions(timeout_s=timeout, allow_private=allow_private)


def run_flags(
    render: bool = option(False, "Load pages in a browser first (extra: browser); slow, for script-driven pages."),
    fetcher: FetchedBy = "",
    delay: float = option(
        1.0, "Minimum delay between requests to a host; robots.txt may raise it.", "SECONDS", min=0.0, max=86_400.0
    ),
    contact: str = option("", "How the site's owner can reach you; sent with every request.", "URL|MAIL"),
    user_agent: str = option("", "User-Agent header; default: scythe/VERSION.", "TEXT"),
    ignore_robots: bool = option(False, "Ignore robots.txt; only for your own sites."),
    allow_private: AllowPrivate = False,
    timeout: Timeout = LIMITS.fetch_s,
    concurrency: int = option(8, "Maximum number of parallel requests.", min=1, max=1_000),
    workers: int = option(1, "Extraction processes; each site is handled by one.", min=1, max=256),
) -> dict[str, Any]:
    """Say how a crawl and a watch go to the network, by the names of `RunOptions`."""
    given = dict(locals())
    given["obey_robots"] = not given.pop("ignore_robots")
    given["timeout_s"] = given.pop("timeout")
    return given


@dataclass(frozen=True)
class InputsNamed:
    """The pages that somebody named: as inputs, or in a list of addresses."""

    inputs: Annotated[list[str] | None, argument("INPUTS")] = None
    input_file: str | None = option(None, "A file of URLs, one per line, or -.", "--input-file -i LIST")
    url: str | None = option(None, "The URL that a file or standard input was saved from.", "URL")

    @cached_property
    def sources(self) -> list[Input]:
        """What was named as inputs."""
        return list(find_sources(self.inputs or []))

    @property
    def are_many(self) -> bool:
        """Whether there may be more than one page."""
        return len(self.sources) > 1 or self.input_file is not None

    @property
    def count(self) -> int | None:
        """How many pages there are; None: nobody knows."""
        return None if self.input_file else len(self.sources)

    def check(self) -> None:
        """Raise BadInput where no page is named, or a list that is none."""
        if not self.sources and self.input_file is None:
            raise BadInput("name a file, a folder or an address, or give - for standard input")
        if self.input_file == "-" and any(source.is_stdin for source in self.sources):
            raise BadInput("standard input can be a page or a list of addresses, not both")
        if self.input_file is not None and self.input_file != "-" and not Path(self.input_file).is_file():
            raise BadInput(f"--input-file {self.input_file}: no such file")

    def load(self, fetch: FetchOptions) -> Iterator[LoadedPage]:
        """Load the pages one by one."""
        listed = list_sources(self.input_file) if self.input_file else ()
        return load(chain(self.sources, listed), check_base(self.url), fetch)


def verb(
    *, needs_arguments: bool = True, os_error: int = FAILED, **groups: Callable[..., Any]
) -> Callable[[Callable[..., int | None]], typer.Typer]:
    """Make a verb of a function, which returns the exit code; errors raised on purpose end it with one line.

    What it says of itself, with examples, is in `help/NAME.txt`. Parameters named in `groups` stand for groups of
    options, which are functions or records: the function gets what each group makes of them. `os_error` is the code
    where a file or the network fails.
    """

    def make(command: Callable[..., int | None]) -> typer.Typer:
        def run(**given: Any) -> None:
            with quiet_ends(), plain_errors(os_error):
                for name, group in groups.items():
                    given[name] = group(**{each: given.pop(each) for each in signature(group).parameters})
                code = command(**given)
            if code:
                raise typer.Exit(code)

        shown: list[Parameter] = []
        for each in signature(command, eval_str=True).parameters.values():
            shown += signature(groups[each.name], eval_str=True).parameters.values() if each.name in groups else [each]
        shown = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in shown]
        for each in shown:
            if isinstance(each.default, OptionInfo) and not each.default.param_decls:
                name = each.name.strip("_").replace("_", "-")
                switches_off = each.annotation in (bool, bool | None) and each.default.default is not False
                each.default.param_decls = (f"--{name}/--no-{name}" if switches_off else f"--{name}",)
        run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in shown}
        run.__name__ = command.__name__
        application = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        application.command(help=read_help(command.__name__), no_args_is_help=needs_arguments)(run)
        return application

    return make
