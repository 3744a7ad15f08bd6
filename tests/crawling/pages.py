"""Pages of one site that are alike and small, for tests of extraction workers."""

import random

from scythe.engine.worker_protocol import Job, SiteSetup

SITE = SiteSetup("mill.example", ("text", "images"), start="https://mill.example/")
_WORDS = "water wheel stone grain flour river sluice miller sack barn wind rope gear oak iron bread dust night".split()


def write_page(number: int, *, links: int = 5, paragraphs: int = 6) -> bytes:
    """Write the page of that number, with text of its own."""
    rng = random.Random(number)
    title = f"Notes on {' and '.join(rng.sample(_WORDS, 2))} no. {number}"
    said = [" ".join(rng.choices(_WORDS, k=30)).capitalize() + f", said miller {number}." for _ in range(paragraphs)]
    nav = "".join(f'<li class="item"><a href="/part-{i}/">Part {i}</a></li>' for i in range(12))
    more = "".join(f'<li><a href="/page-{(number * 7 + i) % 5_000}.html">more {i}</a></li>' for i in range(links))
    body = "".join(f"<p>{text}</p>" for text in said)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} | The Mill</title>'
        f'<meta property="og:type" content="article"></head><body><header><ul class="nav">{nav}</ul></header>'
        f'<main><article class="post"><h1 class="post-title">{title}</h1><div class="post-body">'
        f'<p><img src="/photos/{number}.jpg" width="800" height="500" alt="Mill {number}"></p>{body}</div></article>'
        f'<aside class="more"><ul>{more}</ul></aside></main><footer><p class="legal">The Mill, all rights</p></footer>'
        "</body></html>"
    ).encode()


def make_job(number: int, *, site: SiteSetup = SITE, body: bytes | None = None) -> Job:
    """Make the job of one page."""
    url = f"https://{site.key}/page-{number}.html"
    return Job(site, url, write_page(number) if body is None else body, content_type="text/html; charset=utf-8")
