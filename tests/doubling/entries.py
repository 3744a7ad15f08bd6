"""What is measured: every way into the package that takes something whose size others decide.

`ENTRIES[name].prepare(body)` returns what is timed. `EXEMPT` has the public names that take nothing of that kind, each
with the reason; a test holds that no name is in neither.
"""

import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.doubling.inputs import middle_of
from tests.doubling.site import BASE, address, learned, lessons, write_page

import scythe
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import add_site
from scythe.errors import ScytheError
from scythe.model import Document
from scythe.reading.images.image_methods import METHODS as IMAGE_METHODS
from scythe.reading.images.image_methods import SIZE_METHODS
from scythe.reading.text import BUILT_IN as TEXT_METHODS

URL = "https://example.org/a/page.html?page=3"
Run = Callable[[], object]
PARTS = ("text", "markdown", "html", "images", "records", "attributes")


@dataclass(frozen=True, slots=True)
class Entry:
    """One way in: the public names it goes through, what it takes, and how it is made ready."""

    names: tuple[str, ...]
    kind: str  # of input, a key of inputs.KINDS
    prepare: Callable[[bytes], Run]
    is_main: bool = False  # measured with every generator
    is_light: bool = False  # shares all that matters with another: measured with a handful


ENTRIES: dict[str, Entry] = {}
EXEMPT = {
    **dict.fromkeys("ArchiveFailed BadInput FetchFailed MissingExtra ScytheError".split(), "an error"),
    **dict.fromkeys(
        "BatchOptions CrawlOptions ListOptions TextOptions WatchOptions".split(), "options that the caller writes"
    ),
    **dict.fromkeys("Field Image Link Loss Metadata Paging Record RecordList".split(), "a record without behaviour"),
    "get": "fetches an address as the fetcher does, then `read`",
    "crawl": "joins fetching, robots, sitemaps, feeds, links, reading and the archive, each measured by itself here",
    "watch": "joins fetching, reading lists and the archive, each measured by itself here",
}


def entry(
    name: str, *names: str, kind: str = "page", is_main: bool = False, is_light: bool = False
) -> Callable[[Callable[[bytes], Run]], None]:
    """Register a way in."""

    def register(prepare: Callable[[bytes], Run]) -> None:
        ENTRIES[name] = Entry(names, kind, prepare, is_main, is_light)

    return register


def _read(body: bytes, **named: str) -> Document:
    return scythe.read(body, URL, **named)  # type: ignore[arg-type]


def _ask(document: Document) -> object:
    return [getattr(document, part) for part in PARTS], document.paging, document.metadata, document.where


@entry("read", "read", "Document", is_main=True)
def _(body: bytes) -> Run:
    return lambda: _ask(_read(body))


@entry("read text as str", "read", is_light=True)
def _(body: bytes) -> Run:
    html = body.decode("utf-8", "replace")
    return lambda: scythe.read(html, URL)


for _method in TEXT_METHODS:
    ENTRIES[f"text {_method}"] = Entry(("read",), "page", lambda body, m=_method: lambda: _read(body, method=m).text)  # type: ignore[misc]
for _part in ("markdown", "html", "records", "attributes", "paging"):
    ENTRIES[f"part {_part}"] = Entry(("Document",), "page", lambda body, p=_part: lambda: getattr(_read(body), p))  # type: ignore[misc]
for _method in IMAGE_METHODS:
    ENTRIES[f"images {_method}"] = Entry(
        ("read",),
        "page",
        lambda body, m=_method: lambda: _read(body, method="sentences", image_method=m).images,  # type: ignore[misc]
        is_light=_method in SIZE_METHODS,
    )
for _method in ("auto", "mdr", "stm"):
    ENTRIES[f"regions {_method}"] = Entry(
        ("read_lists",),
        "page",
        lambda body, m=_method: lambda: scythe.read_lists(body, URL, method=m),  # type: ignore[misc]
    )


@entry("regions everything", "read_lists")
def _(body: bytes) -> Run:
    return lambda: scythe.read_lists(body, URL, everything=True)


@entry("document kept", "Document")
def _(body: bytes) -> Run:
    def keep() -> object:
        document = _read(body).detach()
        return document.to_dict(), repr(document)

    return keep


