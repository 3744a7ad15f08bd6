"""`scythe export`: write an archive to a file or folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import EMPTY, FAILED, OK, complain, counted, neutralise, show_count, write_text
from scythe.cli.crawl_report import tell_damage
from scythe.cli.options import ColumnNames, CsvSafe, argument, csv_cells, option, verb
from scythe.errors import BadInput
from scythe.output.formats import PAGE_FOLDER, PAGES, formats_of

if TYPE_CHECKING:
    from scythe.archive.results import PageQuery
    from scythe.output.archive_export import ArchiveExport, Export


_TOLD = 20  # things between two steps of the bar: to move it takes longer than to write a record


@verb()
# long because every option stands here, once: the signature is the help
def export(
    archive: Annotated[str, argument("ARCHIVE")],
    output: str | None = option(None, "Output file; default: standard output.", "--output -o FILE|DIR"),
    format_: str | None = option(
        None, "Output format; default: by the suffix of -o.", f"--format -f {'|'.join(formats_of(PAGES, PAGE_FOLDER))}"
    ),
    what: str = option("pages", "What to write: a row for each, or what was learned.", "pages|records|images|profile"),
    site: list[str] | None = option(None, "Only this site of the archive; can be repeated.", "HOST"),
    since: str | None = option(None, "Only what appeared or changed since: 2026-11-15, or with a time (UTC).", "DATE"),
    until: str | None = option(None, "Only what appeared or changed before.", "DATE"),
    kind: list[str] | None = option(
        None, "Only pages of this declared kind: article, product ...; can be repeated.", "KIND"
    ),
    match: list[str] | None = option(None, "Only URLs that match; * matches anything; can be repeated.", "PATTERN"),
    no_duplicates: bool = option(False, "Skip pages with the same body or text as another page."),
    all_versions: bool = option(False, "Include earlier versions of pages; with .warc.gz every response."),
    columns: ColumnNames = None,
    csv_safe: CsvSafe = None,
    store: str = option("", "Read responses from here: a moved folder or a plug-in's store.", "NAME:PLACE"),
    check: bool = option(False, "Verify the digests of ARCHIVE, a WARC file."),
    fail_on_empty: bool = option(False, "Exit with 3 if nothing was written."),
    quiet: bool = option(False, "Print errors only.", "--quiet -q"),
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
    write_text(read_profile(f"{where}#{sites[0]}" if sites else where), output)
    if not quiet and output not in (None, "-"):
        typer.echo(neutralise(f"1 profile written to {output}"), err=True)
    return OK


def _export(where: str, store: str, plan: Export, wanted: PageQuery, *, quiet: bool) -> ArchiveExport:
    from scythe.archive.open import open_archive
    from scythe.output.archive_export import count_wanted, export_archive

    shown = neutralise if plan.path is None and sys.stdout.isatty() else str
    with (
        open_archive(where, create=False, store=store) as archive,
        show_count("exporting", quiet=quiet or shown is neutralise) as bar,
    ):
        total = count_wanted(archive, plan, wanted) if bar is not None else None

        def tell(number: int) -> None:
            if bar is not None and number % _TOLD == 0:
                bar(number, total, "exporting")

        tell(0)
        done = export_archive(archive, plan, wanted, tell=tell, shown=shown)
    if not quiet and plan.path is not None:
        typer.echo(neutralise(f"{counted(done.count, done.what.removesuffix('s'))} written to {plan.path}"), err=True)
    return done


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
