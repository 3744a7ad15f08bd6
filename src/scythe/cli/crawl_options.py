"""The options of `scythe crawl`, one type each."""

from typing import Annotated

import typer

from scythe.crawling.options import PARTS, USUAL_PARTS

SiteAddress = Annotated[str, typer.Argument(metavar="SITE", show_default=False)]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE|DIR",
        help="At the end write what was found here, as its suffix says: .jsonl, .csv, .parquet, .md/, .warc.gz.",
    ),
]
ArchiveAt = Annotated[
    str | None,
    typer.Option(
        "--archive", metavar="FILE|URL", help="Keep everything here: a file, or postgresql://...; else HOST.scythe.db."
    ),
]
Delay = Annotated[
    float,
    typer.Option(
        min=0.0, max=86_400.0, metavar="SECONDS", help="Between two requests to a host, at least; robots.txt may add."
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, metavar="PAGES", help="Stop when the archive has so many pages.")]
Depth = Annotated[int | None, typer.Option(min=0, metavar="LINKS", help="Follow so many links from SITE.")]
Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Only addresses like this; * stands for anything. May be repeated."),
]
Deny = Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="No address like this. May be repeated.")]
Subdomains = Annotated[bool, typer.Option("--subdomains", help="Hosts below that of SITE belong to it too.")]
Sitemaps = Annotated[bool, typer.Option("--sitemaps/--no-sitemaps", help="Ask for the site's own lists of addresses.")]
Feeds = Annotated[bool, typer.Option("--feeds/--no-feeds", help="Follow the feeds that pages name.")]
IgnoreRobots = Annotated[
    bool, typer.Option("--ignore-robots", help="Do not ask for robots.txt: for sites that are yours.")
]
Contact = Annotated[
    str, typer.Option(metavar="URL|MAIL", help="How the site's owner reaches you; sent with every request.")
]
UserAgent = Annotated[str, typer.Option(metavar="TEXT", help="Call yourself this; else scythe with its version.")]
Raw = Annotated[bool, typer.Option("--raw", help="Keep every response as it came, for .warc.gz.")]
Parts = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help=f"What to extract of each page, with commas: {', '.join(PARTS)}; else as before, at first "
        f"{','.join(USUAL_PARTS)}.",
        show_default=False,
    ),
]
Render = Annotated[
    bool, typer.Option("--render", help="Load pages in a browser first (extra: browser); slow, for pages of scripts.")
]
Workers = Annotated[int, typer.Option(min=1, max=256, help="Processes that extract; one site is always one's work.")]
Concurrency = Annotated[int, typer.Option(min=1, max=1_000, help="Requests under way at once.")]
PerHost = Annotated[
    int | None,
    typer.Option(
        min=1, max=1_000, help="Requests under way at one host; otherwise 1, or with --delay 0 all.", show_default=False
    ),
]
Attempts = Annotated[int, typer.Option(min=1, max=100, help="Visits to an address before it counts as failed.")]
Patience = Annotated[
    float,
    typer.Option(min=0.0, metavar="SECONDS", help="Wait so long for addresses to be tried again, then end."),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Visit the pages known again; ask whether they changed.")]
ProfileAt = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="PROFILE", help="Begin with what `scythe learn` wrote; else go on with what is known."
    ),
]
Queue = Annotated[
    bool, typer.Option("--queue", help="Hand SITE over to `scythe worker` and end; needs a PostgreSQL archive.")
]
Unqueue = Annotated[
    bool, typer.Option("--unqueue", help="Take SITE back that was handed over; what is archived stays.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
