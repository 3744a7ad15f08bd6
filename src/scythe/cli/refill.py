"""`scythe refill`: extract the stored versions of an archive anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from scythe.cli.console import FAILED, OK, Tell, complain, counted, show_count
from scythe.cli.options import Quiet, argument, option, verb

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.refill import RefillCounts

HELP = """Extract the pages of an archive anew, by what was learned since.

An archive keeps pages as they came. Versions that were extracted by other rules than today's, or by another version of
scythe, are extracted again from there, in their place: a field that was taught today gets its values for every version
ever stored. A crawl does this by itself at its end, and the web page after something was taught.

Stop at any time: the same command goes on where it ended. Versions whose pages were not kept (--no-raw) stay as they
are.

Examples:
  scythe refill site.db                          what is not up to date
  scythe refill site.db --profile site.json      by a profile that was edited; it is kept with the site
  scythe refill postgresql://db/web --site example.org

Exit codes:
  0  everything that could be is up to date
  1  some pages could not be extracted, or the archive could not be used
  2  invalid command
"""


@verb(HELP)
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
