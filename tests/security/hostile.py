"""Pages that try to be taken for code, by every engine that ever ran what it should have read."""

import base64
import html
import json
from itertools import cycle, islice

MARK = "scytheCanary"
OWNED = f"{MARK}-owned"
# A pickle that would make a file, written by hand: loading it calls posix.system.
PICKLE = b"cposix\nsystem\n(S'touch " + OWNED.encode() + b"'\ntR."
CODE = (
    f"__import__('os').system('touch {OWNED}')",
    f"eval(compile('open(\"{OWNED}\",\"w\")','{MARK}','exec'))",
    f"{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}{{{{ 7*7 }}}}{MARK}",
    f"{{% set x = cycler.__init__.__globals__.os.popen('touch {OWNED}').read() %}}",
    f"${{7*7}}#{{7*7}}<%= 7*7 %>{MARK}",
    f"{{0.__class__.__init__.__globals__}}{{{MARK}}}%({MARK})s",
    f"$(touch {OWNED})`touch {OWNED}`; touch {OWNED} #",
    f"!!python/object/apply:os.system ['touch {OWNED}']",
    f"${{jndi:ldap://127.0.0.1/{MARK}}}",
    base64.b64encode(PICKLE).decode(),
    f"'; DROP TABLE pages; ATTACH DATABASE '{OWNED}' AS x; --",
    f"=cmd|'/C touch {OWNED}'!A0",
    f"\x1b]0;{MARK}\x07\x1b[2J",
    f"../../../../{OWNED}",
    f"file:///{OWNED}",
    "import:os.system",
    f"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;{MARK}</x>",
)


def hostile_page(number: int, links: str = "") -> str:
    """Write an article each of whose places holds some code; its layout is that of the others."""
    said = [html.escape(one) for one in islice(cycle(CODE), number % len(CODE), number % len(CODE) + 12)]
    facts = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": CODE[number % len(CODE)]}
    facts |= {"author": {"@type": "Person", "name": CODE[(number + 1) % len(CODE)]}, "image": CODE[0]}
    text = "\n".join(
        f"<p>In the {number + line}th field the barley was cut before noon, and nobody had seen {one} there, "
        f"whatever the neighbours said of it afterwards, in the mill and elsewhere.</p>"
        for line, one in enumerate(said[:6])
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{said[0]} | {number}</title>
<meta name="description" content="{said[1]}"><meta property="og:image" content="{said[2]}">
<link rel="canonical" href="/story-{number}.html"><link rel="alternate" type="application/rss+xml" href="/{said[3]}">
<script type="application/ld+json">{json.dumps(facts).replace("<", chr(92) + "u003c")}</script></head>
<body><header><a href="/">Home</a> <a href="{said[4]}">{said[5]}</a></header>
<article class="{said[6]}"><h1>{said[0]} {number}</h1><p class="by">By {said[1]}</p>
<img src="/{said[7]}.png" alt="{said[8]}" width="600" height="400">
{text}
<table><tr><th>{said[9]}</th><td>{said[10]}</td></tr></table></article>
<ul>{links}</ul><footer>{said[11]}</footer></body></html>"""


def story_links(count: int) -> str:
    """Write links to all stories."""
    return "".join(f'<li><a href="/story-{number}.html">Story {number}</a></li>' for number in range(count))
