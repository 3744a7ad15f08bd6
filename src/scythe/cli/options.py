"""Command-line options shared by several verbs, and groups of them."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from scythe.crawling.crawl_options import PARTS, USUAL_PARTS
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.limits import LIMITS
from scythe.output.formats import DOCUMENTS, FIELDS, formats_of

SiteAddress = Annotated[str, typer.Argument(metavar="SITE", show_default=False)]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE|DIR",
        help="Export here at the end; the suffix is the format: .jsonl, .csv, .parquet, .md/, .warc.gz.",
    ),
]
ArchiveAt = Annotated[
    str | None,
    typer.Option("--archive", metavar="FILE|URL", help="Archive: a file or postgresql://...; default: HOST.scythe.db."),
]
CrawlDelay = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=86_400.0,
        metavar="SECONDS",
        help="Minimum delay between requests to a host; robots.txt may raise it.",
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, metavar="PAGES", help="Stop when the archive has this many pages.")]
Depth = Annotated[int | None, typer.Option(min=0, metavar="LINKS", help="Maximum number of links from SITE.")]
Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Only URLs that match; * matches anything. Can be repeated."),
]
Deny = Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Skip URLs that match. Can be repeated.")]
Subdomains = Annotated[bool, typer.Option("--subdomains", help="Include subdomains of SITE.")]
Sitemaps = Annotated[bool, typer.Option("--sitemaps/--no-sitemaps", help="Use the site's sitemaps.")]
Feeds = Annotated[bool, typer.Option("--feeds/--no-feeds", help="Follow the feeds that pages link to.")]
IgnoreRobots = Annotated[bool, typer.Option("--ignore-robots", help="Ignore robots.txt; only for your own sites.")]
Contact = Annotated[
    str, typer.Option(metavar="URL|MAIL", help="How the site's owner can reach you; sent with every request.")
]
UserAgent = Annotated[str, typer.Option(metavar="TEXT", help="User-Agent header; default: scythe/VERSION.")]
Raw = Annotated[bool, typer.Option("--raw", help="Keep every response, for .warc.gz.")]
Parts = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help=f"What to extract, comma-separated: {', '.join(PARTS)}; default: as before, "
        f"at first {','.join(USUAL_PARTS)}.",
        show_default=False,
    ),
]
Render = Annotated[
    bool,
    typer.Option("--render", help="Load pages in a browser first (extra: browser); slow, for script-driven pages."),
]
Workers = Annotated[int, typer.Option(min=1, max=256, help="Extraction processes; each site is handled by one.")]
Concurrency = Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number of parallel requests.")]
PerHost = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1_000,
        help="Parallel requests to one host; default: 1, or no limit with --delay 0.",
        show_default=False,
    ),
]
Attempts = Annotated[int, typer.Option(min=1, max=100, help="Attempts before a URL counts as failed.")]
Patience = Annotated[
    float,
    typer.Option(min=0.0, metavar="SECONDS", help="How long to wait for URLs that are due for a retry."),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Visit known pages again, with conditional requests.")]
ProfileAt = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="PROFILE", help="Start from a profile of `scythe learn`; default: what the archive has."
    ),
]
Queue = Annotated[
    bool, typer.Option("--queue", help="Queue SITE for `scythe worker` and exit; needs a PostgreSQL archive.")
]
Unqueue = Annotated[bool, typer.Option("--unqueue", help="Remove SITE from the queue; archived pages stay.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]

Inputs = Annotated[list[str] | None, typer.Argument(metavar="INPUTS", show_default=False)]
InputFile = Annotated[
    str | None, typer.Option("--input-file", "-i", metavar="LIST", help="A file of URLs, one per line, or -.")
]
ReadBaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="The URL that a file or standard input was saved from.")
]
Method = Annotated[
    str, typer.Option(help="Text method: auto, sentences, characters, vsse, cetr, cetd, or a plug-in's.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="|".join(formats_of(DOCUMENTS)), help="Output format; default: by the suffix of -o."
    ),
]
ReadOutput = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE|DIR", help="Output file; a DIR gets text, HTML and images."),
]
DownloadImages = Annotated[bool, typer.Option("--download-images", help="With -o DIR: download the relevant images.")]
TitleLine = Annotated[bool | None, typer.Option("--title-line/--no-title-line", help="Begin the text with the title.")]
Captions = Annotated[bool | None, typer.Option("--captions/--no-captions", help="Keep captions of figures and tables.")]
Comments = Annotated[bool | None, typer.Option("--comments/--no-comments", help="Keep readers' comments.")]
Tables = Annotated[bool | None, typer.Option("--tables/--no-tables", help="Keep data tables.")]
Links = Annotated[bool, typer.Option("--links/--no-links", help="Keep links in md and html.")]
Images = Annotated[bool, typer.Option("--images/--no-images", help="Keep images in md and html.")]
ImagesOnly = Annotated[
    bool,
    typer.Option(
        "--images-only",
        help="Write images instead of text: URLs of the relevant ones; with -f csv, jsonl ... all, with scores.",
    ),
]
ImageMethod = Annotated[
    str, typer.Option(metavar="NAME", help="Image method: relevance, nearby, og, entities, 300x400 ...")
]
ProbeSizes = Annotated[
    bool,
    typer.Option("--probe-sizes", help="Request the first bytes of each image to learn its real size."),
]
Records = Annotated[
    bool,
    typer.Option("--records", help="Add the page's lists as tables to txt, md and html; JSON always has them."),
]
FailOnEmpty = Annotated[bool, typer.Option("--fail-on-empty", help="Exit with 3 when a page has no main text.")]
ReadVerbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Report on standard error how each field was found.")
]

ProfilePath = Annotated[str, typer.Argument(metavar="PROFILE", show_default=False)]
Pages = Annotated[list[str], typer.Argument(metavar="PAGES", show_default=False)]
OnePage = Annotated[str, typer.Argument(metavar="PAGE", show_default=False)]
BaseUrl = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The URL of the file, or the base URL of a folder's files."),
]
Via = Annotated[
    str,
    typer.Option(
        metavar="auto|cut|tree",
        help="auto: cut, parse the HTML in doubt; cut: never parse, leave doubtful fields out; tree: always parse.",
    ),
]
FieldFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="|".join(formats_of(FIELDS)),
        help="Output format; default: by the suffix of -o, or jsonl.",
    ),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE|DIR", help="Output file; default: standard output.")
]
ProfileOut = Annotated[str, typer.Option("--output", "-o", metavar="PROFILE", help="Write the profile here.")]
Examples = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Expected values: JSON (page: {field: value}) or CSV (page, fields)."),
]
FieldWanted = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="NAME|NAME=VALUE",
        help="Field to learn: title, text, date, author, images, or any other by a VALUE that one page shows.",
    ),
]
PageCount = Annotated[
    int | None,
    typer.Option(
        "--pages",
        min=1,
        max=1_000,
        help="Number of pages to learn from; default: 12 of a site, 40 of saved pages, evenly spread.",
    ),
]
Delay = Annotated[float, typer.Option(min=0.0, max=60.0, metavar="SECONDS", help="Delay between two pages of a site.")]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Timeout for one page, including DNS.")]
AllowPrivate = Annotated[bool, typer.Option("--allow-private", help="Allow this machine and private networks.")]
FetchedBy = Annotated[
    str, typer.Option("--fetcher", metavar="NAME", help="Fetch through this plug-in; see `scythe plugins`.")
]
StoreAt = Annotated[
    str,
    typer.Option(
        "--store", metavar="NAME:PLACE", help="Store raw responses here, not in the archive: folder:PATH, ..."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Report on standard error how each field was found.")]
Update = Annotated[bool, typer.Option("--update", help="Save relearned layouts and observed drift to PROFILE.")]


def site_address(site: str) -> str:
    """Let a host name alone stand for its site."""
    return site if "://" in site else f"https://{site}"


def fetch_flags(timeout: Timeout = LIMITS.fetch_s, allow_private: AllowPrivate = False) -> FetchOptions:
    """Say how pages are fetched by a command that reads some of them."""
    return FetchOptions(timeout_s=timeout, allow_private=allow_private)


def run_flags(
    render: Render = False,
    fetcher: FetchedBy = "",
    delay: CrawlDelay = 1.0,
    contact: Contact = "",
    user_agent: UserAgent = "",
    ignore_robots: IgnoreRobots = False,
    allow_private: AllowPrivate = False,
    timeout: Timeout = LIMITS.fetch_s,
    concurrency: Concurrency = 8,
    workers: Workers = 1,
) -> dict[str, Any]:
    """Say how a crawl and a watch go to the network, by the names of `RunOptions`."""
    return {
        "render": render,
        "fetcher": fetcher,
        "delay": delay,
        "contact": contact,
        "user_agent": user_agent,
        "obey_robots": not ignore_robots,
        "allow_private": allow_private,
        "timeout_s": timeout,
        "concurrency": concurrency,
        "workers": workers,
    }


def with_options(**groups: Callable[..., object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let parameters of a command stand for groups of options; the command gets what each group makes of them."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            for name, group in groups.items():
                said = {each: given.pop(each) for each in signature(group).parameters}
                try:
                    given[name] = group(**said)
                except BadInput as error:
                    raise typer.BadParameter(str(error)) from None
            command(**given)

        shown: list[Parameter] = []
        for each in signature(command, eval_str=True).parameters.values():
            shown += signature(groups[each.name]).parameters.values() if each.name in groups else [each]
        shown = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in shown]
        run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in shown}
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        return run

    return decorate
