"""Crawl whole real sites, served on this machine, with scythe and with Scrapy + trafilatura: CPU of all processes.

DATA holds `whole/sites.jsonl.xz`. A sitemap names all pages of a site; links between them lead to this machine,
others lead away, as they did. Scrapy asks for the addresses of the sitemap and hands every body to trafilatura, which
returns the text, and its title, author and date with `--parts` other than `text`; scythe extracts the parts named,
looks for links all the same, and archives. CPU is that of the whole command, start and learning included.
"""

from __future__ import annotations

import itertools
import json
import lzma
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.sax.saxutils import escape

from bench.crawl import STORED
from bench.trial_runs import ENVIRONMENT, FAST, Ledger, crawl_command, query, time_command
from bench.trials.harness import print_table, trial_folder

_HREF = re.compile(rb"""(\shref\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_MAP = "/sitemap.xml"


@dataclass(frozen=True)
class SitePage:
    """One page of a site, and where it is served."""

    path: str
    body: bytes


def load_site(name: str, rows: list[dict[str, str]]) -> list[SitePage]:
    """Return the pages of a site with their links among each other made local."""
    paths = {row["url"]: _path(row["url"]) for row in rows}

    def relink(body: bytes, url: str) -> bytes:
        def target(match: re.Match[bytes]) -> bytes:
            quoted = match[2].decode("utf-8", "replace")
            there = urldefrag(urljoin(url, quoted[1:-1].strip().replace("&amp;", "&"))).url
            there = paths.get(there, there).replace("&", "&amp;")
            return match[1] + f"{quoted[0]}{there}{quoted[0]}".encode()

        return _HREF.sub(target, body)

    return [SitePage(paths[row["url"]], relink(row["html"].encode(), row["url"])) for row in rows]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def read_sites(data: Path, wanted: list[str], pages: int) -> Iterator[tuple[str, list[SitePage]]]:
    """Yield the sites asked for."""
    with lzma.open(data / "whole" / "sites.jsonl.xz", "rt", encoding="utf-8") as lines:
        for name, rows in itertools.groupby(map(json.loads, lines), key=lambda row: row["site"]):
            if name in wanted:
                yield name, load_site(name, list(rows)[:pages])


@contextmanager
def serve_site(pages: list[SitePage], ledger: Path) -> Iterator[str]:
    """Serve the pages of a site; gives the address of the first."""
    bodies = {page.path: page.body for page in pages}
    written = ledger.open("a")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            written.write(f"0 {self.path} -\n")
            body, kind = bodies.get(self.path), "text/html; charset=utf-8"
            if self.path == _MAP:
                body, kind = made.encode(), "application/xml"
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    places = "".join(f"<url><loc>{escape(origin + page.path)}</loc></url>" for page in pages)
    made = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield origin + pages[0].path
    finally:
        server.shutdown()
        written.close()


def spider_command(url: str, out: Path, listed: Path, *, whole: bool) -> list[str]:
    """Return the command that crawls with Scrapy and extracts with trafilatura."""
    more = ["--whole"] if whole else []
    return [sys.executable, "-m", "bench.trials.text_spider", url, str(out), "--list", str(listed), *more]


def run(
    *,
    data: Path,
    sites: str = "phase-5,needforkill,wikisocion",
    pages: int = 400,
    parts: str = "text",
    concurrency: int = 8,
    peers: bool = True,
) -> None:
    """Crawl each site with both and compare."""
    options = [*FAST, "--concurrency", str(concurrency), "--parts", parts]
    rows: list[tuple[object, ...]] = []
    ratios: list[float] = []
    for name, own in read_sites(data, sites.split(","), pages):
        with trial_folder() as (folder, _):
            ledger = Ledger(folder / "ledger")
            with serve_site(own, ledger.path) as url:
                archive = folder / "archive.db"
                ours = time_command(crawl_command(url, str(archive), *options), ledger, environment=ENVIRONMENT)
                stored = int(query(str(archive), STORED)[0][0])
                row: tuple[object, ...] = (name, stored, round(1e3 * ours.cpu_s / stored, 2), round(ours.seconds, 1))
                if peers:
                    listed = folder / "urls"
                    origin = "/".join(url.split("/")[:3])
                    listed.write_text("\n".join(origin + page.path for page in own), encoding="utf-8")
                    spider = spider_command(url, folder / "texts", listed, whole=parts != "text")
                    theirs = time_command(spider, ledger, environment=ENVIRONMENT)
                    ratios.append(theirs.cpu_s / ours.cpu_s)
                    row += (round(1e3 * theirs.cpu_s / len(own), 2), round(ratios[-1], 2))
                rows.append(row)
                print(*row, flush=True)
    print_table(("site", "pages", "scythe, ms a page", "seconds", "Scrapy + trafilatura, ms", "times less"), rows)
    if ratios:
        print(f"mean: {sum(ratios) / len(ratios):.2f} times less CPU")
