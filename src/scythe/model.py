"""The data model shared by all stages: responses, documents, fields, lists, records, images and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, get_args, overload

from scythe.errors import MissingExtra
from scythe.url import Url

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

DEFAULT_FIELDS = ("title", "text", "date", "author", "images", "records")  # learned without examples
RELEVANT = 0.5  # scores of images are probabilities: from here on one is rather relevant than not


Span = tuple[int, int]  # where something begins and ends, in bytes


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a limit or damaged input took away: `what` was lost, `count` times (or bytes, or characters)."""

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Response:
    """What one server sent for one address, after redirects and transport decoding."""

    url: Url
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)  # never str: text is decided in page/, once
    fetched_at: datetime  # UTC
    cut_at_bytes: int | None = None  # set when a limit or a broken connection stopped the download
    why_cut: str = ""
    seconds: float = 0.0  # from the request to the last byte
    hops: tuple[Url, ...] = ()  # addresses that redirected here, first to last
    answered_at: float = 0.0  # seconds of the monotonic clock when the head of the answer had come
    is_verified: bool = True  # False: sent over a secure connection whose certificate nobody checked


@dataclass(frozen=True, slots=True)
class Link:
    """One hyperlink as the page shows it, with its address made absolute."""

    url: Url
    text: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """One use of an image on a page, lazy-loading twins merged."""

    src: Url
    alt: str = ""
    caption: str = ""
    width: int | None = None  # declared, CSS pixels
    height: int | None = None
    relevant: bool = False
    score: float = 0.0  # 0..1, how likely it is that it belongs to the content
    sources: tuple[Url, ...] = ()  # every address the page offers for it, `src` (the largest) among them


@dataclass(frozen=True, slots=True)
class ImageContext:
    """What the source of a page says of one image and around it: all that is looked at to judge it."""

    src: str  # the address that a browser shows without scripts or, of lazy images, loads; absolute where that is known
    tags: tuple[str, str, str]  # opening tags of grandparent, parent and image; "" where there is none
    path: tuple[str, ...] = ()  # what it stands in, innermost first, up to body: `tag#id.class.class`
    link: str | None = None  # where the link around it leads, as written
    caption: str = ""
    is_figure: bool = False  # there is a figure around it
    order: float = 0.0  # share of the page's elements that begin before it
    text_before: float = 0.0  # share of the page's text before it
    is_lead: bool = False  # the page names it as its image (og:image and the like)
    is_stated: bool = False  # the page's JSON-LD names it
    addresses: tuple[str, ...] = ()  # every address offered for it


@dataclass(frozen=True, slots=True)
class PageImages:
    """The images of one page with what is around them, in page order."""

    url: str = ""
    title: str = ""
    text_chars: int = 0
    has_meta: bool = False  # the page names some image as its own
    images: tuple[ImageContext, ...] = ()


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the page says about itself."""

    title: str = ""
    description: str = ""
    author: str = ""  # the authors as one text
    authors: tuple[str, ...] = ()  # their names and nothing else
    published: str = ""  # ISO 8601 as precise as the page gives it
    modified: str = ""
    language: str = ""  # BCP 47, lower case primary subtag first
    canonical: Url | None = None
    site_name: str = ""
    kind: str = ""  # og:type or schema.org type, lower case: article, product, discussionforumposting, ...
    image: Url | None = None  # og:image or schema.org image
    keywords: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()  # every og:, twitter:, article:, dc. property seen, in page order
    schema: tuple[str, ...] = ()  # schema.org types found (JSON-LD and microdata)


PAGE_KINDS = ("article", "thread", "product", "listing", "collection", "service", "documentation", "front page")


@dataclass(frozen=True, slots=True)
class PageKind:
    """What kind of page one is, by the page alone; without a name where nobody could tell."""

    name: str = ""  # one of PAGE_KINDS
    probability: float = 0.0
    probabilities: Mapping[str, float] = field(default_factory=dict)  # of every kind

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text method keeps of one page: block numbers in page order, or text where it has no blocks."""

    method: str
    kept: tuple[int, ...] = ()  # indices into page.blocks
    text: str | None = None  # set by methods that do not choose blocks
    why: str = ""  # the reason when nothing was kept
    scores: tuple[float, ...] = ()  # one per block of the page, where the method scores blocks
    images: tuple[int, ...] | None = None  # rows of page.blocks.image_node; None: the method has no word on images
    kind: PageKind = PageKind()


