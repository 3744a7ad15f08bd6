"""`scythe read`: read pages and write their text, images or metadata."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import typer

from scythe.cli.console import EMPTY, FAILED, USAGE, RunCounts, attempt, complain, neutralise, quiet_ends, show_progress
from scythe.cli.options import (
    Captions,
    Comments,
    DownloadImages,
    FailOnEmpty,
    FetchedBy,
    Format,
    ImageMethod,
    Images,
    ImagesOnly,
    InputFile,
    Inputs,
    Links,
    Method,
    ProbeSizes,
    ReadBaseUrl,
    ReadOutput,
    ReadVerbose,
    Records,
    Tables,
    TitleLine,
    fetch_flags,
    with_options,
)
from scythe.cli.sinks import open_document_sink, open_image_sink
from scythe.errors import BadInput, MissingExtra
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, check_base, find_sources, list_sources, load, note_cut
from scythe.model import Document, TextOptions
from scythe.output.document_writers import DocumentForm, NamedDocument
from scythe.output.formats import DOCUMENTS, Writer, formats_of, is_folder
from scythe.plugins import load_function
from scythe.reader import read as read_page
from scythe.reading.images.image_methods import DEFAULT, AskSizes, Size
from scythe.reading.images.image_methods import image_method as image_method_called
from scythe.reading.text import method as text_method

HELP = """Read the main text, images and metadata of pages.

INPUTS are files, folders of pages, quoted patterns, URLs, or - for standard input.

\b
Examples:
  scythe read page.html                       the text, on standard output
  scythe read https://example.org/story       fetch, then read
  scythe read page.html -f md                 with headings, lists, tables, links
  scythe read page.html -f md --records       with the page's lists as tables
  scythe read 'saved/*.html' -o pages.jsonl   one JSON object per page
  scythe read page.html -o out/               text, HTML and an images folder
  scythe read page.html --images-only         URLs of the relevant images
  scythe read page.html --images-only -f csv  every image, with its score
  curl -s https://example.org/ | scythe read - --url https://example.org/
  scythe read --input-file addresses.txt -o pages.jsonl

\b
Exit codes:
  0  every input was read
  1  some input failed; each is reported on standard error
  2  invalid command
  3  a page had no text, or no relevant image (with --fail-on-empty)
