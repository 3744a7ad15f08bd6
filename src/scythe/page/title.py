"""Choose the title of a page, and tell it from the name of its site.

What sets the two apart is listed here three times on purpose: the head of one page is split by what sites write
(`_SEPARATORS`), a heading is compared with any part of it (`_BETWEEN`), and many pages show by themselves which part
they share (`_APART`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from scythe.page.claims import Claims, score_claims
from scythe.page.head import BodyQueries, Heading, squeeze
from scythe.url import host

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
        if found and left.strip() and comparable(right) in names:
            return left.rstrip(_EDGE)
        left, found, right = title.partition(separator)
        if found and right.strip() and comparable(left) in names:
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
    keys = {comparable(name), comparable(domain)}
    if len(labels) > 1:
        keys.update(comparable(label) for label in labels[-3:-1] if len(label) > 3)
    return keys - {""}


_PART = re.compile(r"\s+(?:[-|–—·•»«/~>]|::)\s+|\s*[|｜»]\s*|(?<=\w): |(?<=\w)- | -(?=\w)|_")
_WORD = re.compile(r"[^\W_]+")
_SAID_BY = {
    "h1": "h1",
    "h2": "h2",
    "head": "title",
    "og": "og:title",
    "tw": "twitter:title",
    "headline": "JSON-LD",
    "name": "JSON-LD",
    "declared": "the head",
}
_LOGO = ("logo", "brand", "site-title", "sitename", "masthead")


# what links a heading to itself: a pilcrow, a chain, or a letter of an icon font, from the area for private use
_MARKS = re.compile("[¶\U0001f517\ue000-\uf8ff]")


def without_marks(text: str) -> str:
    """Return a heading on one line, without the marks of links to itself."""
    return " ".join(_MARKS.sub(" ", text).split())


@dataclass(slots=True)
class TitleClaims(Claims):
    """What may be the title of a page: its headings, what it declares, and parts of these."""

    headings: int = 0  # of the highest level
    heading_words: set[str] = field(default_factory=set)
    declared_words: set[str] = field(default_factory=set)
    declared_keys: list[str] = field(default_factory=list)

    def add_title(self, source: str, text: str, *more: str) -> None:
        """Take note of a title that a source gives."""
        text = without_marks(text)
        if key := "".join(_words(text)):
            self.add(key, text, source, *more)

    def add_heading(self, heading: Heading) -> None:
        """Take note of a heading, and of its first part if it is the first."""
        if heading.level > 1:
            self.add_title("h2", heading.text)
            return
        more = [f"h1 in part {heading.third}", *(f"h1 in {tag}" for tag in _AROUND if tag in heading.tags)]
        more += ["h1 link"] * heading.is_link + ["h1 logo"] * any(name in heading.names for name in _LOGO)
        if not self.headings:
            edges = _edges_of(heading.text)
            self.add_title("h1 left", heading.text[: edges[0][0]] if edges else heading.text)
        self.add_title("h1", heading.text, *more)
        self.headings += 1
        self.heading_words.update(_words(heading.text))

    def add_declared(self, source: str, text: str) -> None:
        """Take note of a title in the head of the page, with and without what may be the name of the site."""
        self.add_title(source, text)
        self.declared_words.update(_words(text))
        if source != "tw":
            self.declared_keys.append("".join(_words(text)))
        edges = _edges_of(text)
        if edges:
            self.add_title(f"{source} left", text[: edges[0][0]])
            self.add_title(f"{source} right", text[edges[0][1] :])
        if len(edges) > 1:
            self.add_title(f"{source} but last", text[: edges[-1][0]])

    def judged(self, site: frozenset[str], kind: str) -> dict[str, set[str]]:
        """Return all that speaks for or against each title; `site` are keys of the site's own names."""
        return {
            key: self._judge(key, features, site, kind)
            for key, features in self.features.items()
            if key not in site or not all(" " in one and not one.startswith("h1") for one in features)  # no mere part
        }

    def _judge(self, key: str, said: set[str], site: frozenset[str], kind: str) -> set[str]:
        words = _words(self.texts[key])
        in_headings, in_declared = (
            int(3.99 * len([word for word in words if word in known]) / max(1, len(words)))
            for known in (self.heading_words, self.declared_words)
        )
        is_heading = not said.isdisjoint(("h1", "h1 later"))
        is_part = any(one.endswith("left") for one in said)
        role = "h1" if is_heading else "part" if is_part else "whole"
        found = {*said, f"words {bisect_right((2, 4, 7, 12, 18), len(words))}"}
        found |= {f"in h1 {in_headings}", f"in head {in_declared}"}
        found |= {f"{kind} {one}" for one in said if one.startswith("h1") or one.endswith("left") or one == "declared"}
        found.add(f"sources {min(3, len({one.partition(' ')[0] for one in said}))}")
        found.add(f"{role} where {'there is an h1' if self.headings else 'there is none'}")
        found.update([f"h1 in head {in_declared}", f"h1s {min(self.headings, 3)}"] * is_heading)
        found.update([f"left in h1 {in_headings}", f"left words {min(len(words), 4)}"] * is_part)
        long = [name for name in site if len(name) > 4]
        found.update(["site", f"site {role}"] * (key in site) + ["ends with site"] * any(map(key.endswith, long)))
        found.update(["starts with site"] * any(map(key.startswith, long)))
        found.update(["within declared"] * any(key != one and key in one for one in self.declared_keys))
        found.update(["around declared"] * any(key != one and one and one in key for one in self.declared_keys))
        return found


_AROUND = ("header", "nav", "main", "article")


@lru_cache(maxsize=64)  # most pages give one title in several places
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


@lru_cache(maxsize=16)
def _edges_of(text: str) -> tuple[tuple[int, int], ...]:
    """Return what stands between the parts of a title."""
    return tuple(edge.span() for edge in _PART.finditer(text))


def choose_title(claims: TitleClaims, judged: dict[str, set[str]]) -> tuple[str, str]:
    """Return the most likely title, and which parts of the page say it."""
    scores = score_claims(judged, "title")
    best = max(scores, key=scores.__getitem__, default="")
    if not best:
        return "", "empty: no title, no heading"
    sources = sorted({one.partition(" ")[0] for one in claims.features[best]})
    return claims.texts[best], f"said by {', '.join(dict.fromkeys(_SAID_BY[name] for name in sources))}"


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
