"""The summary of a crawl, and the files written at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scythe.cli.console import counted

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.crawl import Crawl
    from scythe.output.archive_export import ArchiveExport

_REASONS = 8  # shown of each kind
_DAMAGED = 20  # shown of what is damaged


def check_outputs(outputs: Sequence[str]) -> None:
    """Raise BadInput or MissingExtra where an output cannot be written, before anything is fetched."""
    if not outputs:
        return
    from scythe.output.archive_export import plan_export

    for output in outputs:
        plan_export(output)


def write_outputs(archive: Archive, site: str, outputs: Sequence[str]) -> Iterator[str]:
    """Write what the archive has of a site to every file asked for; yield a line for each."""
    if not outputs:
        return
    from scythe.archive.results import PageQuery
    from scythe.output.archive_export import export_archive, plan_export

    for output in outputs:
        done = export_archive(archive, plan_export(output), PageQuery(sites=(site,)))
        yield f"  {output}: {done.count} {done.what}"
        yield from tell_damage(done)


def tell_damage(done: ArchiveExport) -> Iterator[str]:
    """Say what an export left out."""
    if done.damaged:
        yield f"  {counted(len(done.damaged), 'thing')} left out: damaged in the archive"
        yield from (f"    {damaged}" for damaged in done.damaged[:_DAMAGED])


def summarise(run: Crawl, where: str) -> Iterator[str]:
    """Yield the lines that a person reads at the end of a crawl."""
    tally = run.tally
    yield f"{run.start}: {run.why_ended}"
    new = ", ".join(f"{tally.stored[kind]} {name}" for kind, name in _STORED if tally.stored[kind]) or "nothing new"
    yield f"  {counted(tally.pages, 'page')} in {where}; this run {new}, in {tell_duration(tally.seconds)}"
    found = f"{tally.found} new address{'' if tally.found == 1 else 'es'}"
    yield f"  {counted(tally.requests, 'request')}, {tell_size(tally.received)}, {found}, {tally.waiting} waiting"
    if tally.sightings:
        yield f"  {counted(tally.records, 'new record')} ({counted(tally.sightings, 'sighting')})"
    yield from tell_cut(tally.cut_share(), tally.how)
    if tally.learning is not None and tally.learning.seconds:
        yield f"  {tally.learning.tell()}"
    if tally.drift:
        yield f"  the site changed on the way: {counted(tally.drift, 'thing')} stopped matching"
    yield from tell_reasons("not fetched", tally.why)
    yield from tell_reasons("not followed", tally.skipped)
    for note in tally.notes:
        yield f"  note: {note}"
    if tally.waiting:
        yield "  run the same command to resume"


_STORED = (
    ("new", "new"),
    ("changed", "changed"),
    ("same", "unchanged"),
    ("duplicate", "of the same content as another"),
    ("cut", "cut short"),
)


def tell_cut(share: float | None, how: Counter[str]) -> Iterator[str]:
    """Say how much was cut; `how` are pages by the way they were got."""
    if share is not None:
        pages = ", ".join(f"{how[way]} {way}" for way in ("cut", "mixed", "tree", "cold") if how[way])
        yield f"  {100 * share:.1f} % of the fields of learned pages were cut out of bytes (pages: {pages})"
    elif how:
        yield f"  {counted(how['cold'], 'page')} read by the tree"


def tell_reasons(what: str, reasons: Counter[str]) -> Iterator[str]:
    """Yield a line for each of the most frequent reasons, and one for the others."""
    for why, count in reasons.most_common(_REASONS):
        yield f"  {what}: {count} x {why}"
    left = sum(reasons.values()) - sum(count for _, count in reasons.most_common(_REASONS))
    if left:
        yield f"  {what}: {left} for other reasons"


def tell_duration(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def tell_size(count: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
