"""`doc.where` and the spans of cells are bytes of the page as it was received."""

from __future__ import annotations

import pytest

import scythe

WORDS = "Das Haus an der Straße wurde größer, weil viele Gäste kamen und gern lange blieben. "
PAGE = f"""<!doctype html><html lang=de><head><meta charset="%s"><title>Über Häuser</title>
<meta name=author content="Jörg M&uuml;ller">
<meta property=article:published_time content="2026-03-01T10:00:00Z"></head>
<body>
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
    assert (doc.metadata.author, at(where["author"][0])) == ("Jörg Müller", "Jörg M&uuml;ller")
    assert at(where["date"][0]) == "2026-03-01T10:00:00Z"
    blocks = doc.text.split("\n\n")
    assert [at(span).startswith(block[:7]) for span, block in zip(where["text"], blocks, strict=True)] == [True] * len(
        blocks
    )
    assert [at(span).startswith("<img src=/bild.jpg") for span in where["images"]] == [True]
    table = next(one for one in doc.lists if one.kind == "table")
    cells = [(text, at(span)) for row in table.records for text, span in zip(row.fields, row.spans, strict=True)]
    assert ("Köln", "Köln") in cells
    assert all(text == said for text, said in cells)


def test_values_in_json_ld_and_in_texts_have_their_places() -> None:
    said = '"@type": "NewsArticle", "author": "Renée Becker", "datePublished": "2026-03-02"'
    linked = f'<script type="application/ld+json">{{{said}}}</script>'
    html = (PAGE % "utf-8").replace("Jörg M&uuml;ller", "Renée Becker").replace("2026-03-01T10:00:00Z", "")
    body = html.replace("<title>", linked + "<title>").encode()
    doc = scythe.read(body)
    (author,), (date,) = doc.where["author"], doc.where["date"]
    assert (doc.metadata.author, body[slice(*author)]) == ("Renée Becker", "Renée Becker".encode())
    assert (doc.metadata.published, body[slice(*date)]) == ("2026-03-02", b"2026-03-02")


def test_attributes_have_the_places_of_values_that_stand_once_or_belong_to_their_labels() -> None:
    facts = "<dt>Weight:<dd>14 kg<dt>Height:<dd>80 cm<dt>Depth:<dd>80 cm<dt>Sails:<dd>four <b>white</b> ones"
    more = "<ul><li>Stone: basalt<li>Wood: oak<li>Base: oak</ul>"
    body = f"<title>Mill</title><body><h1>Mill</h1><dl>{facts}</dl>{more}<p>{WORDS}".encode()
    doc = scythe.read(body)
    placed = dict(zip(dict(doc.attributes), doc.where["attributes"], strict=True))
    said = {name: body[slice(*span)].decode() for name, span in placed.items() if span}
    assert said.pop("Sails") == "four <b>white</b> ones"
    assert said.items() <= dict(doc.attributes).items()
    assert said.keys() == {"Weight", "Height", "Depth", "Stone", "Wood", "Base"}
    assert body[: placed["Depth"][0]].endswith(b"<dt>Depth:<dd>")


def test_a_text_in_which_tags_are_ignored_has_one_place() -> None:
    facts = "<h1>Mill</h1><dl><dt>Weight:<dd>14</none> k</>g<dt>Height:<dd>80 cm<dt>Depth:<dd>70 cm</dl>"
    body = f"<title>Mill</title><body>{facts}<p>{WORDS}".encode()
    doc = scythe.read(body)
    placed = dict(zip(dict(doc.attributes), doc.where["attributes"], strict=True))
    assert body[slice(*placed["Weight"])] == b"14</none> k</>g"


@pytest.mark.parametrize("codec", ["utf-8", "windows-1252"])
def test_cut_pages_have_places_as_read_ones_do(codec: str) -> None:
    def page(number: int) -> bytes:
        story = " ".join(f"Satz {number * 31 + n} über die Mühle am Fluß, die {n} Räder hat." for n in range(9))
        rows = "".join(
            f"<li class=row><a href=/{number}/{n}>Gast {number}-{n}</a> <i>{n} Säcke</i></li>" for n in range(6)
        )
        head = f'<meta charset={codec}><title>Mühle {number}</title><meta name=author content="Jörg {number}">'
        parts = f"<article class=story><h1>Mühle {number}</h1><p>{story}</p><img src=/{number}.jpg></article>"
        return f"<!doctype html><html lang=de>{head}<body>{parts}<ul class=rows>{rows}</ul></body>".encode(codec)

    address = "https://example.org/{}"
    site = scythe.Site.learn((address.format(number), page(number)) for number in range(8))
    body = page(20)
    doc = site.extract(body, address.format(20))
    assert doc.how["text"].startswith("cut")
    said = [" ".join(body[slice(*span)].decode(codec).split()) for span in doc.where["text"] if span]
    assert said == doc.text.split("\n\n")
    assert [body[slice(*span)] for span in doc.where["images"] if span] == [b"<img src=/20.jpg>"]
    cells = [(text, span) for row in doc.records for text, span in zip(row.fields, row.spans, strict=True)]
    assert len(cells) >= 6
    assert all(body[slice(*span)].decode(codec) == text for text, span in cells if span)
    assert any(span for _, span in cells)


def test_where_nothing_is_known_none_is_said() -> None:
    damaged = (PAGE % "utf-8").encode().replace(b"Ulm", b"U\xfflm")
    doc = scythe.read(damaged, url="https://example.org/x")
    assert doc.losses
    assert set(doc.where["text"]) == {None}


def test_a_detached_document_keeps_its_places() -> None:
    doc = scythe.read((PAGE % "utf-8").encode())
    assert doc.detach().where == doc.where
