"""Show a batch while it runs and say what it came to: its progress and report come in, lines for people go out."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from scythe.cli.crawl_report import tell_duration, tell_reasons, tell_size
from scythe.cli.ending import counted

if TYPE_CHECKING:
    from scythe.batch.report import BatchReport
    from scythe.batch.run import Progress

_LINE_S = 60.0  # between two lines where nobody looks


@contextmanager
def show_batch(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how a batch goes: a bar, or now and then a line where nobody looks."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _Lines().tell
    else:
        from scythe.cli.progress import count_progress

        with count_progress() as bar:
            task = bar.add_task("starting", total=None)
            yield lambda now: bar.update(task, description=_say(now), completed=now.done, total=now.units)


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
    yield f"  of {_inputs(report)}: {', '.join([*things, size])}"
    if report.learned is not None and not report.learned.resumed:
        few = f", {report.learned.few} with too few pages" if report.learned.few else ""
        sites = counted(len(report.learned.learned), "site")
        yield f"  learned {sites} in {tell_duration(report.learned.seconds)}{few}"
        yield from tell_reasons("not learned", Counter(report.learned.failed.values()))
        yield from _tell_more("not learned", report.learned.failures - len(report.learned.failed))
    yield from _ways(report)
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


def _inputs(report: BatchReport) -> str:
    """Say how many responses of WARC files, or HTML files, there were."""
    files = sum(unit.responses for unit in report.units if unit.unit.files)
    responses = report.total("responses") - files
    there = [(responses, "response")] if responses or not files else []
    return " and ".join(counted(count, name) for count, name in [*there, *([(files, "HTML file")] if files else [])])


def _ways(report: BatchReport) -> Iterator[str]:
    share, how = report.cut_share(), report.by_kind("how")
    if share is not None:
        pages = ", ".join(f"{how[way]} {way}" for way in ("cut", "mixed", "tree", "cold") if how[way])
        yield f"  {100 * share:.1f} % of the fields of learned pages were cut out of bytes (pages: {pages})"
    elif how:
        yield f"  {counted(how['cold'], 'page')} read by the tree"
