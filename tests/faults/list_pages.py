"""Pages that are hostile to whatever looks for records, attributes and paging: a name and a size give the page."""

from __future__ import annotations

import random
from collections.abc import Callable

Make = Callable[[int], str]
PAGES: dict[str, Make] = {}
SAYS: dict[str, str] = {}  # what is hostile about each, in one sentence
_TAGS = "div span p ul li ol dl dt dd table tr td h2 h3 a b i section article".split()


def page(name: str, says: str) -> Callable[[Make], Make]:
    """Register a generator."""

    def register(make: Make) -> Make:
        SAYS[name] = says
        PAGES[name] = lambda n: f"<title>Lists</title><body><h1>Lists</h1>{make(n)}<p>The end.</p>"
        return make

    return register


@page("equal items", "A list has items without number, all alike.")
def _(n: int) -> str:
    return "<ul>" + "".join(f"<li><a href=/{i}>Item {i}</a> <b>{i} EUR</b></li>" for i in range(n)) + "</ul>"


@page("items of one word", "A list has items of one word without number.")
def _(n: int) -> str:
    return "<ul>" + "<li>x" * n + "</ul>"


@page("items without words", "Boxes without a word come without number.")
def _(n: int) -> str:
    return "<div>" + "<div class=a></div>" * n + "</div>"


@page("every item of its own class", "No two boxes share a class.")
def _(n: int) -> str:
    return "".join(f"<div class='k{chr(97 + i % 26)}{i:x}q'><p>Item {i}</p></div>" for i in range(n))


@page("every item of its own tag", "No two boxes share a tag.")
def _(n: int) -> str:
    return "".join(f"<x-{i}>Item {i}</x-{i}>" for i in range(n))


@page("classes by the hundred", "Boxes have up to a hundred classes each.")
def _(n: int) -> str:
    return "".join(f"<div class='{' '.join(f'c{j}' for j in range(i % 100))}'>Item {i}</div>" for i in range(n // 20))


@page("random tags", "Tags are opened and closed by chance.")
def _(n: int) -> str:
    dice = random.Random(7)
    return "".join(f"<{'/' if dice.random() < 0.4 else ''}{dice.choice(_TAGS)}>{i} word" for i in range(n))


@page("random nests of lists", "Lists and rows are opened and closed by chance.")
def _(n: int) -> str:
    dice = random.Random(8)
    return "".join(
        dice.choice(("<ul><li>", "<li>text", "</ul>", "</li>", "<div class=row>", "</div>")) for _ in range(n)
    )


@page("lists in lists in lists", "Lists are opened inside of lists, with a few items at each depth.")
def _(n: int) -> str:
    return ("<ul>" + "<li>a<li>b" * 3) * (n // 10)


@page("many small lists", "Lists of three items come without number.")
def _(n: int) -> str:
    return "".join(f"<div><ul><li>a{i}<li>b{i}<li>c{i}</ul></div>" for i in range(n // 4))


@page("many small tables", "Tables of two rows come without number.")
def _(n: int) -> str:
    return "<table><tr><td>Weight<td>12 kg<tr><td>Price<td>3 EUR</table>" * (n // 5)


@page("a table of many rows", "One table has rows without number.")
def _(n: int) -> str:
    rows = "".join(f"<tr><td>{i}<td><a href=/{i}>name {i}</a><td>{i}.99 EUR" for i in range(n))
    return f"<table><tr><th>No<th>Name<th>Price{rows}</table>"


@page("a table of many columns", "One table has columns without number.")
def _(n: int) -> str:
    return "<table>" + ("<tr>" + "<td>x" * (n // 5)) * 5 + "</table>"


@page("cells that span everything", "Cells claim to span a billion columns and rows.")
def _(n: int) -> str:
    return "<table>" + "<tr><td colspan=999999999 rowspan=999999999>a<td rowspan=60000>b" * n + "</table>"


@page("rows of the same pair", "Each record of a table takes two rows.")
def _(n: int) -> str:
    return "<table>" + "<tr class=odd><td>title<tr class=even><td>text of it" * (n // 2) + "</table>"


@page("terms and definitions", "One list of definitions has terms without number.")
def _(n: int) -> str:
    return "<dl>" + "".join(f"<dt>Term {i}:<dd>meaning" for i in range(n)) + "</dl>"


@page("lines", "One paragraph has lines of names and values without number.")
def _(n: int) -> str:
    return "<p>" + "".join(f"Line {i}: value {i}<br>" for i in range(n))


@page("headings and paragraphs", "Headings with two paragraphs each come without number, in no box.")
def _(n: int) -> str:
    return "".join(f"<h3>Head {i}</h3><p>one</p><p>two</p>" for i in range(n // 3))


@page("a grid", "Rows of four cards come without number.")
def _(n: int) -> str:
    return (
        "<div class=row>" + "<div class=col><a href=/a><img src=a.png></a><p>Name 3 EUR</p></div>" * 4 + "</div>"
    ) * (n // 10)


@page("separators between items", "Rules and adverts stand between items without number.")
def _(n: int) -> str:
    return "".join(f"<div class=post>Post {i}</div><hr><div class=ad>buy</div>" for i in range(n // 3))


@page("a record of many fields", "One of a few records has fields without number.")
def _(n: int) -> str:
    return "<div class=r><h2>x</h2>" + "<span>f</span>" * n + "</div><div class=r><h2>y</h2><span>g</span></div>" * 3


@page("records of growing size", "Each record is longer than the one before.")
def _(n: int) -> str:
    return "".join("<div class=r>" + "<p>w" * (i % 300) + "</div>" for i in range(n // 50))


@page("page numbers", "A row of page numbers has no end.")
def _(n: int) -> str:
    return "<div class=pagination>" + "".join(f"<a href='?page={i}'>{i}</a>" for i in range(n)) + "</div>"


@page("links to the next page", "Links to the next page come without number.")
def _(n: int) -> str:
    return "<a rel=next class='next page' href='/page/2'>Next &raquo;</a>" * n


@page("labels and values", "Boxes of a label and a value come without number.")
def _(n: int) -> str:
    return "".join(f"<div><span>Label {i}:</span> <span>value</span></div>" for i in range(n))


@page("colons", "One paragraph is made of colons.")
def _(n: int) -> str:
    return "<p>" + "a: b, c :d " * n


@page("prices", "Prices come without number.")
def _(n: int) -> str:
    return "".join(f"<span class=price>&euro; {i}.99</span> " for i in range(n))


@page("digits", "One paragraph is made of digits and signs.")
def _(n: int) -> str:
    return "<p>" + "1 234.567,89-" * n


@page("microdata in microdata", "Microdata items are opened inside each other.")
def _(n: int) -> str:
    return "<div itemscope itemprop=offers itemtype='https://schema.org/Product'><b itemprop=name>x</b>" * n


@page("properties by the thousand", "One microdata item has properties without number.")
def _(n: int) -> str:
    return "<div itemscope itemtype='https://schema.org/Product'>" + "<meta itemprop=p content=v>" * n + "</div>"


@page("linked data by the thousand", "One block of JSON-LD has products without number.")
def _(n: int) -> str:
    item = '{"@type":"Product","name":"x","offers":{"price":"1"}}'
    return f'<script type="application/ld+json">[{",".join([item] * n)}]</script>'


@page("rdfa in rdfa", "RDFa items are opened inside each other.")
def _(n: int) -> str:
    return "<div vocab='https://schema.org/' typeof=Product property=offers><b property=price>1</b>" * n
