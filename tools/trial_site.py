"""Serve a site to try crawlers on: `python tools/trial_site.py [--pages N] [--bytes B] [--ledger FILE] [--copies K]`.

The pages are those of the demo site (news in four languages, blogs, threads, manuals, products, recipes, lists), all of
them reachable by links from /index.html and named in /sitemap.xml. `--bytes` fills each up to that size as real pages
are filled: styles, scripts, menus, more links, and data as JSON. The server does as little as a server can: answers
stand ready in memory, and one asyncio protocol writes them out. It prints its port, and runs until its input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

START = "/index.html"
_SITE = b"https://demo.scythe.example"
_LINK = re.compile(rb'(<a\s[^>]*?href=")(/[^"]*)"')
_EDITION = b"Edition aaa"
_WORDS = "field barn meadow river stone market harvest engine bridge council letter winter garden signal amber".split()


@dataclass(frozen=True)
class TrialPage:
    """One page as it is served."""

    path: str
    content_type: str
    body: bytes
    title: str = ""  # as it was written; pages that were kept have none


def build_pages(count: int, page_bytes: int = 0, *, seed: int = 1, design: int = 0) -> Iterator[TrialPage]:
    """Make exactly `count` pages, list pages included; each says `spell` of its number, and no other does."""
    from scythe.demo import site

    contents = count * 20 // 21
    while contents + -(-contents // 20) > count:
        contents -= 1
    while contents + -(-contents // 20) < count:
        contents += 1
    made = site(seed=seed, pages=contents, design=design)
    paths = [page.path.encode() for page in made]
    known, lists = frozenset(paths), [path for path in paths if path.count(b"/") == 1]
    fillers = _fillers() if page_bytes else (b"", b"")
    for number, page in enumerate(made):
        body = page.html.replace(_SITE, b"").replace(b'href="?', b'href="#')
        body = _LINK.sub(lambda found: found[1] + _known(found[2], known, lists) + b'"', body)
        head, tail = body.partition(b"</h1>")[::2]
        body = head + b"</h1>" + tail.replace(b"</p>", b" %s, filed under %s.</p>" % (_EDITION, spell(number)), 1)
        if page_bytes:
            body = _fill(body, page_bytes, fillers, number, paths)
        yield TrialPage(page.path, page.content_type, body, page.gold_title)


def spell(number: int) -> bytes:
    """Write a number in words, so that no two pages say the same."""
    base = len(_WORDS)
    return " ".join(_WORDS[number // base**place % base] for place in (3, 2, 1, 0)).encode()


def _known(path: bytes, known: frozenset[bytes], lists: Sequence[bytes]) -> bytes:
    """Let menus lead to pages that exist."""
    return path if path in known else lists[sum(path) % len(lists)]


def _fillers() -> tuple[bytes, bytes]:
    """Return the styles and scripts that all pages of the site carry in their heads, and its large menu."""
    rules = "".join(
        f".{a}-{b}{{margin:{n}px {n * 2}px;color:#{n * 4369:06x};display:flex}}"
        for n, (a, b) in enumerate((a, b) for a in _WORDS for b in _WORDS)
    )
    code = "".join(
        f"function {a}_{n}(e,t){{var r=e.querySelector('.{a}-{n}');if(!r||t>{n})"
        f"{{return '<div class=\"{a}\">'+t+'</div>'}}return r.textContent+'</p>'}}"
        for n, a in enumerate(_WORDS * 6)
    )
    head = f"<style>{rules}</style><script>{code}</script>".encode()
    groups = "".join(
        f'<li class="mega__group"><span>{a.title()}</span><ul>'
        + "".join(f'<li><a class="mega__link" href="/index.html#{a}-{b}">{b.title()} of {a}</a></li>' for b in _WORDS)
        + "</ul></li>"
        for a in _WORDS[:8]
    )
    return head, f'<nav class="mega"><ul>{groups}</ul></nav>'.encode()


def _fill(body: bytes, page_bytes: int, fillers: tuple[bytes, bytes], number: int, paths: Sequence[bytes]) -> bytes:
    head, menu = fillers
    body = body.replace(b"</head>", head + b"</head>", 1).replace(b"</header>", b"</header>" + menu, 1)
    random = Random(number)
    teasers = []
    for _ in range(24):
        path = random.choice(paths).decode()
        words = path.rpartition("/")[2].partition(".")[0].replace("-", " ")
        teasers.append(
            f'<li class="teaser"><a href="{path}"><img src="/img/t{random.randrange(9999)}.jpg" alt="" width="120" '
            f'height="80"><h4>{words}</h4></a><p>{" ".join(random.choices(_WORDS, k=12))}</p></li>'
        )
    related = f'<aside class="more"><h3>More</h3><ul>{"".join(teasers)}</ul></aside>'.encode()
    left = page_bytes - len(body) - len(related) - 60
    state = json.dumps(
        [
            {
                "id": random.randrange(10**9),
                "slug": "-".join(random.choices(_WORDS, k=4)),
                "tags": random.choices(_WORDS, k=5),
            }
            for _ in range(max(left, 0) // 90 + 1)
        ]
    ).encode()[: max(left, 0)]
    data = b"<script>window.__STATE__=" + json.dumps(state.decode()).encode()[: max(left, 0)] + b'"</script>'
    return body.replace(b"</body>", related + data + b"</body>", 1)


def load_pages(count: int, page_bytes: int = 0) -> list[TrialPage]:
    """Return the pages of a site, made once and kept in the folder for temporary files."""
    kept = Path(tempfile.gettempdir()) / f"scythe-trial-3-{count}-{page_bytes}.bin"
    if not kept.exists():
        fresh = kept.with_suffix(f".{os.getpid()}")
        with open(fresh, "wb") as out:
            for page in build_pages(count, page_bytes):
                out.write(json.dumps([page.path, page.content_type, len(page.body)]).encode() + b"\n" + page.body)
        fresh.rename(kept)
    pages = []
    with open(kept, "rb") as file:
        for line in iter(file.readline, b""):
            path, content_type, size = json.loads(line)
            pages.append(TrialPage(path, content_type, file.read(size)))
    return pages


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
            return self.pages.get(b"/" + path, self.missing).replace(_EDITION, b"Edition " + number[-3:], 1)
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


def tiny_pages(count: int) -> list[TrialPage]:
    """Make pages so small that a crawler's pauses count and not its work; each list names a hundred others."""

    def links(numbers: range) -> str:
        return "".join(f'<p><a href="/{n}.html">Entry {n}</a></p>' for n in numbers if n < count)

    first = f"<title>All</title><h1>All</h1>{links(range(1, 1 + (count + 99) // 100))}"
    pages = [TrialPage(START, "text/html", first.encode())]
    lists = (count + 99) // 100
    for number in range(1, count):
        more = links(range(lists + 1 + (number - 1) * 100, lists + 1 + number * 100)) if number <= lists else ""
        text = f"<title>Entry {number}</title><h1>Entry {number}</h1><p>This is what entry {number} says.</p>{more}"
        pages.append(TrialPage(f"/{number}.html", "text/html", text.encode()))
    return pages


def make_answers(arguments: argparse.Namespace) -> Answers:
    """Make ready what is served."""
    made = tiny_pages(arguments.pages) if arguments.tiny else load_pages(arguments.pages, arguments.bytes)
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
    print(port, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--bytes", type=int, default=0, help="fill pages up to this size")
    parser.add_argument("--tiny", action="store_true", help="pages of a few hundred bytes instead")
    parser.add_argument("--copies", type=int, default=1, help="name so many editions of each page in the sitemap")
    parser.add_argument("--map", action="store_true", help="have a sitemap")
    parser.add_argument("--ledger", help="write a line per request: nanoseconds, path, user agent")
    arguments = parser.parse_args()
    answers = make_answers(arguments)
    paths = [path.decode() for path in answers.pages]
    asyncio.run(serve(answers, paths, with_map=arguments.map))


if __name__ == "__main__":
    main()
