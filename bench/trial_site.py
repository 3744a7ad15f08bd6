"""Serve a site to try crawlers on: `python -m bench.trial_site [--pages N] [--bytes B] [--ledger FILE] ...`.

The server does as little as a server can: answers stand ready in memory, and one asyncio protocol writes them out. It
prints its port, and runs until its input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.trial_pages import EDITION, load_pages, tiny_pages


@dataclass
class Answers:
    """What the server says, by path."""

    pages: dict[bytes, bytes]  # whole responses
    copies: int = 1
    ledger: int | None = None  # file descriptor: one line per request, before it is answered
    asked: int = 0
    missing: bytes = field(
        default=b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nnone"
    )

    def answer(self, head: bytes) -> bytes:
        """Return the response to one request."""
        path = head.split(b" ", 2)[1]
        if self.ledger is not None:
            agent = re.search(rb"\r\nuser-agent: ([^\r]*)", head, re.IGNORECASE)
            name = agent[1] if agent else b""
            os.write(self.ledger, b"%d %s %s\n" % (time.monotonic_ns(), path, name))
        self.asked += 1
        if self.copies > 1 and path.startswith(b"/copy-"):
            number, _, path = path[6:].partition(b"/")
            return self.pages.get(b"/" + path, self.missing).replace(EDITION, b"Edition " + number[-3:], 1)
        return self.pages.get(path, self.missing)


class Talk(asyncio.Protocol):
    """One connection, kept open; requests may come in pieces, and several at once."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._left = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._left += data
        while (end := self._left.find(b"\r\n\r\n")) >= 0:
            head, self._left = self._left[: end + 4], self._left[end + 4 :]
            self._transport.write(self._answers.answer(head))
            if b"connection: close" in head.lower():
                self._transport.close()


def letters(number: int) -> str:
    """Write a number with three letters: of figures alone two pages may differ and still say the same."""
    return "".join(chr(97 + number // 26**place % 26) for place in (2, 1, 0))


def write_response(body: bytes, content_type: str) -> bytes:
    """Return a whole response."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def make_answers(arguments: argparse.Namespace) -> Answers:
    """Make ready what is served."""
    kept = Path(arguments.kept) if arguments.kept else None
    made = tiny_pages(arguments.pages) if arguments.tiny else load_pages(arguments.pages, arguments.bytes, kept)
    pages = {page.path.encode(): write_response(page.body, page.content_type) for page in made}
    ledger = os.open(arguments.ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if arguments.ledger else None
    return Answers(pages, arguments.copies, ledger)


async def serve(answers: Answers, paths: Sequence[str], *, with_map: bool) -> None:
    """Serve until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Talk(answers), "127.0.0.1", 0, backlog=1000)
    port = server.sockets[0].getsockname()[1]
    if with_map:
        site = f"http://127.0.0.1:{port}"
        beginnings = [site, *(f"{site}/copy-{letters(number)}" for number in range(1, answers.copies))]
        listed = "".join(f"<url><loc>{start}{path}</loc></url>" for start in beginnings for path in paths)
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()
        answers.pages[b"/sitemap.xml"] = write_response(body, "application/xml")
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Serve what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--bytes", type=int, default=0, help="fill pages up to this size")
    parser.add_argument("--tiny", action="store_true", help="pages of a few hundred bytes instead")
    parser.add_argument("--copies", type=int, default=1, help="name so many editions of each page in the sitemap")
    parser.add_argument("--map", action="store_true", help="have a sitemap")
    parser.add_argument("--ledger", help="write a line per request: nanoseconds, path, user agent")
    parser.add_argument("--kept", metavar="FOLDER", help="where pages that were made are kept")
    arguments = parser.parse_args()
    answers = make_answers(arguments)
    paths = [path.decode() for path in answers.pages]
    asyncio.run(serve(answers, paths, with_map=arguments.map))


if __name__ == "__main__":
    main()
