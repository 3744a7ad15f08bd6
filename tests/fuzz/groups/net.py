"""What servers send besides pages: robots.txt, sitemaps, feeds, packed bodies, cookies, headers."""

import gzip
import zlib
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address

import brotli
from tests.fuzz.groups.page import require_clean
from tests.fuzz.registry import STRUCTURED, Wrong, target

from scythe.batch.captures import undo_chunks, undo_codings
from scythe.errors import FetchFailed
from scythe.fetch.cookies import CookieJar
from scythe.fetch.decode import Decoder, zstd
from scythe.fetch.fetcher import readable_headers
from scythe.fetch.guard import why_closed
from scythe.fetch.page_check import other_than_page, retry_after_s
from scythe.fetch.redirects import redirect_target
from scythe.fetch.robots import parse_robots
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.page.feeds import read_feed
from scythe.page.sitemaps import read_sitemap
from scythe.url import Url, absolute

URL = Url("https://example.org/a")
ROBOTS = (
    b"User-agent: *\nDisallow: /private/\nAllow: /private/open$\nCrawl-delay: 2\nSitemap: https://example.org/m.xml\n",
    b"user-agent: scythe\nuser-agent: x\ndisallow: /*?session=*&\nrequest-rate: 1/10\n\nUser-agent: *\nDisallow: /\n",
    b"\xef\xbb\xbf# comment\r\nUser-agent : scythe/1.0\r\nDissallow: /a*b*c*d*e$ # why\r\n",
)
ROBOTS_TOKENS = (
    *b"* $ / # %2F".split(),
    b"User-agent: ",
    b"Disallow: ",
    b"Allow: ",
    b"\r",
    b"Crawl-delay: 9e99",
    b"Request-rate: 1/0",
    b"Visit-time: 0-9",
)
PATHS = ("/", "/private/open", "/private/x", "/" + "a" * 200 + "b", "/%C3%A9?session=1&", "/[", "//")


@target("net.robots", seeds=lambda: ROBOTS, tokens=ROBOTS_TOKENS)
@target("net.robots-lines", seeds=lambda: ROBOTS, tokens=ROBOTS_TOKENS, shape="lines", kind=STRUCTURED)
def read_robots(data: bytes) -> None:
    """Any file gives rules; any address gets an answer; delays are bounded."""
    robots = parse_robots(200, data)
    for path in PATHS:
        robots.allows(f"https://example.org{path}")
    if not 0 <= robots.delay_s <= 86_400:
        raise Wrong(f"a delay of {robots.delay_s} s")
    if any(absolute(url) != url for url in robots.sitemaps):
        raise Wrong("a sitemap without an address")


SITEMAP = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>https://example.org/a&amp;b</loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq>"
    b"<priority>0.5</priority></url><url><loc><![CDATA[/c]]></loc></url></urlset>"
)
SITEMAPS = (
    SITEMAP,
    b"<sm:sitemapindex><sm:sitemap><sm:loc> https://example.org/s.xml.gz </sm:loc></sm:sitemap></sm:sitemapindex>",
    b"https://example.org/1\nhttps://example.org/2\n",
    gzip.compress(b"<urlset><url><loc>https://example.org/z</loc></url></urlset>", mtime=0),
)
SITEMAP_TOKENS = tuple(
    b"<url> <loc> </loc> <urlset> <![CDATA[ ]]> <!-- --> &#0; &#xD800; <image:loc> <sitemap> <lastmod>".split()
)


@target("net.sitemap", seeds=lambda: SITEMAPS, tokens=SITEMAP_TOKENS)
@target("net.sitemap-soup", seeds=lambda: SITEMAPS, tokens=SITEMAP_TOKENS, shape="page", kind=STRUCTURED)
def read_map(data: bytes) -> None:
    """Any body gives addresses of the web, or a reason."""
    found = read_sitemap(data, URL)
    for url in (*(entry.url for entry in found.urls), *found.sitemaps):
        if absolute(url) != url:
            raise Wrong(f"{url!r} is no address")
    if not found.urls and not found.sitemaps and not found.why:
        raise Wrong("nothing, and no reason")