"""


@dataclass(frozen=True, slots=True)
class ReadParts:
    """What to take from each page."""

    options: TextOptions
    image_method: str = DEFAULT
    images_only: bool = False
    verbose: bool = False
    image_sizes: AskSizes | None = None


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=HELP, no_args_is_help=True)
@with_options(fetch=fetch_flags)
def read(
    inputs: Inputs = None,
    input_file: InputFile = None,
    url: ReadBaseUrl = None,
    method: Method = "auto",
    format_: Format = None,
    output: ReadOutput = None,
    download_images: DownloadImages = False,
    title_line: TitleLine = None,
    captions: Captions = None,
    comments: Comments = None,
    tables: Tables = None,
    links: Links = True,
    images: Images = True,
    records: Records = False,
    images_only: ImagesOnly = False,
    image_method: ImageMethod = DEFAULT,
    probe_sizes: ProbeSizes = False,
    fetcher: FetchedBy = "",
    *,
    fetch: FetchOptions,
    fail_on_empty: FailOnEmpty = False,
    verbose: ReadVerbose = False,
) -> None:
    options = TextOptions(
        method=method,
        title_line=title_line,
        captions=captions,
        comments=comments,
        tables=tables,
        links=links,
        images=images,
    )
    fetch = replace(fetch, fetcher=fetcher)
    with quiet_ends():
        try:
            sources = list(find_sources(inputs or []))
            _check(sources, input_file, format_ if not images_only else None, download_images, output)
            if records and format_ is None and output is not None and is_folder(output):
                raise BadInput("--records needs -f with -o DIR: a folder gets text, HTML and pictures otherwise")
            _check_images_only(images_only, records, download_images)
            _check_names(method, image_method, fetcher)
            pages = load(chain(sources, list_sources(input_file) if input_file else ()), check_base(url), fetch)
            many = len(sources) > 1 or input_file is not None
            form = DocumentForm(records=records)
            if images_only:
                sink = open_image_sink(output, format_, many=many)
            else:
                sink = open_document_sink(
                    output, format_, many=many, download=fetch if download_images else None, form=form
                )
        except (BadInput, MissingExtra, OSError) as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        shown = show_progress(pages, "reading", None if input_file else len(sources))
        ask = _ask_sizes(fetch) if probe_sizes else None
        tally = _run(shown, sink, ReadParts(options, image_method, images_only, verbose, ask))
    if tally.failed:
        raise typer.Exit(FAILED)
    if tally.empty and fail_on_empty:
        raise typer.Exit(EMPTY)


def _check_images_only(images_only: bool, records: bool, download_images: bool) -> None:
    if images_only and (records or download_images):
        raise BadInput("--images-only writes no text: --records and --download-images go without it")


def _check(
    sources: list[Input], input_file: str | None, format_: str | None, download_images: bool, output: str | None
) -> None:
    if not sources and input_file is None:
        raise BadInput("name a file, a folder or an address, or give - for standard input")
    if format_ is not None and format_ not in formats_of(DOCUMENTS):
        raise BadInput(f"-f {format_}: known formats are {', '.join(formats_of(DOCUMENTS))}")
    if download_images and (output is None or not is_folder(output)):
        raise BadInput("--download-images needs -o DIR to put them in")
    if input_file == "-" and any(source.is_stdin for source in sources):
        raise BadInput("standard input can be a page or a list of addresses, not both")
    if input_file is not None and input_file != "-" and not Path(input_file).is_file():
        raise BadInput(f"--input-file {input_file}: no such file")


def _check_names(method: str, image_method: str, fetcher: str) -> None:
    """Raise BadInput for names that nobody has."""
    text_method(method)
    image_method_called(image_method)
    if fetcher:
        load_function("fetcher", fetcher)


def _ask_sizes(fetch: FetchOptions) -> AskSizes:
    """Return what asks servers for the first bytes of images; sizes that cannot be had are said on standard error."""
    from scythe.page.image_size import ProbeOptions, probe_images, real_sizes

    def ask(urls: Sequence[str]) -> list[Size]:
        probes = probe_images(urls, options=ProbeOptions(allow_private=fetch.allow_private))
        unknown = [probe for probe in probes if probe.size is None]
        if unknown:
            complain(f"{len(unknown)} of {len(urls)} image sizes unknown, such as {unknown[0].url}: {unknown[0].why}")
        return real_sizes(probes)

    return ask


def _run(pages: Iterator[LoadedPage], sink: Writer[NamedDocument], wish: ReadParts) -> RunCounts:
    """Read every page into the sink; what fails is said and counted, and the run goes on."""
    tally = RunCounts()
    for page in pages:
        complaint = page.complaint or _read_one(page, sink, wish, tally)
        if complaint:
            tally.failed += 1
            complain(f"{page.name}: {complaint}")
    sink.close()
    return tally


def _read_one(page: LoadedPage, sink: Writer[NamedDocument], wish: ReadParts, tally: RunCounts) -> str:
    """Read one page and hand it to the sink; return a complaint, or an empty string."""
    began = time.perf_counter()

    def work() -> tuple[Document, list[str]]:
        document = read_page(
            page.body,
            url=page.url,
            options=wish.options,
            content_type=page.content_type,
            image_method=wish.image_method,
            image_sizes=wish.image_sizes,
        )
        document = note_cut(document, page.cut_at_bytes)
        return document, list(sink.put(NamedDocument(page.name, document)))

    done, complaint = attempt(work)
    if done is None:
        return complaint
    document, complaints = done
    lack = _lack(document, wish)
    if lack:
        tally.empty += 1
        complain(f"{page.name}: {lack}")
    if document.losses:
        complain(f"{page.name}: incomplete: {'; '.join(f'{loss.what} ({loss.count})' for loss in document.losses)}")
    if wish.verbose:
        _explain(page.name, document, time.perf_counter() - began)
    for complaint in complaints[:-1]:
        complain(f"{page.name}: {complaint}")
    return complaints[-1] if complaints else ""


def _lack(document: Document, wish: ReadParts) -> str:
    """Say what was asked for and is not there."""
    if wish.images_only:
        return "" if any(image.relevant for image in document.images) else "no relevant image"
    return "" if document.text else f"no text: {document.why}"


def _explain(name: str, document: Document, took_s: float) -> None:
    typer.echo(neutralise(f"{name}: read in {took_s * 1000:.1f} ms"), err=True)
    for field, how in document.how.items():
        typer.echo(neutralise(f"  {field}: {how}"), err=True)
