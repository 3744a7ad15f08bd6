"""`scythe suggest`: a site, pages or addresses come in, those that a person should annotate go to standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.candidates import Candidates, find_candidates
from scythe.cli.ending import FAILED, USAGE, complain, counted, neutralise, quiet_ends, take_any_text
from scythe.cli.site_options import AllowPrivate, BaseUrl, Delay, Timeout
from scythe.errors import BadInput, MissingExtra
from scythe.limits import LIMITS
from scythe.sources import Loaded, Reach, check_base

if TYPE_CHECKING:
    from scythe.page import Page
    from scythe.rules import SiteImages
    from scythe.teaching.suggest import Suggestion

HELP = """Suggest which pages of a site to annotate.

A model of relevant images gets better with every page that a person has looked at, and some pages teach it more than
others. INPUTS are the address of a site, which is then sampled as by `scythe learn`; saved pages (files, folders,
patterns in quotes, page sets); or addresses: a text file with one on each line, several addresses, or - for a list on
standard input. Of more than 1000 saved pages so many are looked at, spread over them.

Where the source of the pages is there, those are chosen that show most of the kinds of images that the model is unsure
about (cover). Of addresses alone, those that look alike are grouped, and one of each group comes before any group has
two (clusters: Algorithm 1 of the TC paper); nothing is fetched then. What a profile has annotations of is not suggested
again.

\b
Examples:
  scythe suggest https://example.org/           six pages of a site, a look at 24
  scythe suggest saved/ -n 3                    three of the pages in a folder
  scythe suggest urls.txt                       six of the addresses in a list
  scythe suggest saved/ --profile site.json     what to annotate next
  scythe suggest saved/ -f csv -o pages.csv     with the reasons, as a table

\b
Exit codes:
  0  pages were suggested
  1  there is no page left to suggest
  2  the command was not understood, or nothing could be read
"""

FORMATS = ("text", "table", "csv", "json", "jsonl", "parquet")
_HOW = {
    "cover": "chosen by what images they show",
    "clusters": "chosen by address",
    "random": "chosen at random",
}
_COLUMNS = ("url", "why", "by", "cluster", "alike", "images", "kinds", "new_kinds", "unsure")

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=HELP, no_args_is_help=True)
def suggest(
    inputs: Annotated[list[str], typer.Argument(metavar="INPUTS", show_default=False)],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000, help="Suggest so many pages.")] = 6,
    by: Annotated[
        str,
        typer.Option(
            metavar="auto|cover|clusters|random",
            help="How to choose; auto: cover where the source of pages is at hand, else clusters.",
        ),
    ] = "auto",
    profile: Annotated[
        str | None, typer.Option(metavar="PROFILE", help="The profile of the site, with the pages annotated so far.")
    ] = None,
    pages: Annotated[
        int, typer.Option(min=1, max=1_000, help="Look at so many pages of a site, or of those that must be fetched.")
    ] = 24,
    seed: Annotated[int, typer.Option(help="Another number draws other pages.")] = 0,
    kind: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(FORMATS),
            help="Output format; otherwise by the suffix of -o, a table on a terminal, addresses in a pipe.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write here; otherwise to standard output.")
    ] = None,
    url: BaseUrl = None,
    delay: Delay = 1.0,
    timeout: Timeout = LIMITS.fetch_s,
    allow_private: AllowPrivate = False,
) -> None:
    reach = Reach(timeout_s=timeout, allow_private=allow_private)
    with quiet_ends():
        try:
            form = _form(kind, output)
            known = _known(profile)
            candidates = find_candidates(inputs, check_base(url), by, reach, pages=pages, delay_s=delay)
            found = _suggest(candidates, count, seed, known)
            if not found:
                complain("there is no page left to suggest")
                raise typer.Exit(FAILED)
            complain(f"{len(found)} of {counted(len(candidates.names), 'page')}, {_HOW[candidates.by]}")
            _write([_row(one, candidates) for one in found], form, output)
        except (BadInput, MissingExtra, OSError) as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None


def _form(kind: str | None, output: str | None) -> str:
    """Return the format that was asked for; raise BadInput where there is no such."""
    if kind is not None and kind not in FORMATS:
        raise BadInput(f"-f {kind}: known formats are {', '.join(FORMATS)}")
    if kind is None and output in (None, "-"):
        return "table" if sys.stdout.isatty() else "text"
    suffix = Path(output or "").suffix.lower().lstrip(".")
    form = kind or {"txt": "text", "ndjson": "jsonl"}.get(suffix, suffix)
    if form not in FORMATS:
        raise BadInput(f"-o {output}: the suffix names no format (known: .txt .csv .json .jsonl .parquet); or add -f")
    return form


def _known(profile: str | None) -> SiteImages | None:
    from scythe.profiles.profile import open_profile

    try:
        return open_profile(profile).profile.images if profile is not None else None
    except OSError as error:
        raise BadInput(f"{profile}: cannot be read: {error.strerror or error}") from None


def _suggest(candidates: Candidates, count: int, seed: int, known: SiteImages | None) -> tuple[Suggestion, ...]:
    from scythe.teaching.suggest import suggest_pages

    if candidates.by != "cover":
        return suggest_pages(candidates.names, count, by=candidates.by, seed=seed, site=known)
    bare: list[str] = []
    found = suggest_pages(_open(candidates.pages, bare), count, by="cover", seed=seed, site=known)
    if bare:
        pages = counted(len(bare), "page")
        complain(
            f"{pages} without an address and images; if they have relative addresses, give that of the pages: --url"
        )
    return found


def _open(pages: Sequence[Loaded], bare: list[str]) -> Iterator[Page]:
    """Yield pages for reading; those without an address and without images are noted."""
    from scythe.page import Page

    for loaded in pages:
        page = Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)
        if page.url is None and not page.images:
            bare.append(loaded.name)
        yield page


def _row(one: Suggestion, candidates: Candidates) -> dict[str, str | int | None]:
    return asdict(one) | {"url": candidates.names[one.at]}


def _write(rows: Sequence[dict[str, str | int | None]], form: str, output: str | None) -> None:
    if form == "text":
        _write_lines([str(row["url"]) for row in rows], output)
        return
    from scythe.cli.row_sinks import open_row_sink
    from scythe.record_rows import Batch, Shape

    shown = _COLUMNS[:2] if form == "table" else _COLUMNS
    columns = tuple(name for name in shown if any(row[name] is not None for row in rows))
    sink = open_row_sink(output, form, Shape())
    sink.put(Batch("", columns, tuple(tuple(row[name] for name in columns) for row in rows), kind="pages"))
    sink.close()


def _write_lines(lines: Sequence[str], output: str | None) -> None:
    from scythe.export import write_atomically

    if output is None or output == "-":
        take_any_text()
        for line in lines:
            typer.echo(neutralise(line) if sys.stdout.isatty() else line)
    else:
        write_atomically(Path(output), "".join(f"{line}\n" for line in lines).encode(errors="replace"))
