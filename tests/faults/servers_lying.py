"""Servers that lie: about lengths, codings, kinds, encodings, times, versions, and where something is."""

import gzip
import zlib
from collections.abc import AsyncIterator
from urllib.parse import unquote

import brotli
from tests.faults.servers import HTML, OK, Ask, answers_always, plain, redirect, server
from tests.fetch.server import page

BODY = b"<!doctype html><title>Lies</title>" + b"<p>One paragraph of a page that is not what it seems.</p>" * 50
CAFE = "<p>naïve café</p>"
_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def _coded(coding: str, body: bytes) -> bytes:
    return page(body, HTML, f"Content-Encoding: {coding}")


def _declared(length: object, body: bytes = BODY) -> bytes:
    return OK + f"Content-Length: {length}\r\n\r\n".encode() + body


answers_always("gzip cut in half", _coded("gzip", gzip.compress(BODY)[:99]))
answers_always("gzip with a wrong sum", _coded("gzip", gzip.compress(BODY)[:-8] + bytes(8)))
answers_always("br cut in half", _coded("br", brotli.compress(BODY)[:30]))
answers_always("plain as gzip", _coded("gzip", BODY))
answers_always("gzip as plain", page(gzip.compress(BODY), HTML))
answers_always("deflate without its head", _coded("deflate", zlib.compress(BODY)[2:-4]))
answers_always("ten codings", _coded(", ".join(["gzip"] * 10), gzip.compress(BODY)))
answers_always("a coding that nobody asked for", _coded("compress", BODY))
answers_always("shorter than declared", _declared(len(BODY) + 1_000))
answers_always("longer than declared", _declared(len(BODY) - 1_000))
answers_always("a length below zero", _declared(-1))
answers_always("a length of words", _declared("many"))
answers_always("a length beyond belief", _declared("9" * 30))
answers_always("two lengths", OK + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\n" + BODY)
answers_always(
    "a length and chunks", OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
)
answers_always("chunks without an end", _CHUNKED + b"5\r\nhello\r\n")
answers_always("a chunk below zero", _CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n")
answers_always("a chunk beyond belief", _CHUNKED + b"f" * 30 + b"\r\nhello\r\n")
answers_always("no answer")
answers_always("no HTTP", b"SSH-2.0-OpenSSH_9.6\r\n")
answers_always("a body without a head", BODY)
answers_always("another protocol", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
answers_always("a status beyond belief", page(BODY, status="999 Whatever"))
answers_always("headers that are no text", OK + b"X: a\x00b\r\nY: \xff\xfe\r\nZ: \n\n\r\n\r\n" + BODY)

for _name, _kind, _body in (
    ("an image as a page", "text/html", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200)),
    ("a page as an image", "image/png", BODY),
    ("a page as JSON", "application/json", BODY),
    ("a PDF as a page", "text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(300)),
    ("a program as text", "text/plain", b"\x7fELF\x02\x01\x01" + bytes(300)),
    ("a kind of no kind", "\x01;;;=/,text", BODY),
    ("a charset that nobody knows", "text/html; charset=klingon", BODY),
    ("UTF-8 as Latin-1", "text/html; charset=iso-8859-1", CAFE.encode()),
    ("Latin-1 as UTF-8", "text/html; charset=utf-8", CAFE.encode("latin-1")),
    ("UTF-16 as UTF-8", "text/html; charset=utf-8", CAFE.encode("utf-16")),
):
    answers_always(_name, page(_body, f"Content-Type: {_kind}"))
answers_always("no kind at all", page(BODY))
answers_always("a mark that lies", page(b"\xff\xfe" + BODY, HTML))

for _status, _when in (
    *((429, when) for when in ("0", "-5", "1.5", "99999999999999999999", "soon", "", "Fri, 31 Dec 9999 23:59:59 GMT")),
    *((429, when) for when in ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 99 Foo 2026 99:99:99 XYZ", "5, 6", "\xb2")),
    *((503, "86401"), (500, "1"), (502, "3600"), (301, "7")),
):
    answers_always(
        f"{_status} until {_when or 'nothing'}", page(b"<p>later", f"Retry-After: {_when}", status=f"{_status} Later")
    )
answers_always("304 without being asked", page(b"", status="304 Not Modified"))
answers_always("304 with a length", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n")
answers_always("304 with a body", page(BODY, status="304 Not Modified"))
answers_always("206 without being asked", page(BODY, "Content-Range: bytes 5-9/99", status="206 Partial Content"))
answers_always("204 with a body", page(BODY, status="204 No Content"))
answers_always("validators without end", page(BODY, HTML, f'ETag: "{"x" * 40_000}"', "Last-Modified: never"))


@server("marks that change while the page does not")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    _count["marks"] += 1
    yield page(BODY, HTML, f'ETag: W/"{_count["marks"]}"')


@server("a page that changes while its mark does not")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    _count["pages"] += 1
    yield page(BODY + b"<p>%d</p>" % _count["pages"], HTML, 'ETag: "always"')


_count = {"marks": 0, "pages": 0}


@server("a redirect to itself")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}{ask.path}")


@server("a redirect there and back")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}/{'b' if ask.path == '/a' else 'a'}")


@server("redirects without end")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(f"{ask.mount}/{int(ask.path[1:] or 0) + 1}")


@server("a redirect until it sees its cookie")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield plain() if "\r\nCookie: " in ask.head else redirect(f"{ask.mount}{ask.path}", "Set-Cookie: seen=1")


answers_always("a redirect to nowhere", page(b"", status="302 Found"))
answers_always("a redirect to two places", page(b"", "Location: /a", "Location: /b", status="302 Found"))
answers_always("a redirect to a file", redirect("file:///etc/passwd"))
answers_always("a redirect to a bucket", redirect("s3://bucket/key"))
answers_always("a redirect to the metadata service", redirect("http://169.254.169.254/latest/"))


@server("a redirect to anywhere")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    yield redirect(unquote(ask.query, "latin-1"))


@server("a redirect with credentials")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    host = next((line[6:] for line in ask.head.split("\r\n") if line.lower().startswith("host: ")), "localhost")
    yield plain("Inside.") if ask.path == "/in" else redirect(f"http://user:secret@{host}{ask.mount}/in")