class Content(Protocol):
    """A chosen part of a page that can be rendered; it must survive `pickle` and `copy.deepcopy`."""

    def text(self) -> str: ...
    def markdown(self) -> str: ...
    def html(self) -> str: ...
    def images(self) -> tuple[Image, ...]: ...
    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]: ...


@dataclass(frozen=True, slots=True)
class Rendered:
    """A `Content` whose renderings exist already: what remains of a page once its tree is gone."""

    as_text: str = ""
    as_markdown: str = ""
    as_html: str = ""
    with_images: tuple[Image, ...] = ()
    with_where: Mapping[str, tuple[Span | None, ...]] = field(default_factory=dict)

    def where(self, title: str) -> Mapping[str, tuple[Span | None, ...]]:
        return self.with_where

    def text(self) -> str:
        return self.as_text

    def markdown(self) -> str:
        return self.as_markdown

    def html(self) -> str:
        return self.as_html

    def images(self) -> tuple[Image, ...]:
        return self.with_images


@dataclass(frozen=True, slots=True)
class Record(Mapping[str, str]):
    """One entry of a list, a table or a thread: its fields in the order of the columns, or by the name of a column."""

    fields: tuple[str, ...]  # texts, one per column of its list, "" where this record has none
    links: tuple[Url, ...] = ()  # absolute, page order, each once; one of them, mostly, is its own
    images: tuple[Url, ...] = ()  # absolute, page order, each once
    html: str = ""  # as on the page: not cleaned
    columns: tuple[str, ...] = field(default=(), repr=False, compare=False)  # those of its list, which sets them
    spans: tuple[Span | None, ...] = field(default=(), repr=False, compare=False)  # of each field; () where not known

    def __getitem__(self, column: str) -> str:
        try:
            return self.fields[self.columns.index(column)]
        except ValueError:
            raise KeyError(column) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __bool__(self) -> bool:
        return True  # a record is there, whatever its list calls the columns


ListKind = Literal[
    "list", "table", "products", "articles", "posts", "results", "definitions", "gallery",
    "menu", "breadcrumb", "pager", "share", "tags", "footer", "related",
]  # fmt: skip
LIST_KINDS: tuple[str, ...] = get_args(ListKind)  # the first line is content, the second what surrounds it


@dataclass(frozen=True, slots=True)
class RecordList:
    """Records that repeat one pattern of a page."""

    records: tuple[Record, ...]
    columns: tuple[str, ...]  # unique names: title, date, price, author, rating, text, ..., or what a table's head says
    kind: str = "list"  # one of LIST_KINDS; archives and profiles may hold others
    score: float = 0.0  # 0..1, how likely it is what the page is about
    pattern: str = ""  # the tag tree that the records share, for knowing the list again on another page or day

    def __post_init__(self) -> None:
        if any(one.columns != self.columns for one in self.records):
            named = tuple(replace(one, columns=self.columns) for one in self.records)
            object.__setattr__(self, "records", named)

    def to_dicts(self) -> list[dict[str, str]]:
        """Return one dictionary per record: its texts by the names of the columns."""
        return [dict(zip(self.columns, one.fields, strict=False)) for one in self.records]

    def to_arrow(self) -> pyarrow.Table:
        """Return a `pyarrow.Table` with one column of texts per column. Raises MissingExtra without pyarrow."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("Arrow tables need the package pyarrow: pip install 'webscythe[parquet]'") from None
        texts = list(zip(*(_storable(one.fields) for one in self.records), strict=True)) or [()] * len(self.columns)
        return pa.table(
            {
                _storable((name,))[0]: pa.array(column, pa.string())
                for name, column in zip(self.columns, texts, strict=True)
            }
        )

    def to_pandas(self) -> pandas.DataFrame:
        """Return a `pandas.DataFrame` with one column of texts per column. Raises MissingExtra without pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("data frames need the package pandas: pip install pandas") from None
        return pd.DataFrame([one.fields for one in self.records], columns=list(self.columns), dtype=object)

    def to_polars(self) -> polars.DataFrame:
        """Return a `polars.DataFrame` with one column of texts per column. Raises MissingExtra without polars."""
        try:
            import polars as pl
        except ImportError:
            raise MissingExtra("Polars frames need the package polars: pip install polars") from None
        rows = [_storable(one.fields) for one in self.records]
        return pl.DataFrame(rows, dict.fromkeys(_storable(self.columns), pl.String), orient="row")

    def to_dict(self) -> dict[str, object]:
        """Return the list as plain values that `json.dumps` takes; `to_dicts` has its texts only."""
        records = [
            {"fields": one.fields, "links": one.links, "images": one.images, "html": one.html} for one in self.records
        ]
        plain = {"records": records, "columns": self.columns, "kind": self.kind}
        return plain | {"score": self.score, "pattern": self.pattern}


