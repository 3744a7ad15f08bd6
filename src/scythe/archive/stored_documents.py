"""Convert documents to stored values and back, and compute the fingerprint of their text."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

from msgspec import convert

from scythe.archive.results import StoredPage
from scythe.crawl_model import Extracted
from scythe.extension import native
from scythe.model import Document, Field, Image, Listed, Loss, Metadata, PageKind, Paging, Rendered
from scythe.url import Url


def to_document(stored: StoredPage | Extracted, url: Url | None = None) -> Document:
    """Return the document that was stored; what was not kept of it is empty. `url` is for what does not say its own."""
    rest: Mapping[str, Any] = json.loads(stored.rest)
    images = tuple(convert(plain, Image) for plain in rest.get("images", ()))
    how = {str(name): str(way) for name, way in rest.get("how", {}).items()}
    content = Rendered(stored.text, stored.markdown or "", stored.html or "", images)
    return Document(
        title=stored.title,
        text=stored.text,
        metadata=convert(rest.get("metadata", {}), Metadata),
        how=how,
        fields={
            name: _stored_field(name, plain, stored, images, how) for name, plain in rest.get("fields", {}).items()
        },
        url=stored.url if isinstance(stored, StoredPage) else url,
        losses=tuple(Loss(what, count) for what, count in rest.get("losses", ())),
        why=rest.get("why", ""),
        content=content,
        listing=Listed(
            stored.lists, tuple(map(tuple, rest.get("attributes", ()))), convert(rest.get("paging", {}), Paging)
        ),
        kind=convert(rest.get("kind", {}), PageKind),
        confidence=rest.get("confidence"),
    )


def _stored_field(
    name: str, plain: Mapping[str, Any], stored: StoredPage | Extracted, images: Iterable[Image], how: Mapping[str, str]
) -> Field:
    """Return a learned field; the values of those that have a place of their own are there."""
    span = plain.get("span")
    values = tuple(plain.get("values", ()))
    if name in ("title", "text"):
        values = tuple(filter(None, (getattr(stored, name),)))
    elif name == "images":
        values = tuple(image.src for image in images if image.relevant)
    kind, typed = plain.get("type", ""), tuple(plain.get("typed", ()))
    return Field(values, (span[0], span[1]) if span else None, how.get(name, ""), kind, typed)


LEAST_WORDS = 100  # below, a few words decide most bits, and texts that have little in common look alike
_LONG_WORD = 20  # characters on average: the language does not put blanks between words
_MOST_WORDS = 65_535  # a text of more is told by its beginning


def text_simhash(text: str) -> int | None:
    """Return the SimHash of a text's words, unsigned; None where there are too few."""
    words = _words(text)
    if len(words) < LEAST_WORDS:
        return None
    coded = "\n".join(words).encode("utf-8", "surrogatepass")
    return native.simhash(coded) if native is not None else _simhash(coded)


def _simhash(words: bytes) -> int:
    """Return what most words have in each bit of their hash."""
    from scythe.page.tree_map import hash_bytes, hash_word  # where the extension is missing
    from scythe.reading.papers.simhash import BITS

    hashes = [hash_word(hash_bytes(word), 0) for word in words.split(b"\n")]
    return sum(1 << bit for bit in range(BITS) if sum(one >> bit & 1 for one in hashes) > len(hashes) // 2)


def _words(text: str) -> list[str]:
    words = text.lower().split()[:_MOST_WORDS]
    if len(text) > _LONG_WORD * len(words):
        joined = "".join(words)
        return [joined[at : at + 2] for at in range(min(len(joined) - 1, _MOST_WORDS))]
    return words


_TOLD = ("title", "text", "images")  # fields whose values stand elsewhere


def to_extracted(document: Document, parts: Collection[str]) -> Extracted:
    """Take out of a document what was asked for; what was not is not worked out."""
    lists = document.lists if "records" in parts else ()
    metadata = document.metadata
    rest = {"metadata": _said(metadata), **_rest(document, parts)}
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
        lists=lists,
    )


def _rest(document: Document, parts: Collection[str]) -> dict[str, Any]:
    """Return everything that has no column of its own; what is empty is left out."""
    rest: dict[str, Any] = {}
    if "images" in parts:
        rest["images"] = [_said(image) for image in document.images]
    if "attributes" in parts:
        rest["attributes"] = document.attributes
    if "records" in parts and document.how.get("records", "").startswith(("auto", "tree: read cold")):
        rest["paging"] = _said(document.paging)  # by the tree, which is there already
    rest["fields"] = {name: plain_field(name, document.fields[name]) for name in document.fields if name != "images"}
    rest["fields"] |= {"images": {}} if "images" in document.fields else {}
    rest["how"] = document.how  # last: by then more is known of it
    rest["losses"] = [[loss.what, loss.count] for loss in document.losses]
    rest["why"] = document.why
    rest["kind"] = _said(document.kind) if document.kind.name else {}
    rest["confidence"] = document.confidence
    return {name: value for name, value in rest.items() if value}


def _count_ways(document: Document) -> dict[str, int]:
    counts = {"cut": 0, "tree": 0, "missing": 0}
    how = document.how
    for name in document.fields:
        way = (how[name] if name in how else document.fields[name].how).partition(":")[0]
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


def _said(record: Metadata | Image | Paging | PageKind) -> dict[str, Any]:
    """Return the fields of a record that say anything."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: value for name, value in values.items() if value not in (None, "", ())}


def plain_field(name: str, field: Field) -> dict[str, Any]:
    """Return what is stored of a field beside the way in which it was got."""
    plain: dict[str, Any] = {"span": field.span} if field.span is not None else {}
    if name not in _TOLD and field.values:
        plain["values"] = field.values
    if field.type:
        plain |= {"type": field.type, "typed": field.typed}
    return plain