RSS = (
    b'<rss version="2.0"><channel><title>T</title><ttl>60</ttl><item><title>A</title><link>https://example.org/1</link>'
    b"<guid>1</guid><pubDate>Fri, 02 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>"
)
ATOM = (
    b'<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><updated>2026-01-02T10:00:00Z</updated>'
    b'<link rel="next" href="/2"/><entry><title type="html">A &amp; B</title><link href="/1"/><id>urn:1</id>'
    b"<updated>2026-01-02T10:00:00+01:00</updated></entry></feed>"
)
JSON_FEED = (
    b'{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": '
    b'[{"id": "1", "url": "/1", "date_published": "2026-01-02"}]}'
)
RDF = b'<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/"><item><link>/x</link></item></rdf:RDF>'
FEEDS = (RSS, ATOM, JSON_FEED, RDF)
FEED_TOKENS = (
    *(
        b"<item> <entry> <link> <guid> <pubDate> &a; <dc:date> <media:content> <georss:point> <updated> "
        b"encoding='utf-32'"
    ).split(),
    b"<link href='",
    b"<!DOCTYPE x [",
    b"<!ENTITY a 'b'>",
    b"xml:base='http://[' ",
)


@target("net.feed", seeds=lambda: FEEDS, tokens=FEED_TOKENS, most_bytes=20_000)
@target("net.feed-soup", seeds=lambda: FEEDS, tokens=FEED_TOKENS, shape="page", kind=STRUCTURED, most_bytes=20_000)
def read_any_feed(data: bytes) -> None:
    """Any body gives entries with addresses, or a reason."""
    feed = read_feed(data, URL)
    for entry in feed.entries:
        if absolute(entry.url) != entry.url or any(
            at is not None and at.tzinfo is None for at in (entry.published, entry.updated)
        ):
            raise Wrong(f"not an entry: {entry!r:.300}")
    require_clean(repr(feed), "the feed")
    if not feed.entries and not feed.why:
        raise Wrong("nothing, and no reason")


CODINGS = ("gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip", "x-gzip", "identity", "deflate, deflate")
MOST = 200_000
_TEXT = b"<p>Some words of a page, and more of them.</p>\n" * 20


def _pack(body: bytes, names: str) -> bytes:
    for name in names.replace(" ", "").split(","):
        if name in ("gzip", "x-gzip"):
            body = gzip.compress(body, mtime=0)
        elif name == "deflate":
            body = zlib.compress(body)
        elif name == "br":
            body = brotli.compress(body)
        elif name == "zstd":
            body = zstd.compress(body)
    return body


@cache
def packed() -> tuple[bytes, ...]:
    """Return packed bodies; the first two bytes name the coding and how the rest is cut into chunks."""
    found = [bytes([number, 7 * number]) + _pack(_TEXT, names) for number, names in enumerate(CODINGS)]
    bomb = [bytes([number, 0]) + _pack(bytes(3_000_000), names) for number, names in enumerate(CODINGS[:7])]
    raw = zlib.compressobj(wbits=-15)
    return (
        *found,
        *bomb,
        b"\x01\x03" + raw.compress(_TEXT) + raw.flush(),
        b"\x00\x05" + gzip.compress(_TEXT, mtime=0) * 3,
    )


