"""A page is read as it came: nothing is written into it first, so nothing can be read differently for it."""

import json

import pytest

import scythe
from scythe import demo
from scythe.page.page import Page

REST = "<p>" + "What stands behind it is read to its end, whatever it looks like before. " * 4 + "</p>"
TRICKY = {
    "a comment that ends in a tag": "<!-- see <name-->",
    "a comment that ends in an open tag": "<!-- <a href='x'-->",
    "a comment that ends with a bang": "<!-- <b --!>",
    "CDATA in drawings": "<svg><![CDATA[ <p>a</p> ]]><text>b</text></svg>",
    "CDATA in a page": "<![CDATA[ <p>a</p> ]]>",
    "a script in a comment in a script": "<script><!-- <script> x </script> --> </script>",
    "tags in attributes": "<img alt='<b>a</b>' src='a.png' width=400 height=300><a href='/x?<p>'>a</a>",
    "tags in a textarea": "<textarea><p>a</p></textarea>",
    "a tag that is none": "< p>a<3 <>b</ p>",
}


def everything(html: str) -> str:
    """Return all that reading a page gives, as one text."""
    document = scythe.read(html, url="http://a.example/")
    said = [document.title, document.text, document.markdown, document.html, repr(document.metadata)]
    said += [repr(document.images), repr(document.lists), repr(document.attributes), repr(document.where)]
    return "\n".join(said) + json.dumps(document.how)


@pytest.mark.parametrize("piece", TRICKY.values(), ids=TRICKY)
def test_nothing_is_written_into_a_page_and_nothing_behind_is_lost(piece: str) -> None:
    html = f"<html><title>A title</title><body><main><h1>A title</h1>{REST}{piece}{REST}<p>The very end.</p></main>"
    page = Page.from_text(html, url="http://a.example/")
    source = page.map.source
    said = everything(html)
    assert "data-scythe" not in said
    assert "The very end." in said
    assert page.map.source == source == html.encode()
    again = scythe.read(page.html, url="http://a.example/")
    assert again.text == scythe.read(html, url="http://a.example/").text


def test_no_page_of_the_demo_site_is_changed_by_being_read() -> None:
    for made in demo.site(seed=2, pages=24):
        page = Page.from_bytes(made.html, url=made.url)
        everything(page.html)
        assert page.map.source == page.html.encode()
        assert "data-scythe" not in page.html
