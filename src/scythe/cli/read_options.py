"""The options of `scythe read`, one type each: what typer shows in `--help` and checks on the command line."""

from typing import Annotated

import typer

from scythe.cli.sinks import FORMATS

Inputs = Annotated[list[str] | None, typer.Argument(metavar="INPUTS", show_default=False)]
InputFile = Annotated[
    str | None, typer.Option("--input-file", "-i", metavar="LIST", help="A file of addresses, one per line, or -.")
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="The address a file or standard input was saved from.")
]
Method = Annotated[
    str, typer.Option(help="Text method: auto, sentences, characters, vsse, cetr, cetd, or a plug-in's.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", metavar="|".join(FORMATS), help="Output format; otherwise by the suffix of -o."),
]
Output = Annotated[
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
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="For one page, from look-up to last byte.")]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", help="Also fetch from this machine and private networks.")
]
FailOnEmpty = Annotated[bool, typer.Option("--fail-on-empty", help="Exit with 3 when a page has no main text.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say on standard error how each field was found.")]