def _storable(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Replace halves of characters, which no encoding has a place for; JSON in a page may bring some."""
    return tuple(text.encode("utf-8", "replace").decode() for text in texts)


@dataclass(frozen=True, slots=True)
class Paging:
    """The other pages of the list that a page is part of."""

    next: Url | None = None
    previous: Url | None = None
    pages: tuple[tuple[int, Url], ...] = ()  # page numbers with their addresses, ascending
    more: Url | None = None  # what a button that loads more asks for


class PageLists(Protocol):
    """What a page lists, worked out when asked for; it must survive `pickle` and `copy.deepcopy`."""

    def lists(self) -> tuple[RecordList, ...]: ...
    def attributes(self) -> tuple[tuple[str, str], ...]: ...
    def paging(self) -> Paging: ...
    def where(self) -> Mapping[str, tuple[Span | None, ...]]: ...


@dataclass(frozen=True, slots=True)
class Listed:
    """`PageLists` that are known already."""

    with_lists: tuple[RecordList, ...] = ()
    with_attributes: tuple[tuple[str, str], ...] = ()
    with_paging: Paging = Paging()
    with_where: Mapping[str, tuple[Span | None, ...]] = field(default_factory=dict)

    def where(self) -> Mapping[str, tuple[Span | None, ...]]:
        return self.with_where

    def lists(self) -> tuple[RecordList, ...]:
        return self.with_lists

    def attributes(self) -> tuple[tuple[str, str], ...]:
        return self.with_attributes

    def paging(self) -> Paging:
        return self.with_paging


VALUE_TYPES = ("money", "number", "date", "month-first date", "duration", "boolean", "url", "text")


@dataclass(frozen=True, slots=True)
class Field:
    """One extracted field: its values as text, where it was (byte range in the page) and how it was found."""

    values: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    how: str = ""
    type: str = ""  # one of VALUE_TYPES, where the site knows one
    typed: tuple[object, ...] = ()  # the values as this type, ready for JSON: {"amount": 64.9, "currency": "EUR"}

    def to_dict(self) -> dict[str, object]:
        """Return plain values; those of the type only where it has one."""
        plain: dict[str, object] = {"values": self.values, "span": self.span, "how": self.how}
        return {**plain, "type": self.type, "typed": self.typed} if self.type else plain


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What people disagree on about main text; None means: as the method decides.

    True keeps such blocks wherever they lie inside the content (comments: anywhere on the page), False drops them.
    """

    method: str = "auto"
    title_line: bool | None = None  # True: the text begins with the page's title
    captions: bool | None = None  # captions of figures and tables
    comments: bool | None = None  # what readers wrote below; None keeps it on forum and question pages
    tables: bool | None = None  # tables of data, not of layout
    links: bool = True  # in markdown and html
    images: bool = True  # in markdown and html


class LateText:
    """A text of a document: passed to it, or worked out when first asked for by the function that was passed."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, document: Document, given: str | Callable[[], str]) -> None:
        document.__dict__[self._name] = given

    def __get__(self, document: Document | None, owner: type) -> str:
        if document is None:
            return ""  # what the text is where nothing is passed
        text: str | Callable[[], str] = document.__dict__[self._name]
        if not isinstance(text, str):
            text = document.__dict__[self._name] = text()
        return text


class LateMetadata:
    """The metadata of a document: passed to it, or worked out when first asked for by the function that was passed."""

    def __set__(self, document: Document, given: Metadata | Callable[[], Metadata]) -> None:
        document.__dict__["metadata"] = given

    def __get__(self, document: Document | None, owner: type) -> Metadata:
        if document is None:
            return Metadata()  # what it is where nothing is passed
        known: Metadata | Callable[[], Metadata] = document.__dict__["metadata"]
        if not isinstance(known, Metadata):
            known = document.__dict__["metadata"] = known()
        return known


class LateConfidence:
    """The confidence in a document: passed to it, or worked out when first asked for by a function that was passed."""

    def __set__(self, document: Document, given: float | Callable[[], float | None] | None) -> None:
        document.__dict__["confidence"] = given

    def __get__(self, document: Document | None, owner: type) -> float | None:
        if document is None:
            return None  # what it is where nothing is passed
        known: float | Callable[[], float | None] | None = document.__dict__["confidence"]
        if callable(known):
            known = document.__dict__["confidence"] = known()
        return known


class LateHow:
    """How the parts of a document were got: passed to it, or a function that says what is known of it by now."""

    def __set__(self, document: Document, given: Mapping[str, str] | Callable[[], dict[str, str]] | None) -> None:
        document.__dict__["how"] = given

    @overload
    def __get__(self, document: None, owner: type) -> None: ...
    @overload
    def __get__(self, document: Document, owner: type) -> dict[str, str]: ...
    def __get__(self, document: Document | None, owner: type) -> dict[str, str] | None:
        if document is None:
            return None
        how: Mapping[str, str] | Callable[[], dict[str, str]] | None = document.__dict__["how"]
        return how() if callable(how) else dict(how or {})


class LateLosses:
    """What was lost of a document: passed to it, or a function that says what is known of it by now."""

    def __set__(self, document: Document, given: tuple[Loss, ...] | Callable[[], tuple[Loss, ...]]) -> None:
        document.__dict__["losses"] = given

    def __get__(self, document: Document | None, owner: type) -> tuple[Loss, ...]:
        if document is None:
            return ()  # what was lost where nothing is passed
        known: tuple[Loss, ...] | Callable[[], tuple[Loss, ...]] = document.__dict__["losses"]
        return known() if callable(known) else known


@dataclass(frozen=True, repr=False)
class Document:
    """What was read from one page. `text` is there at once; all else when first asked for.

    `how` says of each part which method or rule gave it, or why there is none. What nobody asked for yet has an entry
    that says how it will be got; each call returns a new dictionary.
    """

    title: LateText = LateText()
    text: LateText = LateText()
    metadata: LateMetadata = LateMetadata()
    how: LateHow = LateHow()
    fields: Mapping[str, Field] = field(default_factory=dict)  # learned fields by name; empty when read cold
    url: Url | None = None
    losses: LateLosses = LateLosses()  # on the way to what has been asked for
    why: str = ""  # the reason when there is no text
    content: Content = field(default=Rendered(), compare=False)
    listing: PageLists = field(default=Listed(), compare=False)
    kind: PageKind = PageKind()
    confidence: LateConfidence = LateConfidence()  # the F1 its text can be expected to have; None: nobody says

    def __repr__(self) -> str:
        """Show what it is about; a whole text would fill the screen."""
        said = f"{len(self.text)} characters" if self.text else f"empty: {self.why}"
        return f"<Document {self.title!r}, {said}, {self.url or 'no address'}>"

    @cached_property
    def markdown(self) -> str:
        """The content as CommonMark with GitHub tables; page text is escaped and cannot become markup."""
        return self.content.markdown()

    @cached_property
    def html(self) -> str:
        """The content as safe HTML, built from allow-listed elements and attributes only."""
        return self.content.html()

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """Every image use of the page in page order; `relevant` marks those that belong to the content."""
        return self.content.images()

    @cached_property
    def lists(self) -> tuple[RecordList, ...]:
        """The lists of the page, the one it is about first; menus and the like are left out."""
        return self.listing.lists()

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the best list; empty where the page has none."""
        return self.lists[0].records if self.lists else ()

    @cached_property
    def attributes(self) -> tuple[tuple[str, str], ...]:
        """What the page says of its subject as (name, value): typed ones first, then the visible pairs as labelled."""
        return self.listing.attributes()

    @cached_property
    def paging(self) -> Paging:
        """The other pages of the list that this page is part of."""
        return self.listing.paging()

    @cached_property
    def where(self) -> dict[str, tuple[Span | None, ...]]:
        """Where parts stand in the bytes the page was received as; None for what has no known place there.

        "title" and "date" have one range, "author" one for each author, "text" one for each block, "images" one
        for each of `images`, "attributes" one for each of `attributes`; cells of records carry theirs as `spans`.
        """
        fields = {name: (value.span,) for name, value in self.fields.items() if name != "images" and value.span}
        content = {**self.content.where(self.title), **self.listing.where()}
        return {**content, **{name: spans for name, spans in fields.items() if name != "text" or not content.get(name)}}

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy has, which has no page behind it."""
        late = {"title": self.title, "text": self.text, "metadata": self.metadata, "how": self.how}
        late |= {"confidence": self.confidence, "losses": self.losses}
        return {**self.__dict__, **late}

    def detach(self) -> Document:
        """Render everything and return the same document without the page behind it, to keep many in memory."""
        content = Rendered(self.text, self.markdown, self.html, self.images, self.content.where(self.title))
        listing = Listed(self.lists, self.attributes, self.paging, self.listing.where())
        return replace(self, content=content, listing=listing)

    def to_dict(self) -> dict[str, object]:
        """Return the document as plain values that `json.dumps` takes."""
        plain: dict[str, object] = {"url": self.url, "title": self.title, "text": self.text}
        plain |= {"markdown": self.markdown, "html": self.html}
        plain["images"] = [asdict(image) for image in self.images]
        plain["lists"] = [found.to_dict() for found in self.lists]
        plain |= {"attributes": [list(pair) for pair in self.attributes], "paging": asdict(self.paging)}
        plain |= {"metadata": asdict(self.metadata), "how": self.how}
        plain["fields"] = {name: value.to_dict() for name, value in self.fields.items()}
        plain |= {"losses": [asdict(loss) for loss in self.losses], "why": self.why}
        return plain | {"kind": asdict(self.kind), "confidence": self.confidence}


RELEVANCE = "relevance"  # our own way to judge the images of a site
PUBLISHED = ("adaboost", "forest", "tree", "neighbours", "svm")  # classifiers of paper 003, fitted to labels of a site
IMAGE_METHODS = (RELEVANCE, *PUBLISHED)


@dataclass(frozen=True, slots=True)
class ImageMarks:
    """What one person said of the images of one page, as numbers of images."""

    by: str
    relevant: tuple[int, ...] = ()
    irrelevant: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """One page that people looked at. Images are kept with what is around them, so that any model can learn of them."""

    page: PageImages
    marks: tuple[ImageMarks, ...]  # one of each person


@dataclass(frozen=True, slots=True)
class SiteImages:
    """What is known of the images of a site beyond single layouts."""

    pages: int = 0  # looked at, labelled or not
    sources: tuple[tuple[str, int], ...] = ()  # addresses that several pages show, with the number of pages
    signatures: tuple[tuple[str, int, int], ...] = ()  # signatures of images: pages that have it, images that have it
    labelled: tuple[LabelledPage, ...] = ()
    method: str = RELEVANCE  # one of IMAGE_METHODS
    model: str = ""  # what a published method learned of the labels, as JSON; "" where there is none
