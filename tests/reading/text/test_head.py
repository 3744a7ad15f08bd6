"""The head of a page as it tells what kind of page this is, and names of elements, however many there are."""

from __future__ import annotations

from scythe.page import Page
from scythe.reading.text.choose_text import head_of


def test_a_head_says_title_description_and_what_made_it() -> None:
    html = """<title>Plain</title><meta name=description content=" "><meta name=description content="On rye">
    <meta property=og:title content="Rye"><meta property=og:type content=Article>
    <meta name=generator content="WordPress 6.1"><p>text"""
    head = head_of(Page.from_text(html, url="https://farm.example/news/rye"))
    assert (head.title, head.description) == ("Rye", "On rye")
    assert {"og:article", "gen:wordpress", "host:farm", "url:news"} <= set(head.tokens)
