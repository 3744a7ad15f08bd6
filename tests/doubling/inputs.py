"""Inputs that grow: a name and a number of bytes come in, about as many bytes go out.

Pages are those of tests/faults, ordinary ones and lists; beside them are the files that sites and people send: robots,
sitemaps, feeds, profiles, labels, coded bodies.
"""

import gzip
import json
from collections.abc import Callable
from functools import cache

from tests.faults import list_pages, pages
from tests.faults.pages import HEAD, TAIL

Make = Callable[[int], bytes]  # bytes wanted -> a body of about that length

SENTENCE = (
    "<p class='text'>A plain sentence of the kind that people write, with <a href='/x{0}'>a link</a> in it, and a "
    "second one that goes on for a while so that paragraph {0} has an ordinary length.</p>\n"
)
ITEM = (
    "<li class=item><h3><a href='/goods/{0}'>Barley flour {0}</a></h3>"
    "<img src='/pictures/{0}.jpg' width=200 height=150><p>Milled on stone, sack {0}.</p>"
    "<span class=price>{0}.50 EUR</span></li>\n"
)
ORDINARY: dict[str, Callable[[int], str]] = {
    "an article": lambda n: f"{HEAD}<article><h1>Hostile</h1>{_each(SENTENCE, n)}</article>{TAIL}",
    "a list of goods": lambda n: f"{HEAD}<ul class=goods>{_each(ITEM, n)}</ul>{TAIL}",
    "one long text": lambda n: f"{HEAD}<p>{'words and words ' * n}</p>{TAIL}",
    "letters outside ASCII": lambda n: f"{HEAD}{'<p>Die Mühle für größere Körner, über dem Fluß.</p>' * n}{TAIL}",
}
PAGES: dict[str, Callable[[int], str]] = (
    ORDINARY | pages.PAGES | {f"list: {name}": make for name, make in list_pages.PAGES.items()}
)


def _each(form: str, count: int) -> str:
    return "".join(form.format(number) for number in range(count))


@cache
def _bytes_each(name: str) -> tuple[int, float]:
    """Return how many bytes a page has without its repetitions, and how many each of them adds."""
    few, many = (len(PAGES[name](count).encode()) for count in (1_000, 3_000))
    each = max((many - few) / 2_000, 0.001)
    return max(0, int(few - 1_000 * each)), each


def page_of(name: str, size: int) -> bytes:
    """Return the page of that name with about `size` bytes."""
    least, each = _bytes_each(name)
    return PAGES[name](max(1, int((size - least) / each))).encode()


def middle_of(name: str, size: int) -> str:
    """Return what is hostile in a page, without its own start and, where it has one, its own end."""
    return page_of(name, size).decode().removeprefix(HEAD).removesuffix(TAIL)


