"""Turn what was read from a page into plain values to be stored: a `Document` comes in, an `Extracted` goes out."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any

from scythe.crawling.fingerprint import text_simhash
from scythe.model import Document, Field, Image, Metadata, Paging
from scythe.visits import Extracted

_TOLD = ("title", "text", "images")  # fields whose values stand elsewhere


def to_extracted(document: Document, parts: Collection[str], said: Metadata | None = None) -> Extracted:
    """Take out of a document what was asked for; what was not is not worked out.

    `said` is what the page's head says, where rules gave only some of it.
    """
    regions = document.records if "records" in parts else ()
    metadata = document.metadata if said is None else complete(document.metadata, said)
    rest = {"metadata": _metadata(metadata), **_rest(document, parts)}
    counts = _count_ways(document)
    return Extracted(
        title=document.title,
        text=document.text,
        markdown=document.markdown if "markdown" in parts else None,
        html=document.html if "html" in parts else None,
        rest=json.dumps(rest, ensure_ascii=False, separators=(",", ":")),
        kind=metadata.kind,
        language=metadata.language,
        published=metadata.published,
        how=_way(document, counts),
        cut_fields=counts["cut"],
        tree_fields=counts["tree"],
        missing_fields=counts["missing"],
        simhash=text_simhash(document.text),
        regions=regions,
    )


def is_cold(document: Document) -> bool:
    """Say whether a page was read without rules, and so with all that it says about itself."""
    return not document.fields or any("read cold" in document.how.get(name, "") for name in ("title", "text"))


def complete(known: Metadata, said: Metadata) -> Metadata:
    """Add what a page's head says to what rules gave, which know better."""
    given = {name: value for name in ("title", "author", "published") if (value := getattr(known, name))}
    return replace(said, **given)


def _rest(document: Document, parts: Collection[str]) -> dict[str, Any]:
    """Return everything that has no column of its own; what is empty is left out."""
    rest: dict[str, Any] = {}
    if "images" in parts:
        rest["images"] = [_image(image) for image in document.images]
    if "attributes" in parts:
        rest["attributes"] = document.attributes
    if "records" in parts and document.how.get("records", "").startswith(("auto", "tree: read cold")):
        rest["paging"] = _paging(document.paging)  # by the tree, which is there already
    rest["fields"] = {name: _field(name, field) for name, field in document.fields.items()}
    rest["how"] = document.how  # last: asking for the rest may change it
    rest["losses"] = [[loss.what, loss.count] for loss in document.losses]
    rest["why"] = document.why
    return {name: value for name, value in rest.items() if value}


def _count_ways(document: Document) -> dict[str, int]:
    counts = {"cut": 0, "tree": 0, "missing": 0}
    for name, field in document.fields.items():
        way = document.how.get(name, field.how).partition(":")[0]
        if way in counts:
            counts[way] += 1
    return counts


def via_of(document: Document) -> str:
    """Say how a page was extracted: cut, tree, mixed or cold. Ask for its parts before, which may change it."""
    return _way(document, _count_ways(document))


def _way(document: Document, counts: dict[str, int]) -> str:
    if not document.fields:
        return "cold"
    if counts["tree"]:
        return "mixed" if counts["cut"] else "tree"
    return "cut"


def _metadata(metadata: Metadata) -> dict[str, Any]:
    return {name: value for name in _METADATA if (value := getattr(metadata, name))}


_METADATA = tuple(field.name for field in fields(Metadata))


def _image(image: Image) -> dict[str, Any]:
    return {name: value for name in _IMAGE if (value := getattr(image, name)) not in (None, "", ())}


_IMAGE = tuple(field.name for field in fields(Image))


def _field(name: str, field: Field) -> dict[str, Any]:
    plain: dict[str, Any] = {"span": field.span} if field.span is not None else {}
    if name not in _TOLD and field.values:
        plain["values"] = field.values
    return plain


def _paging(paging: Paging) -> dict[str, Any]:
    plain = {"next": paging.next, "previous": paging.previous, "more": paging.more, "pages": paging.pages}
    return {name: value for name, value in plain.items() if value}
