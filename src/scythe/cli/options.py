"""The options of the commands that work with a learned site, one type each.

The options of `scythe read`, one type each: what typer shows in `--help` and checks on the command line.

The options of `scythe crawl`, one type each.
"""

from typing import Annotated

import typer

from scythe.cli.document_sinks import FIELD_FORMATS, FORMATS
from scythe.engine.crawl_options import PARTS, USUAL_PARTS

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
CrawlDelay = Annotated[
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

Inputs = Annotated[list[str] | None, typer.Argument(metavar="INPUTS", show_default=False)]
InputFile = Annotated[
    str | None, typer.Option("--input-file", "-i", metavar="LIST", help="A file of addresses, one per line, or -.")
]
ReadBaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="The address a file or standard input was saved from.")
]
Method = Annotated[
    str, typer.Option(help="Text method: auto, sentences, characters, vsse, cetr, cetd, or a plug-in's.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", metavar="|".join(FORMATS), help="Output format; otherwise by the suffix of -o."),
]
ReadOutput = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE|DIR", help="Write here; a DIR gets text, HTML and images."),
]
DownloadImages = Annotated[
    bool, typer.Option("--download-images", help="With -o DIR: fetch the pictures of the text into its folder.")
]
TitleLine = Annotated[bool | None, typer.Option("--title-line/--no-title-line", help="Begin the text with the title.")]
Captions = Annotated[bool | None, typer.Option("--captions/--no-captions", help="Keep captions of figures and tables.")]
Comments = Annotated[bool | None, typer.Option("--comments/--no-comments", help="Keep what readers wrote below.")]
Tables = Annotated[bool | None, typer.Option("--tables/--no-tables", help="Keep tables of data.")]
Links = Annotated[bool, typer.Option("--links/--no-links", help="Keep links in md and html.")]
Images = Annotated[bool, typer.Option("--images/--no-images", help="Keep images in md and html.")]
ImagesOnly = Annotated[
    bool,
    typer.Option(
        "--images-only",
        help="Write images instead of text: addresses of the relevant ones, or with -f csv, jsonl ... all with scores.",
    ),
]
ImageMethod = Annotated[
    str, typer.Option(metavar="NAME", help="How images are judged: relevance, or nearby, og, entities, 300x400 ...")
]
ProbeSizes = Annotated[
    bool,
    typer.Option("--probe-sizes", help="Ask for the first bytes of each image to know its real size; none otherwise."),
]
Records = Annotated[
    bool,
    typer.Option("--records", help="Add the lists of the page as tables to txt, md and html; JSON has them anyway."),
]
FailOnEmpty = Annotated[bool, typer.Option("--fail-on-empty", help="Exit with 3 when a page has no main text.")]
ReadVerbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say on standard error how each field was found.")]

ProfilePath = Annotated[str, typer.Argument(metavar="PROFILE", show_default=False)]
Pages = Annotated[list[str], typer.Argument(metavar="PAGES", show_default=False)]
OnePage = Annotated[str, typer.Argument(metavar="PAGE", show_default=False)]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="The address of the file, or the one that the files of a folder lie below."
    ),
]
Via = Annotated[
    str,
    typer.Option(
        metavar="auto|cut|tree",
        help="auto: cut, and ask the tree in doubt; cut: leave out what is in doubt; tree: ask only the tree.",
    ),
]
FieldFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="|".join(FIELD_FORMATS),
        help="Output format; otherwise by the suffix of -o, or jsonl.",
    ),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE|DIR", help="Write here; otherwise to standard output.")
]
ProfileOut = Annotated[str, typer.Option("--output", "-o", metavar="PROFILE", help="Write the profile here.")]
Examples = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Values that pages should give: JSON (page: {field: value}) or CSV (page, fields)."
    ),
]
FieldWanted = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="NAME|NAME=VALUE",
        help="Learn this field: title, text, date, author, images, or any other by a VALUE that one page shows.",
    ),
]
PageCount = Annotated[
    int | None,
    typer.Option(
        "--pages", min=1, max=1_000, help="Learn from so many pages: 12 of a site, else 40, spread over those given."
    ),
]
Delay = Annotated[
    float, typer.Option(min=0.0, max=60.0, metavar="SECONDS", help="Wait so long between two pages of a site.")
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="For one page, from look-up to last byte.")]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", help="Also fetch from this machine and private networks.")
]
FetchedBy = Annotated[
    str, typer.Option("--fetcher", metavar="NAME", help="Ask through this plug-in; `scythe plugins` lists them.")
]
StoreAt = Annotated[
    str,
    typer.Option("--store", metavar="NAME:PLACE", help="Keep raw responses here, not in the archive: folder:PATH, ..."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say on standard error how each field was got.")]
Update = Annotated[
    bool, typer.Option("--update", help="Write back to PROFILE what was noticed and learned again on the way.")
]


def site_address(site: str) -> str:
    """Let a host name alone stand for its site."""
    return site if "://" in site else f"https://{site}"
