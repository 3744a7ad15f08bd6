from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.lists.candidates import find_candidates
from scythe.reading.lists.find_lists import rank

ITEMS = 6


def kind_of(html: str, word: str) -> str:
    """Return the kind of the region whose first record holds a word."""
    page = Page.from_text(f"<body>{html}<div><p>Text beside the lists.</p></div></body>", url="https://example.org/")
    for one in rank(page, find_candidates(page.elements)):
        start, end = one.candidate.leaves[0]
        if word in " ".join(page.elements.text[start:end]):
            return one.kind
    return "not found"


def repeat(unit: str) -> str:
    return "".join(unit.replace("#", str(number)) for number in range(1, ITEMS + 1))


LONG = "It took them # days to walk from the coast to the old town, and nobody had told them about the rain there."


@pytest.mark.parametrize(
    ("kind", "html"),
    [
        ("menu", f"<nav><ul>{repeat('<li><a href=/#>Word #</a></li>')}</ul></nav>"),
        ("breadcrumb", f"<ol class='breadcrumb'>{repeat('<li><a href=/#>Word #</a></li>')}</ol>"),
        ("pager", f"<div class='pagination'>{repeat('<a href=?p=#>Word #</a>')}</div>"),
        ("tags", f"<ul class='tagcloud'>{repeat('<li><a href=/tag/#>Word #</a></li>')}</ul>"),
        ("share", f"<ul class='social-share'>{repeat('<li><a href=/s#>Word #</a></li>')}</ul>"),
        ("footer", f"<footer><ul>{repeat('<li><a href=/f#>Word #</a></li>')}</ul></footer>"),
        ("table", f"<table>{repeat('<tr><td>Word #</td><td>#0 km</td><td>#00 m</td></tr>')}</table>"),
        ("products", f"<ul>{repeat('<li class=product><a href=/#>Word #</a> <b>€ #9.00</b></li>')}</ul>"),
        ("posts", f"<div class='thread'>{repeat(f'<div><b class=username>Word #</b><p>{LONG}</p></div>')}</div>"),
        ("posts", f"<ol class='commentlist'>{repeat(f'<li class=comment><b>Word #</b><p>{LONG}</p></li>')}</ol>"),
        ("articles", repeat(f"<article class='post'><h2><a href=/#>Word #</a></h2><p>{LONG}</p></article>")),
        ("related", f"<h3>Related posts</h3><ul>{repeat('<li><a href=/r#>Word # and a longer title</a></li>')}</ul>"),
        ("definitions", f"<dl>{repeat('<dt>Word #</dt><dd>What it means to the # of us</dd>')}</dl>"),
        ("results", f"<ol class='results'>{repeat('<li><a href=/#>Word # was found</a> and some text</li>')}</ol>"),
        ("gallery", f"<div>{repeat('<figure><img src=/#.jpg><figcaption>Word #</figcaption></figure>')}</div>"),
        ("list", f"<ul>{repeat('<li>Word # is only a line of text</li>')}</ul>"),
    ],
)  # fmt: skip
def test_a_region_is_called_what_it_is(kind, html):
    assert kind_of(html, "Word 1") == kind
