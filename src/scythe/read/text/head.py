"""Read what the features need from a page's head: a page comes in, title, description and kind tokens go out."""

from __future__ import annotations

import re

from scythe.page import Page
from scythe.read.text.features import HeadSummary
from scythe.url import host

_TYPE = re.compile(r'"@type"\s{0,8}:\s{0,8}"([A-Za-z]{1,40})"')
_URL_WORD = re.compile(r"[a-z]{3,30}")
# one or two words that are a whole part of the address, such as /message-board/showthread.php: not words of a headline
_SEGMENT = re.compile(r"(?<![^/?&])([a-z]{2,30})(?:-([a-z]{2,30}))?(?=[/.?=]|-\d|$)")
_LD_CHARS = 200_000  # types stand near the top; the rest of a huge block says nothing new
_SEEN_METAS = 200


def head_of(page: Page) -> HeadSummary:
    """Return the title, the description and the tokens that tell what kind of page this is."""
    head = page.head
    title, description = head.title, ""
    tokens: dict[str, None] = {}
    for key, content in head.properties[:_SEEN_METAS]:
        value = content.strip()
        if not value:
            continue
        if key in ("description", "og:description"):
            description = description or value[:1000]
        elif key == "og:title":
            title = value[:500]
        elif key == "og:type":
            tokens[f"og:{value[:40].lower()}"] = None
        elif key == "generator":
            tokens[f"gen:{value[:40].lower().split()[0]}"] = None
    for text in head.json_ld[:20]:
        for kind in _TYPE.findall(text[:_LD_CHARS])[:100]:
            tokens[f"ld:{kind.lower()}"] = None
    for kind in head.types:
        tokens[f"md:{kind[:40]}"] = None
    for label in host(page.url or "").split(".")[:5]:
        tokens[f"host:{label}"] = None
    path = (page.url or "").partition("://")[2].partition("/")[2][:300].lower()
    for word in _URL_WORD.findall(path)[:30]:
        tokens[f"url:{word}"] = None
    for words in _SEGMENT.findall(path)[:20]:
        tokens |= {f"path:{word}": None for word in words if word}
    return HeadSummary(" ".join(title[:500].split()), " ".join(description.split()), tuple(tokens)[:100])
