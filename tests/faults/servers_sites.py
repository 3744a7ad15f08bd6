"""Whole hostile sites: traps that have no end, odd robots.txt files, sitemaps that lead to sitemaps."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from html import escape

from tests.crawling.made_sites import TRAPS, Made
from tests.faults.servers import HTML, OK, Ask, Behave, plain, redirect, server
from tests.fetch.server import page

XML = "Content-Type: application/xml"


def write(made: Made, mount: str = "") -> bytes:
    """Write a made-up page as HTML, its links below the mount."""
    links = [mount + link if link.startswith("/") else link for link in made.links]
    menu = "".join(f'<li><a href="{escape(link)}">{escape(link)}</a></li>' for link in links)
    paragraphs = "".join(f"<p>{escape(line)}.</p>" for line in made.text.splitlines())
    head = f"<!doctype html><title>{escape(made.title)}</title>"
    return f"{head}<article><h1>{escape(made.title)}</h1>{paragraphs}</article><ul>{menu}</ul>".encode()


def _trap(name: str) -> Behave:
    site, entrance = TRAPS[name]

    async def behave(ask: Ask) -> AsyncIterator[bytes]:
        path = ask.path + (f"?{ask.query}" if ask.query else "")
        try:
            made = Made("Entrance", "A way in.", (entrance,)) if path == "/" else site(path)
        except ValueError:  # made-up sites read numbers from paths
            made = None
        yield page(write(made, ask.mount), HTML) if made else page(b"not found", status="404 Not Found")

    return behave


for _name in TRAPS:
    server(f"trap {_name}")(_trap(_name))


def _robots(name: str, answer: bytes) -> None:
    async def behave(ask: Ask) -> AsyncIterator[bytes]:
        yield answer if ask.path == "/robots.txt" else plain()

    server(f"robots {name}")(behave)


def _text(body: str | bytes, status: str = "200 OK") -> bytes:
    return page(body if isinstance(body, bytes) else body.encode(), "Content-Type: text/plain", status=status)


_RULES = "User-agent: *\nDisallow: /private\n"
_robots("with a server error", _text("", "503 Service Unavailable"))
_robots("that are forbidden", _text("", "403 Forbidden"))
_robots("that are a page", page(b"<!doctype html><p>Disallow: /</p>", HTML))
_robots("with a mark and NUL", _text(b"\xef\xbb\xbf\0" + _RULES.encode()))
_robots("of ten megabytes", _text("Disallow: /x\n" * 800_000))
_robots("of many rules", _text("User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(100_000))))
_robots("of stars", _text("User-agent: *\nDisallow: /" + "*a" * 5_000 + "b\nAllow: " + "*" * 5_000 + "\n"))
_robots("of one line", _text("User-agent: " + "x" * 600_000))
_robots("with an absurd delay", _text("User-agent: *\nCrawl-delay: 3600\nCrawl-delay: 1e999\n"))
_robots("cut off", OK + b"Content-Length: 5000\r\n\r\n" + _RULES.encode())
_robots("to nowhere", redirect("file:///etc/passwd"))


@server("robots that never come")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    if ask.path == "/robots.txt":
        await asyncio.sleep(3_600)
    yield plain()


@server("robots that lead away")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    onwards = redirect(f"{ask.mount}/robots{ask.path.count('x')}{'x' * len(ask.path)}")
    yield onwards if ask.path.startswith("/robots") else plain()


def _address(ask: Ask, path: str) -> str:
    host = next((line[6:] for line in ask.head.split("\r\n") if line.lower().startswith("host: ")), "localhost")
    return escape(f"http://{host}{ask.mount}{path}")


def _map(kind: str, *addresses: str) -> bytes:
    inner = "url" if kind == "urlset" else "sitemap"
    return f"<{kind}>{''.join(f'<{inner}><loc>{one}</loc></{inner}>' for one in addresses)}</{kind}>".encode()


@server("sitemaps of sitemaps")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    if ask.path == "/robots.txt":
        yield _text(f"Sitemap: {_address(ask, '/sitemap.xml')}\n")
    elif ask.path.endswith(".xml"):
        yield page(_map("sitemapindex", *(_address(ask, f"{ask.path[:-4]}{n}.xml") for n in range(10))), XML)
    else:
        yield plain()


@server("a sitemap of itself")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    is_map = ask.path.endswith(".xml")
    yield page(_map("sitemapindex", _address(ask, "/sitemap.xml")), XML) if is_map else plain()


@server("a sitemap too long")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    if ask.path.endswith(".xml"):
        body = _map("urlset", *(_address(ask, f"/{n}") for n in range(60_000)))
        yield page(gzip.compress(body, 1), XML, "Content-Encoding: gzip")
    else:
        yield plain()


@server("a sitemap with entities")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    names = "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 10}'>" for n in range(9))
    kind = f"<!DOCTYPE urlset [<!ENTITY e0 'x'>{names}<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    yield page(kind.encode() + _map("urlset", f"{_address(ask, '/')}&e9;&f;"), XML)


@server("a site of one frame")
async def _(ask: Ask) -> AsyncIterator[bytes]:
    deeper = f"{ask.mount}{ask.path.rstrip('/')}/x"
    body = (
        f'<iframe src="{deeper}"></iframe><meta http-equiv=refresh content="0; url={deeper}y"><base href="{deeper}/">'
    )
    yield page(body.encode(), HTML)
