"""`doc.where` and the spans of cells are bytes of the page as it was received."""

from __future__ import annotations

import pytest

import scythe

WORDS = "Das Haus an der Straße wurde größer, weil viele Gäste kamen und gern lange blieben. "
PAGE = f"""<!doctype html><html lang=de><head><meta charset="%s"><title>Über Häuser</title></head><body>
<nav><a href=/a>Übersicht</a></nav><article><h1>Über Häuser</h1><p>{WORDS * 4}</p>
<p>Zweiter <b>fetter</b> Absatz &amp; mehr. {WORDS * 3}</p><img src=/bild.jpg alt=Bild width=600 height=400></article>
<table><tr><th>Ort<th>Gäste<tr><td>Köln<td>12<tr><td>Mölln<td>7<tr><td>Ulm<td>9</table></body></html>"""


@pytest.mark.parametrize(
    ("codec", "mark"), [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("windows-1252", b""), ("iso-8859-15", b"")]
)
def test_ranges_hold_what_was_read(codec: str, mark: bytes) -> None:
    body = mark + (PAGE % codec).encode(codec)
    doc = scythe.read(body, url="https://example.org/x")

    def at(span: tuple[int, int] | None) -> str:
        assert span is not None
        return body[slice(*span)].decode(codec)

    where = doc.where
    assert at(where["title"][0]) == "Über Häuser"
    blocks = doc.text.split("\n\n")
    assert [at(span).startswith(block[:7]) for span, block in zip(where["text"], blocks, strict=True)] == [True] * len(
        blocks
    )
    assert [at(span).startswith("<img src=/bild.jpg") for span in where["images"]] == [True]
    table = next(one for one in doc.lists if one.kind == "table")
    cells = [(text, at(span)) for row in table.records for text, span in zip(row.fields, row.spans, strict=True)]
    assert ("Köln", "Köln") in cells
    assert all(text == said for text, said in cells)


def test_where_nothing_is_known_none_is_said() -> None:
    damaged = (PAGE % "utf-8").encode().replace(b"Ulm", b"U\xfflm")
    doc = scythe.read(damaged, url="https://example.org/x")
    assert doc.losses
    assert set(doc.where["text"]) == {None}


def test_a_detached_document_keeps_its_places() -> None:
    doc = scythe.read((PAGE % "utf-8").encode())
    assert doc.detach().where == doc.where
