"""The records that flow between the stages: frozen, named by meaning and unit, no behaviour beyond rendering."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scythe.url import Url


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
    body: bytes  # never str: text is decided in page/, once
    fetched_at: datetime  # UTC
    cut_at_bytes: int | None = None  # set when a limit or a broken connection stopped the download


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
    score: float = 0.0  # 0..1, how sure we are that it belongs to the content


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the page says about itself."""

    title: str = ""
    description: str = ""
    author: str = ""
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


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text method keeps of one page: block numbers in page order, or text where it has no blocks."""

    method: str
    kept: tuple[int, ...] = ()  # indices into page.blocks
    text: str | None = None  # set by methods that do not choose blocks
    why: str = ""  # the reason when nothing was kept
    scores: tuple[float, ...] = ()  # one per block of the page, where the method scores blocks


class Content(Protocol):
    """A chosen part of a page that can be rendered."""

    def text(self) -> str: ...
    def markdown(self) -> str: ...
    def html(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Field:
    """One extracted field: its values as text, where it was (byte range in the page) and how it was found."""

    values: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    how: str = ""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What people disagree on about main text; None for comments means: only where they are the content."""

    method: str = "auto"
    title_line: bool = False  # begin the text with the page's title
    captions: bool = False  # keep figure captions
    comments: bool | None = None  # True, False, or None: kept on forum and question pages
    tables: bool = True
    links: bool = True  # in markdown and html
    images: bool = True  # in markdown and html


@dataclass(frozen=True, slots=True)
class Losses:
    """All that was lost on the way from bytes to result."""

    items: tuple[Loss, ...] = field(default=())
