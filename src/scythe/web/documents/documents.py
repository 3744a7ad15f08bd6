"""Read any page, extract pages of a learned site, list their records, and suggest pages to annotate.

A page is given by its URL, its HTML or the number of a loaded page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from scythe.errors import BadInput, FetchFailed
from scythe.fetch.inputs import Input, is_address, load, note_cut
from scythe.limits import LIMITS
from scythe.model import Document, Field, Image, Loss, Metadata, PageKind, Paging, RecordList, TextOptions
from scythe.reader import read, read_lists
from scythe.site.labels.suggest_pages import suggest_pages
from scythe.url import absolute
from scythe.web.learned_sites import LearnedSites
from scythe.web.operations import Address, Key, Number, RequestInput, WebArea
from scythe.web.state import NotThere, State, fill

AREA = WebArea("reading", __doc__)

Part = Literal[
    "title", "text", "markdown", "html", "images", "lists", "attributes", "paging", "metadata", "fields", "how", "kind",
    "confidence", "all",
]  # fmt: skip
_LEAN: tuple[Part, ...] = ("title", "text", "metadata", "how")
_LEAN_EXTRACT: tuple[Part, ...] = ("title", "fields")
_ADDRESSES = 10_000  # that can be given in one request
_LOOKED_AT = 1_000  # pages at hand among which some are suggested: some seconds

Parts = Annotated[
    tuple[Part, ...],
    Meta(max_length=20, description="What to return of the document; `all` is everything, html and lists too."),
]
Html = Annotated[str, Meta(max_length=LIMITS.request_bytes)]
Method = Annotated[str, Meta(max_length=100)]


class PageWanted(RequestInput, frozen=True):
    """A page: fetched from an address, given as HTML, or at hand."""

    url: Annotated[
        Address | None,
        Meta(
            description="An http or https address to fetch; with `html`, where it was saved from.",
            examples=["https://example.org/story"],
        ),
    ] = None
    html: Annotated[Html | None, Meta(description="The source of the page; nothing is fetched.")] = None
    page: Annotated[Number | None, Meta(description="The number of a page at hand, as GET /api/pages lists them.")] = (
        None
    )


class ReadWanted(PageWanted, frozen=True):
    """A page to read by its tree, and what people disagree on about main text; null: as the method decides."""

    parts: Parts = _LEAN
    method: Annotated[Method, Meta(description="auto, or a published text method.")] = "auto"
    image_method: Annotated[Method, Meta(description="How images are judged.")] = "relevance"
    title_line: Annotated[bool | None, Meta(description="Whether the text begins with the title.")] = None
    captions: Annotated[bool | None, Meta(description="Whether captions of figures and tables are kept.")] = None
    comments: Annotated[bool | None, Meta(description="Whether what readers wrote is kept.")] = None
    tables: Annotated[bool | None, Meta(description="Whether tables of data are kept.")] = None
    links: Annotated[bool, Meta(description="Whether markdown and html have links.")] = True
    images: Annotated[bool, Meta(description="Whether markdown and html have images.")] = True


class ExtractWanted(PageWanted, frozen=True):
    """A page of a learned site."""

    site: Annotated[Key | None, Meta(description="As GET /api/sites lists them; null: the first that was learned.")] = (
        None
    )
    via: Annotated[
        Literal["auto", "cut", "tree"],
        Meta(description="cut: from the bytes only; tree: by the tree; auto: cut, and the tree in doubt."),
    ] = "auto"
    parts: Parts = _LEAN_EXTRACT


class ListsWanted(PageWanted, frozen=True):
    """A page whose lists and tables are wanted."""

    method: Annotated[Literal["auto", "mdr", "stm"], Meta(description="auto, or a published one.")] = "auto"
    everything: Annotated[bool, Meta(description="Also menus, footers and the like, last.")] = False


class RecordRead(msgspec.Struct, frozen=True):
    """One entry of a list."""

    fields: tuple[str, ...]
    links: tuple[str, ...]
    images: tuple[str, ...]
    html: str


class ListRead(msgspec.Struct, frozen=True):
    """A list of records; the columns are named once, not in every record."""

    records: tuple[RecordRead, ...]
    columns: tuple[str, ...]
    kind: str
    score: float
    pattern: str


class DocumentRead(msgspec.Struct, frozen=True, kw_only=True):
    """What was read from one page; of what was not asked for there is nothing."""

    url: str | None
    why: str  # the reason when there is no text
    losses: tuple[Loss, ...]  # what a limit or damaged input took away
    title: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    markdown: str | UnsetType = UNSET
    html: str | UnsetType = UNSET
    images: tuple[Image, ...] | UnsetType = UNSET
    lists: tuple[ListRead, ...] | UnsetType = UNSET
    attributes: tuple[tuple[str, str], ...] | UnsetType = UNSET
    paging: Paging | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET
    fields: dict[str, Field] | UnsetType = UNSET
    how: dict[str, str] | UnsetType = UNSET
    kind: PageKind | UnsetType = UNSET
    confidence: float | UnsetType | None = UNSET  # the F1 its text can be expected to have; None: nobody says


@dataclass(frozen=True, slots=True)
class PageSuggested:
    """One page to annotate, and why."""

    page: int | None  # its number, where it is at hand
    url: str
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Given:
    """A page as it came."""

    html: str | bytes
    url: str | None = None
    content_type: str | None = None
    cut_at_bytes: int | None = None


@AREA.post("/api/read", "read", only_reads=True)
def read_page(state: State, wanted: ReadWanted) -> DocumentRead:
    """Read the main text, images, lists and metadata of a page, by its tree."""
    given = load_page(state, wanted)
    document = read(
        given.html,
        given.url,
        options=fill(TextOptions, wanted),
        content_type=given.content_type,
        image_method=wanted.image_method,
    )
    return _choose(note_cut(document, given.cut_at_bytes), wanted.parts)


@AREA.post("/api/extract", "extract", only_reads=True)
def extract_page(state: State, wanted: ExtractWanted) -> DocumentRead:
    """Extract the fields of a page by what was learned of its site, with the byte range and the way of each."""
    site = state.part(LearnedSites).find(wanted.site)
    given = load_page(state, wanted)
    return _choose(note_cut(site.extract(given.html, given.url, wanted.via), given.cut_at_bytes), wanted.parts)


@AREA.post("/api/lists", "records", only_reads=True)
def read_page_lists(state: State, wanted: ListsWanted) -> list[ListRead]:
    """Read the lists and tables of a page, the one it is about first."""
    given = load_page(state, wanted)
    found = read_lists(
        given.html, given.url, method=wanted.method, everything=wanted.everything, content_type=given.content_type
    )
    return list(map(_list_read, found))


@AREA.post("/api/suggest", "suggest", only_reads=True)
def suggest_for_annotation(
    state: State,
    site: Annotated[Key | None, Meta(description="Whose pages at hand to look at; null: the first.")] = None,
    urls: Annotated[
        tuple[Address, ...],
        Meta(max_length=_ADDRESSES, description="Addresses to choose from instead; nothing is fetched."),
    ] = (),
    count: Annotated[int, Meta(ge=1, le=_LOOKED_AT, description="So many pages.")] = 6,
    by: Literal["auto", "cover", "clusters", "random"] = "auto",
    seed: Annotated[int, Meta(ge=0, le=2**31, description="Another number draws other pages.")] = 0,
) -> list[PageSuggested]:
    """Say which pages a person should annotate first."""
    if urls:
        chosen = suggest_pages([_check_address(url) for url in urls], count, by=by, seed=seed)
        return [PageSuggested(None, one.url, one.by, one.why) for one in chosen]
    key = site or next(iter(state.site_keys()), "")
    pages = state.pages(key)[:_LOOKED_AT]
    if not pages:
        raise NotThere(f"there are no pages at hand of {key!r:.80}: POST /api/pages fetches some, or give `urls`")
    learned = state.load_site(key)
    sources = [(page.url, page.body) for page in pages]
    known = learned.profile.images if learned is not None else None
    chosen = suggest_pages(sources, count, by=by, seed=seed, site=known)
    return [PageSuggested(pages[one.at].number, one.url, one.by, one.why) for one in chosen]


def load_page(state: State, wanted: PageWanted) -> Given:
    """Return the page that is wanted. Raises BadInput, NotThere and FetchFailed."""
    if wanted.page is not None:
        at_hand = state.page(wanted.page)
        if wanted.html is not None or wanted.url is not None:
            raise BadInput("give the number of a page, or its address or source, not both")
        return Given(at_hand.body, at_hand.url, at_hand.content_type)
    url = None if wanted.url is None else _check_address(wanted.url)
    if wanted.html is not None:
        return Given(wanted.html, url)
    if url is None:
        raise BadInput("name a page: `url`, `html` or `page`")
    loaded = next(load([Input(url, url=url)], None, state.options.reach))
    if loaded.complaint:
        raise FetchFailed(url, loaded.complaint)
    return Given(loaded.body, loaded.url, loaded.content_type, loaded.cut_at_bytes)


def _check_address(text: str) -> str:
    url = absolute(text) if is_address(text.strip()) else None
    if url is None:
        raise BadInput(f"{text!r:.80} is not an http or https address")
    return url


def _list_read(found: RecordList) -> ListRead:
    return fill(ListRead, found, records=tuple(fill(RecordRead, one) for one in found.records))


def _choose(document: Document, parts: tuple[Part, ...]) -> DocumentRead:
    """Return some parts of a document; what is not asked for is not even worked out."""
    named = set(get_args(Part)) - {"all"} if "all" in parts else set(parts)
    chosen: dict[str, Any] = {name: getattr(document, name) for name in named}
    if "lists" in named:
        chosen["lists"] = tuple(map(_list_read, document.lists))
    if "fields" in chosen:
        chosen["fields"] = dict(chosen["fields"])  # images, which are read late, are among them
    return DocumentRead(url=document.url, why=document.why, losses=document.losses, **chosen)
