"""Make verbs of functions; options shared by several verbs, and groups of them.

The signature of a verb is the table of its options: each stands there with its default and its help, and nowhere else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from scythe.cli.console import FAILED, plain_errors, quiet_ends
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, check_base, find_sources, list_sources, load
from scythe.limits import LIMITS
from scythe.output.rows import AUTO, PLAIN, SAFE

ProfilePath = Annotated[str, typer.Argument(metavar="PROFILE", show_default=False)]
Pages = Annotated[list[str], typer.Argument(metavar="PAGES", show_default=False)]
MorePages = Annotated[list[str] | None, typer.Argument(metavar="[PAGES]...", show_default=False)]
BaseUrl = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The URL of the file, or the base URL of a folder's files."),
]
Delay = Annotated[float, typer.Option(min=0.0, max=60.0, metavar="SECONDS", help="Delay between two pages of a site.")]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Timeout for one page, including DNS.")]
AllowPrivate = Annotated[bool, typer.Option("--allow-private", help="Allow this machine and private networks.")]
FetchedBy = Annotated[
    str, typer.Option("--fetcher", metavar="NAME", help="Fetch through this plug-in; see `scythe plugins`.")
]
StoreAt = Annotated[
    str,
    typer.Option(
        "--store", metavar="NAME:PLACE", help="Store raw responses here, not in the archive: folder:PATH, ..."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ColumnNames = Annotated[
    str | None,
    typer.Option("--columns", metavar="NAME[=NEW],...", help="Write these columns, in this order, renamed after =."),
]
CsvSafe = Annotated[
    bool | None,
    typer.Option(
        "--csv-safe/--csv-plain",
        show_default=False,
        help="Put ' in front of every CSV cell that a spreadsheet may calculate, numbers too, or of none; default: not "
        "of numbers, dates and telephone numbers.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]


def csv_cells(is_safe: bool | None) -> str:
    """Return what --csv-safe and --csv-plain ask for."""
    return AUTO if is_safe is None else SAFE if is_safe else PLAIN


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
    render: Annotated[
        bool,
        typer.Option("--render", help="Load pages in a browser first (extra: browser); slow, for script-driven pages."),
    ] = False,
    fetcher: FetchedBy = "",
    delay: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=86_400.0,
            metavar="SECONDS",
            help="Minimum delay between requests to a host; robots.txt may raise it.",
        ),
    ] = 1.0,
    contact: Annotated[
        str, typer.Option(metavar="URL|MAIL", help="How the site's owner can reach you; sent with every request.")
    ] = "",
    user_agent: Annotated[str, typer.Option(metavar="TEXT", help="User-Agent header; default: scythe/VERSION.")] = "",
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="Ignore robots.txt; only for your own sites.")
    ] = False,
    allow_private: AllowPrivate = False,
    timeout: Timeout = LIMITS.fetch_s,
    concurrency: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number of parallel requests.")] = 8,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Extraction processes; each site is handled by one.")
    ] = 1,
) -> dict[str, Any]:
    """Say how a crawl and a watch go to the network, by the names of `RunOptions`."""
    return {
        "render": render,
        "fetcher": fetcher,
        "delay": delay,
        "contact": contact,
        "user_agent": user_agent,
        "obey_robots": not ignore_robots,
        "allow_private": allow_private,
        "timeout_s": timeout,
        "concurrency": concurrency,
        "workers": workers,
    }


@dataclass(frozen=True, slots=True)
class InputsNamed:
    """The pages that somebody named: as inputs, or in a list of addresses."""

    sources: list[Input]
    list_file: str | None
    base: str | None

    @property
    def are_many(self) -> bool:
        """Whether there may be more than one page."""
        return len(self.sources) > 1 or self.list_file is not None

    @property
    def count(self) -> int | None:
        """How many pages there are; None: nobody knows."""
        return None if self.list_file else len(self.sources)

    def check(self) -> None:
        """Raise BadInput where no page is named, or a list that is none."""
        if not self.sources and self.list_file is None:
            raise BadInput("name a file, a folder or an address, or give - for standard input")
        if self.list_file == "-" and any(source.is_stdin for source in self.sources):
            raise BadInput("standard input can be a page or a list of addresses, not both")
        if self.list_file is not None and self.list_file != "-" and not Path(self.list_file).is_file():
            raise BadInput(f"--input-file {self.list_file}: no such file")

    def load(self, fetch: FetchOptions) -> Iterator[LoadedPage]:
        """Load the pages one by one."""
        listed = list_sources(self.list_file) if self.list_file else ()
        return load(chain(self.sources, listed), check_base(self.base), fetch)


def input_flags(
    inputs: Annotated[list[str] | None, typer.Argument(metavar="INPUTS", show_default=False)] = None,
    input_file: Annotated[
        str | None, typer.Option("--input-file", "-i", metavar="LIST", help="A file of URLs, one per line, or -.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="The URL that a file or standard input was saved from.")
    ] = None,
) -> InputsNamed:
    """Say which pages are read."""
    return InputsNamed(list(find_sources(inputs or [])), input_file, url)


def verb(
    said: str, *, needs_arguments: bool = True, os_error: int = FAILED, **groups: Callable[..., Any]
) -> Callable[[Callable[..., int | None]], typer.Typer]:
    """Make a verb of a function, which returns the exit code; errors raised on purpose end it with one line.

    `said` is its help. Parameters named in `groups` stand for groups of options: the function gets what each group
    makes of them. `os_error` is the code where a file or the network fails.
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
        run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in shown}
        run.__name__ = command.__name__
        application = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        application.command(help=said, no_args_is_help=needs_arguments)(run)
        return application

    return make
