"""Rows of labelled images become pages that every model reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from bench.image_rows import load_rows, rows_to_page

from scythe.errors import BadInput

SRC = "https://s.example/a.jpg"
ROW: dict[str, Any] = {
    "site": "s",
    "page_url": "https://s.example/1",
    "page_type": "article",
    "img_text": '<picture><source media="x > y"><img src="/a.jpg">',
    "src": "/a.jpg",
    "relevant": 1,
    "anc": ["source", "picture", "figure#f.g", "body"],
    "link": None,
    "fig": 1,
    "opos": 0.25,
    "tpos": 0.5,
    "og": 1,
    "ld": 0,
    "title": "T",
    "hasmeta": 1,
    "ntext": 900,
}


def test_a_row_becomes_a_context_with_every_field():
    page = rows_to_page("https://s.example/1", [ROW])
    image = page.images[0]
    assert (page.url, page.title, page.text_chars, page.has_meta) == ("https://s.example/1", "T", 900, True)
    assert image.tags == ("<picture>", '<source media="x > y">', '<img src="/a.jpg">')
    assert image.path == ("picture", "figure#f.g", "body")
    assert (image.src, image.addresses, image.link) == (SRC, (SRC,), None)
    assert (image.is_figure, image.order, image.text_before) == (True, 0.25, 0.5)
    assert (image.is_lead, image.is_stated) == (True, False)


def test_rows_that_say_little_are_read_all_the_same():
    image = rows_to_page("", [{"img_text": "<p><img>", "relevant": 0}]).images[0]
    assert (image.tags, image.path, image.link, image.src, image.addresses) == (("", "<p>", "<img>"), (), None, "", ())
    assert rows_to_page("", []).images == ()


def test_pages_come_by_site_in_order_with_their_labels(tmp_path: Path):
    rows = [ROW, {**ROW, "relevant": 0}, {**ROW, "page_url": None, "relevant": 0}, {**ROW, "site": "t"}]
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    sites = load_rows(path)
    assert list(sites) == ["s", "t"]
    assert [(page.page.url, page.relevant, page.kind) for page in sites["s"]] == [
        ("https://s.example/1", (True, False), "article"),
        ("", (False,), "article"),
    ]


def test_a_row_without_label_is_named(tmp_path: Path):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"site": "s", "img_text": "<img>"}))
    with pytest.raises(BadInput, match=r"set\.jsonl:1 has no relevant"):
        load_rows(path)
