"""Pages that are odd rather than large: bytes that are no text, data that is no data, numbers that cannot be meant.

`PAGES[name](n)` is a page of bytes with about n repetitions of what is odd; n = 1 is odd enough for most of them.
"""

import random
from collections.abc import Callable

from tests.faults.pages import AFTER, BEFORE, HEAD, INSIDE, TAIL

Make = Callable[[int], bytes]
DATA = '<script type="application/ld+json">{}</script>'
LINKS = (
    *("http://[::1/x", "http://h:99999999/", "http://a b/", "/%zz", "http://%00/", "//", "http:", "javascript:x()"),
    *("data:text/html,x", "file:///etc/passwd", "\\\\h\\x", "http://\u2100.org/", "?", "http://user:pw@h/"),
)


def _an_entity_bomb(n: int) -> str:
    names = [f"<!ENTITY e{i + 1} '{f'&e{i};' * 10}'>" for i in range(min(n, 50))]
    return f"<!DOCTYPE x [<!ENTITY e0 'x'>{''.join(names)}]><p>&e{min(n, 50)};</p>"


def _an_external_entity(n: int) -> str:
    file, host = "SYSTEM 'file:///etc/passwd'", "SYSTEM 'http://127.0.0.1/'"
    return f"<!DOCTYPE x [<!ENTITY f {file}><!ENTITY h {host}>]><p>&f;&h;</p><xi:include href='file:///etc/passwd'/>"


def _spans_beyond_belief(n: int) -> str:
    rows = "<tr><td colspan=9007199254740991 rowspan=9007199254740991>a<td colspan=-1>b<td colspan=1e9>c</tr>"
    return f"<table>{rows * n}</table>"


def _sizes_beyond_belief(n: int) -> str:
    variants = ", ".join(f"/{i}.jpg {10**i % 10**9}w" for i in range(n))
    sizes = "".join(f"<img src=/x.jpg width={size} height={size}>" for size in ("-1", "9" * 30, "1e400", "NaN", "5%"))
    return f"{sizes}<img srcset='{variants}'>"


def _dates_beyond_belief(n: int) -> str:
    dates = ("1000000-13-45", "0000-00-00", "9" * 40, "-1-01-01T99:99", "١٢٣٤", "next Tuesday", "2026-02-30T25:61Z")
    return "".join(f"<time datetime='{date}'>{date}</time><meta name=date content='{date}'>" for date in dates * n)


def _links_that_lead_nowhere(n: int) -> str:
    links = "".join(f"<a href='{link}'>x</a><img src='{link}'><base href='{link}'>" for link in LINKS)
    return links * n + f"<a href='/{'x' * 1_000_000}'>long</a>"


def _json_ld_of_wrong_types(n: int) -> str:
    values = ("null", "[]", "{}", "17", "true", '[[["x"]]]', '{"@value": 3}', '{"@type": {"@type": []}}')
    keys = ("@type", "@graph", "headline", "author", "datePublished", "image", "url", "offers", "articleBody")
    return "".join(DATA.format(f'{{"{key}": {value}}}') for key in keys for value in values) * n


PAGES: dict[str, Make] = {
    "nothing": lambda n: b"",
    "only spaces": lambda n: b" \n\t" * n,
    "only a comment": lambda n: b"<!--" + b"x" * n + b"-->",
    "only a script": lambda n: b"<script>" + b"x();" * n + b"</script>",
    "random bytes": lambda n: random.Random(1).randbytes(n),
    "random bytes as markup": lambda n: b"".join(b"<p>%b</p>" % random.Random(i).randbytes(9) for i in range(n)),
    "a frameset": lambda n: b"<title>x</title><frameset>" + b"<frame src=/x>" * n + b"</frameset>",
    "words without markup": lambda n: f"{BEFORE} {'word ' * n}{AFTER}".encode(),
    "UTF-16 without a mark": lambda n: f"<p>{BEFORE} {'plain words ' * n}{AFTER}</p>".encode("utf-16-le"),
    "XML that declares another encoding": lambda n: (
        f"<?xml version='1.0' encoding='utf-16'?><html><p>{BEFORE} {'naïve ' * n}{AFTER}</p>".encode()
    ),
    "a charset that nobody knows": lambda n: f"<meta charset=x-klingon-{n}><p>{BEFORE} naïve {AFTER}</p>".encode(),
    "Turkish that claims to be UTF-8": lambda n: (
        f"<meta charset=utf-8><p>{BEFORE} {'Işığın şarkısı dağıldı, göğün çocuğu. ' * n}{AFTER}</p>".encode(
            "iso-8859-9"
        )
    ),
    "an encoding changed in the middle": lambda n: (
        f"<p>{BEFORE} {'naïve café ' * n}</p>".encode() + f"<p>{'naïve café ' * n}{AFTER}</p>".encode("windows-1252")
    ),
    "overlong UTF-8": lambda n: (
        f"<p>{BEFORE} ".encode() + b"\xc0\xbcscript\xc0\xbe\xe0\x80\xaf" * n + f" {AFTER}</p>".encode()
    ),
}
# the middle of a page in UTF-8
_MIDDLES: dict[str, Callable[[int], str]] = {
    "NUL characters": lambda n: "<p\0 cl\0ass='\0'>wo\0rd</p>" * n,
    "control characters": lambda n: "<p>" + "".join(map(chr, (*range(1, 32), *range(0x7F, 0xA0)))) * n + "</p>",
    "surrogates and non-characters": lambda n: "<p>" + "\ud800x\udfff\ufffe\uffff\U0001fffe" * n + "</p>",
    "characters that turn the text around": lambda n: "<p>" + "\u202eword\u2066\u200f" * n + "</p>",
    "references out of range": lambda n: (
        "<p>" + "&#0;&#x110000;&#xD800;&#99999999999999999999;&#x80;&#-1;&#x;" * n + "</p>"
    ),
    "an entity bomb": _an_entity_bomb,
    "an external entity": _an_external_entity,
    "spans beyond belief": _spans_beyond_belief,
    "sizes beyond belief": _sizes_beyond_belief,
    "dates beyond belief": _dates_beyond_belief,
    "links that lead nowhere": _links_that_lead_nowhere,
    "JSON-LD without a bottom": lambda n: DATA.format("[" * n + "]" * n) + DATA.format('{"a":' * n),
    "JSON-LD of wrong types": _json_ld_of_wrong_types,
    "JSON-LD with numbers too long": lambda n: (
        DATA.format(f'{{"@type": "Product", "price": {"9" * max(6_000, n)}}}') + DATA.format('{"a": 1e999, "b": NaN}')
    ),
    "JSON-LD that repeats its keys": lambda n: DATA.format(
        "{" + ",".join(f'"headline": "{i}"' for i in range(n)) + ',"@type": "Article"}'
    ),
}
for _tag in ("base", "meta", "a", "script", "link", "img"):
    _MIDDLES[f"{_tag} tags begun and not ended"] = lambda n, tag=_tag: f"<{tag} " * n + f"x='' > {INSIDE}"  # type: ignore[misc]
PAGES |= {
    name: lambda n, make=make: f"{HEAD}{make(n)}<p>{INSIDE}</p>{TAIL}".encode("utf-8", "surrogatepass")  # type: ignore[misc]
    for name, make in _MIDDLES.items()
}
