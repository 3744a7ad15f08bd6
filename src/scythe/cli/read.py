"""`scythe read`: read pages and write their text, images or metadata."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scythe.cli.console import USAGE, RunCounts, attempt, complain, say_lines, show_progress
from scythe.cli.options import FetchedBy, InputsNamed, fetch_flags, option, verb
from scythe.cli.sinks import open_document_sink, open_image_sink, require_format
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage, is_address, note_cut
from scythe.fetch.saved_pages import SavedPictures
from scythe.model import Document, TextOptions
from scythe.output.document_writers import DocumentForm, NamedDocument
from scythe.output.formats import DOCUMENTS, Writer, formats_of, is_folder
from scythe.page import Page
from scythe.plugins import load_function
from scythe.reader import read as read_page
from scythe.reading.images.image_methods import DEFAULT, AskSizes, Size
from scythe.reading.images.image_methods import image_method as image_method_called
from scythe.reading.text import method as text_method
from scythe.url import FOLDER


@dataclass(frozen=True, slots=True)
class ReadParts:
    """What to take from each page."""

    options: TextOptions
    image_method: str = DEFAULT
    images_only: bool = False
    verbose: bool = False
    image_sizes: AskSizes | None = None
    are_pictures_wanted: bool = False  # where one that cannot be had is a failure


@verb(os_error=USAGE, pages=InputsNamed, fetch=fetch_flags)
# long because every option stands here, once: the signature is the help
def read(
    pages: InputsNamed,
    method: str = option("auto", "Text method: auto, sentences, characters, vsse, cetr, cetd, or a plug-in's."),
    format_: str | None = option(
        None, "Output format; default: by the suffix of -o.", f"--format -f {'|'.join(formats_of(DOCUMENTS))}"
    ),
    output: str | None = option(None, "Output file; a DIR gets text, HTML and images.", "--output -o FILE|DIR"),
    download_images: bool = option(False, "With -o DIR: download the relevant images."),
    title_line: bool | None = option(None, "Begin the text with the title."),
    captions: bool | None = option(None, "Keep captions of figures and tables."),
    comments: bool | None = option(None, "Keep readers' comments."),
    tables: bool | None = option(None, "Keep data tables."),
    links: bool = option(True, "Keep links in md and html."),
    images: bool = option(True, "Keep images in md and html."),
    records: bool = option(False, "Add the page's lists as tables to txt, md and html; JSON always has them."),
    images_only: bool = option(
        False, "Write images instead of text: URLs of the relevant ones; with -f csv, jsonl ... all, with scores."
    ),
    image_method: str = option(DEFAULT, "Image method: relevance, nearby, og, entities, 300x400 ...", "NAME"),
    probe_sizes: bool = option(False, "Request the first bytes of each image to learn its real size."),
    fetcher: FetchedBy = "",
    *,
    fetch: FetchOptions,
    fail_on_empty: bool = option(False, "Exit with 3 when a page has no main text."),
    verbose: bool = option(False, "Report on standard error how each field was found.", "--verbose -v"),
) -> int:
    options = TextOptions(method, title_line, captions, comments, tables, links, images)
    fetch = replace(fetch, fetcher=fetcher)
    pages.check()
    if not images_only:
        require_format(format_, DOCUMENTS)
    if download_images and (output is None or not is_folder(output)):
        raise BadInput("--download-images needs -o DIR to put them in")
    if records and format_ is None and output is not None and is_folder(output):
        raise BadInput("--records needs -f with -o DIR: a folder gets text, HTML and pictures otherwise")
    if images_only and (records or download_images):
        raise BadInput("--images-only writes no text: --records and --download-images go without it")
    _check_names(method, image_method, fetcher)
    loaded = pages.load(fetch)
    if images_only:
        sink = open_image_sink(output, format_, many=pages.are_many)
    else:
        form, download = DocumentForm(records=records), fetch if download_images else None
        sink = open_document_sink(output, format_, many=pages.are_many, download=download, form=form)
    ask = _ask_sizes(fetch) if probe_sizes else None
    shown = show_progress(loaded, "reading", pages.count)
    tally, wish = RunCounts(), ReadParts(options, image_method, images_only, verbose, ask, download_images)
    tally.run(shown, sink, lambda page: _read_one(page, sink, wish, tally))
    return tally.code(fail_on_empty=fail_on_empty)


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


def _read_one(page: LoadedPage, sink: Writer[NamedDocument], wish: ReadParts, tally: RunCounts) -> str:
    """Read one page and hand it to the sink; return a complaint, or an empty string."""
    began = time.perf_counter()

    def work() -> tuple[Document, list[str]]:
        document = read_page(
            page.body,
            url=page.url or (FOLDER if page.path is not None else None),
            options=wish.options,
            content_type=page.content_type,
            image_method=wish.image_method,
            image_sizes=wish.image_sizes,
        )
        document = note_cut(document, page.cut_at_bytes)
        beside = SavedPictures.beside(page.path, page.body, page.url, page.root) if page.path is not None else None
        return document, list(sink.put(NamedDocument(page.name, document, beside)))

    done, complaint = attempt(work)
    if done is None:
        return complaint
    document, complaints = done
    if wish.images_only and not any(image.relevant for image in document.images):
        tally.lack(page.name, "no relevant image")
    elif not wish.images_only and not document.text:
        tally.lack(page.name, f"no text: {document.why}")
    if document.losses:
        complain(f"{page.name}: incomplete: {'; '.join(f'{loss.what} ({loss.count})' for loss in document.losses)}")
    if page.url is None and page.path is None and (left_out := _count_placeless(page.body)):
        complain(
            f"{page.name}: {left_out} images with relative addresses left out; --url says what they are relative to"
        )
    if wish.verbose:
        hows = (f"  {field}: {how}" for field, how in document.how.items())
        say_lines([f"{page.name}: read in {(time.perf_counter() - began) * 1000:.1f} ms", *hows], to_errors=True)
    lost = complaints if wish.are_pictures_wanted else complaints[:1]
    for complaint in lost:
        more = f" (and {len(complaints) - 1} more)" if len(lost) < len(complaints) else ""
        complain(f"{page.name}: {complaint}{more}")
    tally.failed += wish.are_pictures_wanted and bool(lost)
    return ""


def _count_placeless(body: bytes) -> int:
    """Count the images whose addresses are relative to a page of which nobody knows where it was."""
    images = Page.from_bytes(body, url=FOLDER).images if b"<img" in body.lower() else ()
    return sum(not is_address(use.image.src) for use in images)
