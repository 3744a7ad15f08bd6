"""The options of `scythe watch`, one type each."""

from pathlib import Path
from typing import Annotated

import typer

from scythe.cli.durations import parse_duration

WatchedSites = Annotated[list[str] | None, typer.Argument(metavar="[SITE...]", show_default=False)]
WatchArchive = Annotated[
    str, typer.Option("--archive", metavar="FILE|URL", help="Keep everything here: a file, or postgresql://...")
]
Miss = Annotated[
    float, typer.Option(min=0.0001, max=0.5, metavar="SHARE", help="Of all records, so many may be missed.")
]
MaxDelay = Annotated[
    float | None,
    typer.Option(parser=parse_duration, metavar="TIME", help="No record is seen later than this: 6h, 90m, 1d."),
]
Within = Annotated[
    float | None,
    typer.Option(
        "--p95",
        parser=parse_duration,
        metavar="TIME",
        help="95 of 100 records are seen within so long; rests at night.",
    ),
]
AtLeast = Annotated[
    float | None,
    typer.Option(
        "--floor", parser=parse_duration, metavar="TIME", help="Between two visits to a page, at least; otherwise 10m."
    ),
]
Policy = Annotated[
    str, typer.Option(metavar="NAME", help="What plans the visits; `scythe schedule --help` names them all.")
]
OlderPages = Annotated[
    int,
    typer.Option(min=0, max=1_000, help="Follow so many older pages, at most, to find again what was there; 0: none."),
]
Regions = Annotated[
    list[str] | None,
    typer.Option(
        "--region",
        metavar="N|KIND",
        help="Only this list of the page: the N-th, or the first of a kind; `scythe records SITE --all` shows them.",
    ),
]
Follow = Annotated[bool, typer.Option("--follow", help="Archive the page that each new record leads to as well.")]
Exec = Annotated[
    list[str] | None,
    typer.Option("--exec", metavar="COMMAND", help="Run this with new records as JSON lines on its standard input."),
]
Webhook = Annotated[list[str] | None, typer.Option("--webhook", metavar="URL", help="Post new records there as JSON.")]
Secret = Annotated[
    str,
    typer.Option(
        "--webhook-secret", metavar="TEXT", envvar="SCYTHE_WEBHOOK_SECRET", help="Sign what is posted with this."
    ),
]
FeedFiles = Annotated[
    list[Path] | None,
    typer.Option("--feed", metavar="FILE", help="Keep a feed of new records here: .rss, .xml, .atom or .json."),
]
NotifyFirst = Annotated[
    bool, typer.Option("--notify-first", help="Tell hooks also what the first visit to a page finds.")
]
Once = Annotated[bool, typer.Option("--once", help="Visit what is due now, each page once, then end: for cron.")]
QueueLists = Annotated[
    bool, typer.Option("--queue", help="Hand SITE... over to `scythe worker` and end; needs a PostgreSQL archive.")
]
Forget = Annotated[bool, typer.Option("--forget", help="Watch SITE... no longer; what was archived stays.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON object per event, also where a live table could be shown.")
]
Only = Annotated[
    str | None,
    typer.Option("--events", metavar="KINDS", help="Only events of these kinds, with commas: record,lost,trouble ..."),
]
