"""Choose the title of a page, and tell it from the name of its site.

What sets the two apart is listed here three times on purpose: the head of one page is split by what sites write
(`_SEPARATORS`), a heading is compared with any part of it (`_BETWEEN`), and many pages show by themselves which part
they share (`_APART`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scythe.page.head import BodyQueries, squeeze
from scythe.url import host

if TYPE_CHECKING:
    from scythe.page.page import Page


_SEPARATORS = (
    "|",
    " - ",
    " – ",
    " — ",
    " :: ",
    " : ",
    "»",
    "«",
    " · ",
    " • ",
    " / ",
    " ~ ",
    "｜",
    "ㅣ",
    "_",
    " -",
    "- ",
    ": ",
)
_BETWEEN = re.compile(r" [-|:\u2013\u2014\u00b7\u2022\u00bb\u2039\u203a] ")  # what sites put between title and name
TITLES_SHARE = 0.6  # of the pages must have a part of the title for it to be the site's
_APART = re.compile(r"\s+(?:[^\w\s]{1,3})\s+|\s*[|»«]\s*")  # what sets the site's name apart
_EDGES_LEARNED = " \t|-–—:·•»«/~⋆"
_TITLE_PART = 12  # letters; a shorter heading may be found in a title by chance
_EDGE = " \t|-–—:·•»«/~｜ㅣ_"


def without_site(title: str, site: tuple[str, str], headline: str, body: BodyQueries) -> str:
    """Return the title without the site's name, if the site's name, its address or a heading proves which part that is.

    `site` holds the name and an address of the page.
    """
    title = squeeze(title)
    if not any(separator in title for separator in _SEPARATORS):
        return title
    names = _site_keys(*site)
    for separator in _SEPARATORS:
        left, found, right = title.rpartition(separator)
        if found and left.strip() and _key(right) in names:
            return left.rstrip(_EDGE)
        left, found, right = title.partition(separator)
        if found and right.strip() and _key(left) in names:
            return right.lstrip(_EDGE)
    return _proved_by(title, headline) or _proved_by(title, body.heading) or title


def _proved_by(title: str, heading: str) -> str:
    """Return the heading if the title is the heading with something set apart before or after it."""
    if len(heading) < 10 or len(heading) >= len(title):
        return ""
    rest = (
        title[len(heading) :]
        if title.startswith(heading)
        else title[: -len(heading)]
        if title.endswith(heading)
        else ""
    )
    edge = rest.strip()[:1] if title.startswith(heading) else rest.strip()[-1:]
    return heading if edge and edge in _EDGE else ""


def _site_keys(name: str, url: str) -> set[str]:
    domain = host(url).removeprefix("www.")
    labels = domain.split(".")
    keys = {_key(name), _key(domain)}
    if len(labels) > 1:
        keys.update(_key(label) for label in labels[-3:-1] if len(label) > 3)
    return keys - {""}


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def read_title(page: Page) -> tuple[str, str]:
    """Choose between the title of the head, which often carries the site's name, and the heading it repeats.

    Return it, and how it was chosen.
    """
    blocks, declared = page.blocks, page.declared_title
    heads = [blocks.text[i] for i in blocks.directly_in("h1")]
    variants = title_variants(declared) if declared else set()
    whole = comparable(declared)
    for head in heads:
        key = comparable(head)
        if key in variants or (len(key) >= _TITLE_PART and key in whole):
            return head, "h1: repeats the declared title"
    if declared:
        return declared, "declared by the page"
    return (heads[0], "h1: no title declared") if heads else ("", "empty: no title, no h1")


def title_variants(title: str) -> set[str]:
    """Return the comparable forms of a page title: whole, and each part that could be it without the site's name."""
    parts = _BETWEEN.split(title)
    longest = max(parts, key=len)
    return {key for key in (comparable(title), comparable(longest), comparable(parts[0])) if key}


def comparable(text: str) -> str:
    """Return only letters and digits, case folded: two lines that differ in dress alone compare equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def shared_part(titles: Sequence[str]) -> str:
    """Return the part at the end or at the start that most different titles share, or an empty string."""
    parts: Counter[str] = Counter()
    for title in set(titles):
        edges = list(_APART.finditer(title))
        parts.update({title[edge.end() :] for edge in edges[-3:]} | {title[: edge.start()] for edge in edges[:3]})
    found = [(len(part), part) for part, pages in parts.items() if part and pages >= TITLES_SHARE * len(set(titles))]
    return max(found)[1] if found else ""


def without_shared(title: str, site: str) -> str:
    """Return a title without the part that most titles of its site share."""
    if not site or title == site:
        return title
    if title.endswith(site) and title[-len(site) - 1 : -len(site)] in _EDGES_LEARNED:
        return title[: -len(site)].rstrip(_EDGES_LEARNED)
    if title.startswith(site) and title[len(site) : len(site) + 1] in _EDGES_LEARNED:
        return title[len(site) :].lstrip(_EDGES_LEARNED)
    return title