@entry("page", "Page")
def _(body: bytes) -> Run:
    def look() -> object:
        page = scythe.Page.from_bytes(body, url=URL)
        return page.blocks, page.elements, page.links, page.images, page.metadata, page.losses

    return look


@entry("encoding", "Page", is_light=True)
def _(body: bytes) -> Run:
    broken = body.replace(b"e", b"\xe9")  # no UTF-8 any more: every codec is tried
    return lambda: (scythe.Page.from_bytes(body), scythe.Page.from_bytes(broken))


def in_site(body: bytes, number: int = 20) -> bytes:
    """Put what a page of the generators has between head and tail into a page of our site."""
    text = body.decode("utf-8", "replace")
    start, end = text.find("<p>firstword"), text.rfind("</body>")
    return write_page(number, text[max(start, 0) : end if end >= 0 else len(text)])


for _via in ("auto", "cut", "tree"):

    @entry(f"site {_via}", "Site", is_main=_via != "tree")
    def _(body: bytes, via: str = _via) -> Run:
        page, site = in_site(body), learned()
        return lambda: _ask(site.extract(page, address(20), via=via))  # type: ignore[arg-type]


@entry("site extract again", "Site", is_light=True)
def _(body: bytes) -> Run:
    page, site = in_site(body), learned()
    return lambda: [site.extract(page, address(20 + n)).text for n in range(3)]


@entry("opening tag", "opening_tag")
def _(body: bytes) -> Run:
    return _tolerant(lambda: scythe.opening_tag(body, body[-40:].decode("utf-8", "replace")))


def _tolerant(act: Run) -> Run:
    """Run something that may refuse what it is given: that too is an answer."""

    def run() -> object:
        try:
            return act()
        except ScytheError as error:
            return error

    return run


