"""What a page says about itself, read from its bytes: the same as its tree says, but for what only the body shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe import demo
from scythe.model import Metadata
from scythe.page import Page
from scythe.page.head_from_bytes import read_declared_title, read_said

URL = "https://mill.example/a.html"
OF_BODY = {"title": "", "author": "", "published": "", "modified": "", "description": ""}

PAGES = {
    "nothing": b"",
    "no head": b"<p>Only a paragraph.",
    "metas": b"<html lang=de><head><meta property='og:type' content=article><meta name=keywords content='a, b'></head>",
    "canonical": b'<head><base href="/x/"><link rel="stylesheet canonical" href="y"><link rel=icon href=z></head>',
    "in a comment": b'<html><head><!-- <meta property="og:type" content="video"> --><meta name="author" content="Ann">',
    "in a script": b'<head><script>"<meta name=author content=Bob>"</script><meta name="description" content="d">',
    "in the body": b'<body><p>x<meta property="og:locale" content="fr_FR"><meta property="og:site_name" content="S">',
    "json-ld": b'<body><script type="application/ld+json">{"@type": "NewsArticle", "headline": "H", '
    b'"datePublished": "2024-05-06", "author": {"name": "Cid"}, "image": "/i.png", "inLanguage": "en"}</script>',
    "json-ld twice": b'<script type=application/ld+json>{"@type":"WebSite","name":"W"}</script>'
    b'<SCRIPT type="application/ld+json">{"@type":"Product","name":"P"}</SCRIPT>',
    "json-ld unclosed": b'<script type="application/ld+json">{"@type":"Product"}',
    "json-ld broken": b'<script type="application/ld+json">{"@type":</script><meta property=og:type content=x>',
    "ld+json as text": b"<p>We write application/ld+json here</p><script>var a = 1</script>",
    "microdata": b'<body><div itemscope itemtype="https://schema.org/Recipe"><p>x</div><div itemtype="X"></div>',
    "latin-1": '<head><meta charset="iso-8859-1"><meta property="og:site_name" content="Café">'.encode("latin-1"),
    "no declaration": '<head><meta property="og:site_name" content="Café été où">'.encode("latin-1") + b"<p>x",
    "utf-8": '<head><meta charset="utf-8"><meta property="og:site_name" content="Müller">'.encode(),
    "quotes": b"""<meta name="description" content='say "a > b"'><meta name=robots content="no<b>index">""",
}


def of_head(metadata: Metadata) -> Metadata:
    return replace(metadata, **OF_BODY)


@pytest.mark.parametrize("name", PAGES)
def test_what_bytes_say_is_what_the_tree_says(name: str) -> None:
    said, tree = read_said(PAGES[name], URL), Page.from_bytes(PAGES[name], url=URL).metadata
    assert of_head(said) == of_head(tree)
    for part in OF_BODY:  # the head's own word on these is the same too
        assert getattr(said, part) in (getattr(tree, part), "")


def test_demo_pages_say_the_same_by_their_bytes() -> None:
    pages = demo.site(seed=3, pages=60)
    differing = [
        page.path
        for page in pages
        if of_head(read_said(page.html, page.url)) != of_head(Page.from_bytes(page.html, url=page.url).metadata)
    ]
    assert differing == []


def test_a_page_without_an_address_still_speaks() -> None:
    assert read_said(PAGES["metas"], None).kind == "article"


TITLES = {
    b"<title>A mill</title>": "A mill",
    b"<TITLE>A &amp; B - Field News</TITLE><meta property='og:site_name' content='Field News'><body>": "A & B",
    b"<title>A mill</title><meta property='og:title' content='The mill'>": "The mill",
    b'<title>A</title><body><script type="application/ld+json">{"@type":"Article","headline":"H"}</script>': "H",
    b"<!-- <title>No</title> --><script>'<title>No</title>'</script><title>Yes</title>": "Yes",
    b"<head></head><body><svg><title>An icon</title></svg><h1>A mill</h1>": "",
    '<meta charset="iso-8859-1"><title>M\u00fchle</title><body>'.encode("latin-1"): "M\u00fchle",
    b"": "",
}


@pytest.mark.parametrize(("body", "title"), TITLES.items())
def test_a_declared_title_is_that_of_the_tree(body: bytes, title: str) -> None:
    assert read_declared_title(body, URL) == title
    if b"<h1>" not in body:  # which only a tree shows
        assert Page.from_bytes(body, url=URL).metadata.title == title
