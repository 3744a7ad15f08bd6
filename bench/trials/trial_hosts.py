"""Serve many hosts to try workers on.

Every host is an address of its own (127.0.1.1, 127.0.1.2, ...) with a site of its own: exactly so many pages of the
demo site, all reachable by links from /index.html and named in /sitemap.xml, in an edition that no other host has. One
process serves them all. It prints the hosts, with their ports, as JSON, writes a line per request (nanoseconds, host,
path) and runs until its input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.trial_pages import build_pages
from bench.trial_site import Answers, Talk, letters, write_response

_SEEDS = 10  # sites that differ in all they say; hosts beyond that have an edition of one of these
_EDITION = b"Edition aaa"


@dataclass
class HostAnswers(Answers):
    """What one host says: pages that others serve too, in its own edition."""

    host: str = ""
    number: int = 0

    def answer(self, head: bytes) -> bytes:
        """Return the response to one request, once it is written down."""
        path = head.split(b" ", 2)[1]
        assert self.ledger is not None
        os.write(self.ledger, b"%d %s %s\n" % (time.monotonic_ns(), self.host.encode(), path))
        edition = b"Edition " + letters(self.number).encode()
        return self.pages.get(path, self.missing).replace(_EDITION, edition, 1)


def build_answers(hosts: int, pages: int, page_bytes: int) -> list[dict[bytes, bytes]]:
    """Make the sites that there are: responses by path."""
    seeds = range(1, 1 + min(hosts, _SEEDS))
    sites = [list(build_pages(pages, page_bytes, seed=seed)) for seed in seeds]
    return [{page.path.encode(): write_response(page.body, page.content_type) for page in site} for site in sites]


def write_map(host: str, paths: Sequence[bytes]) -> bytes:
    """Return the sitemap of a host, as a response."""
    listed = "".join(f"<url><loc>http://{host}{path.decode()}</loc></url>" for path in paths)
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    return write_response(body.encode(), "application/xml")


async def serve(sites: Sequence[dict[bytes, bytes]], hosts: int, ledger: int) -> None:
    """Serve all hosts until standard input ends."""
    loop = asyncio.get_running_loop()
    named = []
    for number in range(hosts):
        site, address = sites[number % len(sites)], f"127.0.{1 + number // 250}.{1 + number % 250}"
        answers = HostAnswers(dict(site), ledger=ledger, number=number)
        server = await loop.create_server(lambda answers=answers: Talk(answers), address, 0, backlog=100)  # type: ignore[misc]
        answers.host = f"{address}:{server.sockets[0].getsockname()[1]}"
        answers.pages[b"/sitemap.xml"] = write_map(answers.host, list(site))
        named.append(answers.host)
    print(json.dumps(named), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=0, help="fill pages up to this size")
    parser.add_argument("--ledger", required=True)
    arguments = parser.parse_args()
    ledger = os.open(arguments.ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sites = build_answers(arguments.hosts, arguments.pages, arguments.bytes)
    asyncio.run(serve(sites, arguments.hosts, ledger))


if __name__ == "__main__":
    main()
