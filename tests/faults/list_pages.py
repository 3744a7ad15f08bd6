"""Pages that are hostile to whatever looks for records, attributes and paging: a name and a size give the page."""

import random
from collections.abc import Callable

Make = Callable[[int], str]
_TAGS = "div span p ul li ol dl dt dd table tr td h2 h3 a b i section article".split()


def _random_tags(n: int) -> str:
    dice = random.Random(7)
    return "".join(f"<{'/' if dice.random() < 0.4 else ''}{dice.choice(_TAGS)}>{i} word" for i in range(n))


def _random_nests_of_lists(n: int) -> str:
    dice = random.Random(8)
    return "".join(
        dice.choice(("<ul><li>", "<li>text", "</ul>", "</li>", "<div class=row>", "</div>")) for _ in range(n)
    )


def _a_table_of_many_rows(n: int) -> str:
    rows = "".join(f"<tr><td>{i}<td><a href=/{i}>name {i}</a><td>{i}.99 EUR" for i in range(n))
    return f"<table><tr><th>No<th>Name<th>Price{rows}</table>"


def _linked_data_by_the_thousand(n: int) -> str:
    item = '{"@type":"Product","name":"x","offers":{"price":"1"}}'
    return f'<script type="application/ld+json">[{",".join([item] * n)}]</script>'


_MIDDLES: dict[str, Make] = {
    "equal items": lambda n: (
        "<ul>" + "".join(f"<li><a href=/{i}>Item {i}</a> <b>{i} EUR</b></li>" for i in range(n)) + "</ul>"
    ),
    "items of one word": lambda n: "<ul>" + "<li>x" * n + "</ul>",
    "items without words": lambda n: "<div>" + "<div class=a></div>" * n + "</div>",
    "every item of its own class": lambda n: "".join(
        f"<div class='k{chr(97 + i % 26)}{i:x}q'><p>Item {i}</p></div>" for i in range(n)
    ),
    "every item of its own tag": lambda n: "".join(f"<x-{i}>Item {i}</x-{i}>" for i in range(n)),
    "classes by the hundred": lambda n: "".join(
        f"<div class='{' '.join(f'c{j}' for j in range(i % 100))}'>Item {i}</div>" for i in range(n // 20)
    ),
    "random tags": _random_tags,
    "random nests of lists": _random_nests_of_lists,
    "lists in lists in lists": lambda n: ("<ul>" + "<li>a<li>b" * 3) * (n // 10),
    "many small lists": lambda n: "".join(f"<div><ul><li>a{i}<li>b{i}<li>c{i}</ul></div>" for i in range(n // 4)),
    "many small tables": lambda n: "<table><tr><td>Weight<td>12 kg<tr><td>Price<td>3 EUR</table>" * (n // 5),
    "a table of many rows": _a_table_of_many_rows,
    "a table of many columns": lambda n: "<table>" + ("<tr>" + "<td>x" * (n // 5)) * 5 + "</table>",
    "cells that span everything": lambda n: (
        "<table>" + "<tr><td colspan=999999999 rowspan=999999999>a<td rowspan=60000>b" * n + "</table>"
    ),
    "rows of the same pair": lambda n: (
        "<table>" + "<tr class=odd><td>title<tr class=even><td>text of it" * (n // 2) + "</table>"
    ),
    "terms and definitions": lambda n: "<dl>" + "".join(f"<dt>Term {i}:<dd>meaning" for i in range(n)) + "</dl>",
    "lines": lambda n: "<p>" + "".join(f"Line {i}: value {i}<br>" for i in range(n)),
    "headings and paragraphs": lambda n: "".join(f"<h3>Head {i}</h3><p>one</p><p>two</p>" for i in range(n // 3)),
    "a grid": lambda n: (
        ("<div class=row>" + "<div class=col><a href=/a><img src=a.png></a><p>Name 3 EUR</p></div>" * 4 + "</div>")
        * (n // 10)
    ),
    "separators between items": lambda n: "".join(
        f"<div class=post>Post {i}</div><hr><div class=ad>buy</div>" for i in range(n // 3)
    ),
    "a record of many fields": lambda n: (
        "<div class=r><h2>x</h2>" + "<span>f</span>" * n + "</div><div class=r><h2>y</h2><span>g</span></div>" * 3
    ),
    "records of growing size": lambda n: "".join(
        "<div class=r>" + "<p>w" * (i % 300) + "</div>" for i in range(n // 50)
    ),
    "page numbers": lambda n: (
        "<div class=pagination>" + "".join(f"<a href='?page={i}'>{i}</a>" for i in range(n)) + "</div>"
    ),
    "links to the next page": lambda n: "<a rel=next class='next page' href='/page/2'>Next &raquo;</a>" * n,
    "labels and values": lambda n: "".join(f"<div><span>Label {i}:</span> <span>value</span></div>" for i in range(n)),
    "colons": lambda n: "<p>" + "a: b, c :d " * n,
    "prices": lambda n: "".join(f"<span class=price>&euro; {i}.99</span> " for i in range(n)),
    "digits": lambda n: "<p>" + "1 234.567,89-" * n,
    "microdata in microdata": lambda n: (
        "<div itemscope itemprop=offers itemtype='https://schema.org/Product'><b itemprop=name>x</b>" * n
    ),
    "properties by the thousand": lambda n: (
        "<div itemscope itemtype='https://schema.org/Product'>" + "<meta itemprop=p content=v>" * n + "</div>"
    ),
    "linked data by the thousand": _linked_data_by_the_thousand,
    "rdfa in rdfa": lambda n: (
        "<div vocab='https://schema.org/' typeof=Product property=offers><b property=price>1</b>" * n
    ),
}
PAGES: dict[str, Make] = {
    name: lambda n, make=make: f"<title>Lists</title><body><h1>Lists</h1>{make(n)}<p>The end.</p>"  # type: ignore[misc]
    for name, make in _MIDDLES.items()
}
