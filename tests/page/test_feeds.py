"""Feeds of every kind give their entries, and nothing in one is opened or expanded."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.limits import LIMITS
from scythe.page.feeds import is_feed, read_feed

URL = "https://example.org/blog/feed"
RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>
<title>Blog &amp; more</title><ttl>90</ttl>
<item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/one</link><guid isPermaLink="false">id-1</guid>
<pubDate>Mon, 06 Sep 2021 02:01:00 +0200</pubDate></item>
<item><title>Two</title><guid>https://example.org/two</guid></item>
<item><title>None</title></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><updated>2024-05-01T00:00:00Z</updated>
<link rel="next" href="?page=2"/><link rel="self" href="/self"/>
<entry><title type="html">Three</title><link rel="alternate" href="three"/><id>urn:3</id>
<published>2024-04-01T10:00:00Z</published><updated>2024-04-02T10:00:00+02:00</updated></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="x"><title>R</title></channel><item rdf:about="y"><title>Four</title>
<link>https://example.org/four</link></item></rdf:RDF>"""
JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "J", "next_url": "/feed?2", "items": [
{"id": "5", "url": "/five", "title": "Five", "date_published": "2020-01-01T01:00:00+01:00"}, {"id": 6}, 7]}"""


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON, b"\xef\xbb\xbf \n" + RSS, RSS.decode().encode("utf-16")])
def test_feeds_are_known_by_their_first_bytes(body: bytes) -> None:
    assert is_feed(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body><rss>",
        b"<!doctype html><HTML><p><feed >",
        b'{"version": 1}',
        b"<urlset></urlset>",
        b"plain words",
        b"\x89PNG",
    ],
)
def test_other_bodies_are_no_feeds(body: bytes) -> None:
    assert not is_feed(body, "application/rss+xml")
    assert read_feed(body, URL).why == "not a feed"


def test_no_file_and_no_host_named_in_a_feed_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    opened: list[object] = []

    def refuse(*args: object, **kwargs: object) -> None:
        opened.append(args)
        raise OSError("no network here")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    entities = f'<!ENTITY a SYSTEM "file://{secret}"><!ENTITY b SYSTEM "http://127.0.0.1/x">'
    doctype = f'<!DOCTYPE rss SYSTEM "http://127.0.0.1/rss.dtd" [{entities}]>'.encode()
    item = b"<item><title>&a; &b;</title><link>https://example.org/x</link></item>"
    for head in (doctype, b"<!-- x -->" + doctype, b'<?xml version="1.0"?>' + doctype.lower(), doctype[:-1]):
        feed = read_feed(head + b'<rss version="2.0"><channel>' + item + b"</channel></rss>", URL)
        assert "secret" not in repr(feed)
    assert read_feed(str(secret).encode(), URL).why == read_feed(b"http://127.0.0.1/feed", URL).why == "not a feed"
    assert opened == []


def test_entities_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<!DOCTYPE rss [<!ENTITY l0 "ha">{laughs}]><rss version="2.0"><channel><item><title>&l9;</title>'
    feed = read_feed((body + "<link>https://example.org/</link></item></channel></rss>").encode(), URL)
    assert feed.entries[0].title == "&l9;"


@pytest.mark.parametrize("end", ["></rss>", ">", ""])
def test_a_tag_with_more_attributes_than_any_is_not_read(end: str) -> None:
    """The standard library looks for each attribute among all: 50 000 would take 22 s."""
    feed = read_feed(("<rss" + "".join(f" a{number}='1'" for number in range(50_000)) + end).encode(), URL)
    assert feed.why == "cannot be read: a tag has more than 512 attributes"


def test_text_that_looks_like_attributes_is_text() -> None:
    words = " ".join(f"a{number}='1'" for number in range(5_000))
    item = f"<item><title>{words}</title><link>/1</link></item>"
    assert len(read_feed(f"<rss><channel>{item}</channel></rss>".encode(), URL).entries) == 1


def test_a_long_feed_is_cut_and_the_loss_is_counted() -> None:
    items = b"".join(b"<item><link>/%d</link></item>" % n for n in range(LIMITS.feed_entries + 5))
    feed = read_feed(b'<rss version="2.0"><channel>' + items + b"</channel></rss>", URL)
    assert len(feed.entries) == LIMITS.feed_entries
    assert [(loss.what, loss.count) for loss in feed.losses] == [("entries beyond the limit", 5)]


def test_what_is_beyond_the_size_limit_is_counted() -> None:
    body = JSON + b" " * LIMITS.feed_bytes
    assert read_feed(body, URL).losses[0].what == "bytes beyond the size limit of a feed"


@pytest.mark.parametrize("codec", ["utf-7", "idna", "zip", "undefined", "x" * 500, "utf-32", "punycode", "hex"])
def test_any_declared_encoding_is_survived(codec: str) -> None:
    body = f'<?xml version="1.0" encoding="{codec}"?>'.encode() + ATOM
    assert all(entry.url.startswith("https://") for entry in read_feed(body, URL).entries)


JSON_HEAD = b'{"version": "https://jsonfeed.org/version/1", "items": '


@pytest.mark.parametrize(
    "rest", [b"[" * 100_000, b'[{"id": ' + b"9" * 100_000 + b"}]}", b"{}}", b"[[[]]]}", b"null}", b""]
)
def test_broken_json_is_survived(rest: bytes) -> None:
    assert read_feed(JSON_HEAD + rest, URL).entries == ()


@given(st.sampled_from([RSS, ATOM, RDF, JSON]), st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_is_survived(body: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body)))
    damaged = body[:at] + data.draw(st.binary(max_size=8)) + body[at + data.draw(st.integers(0, 20)) :]
    feed = read_feed(damaged, URL)
    assert all(entry.url.startswith(("http://", "https://")) for entry in feed.entries)


@pytest.mark.parametrize("label", ["unicode_escape", "raw_unicode_escape", "rot13", "punycode", "utf-7", "undefined"])
def test_no_codec_that_only_python_knows_makes_markup_of_a_feed(label: str) -> None:
    entry = "<item><title>\\u003cb\\u003e +ADw-</title><link>http://a.example/\\x41</link></item>"
    feed = read_feed(f'<?xml version="1.0" encoding="{label}"?><rss><channel>{entry}</channel></rss>'.encode(), URL)
    assert [(one.title, one.url) for one in feed.entries] == [("\\u003cb\\u003e +ADw-", "http://a.example/%5Cx41")]
    header = read_feed(f"<rss><channel>{entry}</channel></rss>".encode(), URL, f"application/rss+xml; charset={label}")
    assert header.entries == feed.entries
