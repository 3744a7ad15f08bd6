"""The lazily read document of a response, and the values it offers to items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import cached_property
from operator import attrgetter
from typing import Any

from scythe.model import Document, Metadata, RecordList
from scythe.output.rows import Shape, list_batch

Extract = Callable[[bytes, str, str], Document]  # body, address, content type


class PageDocument:
    """What `response.meta["scythe"]` is: all that a Document has, read or cut at the first look.

    It holds the body and not the response, which would hold itself.
    """

    def __init__(self, extract: Extract, body: bytes, url: str, content_type: str = "") -> None:
        self._extract = extract
        self.body = body
        self.page_url = url
        self.content_type = content_type
        self.is_filed = False  # stored in an archive
        self.new_records: list[dict[str, Any]] = []  # of its main list, which the archive did not have

    @cached_property
    def document(self) -> Document:
        """The document itself."""
        return self._extract(self.body, self.page_url, self.content_type)

    @property
    def metadata(self) -> Metadata:
        """What the page says about itself."""
        return self.document.metadata

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # whoever copies objects asks for such before there is anything
            raise AttributeError(name)
        return getattr(self.document, name)

    def __repr__(self) -> str:
        """Tell whether it was looked at; to show more would be a look."""
        return repr(self.document) if "document" in self.__dict__ else f"<PageDocument {self.page_url}, not read yet>"


Page = PageDocument | Document


def value_of(page: Page, name: str) -> Any:
    """Return what a page has under a name; of a name that is none of ours, the learned field called so.

    A learned field with several values is a list, one without any is None.
    """
    take = _TAKE.get(name)
    if take is not None:
        return take(page)
    field = page.fields.get(name)
    if field is None or not field.values:
        return None
    return field.values[0] if len(field.values) == 1 else list(field.values)


def list_rows(region: RecordList) -> list[dict[str, Any]]:
    """Return the records of a region as dictionaries: by column, with the first link and the first image of each."""
    return list(Shape().dictionaries(list_batch("", 1, region)))


def list_lists(page: Page) -> list[dict[str, Any]]:
    """Return all that a page lists, what it is about first."""
    return [
        {"kind": region.kind, "score": region.score, "columns": list(region.columns), "records": list_rows(region)}
        for region in page.lists
    ]


def list_images(page: Page) -> list[str]:
    """Return the addresses of the images that belong to the content, as ImagesPipeline wants them."""
    return [str(image.src) for image in page.images if image.relevant]


def _said(name: str) -> Callable[[Page], Any]:
    def take(page: Page) -> Any:
        value = getattr(page.metadata, name)
        return list(value) if isinstance(value, tuple) else value

    return take


_TAKE: Mapping[str, Callable[[Page], Any]] = {
    **{each.name: _said(each.name) for each in fields(Metadata) if each.name not in ("title", "properties")},
    "url": lambda page: page.page_url if isinstance(page, PageDocument) else page.url,
    **{name: attrgetter(name) for name in ("title", "text", "markdown", "html")},
    "images": list_images,
    "all_images": lambda page: [asdict(image) for image in page.images],
    "records": lambda page: list_rows(page.lists[0]) if page.lists else [],
    "new_records": lambda page: list(getattr(page, "new_records", ())),
    "lists": list_lists,
    "attributes": lambda page: dict(page.attributes),
    "next_page": lambda page: page.paging.next,
    "how": lambda page: dict(page.how),
}
NAMES = tuple(sorted(_TAKE))
