"""`scythe refill`: extract the stored versions of an archive anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from scythe.cli.console import FAILED, OK, Tell, complain, counted, show_count
from scythe.cli.options import Quiet, argument, option, verb

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.refill import RefillCounts


@verb()
def refill(
    archive: Annotated[str, argument("ARCHIVE")],
    site: list[str] | None = option(None, "Only this site of the archive; can be repeated.", "HOST"),
    profile: str | None = option(
        None, "Take this over as what was learned of the site first; file or archive.", "PROFILE"
    ),
    store: str = option("", "Read pages from here: a moved folder, a plug-in's store.", "NAME:PLACE"),
    quiet: Quiet = False,
) -> int:
    from scythe.archive.open import open_archive
    from scythe.crawling.crawl import profile_text

    learned = profile_text(profile)
    if learned is not None:
        from scythe.archive.stored_sites import write_profile

        write_profile(f"{archive}#{site[0]}" if site else archive, learned)
    with open_archive(archive, create=False, store=store) as opened, show_count("extracting", quiet=quiet) as bar:
        done = _refill(opened, site, bar)
    if not quiet:
        complain(_describe(done))
    return FAILED if done.failed else OK


def _refill(archive: Archive, sites: list[str] | None, bar: Tell | None) -> RefillCounts:
    from scythe.crawling.refill import refill as run

    def tell(counts: RefillCounts) -> None:
        if bar is not None:
            bar(counts.done + counts.failed, counts.total, "extracting")

    return run(archive, sites, tell=tell)


def _describe(done: RefillCounts) -> str:
    said = [f"{counted(done.done, 'version')} extracted anew"]
    if done.failed:
        said.append(f"{done.failed} could not be")
    if done.not_kept:
        said.append(f"{counted(done.not_kept, 'version')} not up to date, whose pages were not kept")
    return "; ".join(said)
