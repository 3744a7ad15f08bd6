"""What of a page can be put into an item: a document and a name come in, a plain value that feeds can hold goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from scythe.model import Document, Metadata, Region
from scythe.plugins.scrapy.page_document import PageDocument
from scythe.record_rows import Shape, region_batch

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


def list_rows(region: Region) -> list[dict[str, Any]]:
    """Return the records of a region as dictionaries: by column, with the first link and the first image of each."""
    return list(Shape().dictionaries(region_batch("", 1, region)))


def list_regions(page: Page) -> list[dict[str, Any]]:
    """Return all that a page lists, what it is about first."""
    return [
        {"kind": region.kind, "score": region.score, "columns": list(region.columns), "records": list_rows(region)}
        for region in page.records
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
    "title": lambda page: page.title,
    "text": lambda page: page.text,
    "markdown": lambda page: page.markdown,
    "html": lambda page: page.html,
    "images": list_images,
    "all_images": lambda page: [asdict(image) for image in page.images],
    "records": lambda page: list_rows(page.records[0]) if page.records else [],
    "new_records": lambda page: list(getattr(page, "new_records", ())),
    "regions": list_regions,
    "attributes": lambda page: dict(page.attributes),
    "next_page": lambda page: page.paging.next,
    "how": lambda page: dict(page.how),
}
NAMES = tuple(sorted(_TAKE))