def _repeat(piece: str, size: int, *, before: str = "", after: str = "") -> bytes:
    count = max(1, (size - len(before) - len(after)) // max(1, len(piece.format(10_000))))
    return (before + "".join(piece.format(number) for number in range(count)) + after).encode()


ROBOTS: dict[str, Make] = {
    "rules": lambda n: _repeat("Disallow: /folder/{0}/*.html$\n", n, before="User-agent: *\n"),
    "groups": lambda n: _repeat("User-agent: robot{0}\nDisallow: /{0}\n", n),
    "stars": lambda n: _repeat("*a", n, before="User-agent: *\nDisallow: /", after="b\n"),
    "rules of stars": lambda n: _repeat("Disallow: /*a*a*a*a*a*a*a*b{0}\n", n, before="User-agent: *\n"),
    "one long line": lambda n: b"User-agent: *\nDisallow: /" + b"x" * n,
    "sitemaps": lambda n: _repeat("Sitemap: http://example.org/{0}.xml\n", n),
    "line ends": lambda n: b"\r" * n,
    "zero bytes": lambda n: b"\0" * n,
    "comments": lambda n: _repeat("# {0}\n", n),
}
_MAP = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
SITEMAPS: dict[str, Make] = {
    "addresses": lambda n: _repeat(
        "<url><loc>http://example.org/{0}</loc><lastmod>2026-01-01</lastmod></url>\n", n, before=_MAP, after="</urlset>"
    ),
    "addresses without end": lambda n: _repeat("<url><loc>http://example.org/{0}", n, before=_MAP),
    "openings": lambda n: _repeat("<url>", n, before=_MAP),
    "less-than signs": lambda n: _MAP.encode() + b"<" * n,
    "comment openings": lambda n: _repeat("<!--", n, before=_MAP),
    "comments": lambda n: _repeat("<!--{0}-->", n, before=_MAP),
    "references": lambda n: _repeat("&amp;&#60;", n, before=f"{_MAP}<url><loc>http://e.org/", after="</loc></url>"),
    "ampersands": lambda n: _MAP.encode() + b"<url><loc>http://e.org/" + b"&" * n + b"</loc></url></urlset>",
    "cdata openings": lambda n: _repeat("<![CDATA[", n, before=f"{_MAP}<url><loc>"),
    "one long address": lambda n: _MAP.encode() + b"<url><loc>http://e.org/" + b"x" * n + b"</loc></url></urlset>",
    "an index": lambda n: _repeat(
        "<sitemap><loc>http://example.org/{0}.xml</loc></sitemap>", n, before="<sitemapindex>"
    ),
    "lines": lambda n: _repeat("http://example.org/{0}\n", n),
    "packed": lambda n: gzip.compress(SITEMAPS["addresses"](n), 1),
}
_RSS = "<rss version='2.0'><channel><title>News</title>"
FEEDS: dict[str, Make] = {
    "items": lambda n: _repeat(
        "<item><title>News {0}</title><link>http://example.org/{0}</link><description>Words.</description></item>\n",
        n,
        before=_RSS,
        after="</channel></rss>",
    ),
    "items without end": lambda n: _repeat("<item><title>News {0}", n, before=_RSS),
    "one long title": lambda n: (_RSS + "<item><title>").encode() + b"x" * n + b"</title></item></channel></rss>",
    "less-than signs": lambda n: _RSS.encode() + b"<" * n,
    "references": lambda n: _repeat("&amp;&lt;b&gt;", n, before=f"{_RSS}<item><title>", after="</title></item>"),
    "unknown references": lambda n: _repeat("&nothing{0};", n, before=f"{_RSS}<item><title>", after="</title></item>"),
    "nested elements": lambda n: _repeat("<a>", n, before=_RSS),
    "namespaces": lambda n: _repeat("<x:y xmlns:x='u:{0}'/>", n, before=_RSS, after="</channel></rss>"),
    "attributes": lambda n: _repeat(" a{0}='1'", n, before="<rss", after="></rss>"),
    "json items": lambda n: _repeat(
        ',{{"id":"{0}","url":"http://example.org/{0}","title":"News {0}"}}',
        n,
        before='{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"x"}',
        after="]}",
    ),
    "json nested": lambda n: b'{"version":"https://jsonfeed.org/version/1.1","items":' + b"[" * n,
}
LABELS: dict[str, Make] = {
    "rows": lambda n: _repeat(
        "http://example.org/{0},http://example.org/{0}.jpg,1\n", n, before="page,image,relevant\n"
    ),
    "rows of one page": lambda n: _repeat(
        "http://example.org/p,http://example.org/{0}.jpg,1\n", n, before="page,image,relevant\n"
    ),
    "one open quote": lambda n: b'page,image,relevant\n"' + b"x,\n" * (n // 3),
    "commas": lambda n: b"page,image,relevant\n" + b"," * n,
    "blank lines": lambda n: b"\n" * n,
    "quotes": lambda n: b'page,image,relevant\n"' + b'""' * (n // 2),
}
CODINGS: dict[str, Make] = {
    "packed once": lambda n: gzip.compress(page_of("an article", 8 * n), 1),
    "packed twice": lambda n: gzip.compress(gzip.compress(page_of("an article", 8 * n), 1), 1),
    "zeros": lambda n: gzip.compress(b"\0" * (4 * n), 0),
    "many members": lambda n: gzip.compress(b"x") * (n // 21 + 1),
    "not packed at all": lambda n: page_of("an article", n),
}
ADDRESSES: dict[str, Make] = {
    name: (lambda n, piece=piece: _repeat(piece, n))  # type: ignore[misc]
    for name, piece in {
        "plain ones": "http://www.example.org/news/2026/{0}.html\n",
        "relative ones": "../news/{0}.html\n",
        "steps back": "../",
        "slashes": "/",
        "one host": "http://aaaaaaaaaa",
        "labels": "http://a.a.a.a.a.a",
        "escapes": "http://e.org/%41%zz",
        "queries": "http://e.org/?a{0}=1&",
        "brackets": "http://[::",
        "at signs": "http://a@",
        "colons": "http://a:",
        "odd letters": "http://ä。ａ／",
        "dots": "http://e.org/./..",
        "words joined": "http://e.org/a-",
    }.items()
}


@cache
def _profile() -> dict[str, object]:
    from tests.doubling.site import learned

    plain: dict[str, object] = json.loads(learned().to_json())
    return plain


def profile_of(kind: str, size: int) -> bytes:
    """Return a profile file of about `size` bytes, sealed as ours are where it is to be taken for one."""
    from tests.doubling.site import learned

    from scythe.site.profile import dump_profile

    if kind == "nested":
        return b'{"version":' + b"[" * size
    if kind == "one long text":
        return b'{"version":"' + b"x" * size + b'"}'
    if kind == "spaces":
        return b" " * size + b"{}"
    if kind == "keys":
        return _repeat(',"k{0}":1', size, before='{"version":1', after="}")
    from dataclasses import replace

    profile = learned().profile
    if kind == "texts":
        texts = tuple(f"A line {number} that all pages share." for number in range(min(size // 40, 99_000)))
        return dump_profile(replace(profile, boilerplate=texts)).encode()
    layouts = tuple(
        replace(profile.layouts[0], name=f"layout {number}") for number in range(min(499, max(1, size // 8_000)))
    )
    return dump_profile(replace(profile, layouts=layouts)).encode()


PROFILES: dict[str, Make] = {
    kind: (lambda n, kind=kind: profile_of(kind, n))  # type: ignore[misc]
    for kind in ("layouts", "texts", "nested", "one long text", "spaces", "keys")
}
KINDS: dict[str, dict[str, Make]] = {
    "page": {name: (lambda n, name=name: page_of(name, n)) for name in PAGES},  # type: ignore[misc]
    "robots": ROBOTS,
    "sitemap": SITEMAPS,
    "feed": FEEDS,
    "labels": LABELS,
    "coded": CODINGS,
    "addresses": ADDRESSES,
    "profile": PROFILES,
}
