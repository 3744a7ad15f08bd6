"""Turn what an archive holds of a page back into a document: a `StoredPage` comes in, a `Document` goes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from scythe.archive.stored import StoredPage
from scythe.model import Document, Field, Image, Listed, Loss, Metadata, Paging, Region, Rendered
from scythe.url import Url
from scythe.visits import Extracted


def to_document(stored: StoredPage | Extracted, url: Url | None = None) -> Document:
    """Return the document that was stored; what was not kept of it is empty. `url` is for what does not say its own."""
    rest: Mapping[str, Any] = json.loads(stored.rest)
    images = tuple(_image(plain) for plain in rest.get("images", ()))
    how = {str(name): str(way) for name, way in rest.get("how", {}).items()}
    content = Rendered(stored.text, stored.markdown or "", stored.html or "", images)
    return Document(
        title=stored.title,
        text=stored.text,
        metadata=_metadata(rest.get("metadata", {})),
        how=how,
        fields={name: _field(name, plain, stored, images, how) for name, plain in rest.get("fields", {}).items()},
        url=stored.url if isinstance(stored, StoredPage) else url,
        losses=tuple(Loss(what, count) for what, count in rest.get("losses", ())),
        why=rest.get("why", ""),
        content=content,
        lists=_lists(rest, stored.regions),
    )


def _metadata(plain: Mapping[str, Any]) -> Metadata:
    several = {
        "keywords": tuple(plain.get("keywords", ())),
        "schema": tuple(plain.get("schema", ())),
        "properties": tuple((name, value) for name, value in plain.get("properties", ())),
    }
    return Metadata(**{**_known(plain, _METADATA), **several})


def _image(plain: Mapping[str, Any]) -> Image:
    return Image(**{**_known(plain, _IMAGE), "sources": tuple(plain.get("sources", ()))})


def _known(plain: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Leave out what another version of scythe may have stored."""
    return {name: value for name, value in plain.items() if name in names}


_METADATA = frozenset(field.name for field in fields(Metadata))
_IMAGE = frozenset(field.name for field in fields(Image))


def _field(
    name: str, plain: Mapping[str, Any], stored: StoredPage | Extracted, images: Iterable[Image], how: Mapping[str, str]
) -> Field:
    """Return a learned field; the values of those that have a place of their own are there."""
    span = plain.get("span")
    values = tuple(plain.get("values", ()))
    if name in ("title", "text"):
        values = tuple(filter(None, (getattr(stored, name),)))
    elif name == "images":
        values = tuple(image.src for image in images if image.relevant)
    return Field(values, (span[0], span[1]) if span else None, how.get(name, ""))


def _lists(rest: Mapping[str, Any], regions: tuple[Region, ...]) -> Listed:
    paging = rest.get("paging", {})
    pages = tuple((number, Url(address)) for number, address in paging.get("pages", ()))
    attributes = tuple((name, value) for name, value in rest.get("attributes", ()))
    return Listed(regions, attributes, Paging(paging.get("next"), paging.get("previous"), pages, paging.get("more")))
