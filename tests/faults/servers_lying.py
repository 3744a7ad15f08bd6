"""Servers that lie: about lengths, codings, kinds, encodings, times, versions, and where something is."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator
from urllib.parse import unquote

import brotli
from tests.faults.servers import HTML, OK, Ask, plain, redirect, says_always, server
from tests.fetch.server import page

BODY = b"<!doctype html><title>Lies</title>" + b"<p>One paragraph of a page that is not what it seems.</p>" * 50
CAFE = "<p>naïve café</p>"
_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def _coded(coding: str, body: bytes) -> bytes:
    return page(body, HTML, f"Content-Encoding: {coding}")


def _declared(length: object, body: bytes = BODY) -> bytes:
    return OK + f"Content-Length: {length}\r\n\r\n".encode() + body


says_always(
    "gzip cut in half", "The packed body ends in the middle, as declared.", _coded("gzip", gzip.compress(BODY)[:99])
)
says_always(
    "gzip with a wrong sum",
    "The checksum of the packed body is wrong.",
    _coded("gzip", gzip.compress(BODY)[:-8] + bytes(8)),
)
says_always(
    "br cut in half", "The packed body ends in the middle, as declared.", _coded("br", brotli.compress(BODY)[:30])
)
says_always("plain as gzip", "A plain body claims to be packed.", _coded("gzip", BODY))
says_always("gzip as plain", "A packed body does not say so.", page(gzip.compress(BODY), HTML))
says_always(
    "deflate without its head",
    "What is called deflate lacks its head, as some servers have it.",
    _coded("deflate", zlib.compress(BODY)[2:-4]),
)
says_always("ten codings", "The body was packed ten times.", _coded(", ".join(["gzip"] * 10), gzip.compress(BODY)))
says_always(
    "a coding that nobody asked for", "The body is packed in a way that was not offered.", _coded("compress", BODY)
)
says_always("shorter than declared", "The connection ends before the body does.", _declared(len(BODY) + 1_000))
says_always("longer than declared", "There is more behind the end of the body.", _declared(len(BODY) - 1_000))
says_always("a length below zero", "The length of the body is negative.", _declared(-1))
says_always("a length of words", "The length of the body is no number.", _declared("many"))
says_always("a length beyond belief", "The length of the body has thirty digits.", _declared("9" * 30))
says_always("two lengths", "The body has two lengths.", OK + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\n" + BODY)
says_always(
    "a length and chunks",
    "The body has a length and comes in chunks.",
    OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
)
says_always("chunks without an end", "The last chunk never comes.", _CHUNKED + b"5\r\nhello\r\n")
says_always("a chunk below zero", "The length of a chunk is negative.", _CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n")
says_always(
    "a chunk beyond belief", "The length of a chunk has thirty digits.", _CHUNKED + b"f" * 30 + b"\r\nhello\r\n"
)
says_always("no answer", "The connection closes without a word.")
says_always("no HTTP", "Something else than a web server answers.", b"SSH-2.0-OpenSSH_9.6\r\n")
says_always("a body without a head", "The page comes without any head.", BODY)
says_always(
    "another protocol",
    "The server switches to another protocol.",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
)
says_always("a status beyond belief", "The status has no meaning.", page(BODY, status="999 Whatever"))
says_always(
    "headers that are no text",
    "Headers hold NUL, line feeds and bytes of no encoding.",
    OK + b"X: a\x00b\r\nY: \xff\xfe\r\nZ: \n\n\r\n\r\n" + BODY,
)

for _name, _says, _kind, _body in (
    (
        "an image as a page",
        "A picture claims to be a page.",
        "text/html",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200),
    ),
    ("a page as an image", "A page claims to be a picture.", "image/png", BODY),
    ("a page as JSON", "A page claims to be JSON.", "application/json", BODY),
    ("a PDF as a page", "A PDF file claims to be a page.", "text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(300)),
    ("a program as text", "A program claims to be text.", "text/plain", b"\x7fELF\x02\x01\x01" + bytes(300)),
    ("a kind of no kind", "The content type is rubbish.", "\x01;;;=/,text", BODY),
    (
        "a charset that nobody knows",
        "The header names an encoding that there is none of.",
        "text/html; charset=klingon",
        BODY,
    ),
    ("UTF-8 as Latin-1", "The header says Latin-1 of a page in UTF-8.", "text/html; charset=iso-8859-1", CAFE.encode()),
    (
        "Latin-1 as UTF-8",
        "The header says UTF-8 of a page in Latin-1.",
        "text/html; charset=utf-8",
        CAFE.encode("latin-1"),
    ),
    (
        "UTF-16 as UTF-8",
        "The header says UTF-8 of a page in UTF-16.",
        "text/html; charset=utf-8",
        CAFE.encode("utf-16"),
    ),
):
    says_always(_name, _says, page(_body, f"Content-Type: {_kind}"))
says_always("no kind at all", "Nothing says what the body is.", page(BODY))
says_always("a mark that lies", "The byte order mark says UTF-16 of a page in UTF-8.", page(b"\xff\xfe" + BODY, HTML))

for _status, _when in (
    *((429, when) for when in ("0", "-5", "1.5", "99999999999999999999", "soon", "", "Fri, 31 Dec 9999 23:59:59 GMT")),
    *((429, when) for when in ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 99 Foo 2026 99:99:99 XYZ", "5, 6", "\xb2")),
    *((503, "86401"), (500, "1"), (502, "3600"), (301, "7")),
):
    says_always(
        f"{_status} until {_when or 'nothing'}",
        f"The status is {_status}, and one is to come again after {_when!r}.",
        page(b"<p>later", f"Retry-After: {_when}", status=f"{_status} Later"),
    )
says_always(
    "304 without being asked",
    "The page is said not to have changed, to one who does not know it.",
    page(b"", status="304 Not Modified"),
)
says_always(
    "304 with a length",
    "The page is said not to have changed, and to be long.",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n",
)
says_always(
    "304 with a body", "The page is said not to have changed, and comes.", page(BODY, status="304 Not Modified")
)
says_always(
    "206 without being asked",
    "A part of the page comes to one who wanted all.",
    page(BODY, "Content-Range: bytes 5-9/99", status="206 Partial Content"),
)
says_always("204 with a body", "There is said to be no content, and it comes.", page(BODY, status="204 No Content"))
says_always(
    "validators without end",
    "The marks to ask by are as long as the head may be.",
    page(BODY, HTML, f'ETag: "{"x" * 40_000}"', "Last-Modified: never"),
)


@server("marks that change while the page does not", "Every answer has another ETag and the same body.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    _count["marks"] += 1
    yield page(BODY, HTML, f'ETag: W/"{_count["marks"]}"')


@server("a page that changes while its mark does not", "Every answer has the same ETag and another body.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    _count["pages"] += 1
    yield page(BODY + b"<p>%d</p>" % _count["pages"], HTML, 'ETag: "always"')


_count = {"marks": 0, "pages": 0}


@server("a redirect to itself", "The page leads to itself.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}{ask.path}")


@server("a redirect there and back", "Two pages lead to each other.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}/{'b' if ask.path == '/a' else 'a'}")


@server("redirects without end", "Every page leads to another one.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}/{int(ask.path[1:] or 0) + 1}")


@server("a redirect until it sees its cookie", "The page leads to itself until its cookie comes back.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield plain() if "\r\nCookie: " in ask.head else redirect(f"{ask.mount}{ask.path}", "Set-Cookie: seen=1")


says_always("a redirect to nowhere", "A redirect does not say where it leads.", page(b"", status="302 Found"))
says_always(
    "a redirect to two places",
    "A redirect names two places.",
    page(b"", "Location: /a", "Location: /b", status="302 Found"),
)
says_always("a redirect to a file", "A redirect leads to a file of this machine.", redirect("file:///etc/passwd"))
says_always("a redirect to a bucket", "A redirect leads to a store of another scheme.", redirect("s3://bucket/key"))
says_always(
    "a redirect to the metadata service",
    "A redirect leads to where clouds keep secrets.",
    redirect("http://169.254.169.254/latest/"),
)


@server("a redirect to anywhere", "A redirect leads to what the query says, percent-encoded.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(unquote(ask.query, "latin-1"))


@server("a redirect with credentials", "A redirect names a user and a password.")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    host = next((line[6:] for line in ask.head.split("\r\n") if line.lower().startswith("host: ")), "localhost")
    yield plain("Inside.") if ask.path == "/in" else redirect(f"http://user:secret@{host}{ask.mount}/in")
