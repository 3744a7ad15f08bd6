"""Pages that are odd rather than large: bytes that are no text, data that is no data, numbers that cannot be meant.

`PAGES[name](n)` is a page of bytes with about n repetitions of what is odd; n = 1 is odd enough for most of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.faults.pages import AFTER, BEFORE, HEAD, INSIDE, TAIL

Make = Callable[[int], bytes]
PAGES: dict[str, Make] = {}
SAYS: dict[str, str] = {}  # what is odd about each, in one sentence
DATA = '<script type="application/ld+json">{}</script>'


def page(name: str, says: str) -> Callable[[Make], Make]:
    """Register a generator of a whole page."""

    def register(make: Make) -> Make:
        PAGES[name], SAYS[name] = make, says
        return make

    return register


def middle(name: str, says: str) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    """Register a generator of the middle of a page, in UTF-8."""

    def register(make: Callable[[int], str]) -> Callable[[int], str]:
        SAYS[name] = says
        PAGES[name] = lambda n: f"{HEAD}{make(n)}<p>{INSIDE}</p>{TAIL}".encode("utf-8", "surrogatepass")
        return make

    return register


page("nothing", "The body is empty.")(lambda n: b"")
page("only spaces", "The body is white space.")(lambda n: b" \n\t" * n)
page("only a comment", "The body is one comment.")(lambda n: b"<!--" + b"x" * n + b"-->")
page("only a script", "The body is one script.")(lambda n: b"<script>" + b"x();" * n + b"</script>")
page("random bytes", "The body is noise.")(lambda n: random.Random(1).randbytes(n))
page("random bytes as markup", "Noise stands between tags.")(
    lambda n: b"".join(b"<p>%b</p>" % random.Random(i).randbytes(9) for i in range(n))
)
page("a frameset", "Frames stand in place of a body.")(
    lambda n: b"<title>x</title><frameset>" + b"<frame src=/x>" * n + b"</frameset>"
)
page("words without markup", "There is no tag at all.")(lambda n: f"{BEFORE} {'word ' * n}{AFTER}".encode())
page("UTF-16 without a mark", "Every letter has two bytes, and nothing says so.")(
    lambda n: f"<p>{BEFORE} {'plain words ' * n}{AFTER}</p>".encode("utf-16-le")
)
page("XML that declares another encoding", "The XML declaration says UTF-16, and the bytes are UTF-8.")(
    lambda n: f"<?xml version='1.0' encoding='utf-16'?><html><p>{BEFORE} {'naïve ' * n}{AFTER}</p>".encode()
)
page("a charset that nobody knows", "The page declares an encoding that there is none of.")(
    lambda n: f"<meta charset=x-klingon-{n}><p>{BEFORE} naïve {AFTER}</p>".encode()
)
page("Turkish that claims to be UTF-8", "Bytes of ISO-8859-9 stand below a declaration of UTF-8.")(
    lambda n: f"<meta charset=utf-8><p>{BEFORE} {'Işığın şarkısı dağıldı, göğün çocuğu. ' * n}{AFTER}</p>".encode(
        "iso-8859-9"
    )
)
page("an encoding changed in the middle", "One half of the page is UTF-8, the other one is not.")(
    lambda n: (
        f"<p>{BEFORE} {'naïve café ' * n}</p>".encode() + f"<p>{'naïve café ' * n}{AFTER}</p>".encode("windows-1252")
    )
)
page("overlong UTF-8", "Plain letters are written with more bytes than they need.")(
    lambda n: f"<p>{BEFORE} ".encode() + b"\xc0\xbcscript\xc0\xbe\xe0\x80\xaf" * n + f" {AFTER}</p>".encode()
)


@middle("NUL characters", "NUL characters stand in texts, names and values.")
def _(n: int) -> str:
    return "<p\0 cl\0ass='\0'>wo\0rd</p>" * n


@middle("control characters", "Every control character stands in the text.")
def _(n: int) -> str:
    return "<p>" + "".join(map(chr, (*range(1, 32), *range(0x7F, 0xA0)))) * n + "</p>"


@middle("surrogates and non-characters", "Half characters and such that are none stand in the text.")
def _(n: int) -> str:
    return "<p>" + "\ud800x\udfff\ufffe\uffff\U0001fffe" * n + "</p>"


@middle("characters that turn the text around", "Marks of direction are opened and never closed.")
def _(n: int) -> str:
    return "<p>" + "\u202eword\u2066\u200f" * n + "</p>"


@middle("references out of range", "Character references name no character.")
def _(n: int) -> str:
    return "<p>" + "&#0;&#x110000;&#xD800;&#99999999999999999999;&#x80;&#-1;&#x;" * n + "</p>"


@middle("an entity bomb", "A document type declares entities that hold entities that hold entities.")
def _(n: int) -> str:
    names = [f"<!ENTITY e{i + 1} '{f'&e{i};' * 10}'>" for i in range(min(n, 50))]
    return f"<!DOCTYPE x [<!ENTITY e0 'x'>{''.join(names)}]><p>&e{min(n, 50)};</p>"


@middle("an external entity", "A document type wants a file and an address read.")
def _(n: int) -> str:
    file, host = "SYSTEM 'file:///etc/passwd'", "SYSTEM 'http://127.0.0.1/'"
    return f"<!DOCTYPE x [<!ENTITY f {file}><!ENTITY h {host}>]><p>&f;&h;</p><xi:include href='file:///etc/passwd'/>"


@middle("spans beyond belief", "Cells claim to span 2^53 columns and rows, or fewer than none.")
def _(n: int) -> str:
    rows = "<tr><td colspan=9007199254740991 rowspan=9007199254740991>a<td colspan=-1>b<td colspan=1e9>c</tr>"
    return f"<table>{rows * n}</table>"


@middle("sizes beyond belief", "Images claim sizes that no screen has, and more variants than anybody made.")
def _(n: int) -> str:
    variants = ", ".join(f"/{i}.jpg {10**i % 10**9}w" for i in range(n))
    sizes = "".join(f"<img src=/x.jpg width={size} height={size}>" for size in ("-1", "9" * 30, "1e400", "NaN", "5%"))
    return f"{sizes}<img srcset='{variants}'>"


@middle("dates beyond belief", "Dates are those of no calendar.")
def _(n: int) -> str:
    dates = ("1000000-13-45", "0000-00-00", "9" * 40, "-1-01-01T99:99", "١٢٣٤", "next Tuesday", "2026-02-30T25:61Z")
    return "".join(f"<time datetime='{date}'>{date}</time><meta name=date content='{date}'>" for date in dates * n)


LINKS = (
    *("http://[::1/x", "http://h:99999999/", "http://a b/", "/%zz", "http://%00/", "//", "http:", "javascript:x()"),
    *("data:text/html,x", "file:///etc/passwd", "\\\\h\\x", "http://\u2100.org/", "?", "http://user:pw@h/"),
)


@middle("links that lead nowhere", "Links have addresses that cannot be taken apart.")
def _(n: int) -> str:
    links = "".join(f"<a href='{link}'>x</a><img src='{link}'><base href='{link}'>" for link in LINKS)
    return links * n + f"<a href='/{'x' * 1_000_000}'>long</a>"


@middle("JSON-LD without a bottom", "Lists stand inside of lists in the data of the page.")
def _(n: int) -> str:
    return DATA.format("[" * n + "]" * n) + DATA.format('{"a":' * n)


@middle("JSON-LD of wrong types", "Numbers, lists and nothing stand in the data where texts should.")
def _(n: int) -> str:
    values = ("null", "[]", "{}", "17", "true", '[[["x"]]]', '{"@value": 3}', '{"@type": {"@type": []}}')
    keys = ("@type", "@graph", "headline", "author", "datePublished", "image", "url", "offers", "articleBody")
    return "".join(DATA.format(f'{{"{key}": {value}}}') for key in keys for value in values) * n


@middle("JSON-LD with numbers too long", "An integer of the data has more digits than Python reads.")
def _(n: int) -> str:
    return DATA.format(f'{{"@type": "Product", "price": {"9" * max(6_000, n)}}}') + DATA.format(
        '{"a": 1e999, "b": NaN}'
    )


@middle("JSON-LD that repeats its keys", "One object of the data has a key again and again.")
def _(n: int) -> str:
    return DATA.format("{" + ",".join(f'"headline": "{i}"' for i in range(n)) + ',"@type": "Article"}')


for _tag in ("base", "meta", "a", "script", "link", "img"):
    middle(f"{_tag} tags begun and not ended", f"<{_tag} is begun again and again without an end.")(
        lambda n, tag=_tag: f"<{tag} " * n + f"x='' > {INSIDE}"  # type: ignore[misc]
    )
