"""What a body is, by its first bytes."""

from __future__ import annotations

import pytest

from scythe.fetch.page_check import sniff_bytes, sniff_text


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.4", "PDF"),
        (b"GIF89a\x01", "GIF image"),
        (b"\xff\xd8\xff\xe0", "JPEG image"),
        (b"BM\x36\x00\x00\x00\x00\x00\x00\x00", "BMP image"),
        (b"BMW presents a new car", ""),
        (b"II*\x00", "TIFF image"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "AVI video"),
        (b"RIFF is a word", ""),
        (b"\x00\x00\x00\x1cftypavif", "AVIF image"),
        (b"\x00\x00\x00\x18ftypmp42", "MP4 media"),
        (b"\x1f\x8b\x08", "gzip archive"),
        (b"<!DOCTYPE html>", ""),
        (b"plain words", ""),
        (b"", ""),
    ],
)
def test_binary_formats_are_known_by_their_signature(head: bytes, kind: str) -> None:
    assert sniff_bytes(head) == kind


def test_a_declared_image_is_believed_where_nothing_speaks_against_it() -> None:
    assert sniff_bytes(b"\x01\x02\x03", "image/x-raw") == "image/x-raw"
    assert sniff_bytes(b"<html>", "image/png") == ""
    assert sniff_bytes(b"\x01\x02\x03", "text/html") == ""


@pytest.mark.parametrize(
    ("text", "content_type", "kind"),
    [
        ("<p>x</p>", None, ""),
        ("", None, ""),
        ("  \n", None, ""),
        ("just words", None, "plain text"),
        ("AT&amp;T", None, ""),
        ("1 < 2 and 3 > 2", None, "plain text"),
        ("<p>x</p>", "text/plain", "plain text"),
        ('{"a": 1}', None, "JSON"),
        ("[1, 2", "application/json", "JSON"),
        ('[{"a": "<b>x</b>"}]', "application/ld+json; charset=utf-8", "JSON"),
        ("[sic] he wrote", None, "plain text"),
        ("{{template}} words <p>x</p>", None, ""),
        ('<?xml version="1.0"?>\n<feed xmlns="x">', None, "XML feed or sitemap"),
        ("<urlset >", None, "XML feed or sitemap"),
        ('<?xml version="1.0"?><html><body><rss >', None, ""),
        ("\ufeff<rss version='2.0'>", None, "XML feed or sitemap"),
    ],
)
def test_texts_that_are_not_html_are_named(text: str, content_type: str | None, kind: str) -> None:
    assert sniff_text(text, content_type) == kind
