"""Pages whose elements are closed in turn are built as they are: the tree is that of the rewritten source."""

from __future__ import annotations

import random

import pytest
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser
from tests.faults.pages import PAGES

from scythe.limits import LIMITS
from scythe.page import tree_guard
from scythe.page.rewrite import rewrite
from scythe.page.tree_guard import is_orderly

pytestmark = pytest.mark.skipif(tree_guard.COMPILED is None, reason="the compiled module is not built")

ORDERLY = {
    "paragraphs left open": "<body><p>a<p>b<div>c<p>d</div>e",
    "items left open": "<ul><li>a<li>b<ul><li>c</ul><li><p>d<li>e</ul><dl><dt>a<dd>b<p>c<dt>d</dl>",
    "a table": "<table><caption>c</caption><colgroup><col></colgroup><thead><tr><th>a</thead><tr><td>b<p>c<td></table>",
    "cells without rows": "<table><td>a<td>b<tr><td>c<tbody><td>d</table>e",
    "tables in cells": "<table> <tr><td><table><tr><td>a</table><td>b</table>",
    "links around boxes": "<a href=x><div><b>a</b></div></a><a href=y>b</a>",
    "a choice": "<select><option>a<option selected>b<optgroup label=c><option>d<optgroup label=e></select>f",
    "scripts and comments": "<script>if (a<b) '</div>'</script><style>p>a{}</style><!-- <div> --><?x?><!y></>a",
    "svg": "<p><svg><g><path d=x /><circle/></g></svg>a</p>",
    "ends of nothing": "a</div></b></p></br></ul>b</body></html>c",
    "ruby": "<ruby>a<rp>(</rp><rt>b<rt>c</rt></ruby>",
}
DISORDERLY = {
    "bold left open": "<div><b>a</div>b",
    "a box in a paragraph's span": "<p><span><div>a</div></span>",
    "text between rows": "<table>a<tr><td>b</table>",
    "boxes between rows": "<table><tr><div>a</div><td>b</table>",
    "an end across a box": "<b><div></b></div>",
    "an item in an item's box": "<ul><li><div><li>a</ul>",
    "links in links": "<a href=x><div><a href=y>a</a></div></a>",
    "headings in headings": "<h1>a<h2>b",
    "forms in forms": "<form><div><form>a</form></div></form>",
    "templates": "<template><tr><td>a</template>",
    "html inside of svg": "<svg><p>a</svg>",
    "no end of a tag": "<p>a<div x='",
    "no end of a script": "<script>a",
    "a script in a script": "<script><!-- <script>a</script>b--></script>c",
    "two bodies": "<body><p>a<body class=x>",
    "rows without a table": "<tr><td>a",
    "rt without ruby": "<rt>" * 30,
    "too deep": "<div>" * (LIMITS.depth + 1),
    "too many attributes": f"<p {' '.join(f'a{n}' for n in range(LIMITS.tag_attributes + 1))}>",
    "too many names": "".join(f"<x-{n}>" + f"</x-{n}>" for n in range(LIMITS.tag_names)),
    "too many names of attributes": "".join(f"<p a{n}=1>" for n in range(LIMITS.attribute_names + 1)),
    "too many names of ends": "".join(f"</x{n}>" for n in range(LIMITS.tag_names)),
    "too many names of document types": "".join(f"<!DOCTYPE n{n}>" for n in range(LIMITS.attribute_names + 1)),
    "too much formatting": "<b>" * (LIMITS.open_formatting + 1),
}
PIECES = (
    "<p> </p> <div> </div> <span> </span> <b> </b> <a> </a> <li> </li> <ul> </ul> <dl> </dl> <dt> <dd> </dd> <table> "
    "</table> <tr> </tr> <td> </td> <th> <tbody> </tbody> <thead> <caption> </caption> <colgroup> <col> <br> <hr> "
    "<img> <h2> </h2> <h3> <form> </form> <button> </button> <select> </select> <option> <optgroup> <svg> </svg> "
    "<path/> <g> </g> <ruby> <rt> </ruby> <pre> </pre> <em> </em> <x-y> </x-y> <script>a</script> <!--c--> word"
).split(" ")


def tree_of(source: bytes) -> str:
    html = LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS).html or ""
    return "".join(html.split())  # rewriting moves white space behind rows and bodies that the page leaves out


def test_what_is_closed_in_turn_is_orderly_and_built_alike() -> None:
    assert [name for name, html in ORDERLY.items() if not is_orderly(html.encode())] == []
    assert [name for name, html in ORDERLY.items() if rewrite(html.encode())[1]] == []
    assert [
        name for name, html in ORDERLY.items() if tree_of(rewrite(html.encode())[0]) != tree_of(html.encode())
    ] == []


def test_what_is_not_closed_in_turn_or_beyond_a_limit_is_rewritten() -> None:
    assert [name for name, html in DISORDERLY.items() if is_orderly(html.encode())] == []


def test_hostile_pages_that_are_orderly_lose_nothing_and_are_built_alike() -> None:
    bodies = {name: make(400).encode() for name, make in PAGES.items()}
    orderly = {name: body for name, body in bodies.items() if is_orderly(body)}
    assert 30 < len(orderly) < len(PAGES)
    changed = [name for name, body in orderly.items() if tree_of(rewrite(body)[0]) != tree_of(body)]
    assert changed == []
    assert [name for name, body in orderly.items() if rewrite(body)[1]] == []


def test_markup_by_chance_is_built_alike_where_it_is_orderly() -> None:
    dice, seen, changed = random.Random(5), 0, []
    for _ in range(6_000):
        html = "".join(dice.choices(PIECES, k=dice.randrange(2, 9)))
        if is_orderly(html.encode()):
            seen += 1
            if tree_of(rewrite(html.encode())[0]) != tree_of(html.encode()):
                changed.append(html)
    assert seen > 1_000
    assert changed == []


def test_long_plain_pages_are_not_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    rewritten: list[bytes] = []
    monkeypatch.setattr(tree_guard, "rewrite", lambda source: (rewritten.append(source) or source, ()))
    tree_guard.parse(b"<table>" + b"<tr><td>x" * LIMITS.plain_tags + b"</table>")
    assert rewritten == []
    tree_guard.parse(b"<div><b></div>" * LIMITS.plain_tags)
    assert len(rewritten) == 1
