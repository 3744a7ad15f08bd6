"""`scythe batch`: extract WARC and HTML files into Parquet tables."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scythe.cli.console import EMPTY, FAILED, OK, complain, counted, say_lines, show_count
from scythe.cli.crawl_report import tell_cut, tell_duration, tell_reasons, tell_size
from scythe.cli.options import Quiet, argument, comma_separated, option, verb
from scythe.crawling.crawl_options import PARTS

if TYPE_CHECKING:
    from scythe.batch.batch import Progress
    from scythe.batch.units import BatchReport

_LINE_S = 60.0  # between two lines where nobody looks


@contextmanager
def show_batch(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how a batch goes: a bar, or now and then a line where nobody looks."""
    with show_count("starting", quiet=quiet) as bar:
        if bar is not None:
            yield lambda now: bar(now.done, now.units, _say(now))
        else:
            yield None if quiet else _Lines().tell


class _Lines:
    """Writes a line now and then."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def tell(self, now: Progress) -> None:
        if time.monotonic() - self._told_at >= _LINE_S:
            self._told_at = time.monotonic()
            typer.echo(f"scythe: {_say(now)}, {now.done} of {now.units} parts", err=True)


def _say(now: Progress) -> str:
    if now.doing != "extracting":
        return now.doing
    rate = f", {now.pages / now.seconds:.0f} pages/s" if now.seconds > 1 and now.pages else ""
    return f"{now.doing}, {counted(now.pages, 'page')}{rate}"


def summarise(report: BatchReport, out: str, wanted: Collection[str]) -> Iterator[str]:
    """Yield the lines that a person reads at the end of a batch; of what was not asked for nothing is said."""
    again = sum(unit.resumed for unit in report.units)
    parts = counted(len(report.units), "part") + (f", {again} of them done before" if again else "")
    yield f"{out}: {counted(report.total('documents'), 'page')} in {parts}"
    things = [counted(report.total(f"{name}s"), name) for name in ("image", "record") if f"{name}s" in wanted]
    size = f"{tell_size(report.total('body_bytes'))} of HTML"
    files = sum(unit.responses for unit in report.units if unit.unit.files)
    responses = report.total("responses") - files
    there = [(responses, "response")] if responses or not files else []
    inputs = [counted(count, name) for count, name in [*there, *([(files, "HTML file")] if files else [])]]
    yield f"  of {' and '.join(inputs)}: {', '.join([*things, size])}"
    if report.learned is not None and not report.learned.resumed:
        few = f", {report.learned.few} with too few pages" if report.learned.few else ""
        sites = counted(len(report.learned.learned), "site")
        yield f"  learned {sites} in {tell_duration(report.learned.seconds)}{few}"
        yield from tell_reasons("not learned", Counter(report.learned.failed.values()))
        yield from _tell_more("not learned", report.learned.failures - len(report.learned.failed))
    yield from tell_cut(report.cut_share(), report.by_kind("how"))
    if report.cost.seconds:
        yield f"  {report.cost.tell()}"
    yield from tell_reasons("no page", report.by_kind("skipped"))
    failures = Counter(failure.why for unit in report.units for failure in unit.failures)
    yield from tell_reasons("failed", failures)
    yield from _tell_more("failed", report.total("failed") - failures.total())
    damages = [(unit.unit.path, damage) for unit in report.units for damage in unit.damages]
    for path, damage in damages[:_DAMAGES]:
        yield f"  damaged: {path} at byte {damage.offset}: {damage.why}"
    if report.total("damaged") > _DAMAGES:
        yield f"  damaged: {report.total('damaged') - _DAMAGES} more places"
    if report.fresh_documents:
        rate = report.fresh_documents / max(report.seconds, 0.001)
        each = 1000 * report.cpu_s / report.fresh_documents
        yield f"  {tell_duration(report.seconds)}, {rate:.0f} pages/s, {each:.2f} ms of CPU a page"


_DAMAGES = 8  # shown


def _tell_more(what: str, count: int) -> Iterator[str]:
    """Tell of those whose reasons were too many to keep."""
    if count > 0:
        yield f"  {what}: {count} more, whose reasons are not kept"


@verb()
def batch(
    inputs: Annotated[list[str], argument("INPUTS...")],
    output: str = option(..., "Folder for the tables.", "--output -o OUT", show_default=False),
    profile_dir: str | None = option(None, "Folder of profiles, to use and to add to; default: OUT/profiles.", "DIR"),
    engine: str = option("local", "local, or ray (extra: ray).", "NAME"),
    processes: int | None = option(None, "Processes of the local engine; default: one per core.", min=1, max=1_024),
    parts: str = option("text,images,records", f"What to extract, comma-separated: {', '.join(PARTS)}.", "NAMES"),
    method: list[str] | None = option(
        None,
        "Read pages by a published method, such as sentences:minimum=4 or mdr, and learn nothing.",
        "NAME[:PARAMETERS]",
    ),
    learn: bool = option(True, "Learn sites that have no profile."),
    learn_from: int = option(8, "Learn sites with at least N pages; takes seconds each.", "N", min=3),
    url: str = option("", "Base URL of HTML files without a canonical URL.", "URL"),
    as_json: bool = option(False, "Print the counts as one JSON object.", "--json"),
    quiet: Quiet = False,
) -> int:
    from scythe.batch.batch import run_batch
    from scythe.batch.batch_options import BatchOptions
    from scythe.fetch.inputs import check_base

    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # ends in the same good order
    options = BatchOptions(
        parts=comma_separated(parts),
        profiles=profile_dir,
        learn=learn and not method,
        methods=tuple(method or ()),
        learn_from=learn_from,
        engine=engine,
        processes=processes,
        address=check_base(url) or "" if url else "",
    )
    with show_batch(quiet=quiet) as watch:
        report = run_batch(inputs, output, options, watch=watch)
    if as_json:
        typer.echo(json.dumps(totals(report), ensure_ascii=False, indent=1))
    elif not quiet:
        say_lines(summarise(report, output, options.parts))
    for unit in report.broken:
        complain(f"{unit.unit.path}: {unit.why}")
    return FAILED if report.broken else OK if report.total("documents") else EMPTY


def totals(report: BatchReport) -> dict[str, Any]:
    """Return the counts of a batch as plain values."""
    names = ("responses", "documents", "images", "records", "failed", "body_bytes")
    counted: dict[str, Any] = {name: report.total(name) for name in names}
    counted |= {name: dict(report.by_kind(name)) for name in ("skipped", "others", "how", "fields")}
    counted |= {"units": len(report.units), "resumed": sum(unit.resumed for unit in report.units)}
    counted |= {"damaged": report.total("damaged"), "cut_share": report.cut_share()}
    counted |= {"seconds": round(report.seconds, 3), "cpu_s": round(report.cpu_s, 3), "cost": asdict(report.cost)}
    counted["broken"] = {unit.unit.path: unit.why for unit in report.broken}
    counted["learned"] = len(report.learned.learned) if report.learned is not None else 0
    return counted
