"""The options of the commands that work with a learned site, one type each."""

from typing import Annotated

import typer

from scythe.cli.sinks import FIELD_FORMATS

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
