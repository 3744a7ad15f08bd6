"""`scythe export`: write an archive to a file or folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.atomic_files import write_atomically
from scythe.cli.console import EMPTY, FAILED, OK, complain, count_progress, counted, neutralise
from scythe.cli.crawl_report import tell_damage
from scythe.cli.options import ColumnNames, CsvSafe, csv_cells, verb
from scythe.errors import BadInput
from scythe.output.formats import PAGE_FOLDER, PAGES, formats_of

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.archive.results import PageQuery
    from scythe.output.archive_export import ArchiveExport, Export

HELP = """Write an archive to files.

ARCHIVE is an SQLite file or a postgresql:// address. The suffix of -o selects the format; a folder gets one Markdown
file per page. Without -o, JSON lines go to standard output. Files are written atomically: an export that is stopped
leaves the old file in place.

\b
Examples:
  scythe export site.db -o pages.jsonl               one JSON object per page, with everything
  scythe export site.db -o pages.csv                 a table for spreadsheets
  scythe export site.db -o pages.parquet             for pandas, DuckDB, Spark
  scythe export site.db -o notes/                    a folder of Markdown files
  scythe export site.db -o texts/ -f txt             or of plain text, or html
  scythe export site.db -o site.warc.gz              raw responses (crawl without --no-raw)
  scythe export site.db --what records -o goods.csv  one row per record of the pages' lists
  scythe export site.db --what records -o goods.csv --columns title=Name,price,link
  scythe export site.db --what images -o images.csv  one row per image, with its score
  scythe export site.db --kind article --since 2026-11-01 --match '*/news/*' -o news.jsonl
  scythe export postgresql://db/web --site example.org -o example.parquet
  scythe export site.db --what profile -o site.json  what was learned of the site, as a file
  scythe export site.db | jq -r .title               in a pipe
  scythe export --check site.warc.gz                 check a WARC file for damage

\b
Exit codes:
  0  everything was written; --check: every record matches its digest
  1  the archive could not be read, some of it is damaged and left out, or the file not written; --check: damaged
  2  invalid command
  3  nothing to write (with --fail-on-empty)
"""

_TOLD = 20  # things between two steps of the bar: to move it takes longer than to write a record


@verb(HELP)
# long because every option stands here, once: the signature is the help
def export(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", show_default=False)],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE|DIR", help="Output file; default: standard output.")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(formats_of(PAGES, PAGE_FOLDER)),
            help="Output format; default: by the suffix of -o.",
        ),
    ] = None,
    what: Annotated[
        str,
        typer.Option(
            metavar="pages|records|images|profile", help="What to write: a row for each, or what was learned."
        ),
    ] = "pages",
    site: Annotated[
        list[str] | None, typer.Option("--site", metavar="HOST", help="Only this site of the archive; can be repeated.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only what appeared or changed since: 2026-11-15, or with a time (UTC)."),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Only what appeared or changed before.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="Only pages of this declared kind: article, product ...; can be repeated."
        ),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option("--match", metavar="PATTERN", help="Only URLs that match; * matches anything; can be repeated."),
    ] = None,
    no_duplicates: Annotated[
        bool, typer.Option("--no-duplicates", help="Skip pages with the same body or text as another page.")
    ] = False,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Include earlier versions of pages; with .warc.gz every response.")
    ] = False,
    columns: ColumnNames = None,
    csv_safe: CsvSafe = None,
    store: Annotated[
        str,
        typer.Option(
            "--store", metavar="NAME:PLACE", help="Read responses from here: a moved folder or a plug-in's store."
        ),
    ] = "",
    check: Annotated[bool, typer.Option("--check", help="Verify the digests of ARCHIVE, a WARC file.")] = False,
    fail_on_empty: Annotated[bool, typer.Option("--fail-on-empty", help="Exit with 3 if nothing was written.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> int:
    if check:
        return _check(archive, quiet=quiet)
    if what == "profile":
        return _export_profile(archive, site or [], output, quiet=quiet)
    from scythe.archive.results import PageQuery
    from scythe.output.archive_export import plan_export, read_date
    from scythe.output.column_choice import ColumnChoice

    choice = ColumnChoice.read(columns)
    plan = replace(plan_export(output, format_, what, choice.names), cells=csv_cells(csv_safe))
    wanted = PageQuery(
        sites=tuple(site or ()),
        since=read_date(since, "--since"),
        until=read_date(until, "--until"),
        kinds=tuple(kind or ()),
        matches=tuple(match or ()),
        duplicates=not no_duplicates,
        all_versions=all_versions,
    )
    try:
        done = _export(archive, store, plan, wanted, quiet=quiet)
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(f"{output}: cannot be written: {error.strerror or error}")
        return FAILED
    for line in tell_damage(done):
        complain(line)
    return FAILED if done.damaged else EMPTY if not done.count and fail_on_empty else OK


def _export_profile(where: str, sites: list[str], output: str | None, *, quiet: bool) -> int:
    """Write what was learned of one site as a profile file."""
    from scythe.archive.stored_sites import is_in_archive, read_profile

    if len(sites) > 1 or not is_in_archive(where):
        raise BadInput("a profile is that of one site of an archive: name it with --site HOST")
    text = read_profile(f"{where}#{sites[0]}" if sites else where)
    if output is None or output == "-":
        typer.echo(text, nl=False)
        return OK
    write_atomically(Path(output), text.encode())
    if not quiet:
        typer.echo(neutralise(f"1 profile written to {output}"), err=True)
    return OK


def _export(where: str, store: str, plan: Export, wanted: PageQuery, *, quiet: bool) -> ArchiveExport:
    from scythe.archive.open import open_archive
    from scythe.output.archive_export import export_archive

    shown = neutralise if plan.path is None and sys.stdout.isatty() else str
    with open_archive(where, create=False, store=store) as archive:
        if quiet or not sys.stderr.isatty() or shown is neutralise:
            done = export_archive(archive, plan, wanted, shown=shown)
        else:
            done = _export_under_a_bar(archive, plan, wanted)
    if not quiet and plan.path is not None:
        typer.echo(neutralise(f"{counted(done.count, done.what.removesuffix('s'))} written to {plan.path}"), err=True)
    return done


def _export_under_a_bar(archive: Archive, plan: Export, wanted: PageQuery) -> ArchiveExport:
    from scythe.output.archive_export import count_wanted, export_archive

    with count_progress() as bar:
        task = bar.add_task("exporting", total=count_wanted(archive, plan, wanted))

        def tell(number: int) -> None:
            if number % _TOLD == 0:
                bar.update(task, completed=number)

        return export_archive(archive, plan, wanted, tell=tell)


def _check(path: str, *, quiet: bool) -> int:
    """Say what is wrong with a WARC file and return the exit code."""
    from scythe.output.warc import verify_warc

    if not Path(path).is_file():
        raise BadInput(f"{path}: no such file")
    checked = verify_warc(path)
    for complaint in checked.complaints:
        complain(f"{path}: {complaint}")
    if not quiet:
        unchecked = f", {checked.unchecked} without a digest" if checked.unchecked else ""
        typer.echo(neutralise(f"{path}: {counted(checked.records, 'whole record')}{unchecked}"))
    return FAILED if checked.complaints else OK