@target(
    "net.codings",
    seeds=packed,
    tokens=(b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x78\x9c", b"\x00" * 8),
)
def unpack(data: bytes) -> None:
    """Any body is unpacked within its bound; how it was cut into chunks changes nothing but what damage takes along."""
    if len(data) < 2:
        return
    coding, body = CODINGS[data[0] % len(CODINGS)], data[2:]
    whole = _decode(coding, body, len(body) or 1)
    pieces = _decode(coding, body, 1 + data[1])
    if len(whole[0]) > MOST or len(pieces[0]) > MOST:
        raise Wrong("more than was asked for")
    if not whole[1] and whole != pieces:
        raise Wrong(f"in pieces {pieces[1]!r} and {len(pieces[0])} bytes, as one {len(whole[0])}")
    short = min(len(whole[0]), len(pieces[0]))
    if whole[0][:short] != pieces[0][:short]:
        raise Wrong("chunks change what is unpacked")
    undo_codings(body, "chunked" if data[1] % 2 else "", coding, MOST)


def _decode(coding: str, body: bytes, step: int) -> tuple[bytes, str]:
    decoder = Decoder(coding, max_bytes=MOST, max_ratio=LIMITS.inflate_ratio, max_codings=LIMITS.codings)
    for at in range(0, len(body), step):
        decoder.feed(body[at : at + step])
        if decoder.is_full:
            break
    return (found := decoder.finish()).body, found.cut


CHUNKS = (b"5;a=b\r\nhello\r\n3\r\nyou\r\n0\r\nX: y\r\n\r\n", b"2\nab\n0\n\n", b"plain", b"ffffffff\r\nab")


@target(
    "net.chunks", seeds=lambda: CHUNKS, tokens=(b"\r\n", b"\n", b";", b"0\r\n\r\n", b"ffffffff", b"-1", b"1\r\na\r\n")
)
def join_chunks(data: bytes) -> None:
    """Any body is joined; none grows."""
    body, _ = undo_chunks(data)
    if len(body) > len(data):
        raise Wrong("a body grew")


COOKIES = (
    b"sid=abc; Path=/a; Max-Age=60; HttpOnly\nother=1; Expires=Fri, 02-Jan-2099 10:00:00 GMT\n",
    b"a=b; Domain=example.org; Secure; Expires=Thu, 01 Jan 1970 00:00:00 GMT\n=x\nnovalue\n",
    b'Location: //other.example/x\nRetry-After: 120\nContent-Type: text/html; charset="utf-8"\nETag: W/"a"\n',
)
COOKIE_TOKENS = (
    *b"= ; 99999999999999999999 -1 0000".split(),
    b"; Max-Age=",
    b"; Expires=",
    b"; Path=",
    b"Fri, 31 Dec 9999 23:59:59 -2359",
    b"Retry-After: ",
    b"Location: ",
    b"\xb2",
)


@target("net.headers", seeds=lambda: COOKIES, tokens=COOKIE_TOKENS)
@target("net.headers-lines", seeds=lambda: COOKIES, tokens=COOKIE_TOKENS, shape="lines", kind=STRUCTURED)
def take_headers(data: bytes) -> None:
    """Any cookies and headers are taken or left; what goes out again is one line of plain characters."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    jar = CookieJar(clock=lambda: 1_800_000_000.0)
    jar.keep("https://example.org:443", "/a/b", lines)
    said = jar.header_for("https://example.org:443", "/a/b")
    if not said.isascii() or not (said.isprintable() or not said):
        raise Wrong(f"a cookie that breaks its line: {said!r}")
    if jar.header_for("https://example.org:444", "/a/b") or jar.header_for("http://example.org:443", "/a/b"):
        raise Wrong("a cookie of another origin")
    named = {name.strip() or "X": value.strip() for name, _, value in (line.partition(":") for line in lines[:50])}
    headers = readable_headers(named)
    for name, value in headers:
        if name.isascii():
            require_clean(value.replace("\0", ""), f"the header {name}")
    for status in (302, 429, 503):
        response = Response(URL, status, headers, b"", datetime(2026, 1, 1, tzinfo=UTC))
        seconds = retry_after_s(response, now=datetime(2026, 1, 1, tzinfo=UTC))
        if seconds is not None and not 0 <= seconds <= 86_400:
            raise Wrong(f"again after {seconds} s")
        try:
            redirect_target(response)
        except FetchFailed:
            pass
    other_than_page(data[:100], named.get("Content-Type", ""))


@target(
    "net.address",
    seeds=lambda: tuple(b"127.0.0.1 ::ffff:127.0.0.1 64:ff9b::a9fe:a9fe 8.8.8.8 2606:4700::1111 fe80::1%eth0".split()),
    tokens=(b":", b"::", b".", b"%", b"ffff", b"0x", b"10.", b"192.168."),
    most_bytes=200,
)
def judge_address(data: bytes) -> None:
    """What is let out is a global address, also by the standard library's book."""
    text = data.decode("latin-1")
    if why_closed(text) is not None:
        return
    number = ip_address(text.partition("%")[0])
    if number.is_loopback or number.is_link_local or number.is_multicast or number.is_unspecified:
        raise Wrong(f"{text!r} is let out")
    mapped = getattr(number, "ipv4_mapped", None) or getattr(number, "sixtofour", None) or number
    if mapped.is_private or (number.version == 6 and number.teredo):  # type: ignore[union-attr]
        raise Wrong(f"{text!r} is let out")
