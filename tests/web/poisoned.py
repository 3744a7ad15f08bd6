"""A state in which every text that others wrote is one of the payloads, or something as long and harmless."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from urllib.parse import quote

from tests.archive.visiting import NOW, done, later, listed, looked, region
from tests.web.payloads import rounds

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import add_site, save_profile
from scythe.archive.watches import add_watch
from scythe.crawl_model import Extracted, FoundUrl
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.site.site import Site
from scythe.url import Url
from scythe.web.state import PROFILE, State, StateOptions

START = Url("http://poison.example/")
HOST = "poison.example"
WATCH = 6  # number of the watched page: five were found before it


def poison(folder: Path, *, is_harmless: bool, start: int = 0) -> State:
    """Return the state: pages at hand, a learned profile, an archive with documents, lists and visits, some work."""
    texts = rounds(is_harmless=is_harmless, start=start)
    where = str(folder / "archive.db")
    options = StateOptions(where, folder / "site.json", next(texts), FetchOptions(timeout_s=1.0), 0.0)
    pages = [_page(number, texts) for number in range(8)]
    state = State(options, pages)
    site = Site.learn([(page.url, page.body) for page in pages])
    state.save_site(PROFILE, site)
    with state.archive() as archive:
        _fill(archive, texts, site)

    def fail(job: object) -> None:
        raise BadInput(why)

    title, why = next(texts), next(texts)
    state.jobs.start("pages", title, fail)
    state.jobs.close()
    return state


def _page(number: int, texts: Iterator[str]) -> LoadedPage:
    """Write a page whose title, texts, captions, alternatives, addresses and name are payloads."""

    def say() -> str:
        return escape(next(texts))

    def link() -> str:
        return escape(quote(next(texts), safe="/:?=&'();,!*<>\"")[:300])

    rows = "".join(
        f'<li class="item"><a href="/item/{number}-{row}?{link()}"><b>{say()}</b></a> <i class="price">{row}.99 €</i>'
        f'<img src="/i/{row}.jpg?{link()}" alt="{say()}" width=300 height=200> <span class="by">{say()}</span></li>'
        for row in range(6)
    )
    html = f"""<!doctype html><html><head><title>{say()}</title><meta name=author content="{say()}">
<meta name=description content="{say()}"></head>
<body class="{say()}"><nav id="{say()}"><a href="/{link()}">{say()}</a></nav>
<main><h1>{say()}</h1><p class=date>2026-05-0{number + 1}</p><p>{say()} {"Words of a text that goes on. " * 20}</p>
<figure><img src="/big/{number}.jpg" alt="{say()}" title="{say()}" width=640 height=480><figcaption>{say()}</figcaption>
</figure><p>{say()} {"More words of a text that goes on. " * 20}</p></main><ul class=list>{rows}</ul>
<footer>{say()}</footer></body></html>"""
    return LoadedPage(
        next(texts), html.encode(), f"http://site.example/{number}?{quote(next(texts))[:300]}", "text/html"
    )


def _fill(archive: Archive, texts: Iterator[str], site: Site) -> None:
    other = add_site(archive, next(texts), Url("http://other.example/"))
    save_profile(archive, other, site.to_json())
    number = add_site(archive, HOST, START)
    save_profile(archive, number, site.to_json())
    add_urls(archive, number, [FoundUrl(Url(f"{START}{n}?{quote(next(texts))}"), HOST) for n in range(5)])
    tasks = next_tasks(archive, number, HOST, 99, now=NOW)
    store_outcomes(archive, [done(task, next(texts), extracted=_document(texts)) for task in tasks])
    requeue(archive, number)
    again = next_tasks(archive, number, HOST, 2, now=later(60))
    store_outcomes(archive, [done(task, next(texts), at=later(90), extracted=_document(texts)) for task in again])
    _fill_list(archive, number, texts)


def _document(texts: Iterator[str]) -> Extracted:
    title, text = next(texts), "\n".join(f"harvest {next(texts)}" for _ in range(4))
    images = [{"src": f"http://poison.example/{quote(next(texts))}", "alt": next(texts), "relevant": True}]
    said = {"author": next(texts), "kind": next(texts), "language": next(texts), "site_name": next(texts)}
    rest = {
        "metadata": said,
        "images": images,
        "attributes": [[next(texts), next(texts)]],
        "how": {"title": next(texts)},
    }
    return Extracted(title, text, f"# {title}\n\n{text}", None, json.dumps(rest), "article", "en")


def _fill_list(archive: Archive, site: int, texts: Iterator[str]) -> None:
    now = datetime.now(UTC)
    found = FoundUrl(Url(f"{START}news?{quote(next(texts))}"), HOST)
    assert add_watch(archive, site, found, "{}", now=now - timedelta(days=3)) == WATCH
    columns = (next(texts), next(texts), "price")
    for day in (2, 1, 0):
        at = now - timedelta(days=day, hours=1)
        (task,) = next_tasks(archive, site, HOST, 9, now=now + timedelta(days=400), kinds=("list",))
        rows = [
            (f"{day}-{row}?{quote(next(texts))}", next(texts), f"harvest {next(texts)}", "9.90") for row in range(5)
        ]
        seen = looked(shown=5, new=5, name=next(texts), columns=columns)
        store_outcomes(
            archive, [replace(listed(task, region(*rows, columns=columns), at=at, looked=(seen,)), why=next(texts))]
        )