@entry("site learn", "Site")
def _(body: bytes) -> Run:
    small = [(address(n), in_site(body[: len(body) // 4] if n else body, n)) for n in range(4)]
    return _tolerant(lambda: scythe.Site.learn(small))


@entry("site learn by example", "Site")
def _(body: bytes) -> Run:
    pages = [(address(n), in_site(body[: len(body) // 4] if n else body, n)) for n in range(4)]
    shown = [{"end": [f"Told for the mill, number {n}."]} for n in range(4)]
    return _tolerant(lambda: scythe.Site.learn(pages, shown))


@entry("site add fields", "Site")
def _(body: bytes) -> Run:
    page, site = in_site(body), learned()
    pages = [*lessons(3), (address(20), page)]
    shown = [{"end": [f"Told for the mill, number {n}."]} for n in (1, 2, 3)]
    return _tolerant(lambda: site.add_fields(pages, [*shown, None]))


@entry("site annotate", "Site")
def _(body: bytes) -> Run:
    page, site = in_site(body), learned()
    pages = [*lessons(3), (address(20), page)]
    marks = {address(n): [f"{BASE}/goods/{n}/1.jpg"] for n in (1, 2, 3)}
    return _tolerant(lambda: site.annotate(marks, pages))


@entry("site file", "Site", kind="profile")
def _(body: bytes) -> Run:
    def load_and_save() -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "profile.json"
            path.write_bytes(body)
            scythe.Site.load(path).save(path)
        return scythe.Site.from_json(body.decode("utf-8", "replace")).to_json()

    return _tolerant(load_and_save)


@entry("to_arrow", "to_arrow")
def _(body: bytes) -> Run:
    def write() -> object:
        documents = [_read(body)]
        return [scythe.to_arrow(documents, table, parts=PARTS) for table in ("documents",)]

    return write


@entry("stream_arrow", "stream_arrow")
def _(body: bytes) -> Run:
    return lambda: [scythe.stream_arrow([_read(body)], table).read_all() for table in ("images", "records")]


@entry("from_arrow", "from_arrow", is_light=True)
def _(body: bytes) -> Run:
    import pyarrow as pa

    table = pa.table({"html": [body], "url": [URL]})
    return lambda: [document.text for document in scythe.from_arrow(table)]


@entry("export")
def _(body: bytes) -> Run:
    from scythe.output.document_writers import dump, export
    from scythe.output.formats import ONE_DOCUMENT, formats_of

    def write() -> object:
        document = _read(body)
        with tempfile.TemporaryDirectory() as folder:
            return export(document, folder), [dump(document, form) for form in formats_of(ONE_DOCUMENT)]

    return write


@entry("archive", "scan_archive")
def _(body: bytes) -> Run:
    from scythe.archive.open import open_archive
    from scythe.archive.stored_documents import to_extracted
    from scythe.crawl_model import FoundUrl, Outcome
    from scythe.url import Url

    def store_and_scan() -> object:
        extracted = to_extracted(_read(body), PARTS)
        now = datetime.now(UTC)
        with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder) / "a.db") as archive:
            site = add_site(archive, "example.org", Url(URL))
            add_urls(archive, site, [FoundUrl(Url(URL), "example.org")])
            (task,) = next_tasks(archive, site, "example.org", 1, now=now)
            size = len(body)
            store_outcomes(
                archive, [Outcome(task, "done", now, status=200, size=size, body_hash=b"x" * 16, extracted=extracted)]
            )
            return [scythe.scan_archive(archive, table).read_all() for table in ("documents", "images", "records")]

    return store_and_scan


@entry("batch", "run_batch")
def _(body: bytes) -> Run:
    from scythe.batch.batch_options import BatchOptions
    from scythe.batch.extract_unit import extract_unit
    from scythe.batch.units import plan_units

    def extract() -> object:  # in this process, where it can be measured: run_batch hands units to others
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_bytes(body)
            options = BatchOptions(learn=False, address=URL, parts=PARTS)
            return [extract_unit(unit, Path(folder) / "out", options) for unit in plan_units([str(path)])]

    return extract


@entry("batch warc", "run_batch", is_light=True)
def _(body: bytes) -> Run:
    import io

    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    from scythe.batch.captures import read_captures
    from scythe.batch.units import plan_units

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "pages.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(URL, "response", payload=io.BytesIO(body), http_headers=head))

    def read() -> object:
        assert folder.name
        return [capture.why for unit in plan_units([str(path)]) for capture in read_captures(unit)]

    return read


@entry("addresses", kind="addresses")
def _(body: bytes) -> Run:
    from scythe.fetch.fetcher import dialled
    from scythe.url import absolute, host, url_shape

    text = body.decode()
    texts = [text, *(text[at : at + 60] for at in range(0, len(text), 60)), *text.split("\n")]

    def look() -> object:
        for one in texts:
            url = absolute(one, URL)
            host(one), url_shape(one)
            if url is not None:
                _tolerant(partial(dialled, url))()
        return len(texts)

    return look


@entry("robots", kind="robots")
def _(body: bytes) -> Run:
    from scythe.fetch.robots import parse_robots

    def ask() -> object:
        robots = parse_robots(200, body)
        return [robots.allows(f"http://example.org/{'a' * 100}/{number}.html") for number in range(3)]

    return ask


@entry("sitemap", kind="sitemap")
def _(body: bytes) -> Run:
    from scythe.page.sitemaps import read_sitemap

    return lambda: read_sitemap(body, "http://example.org/sitemap.xml")


@entry("feed", kind="feed")
def _(body: bytes) -> Run:
    from scythe.page.feeds import read_feed

    return lambda: read_feed(body, "http://example.org/feed.xml")


@entry("labels", kind="labels")
def _(body: bytes) -> Run:
    from scythe.site.labels.label_files import read_labels

    return _tolerant(lambda: read_labels(body, "labels.csv"))


@entry("content coding", kind="coded")
def _(body: bytes) -> Run:
    from scythe.fetch.decode import Decoder
    from scythe.limits import LIMITS

    magic = b"\x1f\x8b"
    is_twice = body.startswith(magic) and zlib.decompressobj(31).decompress(body, 10).startswith(magic)
    coding = "gzip, gzip" if is_twice else "gzip"

    def decode() -> object:
        decoder = Decoder(
            coding, max_bytes=LIMITS.body_bytes, max_ratio=LIMITS.inflate_ratio, max_codings=LIMITS.codings
        )
        for at in range(0, len(body), 65_536):
            if not decoder.is_full:
                decoder.feed(body[at : at + 65_536])
        return decoder.finish()

    return decode


__all__ = ["ENTRIES", "EXEMPT", "Entry", "in_site", "middle_of"]
