"""Page objects for web-poet: `ScytheArticle`, `ScytheRecords` and `ScythePage`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from web_poet import HttpResponse, WebPage
from web_poet import field as page_field

from scythe.model import Document
from scythe.page.encoding import in_utf8
from scythe.reader import read
from scythe.scrapy.page_document import Extract, PageDocument, list_images, list_lists, list_rows, value_of
from scythe.site.site import Site


@dataclass
class Article:
    """What ScytheArticle gives."""

    url: str
    title: str = ""
    text: str = ""
    author: str = ""
    published: str = ""
    language: str = ""
    description: str = ""
    images: list[str] = field(default_factory=list)  # that belong to the content


@dataclass
class Listing:
    """What ScytheRecords gives."""

    url: str
    title: str = ""
    records: list[dict[str, Any]] = field(default_factory=list)  # of the list that the page is about, by column
    lists: list[dict[str, Any]] = field(default_factory=list)  # all lists of the page, that one first
    next_page: str | None = None


@dataclass(frozen=True)
class LearnedSite:
    """What a page object extracts by; scrapy-poet provides it where the add-on is on."""

    extract: Extract

    @classmethod
    def of(cls, site: Site) -> LearnedSite:
        """Extract by a site that was learned."""

        def extract(body: bytes, url: str, content_type: str) -> Document:
            return site.extract(in_utf8(body, content_type), url)

        return cls(extract)

    @classmethod
    def load(cls, path: str | Path) -> LearnedSite:
        """Extract by a profile that `scythe learn` or `Site.save` wrote. Raises BadInput where it is damaged."""
        return cls.of(Site.load(path))


class ScythePage(WebPage[Any]):
    """A page object whose fields come from `self.document`; inherit from it for an item of your own."""

    def __init__(self, response: HttpResponse, site: LearnedSite | None = None) -> None:
        super().__init__(response)
        self.site = site

    @cached_property
    def document(self) -> PageDocument:
        """All that scythe has to say of the page, worked out when first asked for."""
        content_type = str(self.response.headers.get("Content-Type", ""))
        extract = self.site.extract if self.site is not None else _read
        return PageDocument(extract, bytes(self.response.body), str(self.response.url), content_type)

    def value(self, name: str) -> Any:
        """Return what SCYTHE_FIELDS would put into an item under a name; learned fields are values, too."""
        return value_of(self.document, name)


class _NamedPage(ScythePage):
    """What both kinds of pages say."""

    @page_field
    def url(self) -> str:
        return str(self.response.url)

    @page_field
    def title(self) -> str:
        return str(self.document.title)


class ScytheArticle(_NamedPage, WebPage[Article]):
    """The main text of a page with what belongs to it."""

    @page_field
    def text(self) -> str:
        return str(self.document.text)

    @page_field
    def author(self) -> str:
        return self.document.metadata.author

    @page_field
    def published(self) -> str:
        return self.document.metadata.published

    @page_field
    def language(self) -> str:
        return self.document.metadata.language

    @page_field
    def description(self) -> str:
        return self.document.metadata.description

    @page_field
    def images(self) -> list[str]:
        return list_images(self.document)


class ScytheRecords(_NamedPage, WebPage[Listing]):
    """What a page lists."""

    @page_field
    def records(self) -> list[dict[str, Any]]:
        regions = self.document.lists
        return list_rows(regions[0]) if regions else []

    @page_field
    def lists(self) -> list[dict[str, Any]]:
        return list_lists(self.document)

    @page_field
    def next_page(self) -> str | None:
        found = self.document.paging.next
        return str(found) if found else None


def _read(body: bytes, url: str, content_type: str) -> Document:
    return read(body, url, content_type=content_type or None)
