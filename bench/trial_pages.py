"""Make the pages of a site to try crawlers on: how many and how large come in, pages that name one another go out.

They are those of the demo site (news in four languages, blogs, threads, manuals, products, recipes, lists), all of them
reachable by links from /index.html. Those that are to be large are filled up as real pages are: styles, scripts, menus,
more links, and data as JSON.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

START = "/index.html"
EDITION = b"Edition aaa"  # which a server may say otherwise, so that there are many of each page
_SITE = b"https://demo.scythe.example"
_LINK = re.compile(rb'(<a\s[^>]*?href=")(/[^"]*)"')
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
        body = head + b"</h1>" + tail.replace(b"</p>", b" %s, filed under %s.</p>" % (EDITION, spell(number)), 1)
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


def load_pages(count: int, page_bytes: int = 0, folder: Path | None = None) -> list[TrialPage]:
    """Return the pages of a site, made once and kept in a folder, without one in that for temporary files."""
    kept = (folder or Path(tempfile.gettempdir())) / f"scythe-trial-3-{count}-{page_bytes}.bin"
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
