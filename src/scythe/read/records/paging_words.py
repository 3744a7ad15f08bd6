"""Say what the words on and around a link tell of paging: labels and attribute text come in, their meaning goes out."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

_LABEL_CHARS = 60  # longer labels are headlines
_LABEL_WORDS = 6
_REMEMBERED = 2_048
FORWARD, BACKWARD = "›»→>≫⟩❯▶►⇒⟶➔➜➡⯈⏵", "‹«←<≪⟨❮◀◄⇐⟵⬅⯇⏴"
ARROWS = frozenset(FORWARD + BACKWARD)
# digits vanish: "the next 20" is "the next"; letters are not matched, since vowel signs of Indian scripts are none
_PLAIN = {ord(sign): " " for sign in FORWARD + BACKWARD + '.,:;!?…()[]{}|/\\+*=_·•–—"“”„~#&、。'}
_PLAIN |= {ord(digit): "" for digit in "0123456789０１２３４５６７８９٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹"}
_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NEXT_NAMES = frozenset(
    "next older weiter siguiente suivant suivante proxima proximo forward nxt successiva volgende".split()
)
_PREVIOUS_NAMES = frozenset("prev previous newer back anterior precedent precedente zurueck vorige backward".split())
_NOT_NEXT = ("nextgen", "nextjs", "nextdoor", "nextend")
_NOT_PREVIOUS = ("preview", "prevent")
_PAGERS = (
    "paginat pagenav pager paging page-nav page_nav pages page-num page_num pagelink page-link page_link pagin "
    "page-list pagebar pagebox page-box pagesel pagecount seiten paginas numbers nav-links older_link"
).split()
_TURNING = (  # things that turn on the page itself, and calendars
    "carousel slider slideshow slick swiper slides gallery lightbox calendar rotator ticker datepicker flexslider "
    "bxslider owl- month"
).split()
_SINGLE = (
    "post-nav post_nav postnav nav-single single-nav post-pagination article-nav next-post next_post nextpost "
    "next-article next-story single-pag adjacent prev-next-post prevnextpost entry-nav related"
).split()
_MORE_NAMES = ("load-more", "load_more", "loadmore", "show-more", "showmore", "more-link", "infinite", "view-more")
_CURRENT = frozenset("current active selected aktiv aktuell on here thispage currentpage this cur sel".split())


class Label(NamedTuple):
    """What a label says: `says` is next, previous, more, thing, end, forward, backward or empty."""

    says: str
    whole: bool = True  # nothing is said beside it
    phrase: bool = False  # in several words, such as "next page"


class Named(NamedTuple):
    """What class, id and role say of an element."""

    next: bool
    previous: bool
    pager: bool
    turning: bool  # a carousel, a gallery, a calendar
    single: bool  # steps from one article to another
    more: bool
    current: bool


@lru_cache(maxsize=1)
def _meanings() -> dict[str, frozenset[str]]:
    """Return for each word of the table what it may mean."""
    table = resources.files("scythe.read.records").joinpath("tables/paging.txt").read_text("utf-8")
    meanings: dict[str, set[str]] = {}
    for line in table.splitlines():
        meaning, _, words = line.partition(": ")
        if not line.startswith("#"):
            for word in words.split():
                meanings.setdefault(word, set()).add(meaning)
    return {word: frozenset(meant) for word, meant in meanings.items()}


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the words that may make a label one of paging."""
    return frozenset(word for word, meant in _meanings().items() if not meant.isdisjoint(_DIRECTED | {"more"}))


@lru_cache(maxsize=_REMEMBERED)
def read_label(text: str) -> Label:
    """Say what the text of a link means for paging; what has nothing to do with it gives an empty label."""
    if len(text) > _LABEL_CHARS:
        return Label("")
    words = text.casefold().translate(_PLAIN).split()
    if not words:
        return _read_arrows(text)
    if len(words) > _LABEL_WORDS:
        return Label("")
    known = _meanings()
    meant = [known.get(word, frozenset()) for word in words]
    every = frozenset().union(*meant)
    if "thing" in every and not every.isdisjoint(_DIRECTED):
        return Label("thing")
    if "end" in every:
        return Label("end")
    for says, by in _SAYING:
        hits = [meaning for meaning in meant if not meaning.isdisjoint(by)]
        if hits:
            rest = by | _BESIDE
            return Label(says, all(not meaning.isdisjoint(rest) for meaning in meant), len(meant) > 1)
    return _read_arrows(text) if all("page" in meaning for meaning in meant) else Label("")


_DIRECTED = frozenset(("next", "previous", "older", "newer"))
_BESIDE = frozenset(("page", "load", "more"))
_SAYING = (
    ("next", frozenset(("next", "older"))),
    ("previous", frozenset(("previous", "newer"))),
    ("more", frozenset(("more",))),
)


def _read_arrows(text: str) -> Label:
    """Read a label by its arrows; `»` and `>>` may mean the last page as well, which others of the pager tell."""
    marks = set(text) & ARROWS
    if not marks:
        return Label("")
    if marks.isdisjoint(BACKWARD):
        return Label("forward")
    return Label("backward" if marks.isdisjoint(FORWARD) else "")


@lru_cache(maxsize=_REMEMBERED)
def read_names(names: str) -> Named:
    """Say what class, id and role attributes tell of an element's part in paging."""
    names = names[:400]
    words = [word.lower() for word in _CLASS_WORD.findall(names)]
    low = names.lower()
    ahead = any(
        w in _NEXT_NAMES or (w[:4] == "next" and not w.startswith(_NOT_NEXT)) or w[-4:] == "next" for w in words
    )
    behind = any(w in _PREVIOUS_NAMES or (w[:4] == "prev" and w[:7] != "preview") for w in words)
    return Named(
        ahead,
        behind,
        any(part in low for part in _PAGERS),
        any(part in low for part in _TURNING),
        any(part in low for part in _SINGLE),
        any(part in low for part in _MORE_NAMES),
        not _CURRENT.isdisjoint(words),
    )


def _is_compound(word: str, part: str, but: tuple[str, ...]) -> bool:
    """Tell whether a class is written in one word with a part at its end, as in `nextpostslink` and `pagenext`."""
    return (word.startswith(part) and not word.startswith(but)) or word.endswith(part)
