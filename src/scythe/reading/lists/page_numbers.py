"""Interpret page numbers in URLs, and the words and class names of pager links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from scythe.package_files import packaged_words

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


class PagingLabel(NamedTuple):
    """What a label says: `says` is next, previous, more, thing, end, forward, backward or empty."""

    says: str
    whole: bool = True  # nothing is said beside it
    phrase: bool = False  # in several words, such as "next page"


class NameHints(NamedTuple):
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
    meanings: dict[str, set[str]] = {}
    for meaning, words in packaged_words("scythe.reading.lists", "tables/paging.txt").items():
        for word in words:
            meanings.setdefault(word, set()).add(meaning)
    return {word: frozenset(meant) for word, meant in meanings.items()}


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the words that may make a label one of paging."""
    return frozenset(word for word, meant in _meanings().items() if not meant.isdisjoint(_DIRECTED | {"more"}))


@lru_cache(maxsize=_REMEMBERED)
def read_label(text: str) -> PagingLabel:
    """Say what the text of a link means for paging; what has nothing to do with it gives an empty label."""
    if len(text) > _LABEL_CHARS:
        return PagingLabel("")
    words = text.casefold().translate(_PLAIN).split()
    if not words:
        return _read_arrows(text)
    if len(words) > _LABEL_WORDS:
        return PagingLabel("")
    known = _meanings()
    meant = [known.get(word, frozenset()) for word in words]
    every = frozenset().union(*meant)
    if "thing" in every and not every.isdisjoint(_DIRECTED):
        return PagingLabel("thing")
    if "end" in every:
        return PagingLabel("end")
    for says, by in _SAYING:
        hits = [meaning for meaning in meant if not meaning.isdisjoint(by)]
        if hits:
            rest = by | _BESIDE
            return PagingLabel(says, all(not meaning.isdisjoint(rest) for meaning in meant), len(meant) > 1)
    return _read_arrows(text) if all("page" in meaning for meaning in meant) else PagingLabel("")


_DIRECTED = frozenset(("next", "previous", "older", "newer"))
_BESIDE = frozenset(("page", "load", "more"))
_SAYING = (
    ("next", frozenset(("next", "older"))),
    ("previous", frozenset(("previous", "newer"))),
    ("more", frozenset(("more",))),
)


def _read_arrows(text: str) -> PagingLabel:
    """Read a label by its arrows; `»` and `>>` may mean the last page as well, which others of the pager tell."""
    marks = set(text) & ARROWS
    if not marks:
        return PagingLabel("")
    if marks.isdisjoint(BACKWARD):
        return PagingLabel("forward")
    return PagingLabel("backward" if marks.isdisjoint(FORWARD) else "")


@lru_cache(maxsize=_REMEMBERED)
def read_names(names: str) -> NameHints:
    """Say what class, id and role attributes tell of an element's part in paging."""
    names = names[:400]
    words = [word.lower() for word in _CLASS_WORD.findall(names)]
    low = names.lower()
    ahead = any(
        w in _NEXT_NAMES or (w[:4] == "next" and not w.startswith(_NOT_NEXT)) or w[-4:] == "next" for w in words
    )
    behind = any(w in _PREVIOUS_NAMES or (w[:4] == "prev" and w[:7] != "preview") for w in words)
    return NameHints(
        ahead,
        behind,
        _has_any(low, _PAGERS),
        _has_any(low, _TURNING),
        _has_any(low, _SINGLE),
        _has_any(low, _MORE_NAMES),
        not _CURRENT.isdisjoint(words),
    )


_SPEAKING = ("next", "prev", *_NEXT_NAMES, *_PREVIOUS_NAMES, *_MORE_NAMES)


def speaking_names(names: Iterable[str]) -> frozenset[str]:
    """Return those that speak of a next or previous page, or of more."""
    distinct = set(names)
    whole = "\n".join(distinct).lower()
    parts = [part for part in _SPEAKING if part in whole]
    likely = (one for one in distinct if parts and _has_any(one.lower(), parts))
    return frozenset(one for one in likely if (said := read_names(one)).next or said.previous or said.more)


def _has_any(text: str, parts: Iterable[str]) -> bool:
    for part in parts:  # noqa: SIM110 a generator takes twice as long
        if part in text:
            return True
    return False


_MOST_PARAMETERS = 64
_MOST_CHARS = 2_048  # of an address; longer ones are not compared
_LARGEST = 10_000_000  # offsets reach some millions, identifiers go on from there
_LARGEST_UNNAMED = 2_000  # a larger number that no word calls a page is the identifier of something
_NAMES = (
    "page|pages|paged|pagenum|pageno|pageid|pageindex|pagenumber|pag|pg|pgnr|pagina|página|pagine|seite|sida|side|sivu|"
    "strona|strana|stranka|stran|stranica|oldal|halaman|sayfa|trang|puslapis|lapa|index|start|offset|p|fp|o|st|pn"
)
# a page number that a word in the path announces: /page/2/, /page-2, /p2, /seite_2.html, /index2.html
_IN_PATH = re.compile(rf"(?<![a-z0-9])(?:{_NAMES})[-_/=,:.]?(\d{{1,7}})(?![a-z0-9])", re.IGNORECASE)
_PARAMETER = re.compile(
    r"pag|seite|sida|sivu|strona|strana|oldal|sayfa|trang|halaman|start|offset|skip|index|cursor|updated-max|"
    r"^(?:pg|pn|pno|np|side|max_id)$"
)
# too short to mean a page on another path, or with a number that is more likely somebody's identifier
_SHORT_PARAMETER = re.compile(r"^(?:p|n|s|o|st|fr|fp|b|from|pos|after|before|_p|pp|first|begin)$")
_SHORT_ANYWHERE = ("p", "pg")
_NO_PAGE = re.compile(  # how many on a page, and in which order
    r"per_?page|page_?size|pagelength|limit|anzahl|max-results|"
    r"^(?:show|count|rows|size|num|max|ppp|results|items|length|view|sort|order|orderby|dir|display)$"
)
_COMMENTS = re.compile(r"comment-page|comments?_?page|all_comments|[?&]cpage=|#[a-z_-]{0,12}comment", re.IGNORECASE)
# where a page begins, by a time or an identifier
_MARKED = ("cursor", "updated-max", "after", "before", "max_id", "pagetoken", "page_token", "until")
_LONG_PATH, _SHORT_WORD = 12, 10  # characters
_DATED = re.compile(r"(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?!\d)")
_DIGITS = re.compile(r"(\d+)")
_TAIL = re.compile(r"(?:/?(?:index|default)?(?:\.[a-z]{2,5})?)?/?$", re.IGNORECASE)
_NUMBER_AT_END = re.compile(r"[-_/.,;]?(?<!\d)(\d{1,4})$")


class NumberedUrl(NamedTuple):
    """An address taken apart."""

    host: str  # without www.
    path: str
    query: dict[str, str]


class NumberStep(NamedTuple):
    """How the page number changes from one address to another; None where an address has none."""

    before: int | None
    after: int | None
    named: bool  # a word of the address says that it is the number of a page
    exact: bool  # nothing else differs


@lru_cache(maxsize=1_024)
def split_address(url: str) -> NumberedUrl:
    """Take an absolute address apart; one that is too long or broken gives an empty host."""
    if len(url) > _MOST_CHARS:
        return NumberedUrl("", "", {})
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        return NumberedUrl("", "", {})
    return NumberedUrl(host, parts.path.replace("//", "/") or "/", dict(pairs))


def is_same(own: str, other: str) -> bool:
    """Tell whether two addresses are one page."""
    mine, theirs = split_address(own), split_address(other)
    return mine.host == theirs.host and mine.path.rstrip("/") == theirs.path.rstrip("/") and mine.query == theirs.query


def leads_to_comments(url: str) -> bool:
    """Tell whether an address is that of more of what readers wrote below an article: that list is not the page's."""
    return _COMMENTS.search(url) is not None


def compare(own: str, other: str) -> NumberStep | None:
    """Return how `other` differs from `own` in a page number, or None where it names no page of a list."""
    mine, theirs = split_address(own), split_address(other)
    if not theirs.host or mine.host != theirs.host:
        return None
    if mine.path.rstrip("/") == theirs.path.rstrip("/"):
        return _compare_queries(mine.query, theirs.query, True)
    found = _IN_PATH.search(theirs.path, max(0, len(theirs.path) - 200))
    was = _IN_PATH.search(mine.path, max(0, len(mine.path) - 200))
    if found and not int(found.group(1)):
        found = None  # no list begins by calling its second page 0
    if found or was:
        stem = _stem(_without(theirs.path, found))
        exact = stem == _stem(_without(mine.path, was)) and _agree(mine.query, theirs.query)
        if found or exact:
            return NumberStep(_number(was), _number(found), True, exact)
    step = _compare_paths(mine.path, theirs.path)
    if step is not None:
        return step._replace(exact=step.exact and _agree(mine.query, theirs.query))
    return _compare_queries(mine.query, theirs.query, False)


def _compare_queries(mine: dict[str, str], theirs: dict[str, str], same_path: bool) -> NumberStep | None:
    """Compare parameters; those that only one of the two has count as differences."""
    differ = [name for name in {**mine, **theirs} if (mine.get(name) or "") != (theirs.get(name) or "")]
    steps: list[NumberStep] = []
    for name in differ:
        if _NO_PAGE.search(name.lower()):
            continue
        before, after = mine.get(name), theirs.get(name)
        before, after = (before or "").rpartition(",")[2], (after or "").rpartition(",")[2]  # Drupal counts pagers: 0,1
        named = _names_page(name.lower(), after, same_path)
        if after and name.lower().endswith(_MARKED):
            return NumberStep(None, None, True, same_path)
        if _is_number(before) and _is_number(after) and (named or (len(differ) == 1 and same_path)):
            steps.append(NumberStep(_to_int(before), _to_int(after), named, same_path and len(differ) == 1))
    steps = [step for step in steps if step.after is not None or step.exact]
    if not steps:
        return None
    best = max(steps, key=lambda step: (step.named, step.exact))
    return best if best.named or (best.after or 0) <= _LARGEST_UNNAMED else None


def _names_page(name: str, value: str, same_path: bool) -> bool:
    """Tell whether a parameter is that of a page number."""
    if _PARAMETER.search(name):
        return True
    short = (same_path and _SHORT_PARAMETER.search(name)) or name in _SHORT_ANYWHERE
    return bool(short) and len(value) < 4


def _compare_paths(mine: str, theirs: str) -> NumberStep | None:
    """Find the one number in which two paths differ, or that one has at its end and the other has not."""
    if _DATED.search(theirs):
        return None
    old, new = _DIGITS.split(mine), _DIGITS.split(theirs)
    if len(old) == len(new):
        places = [i for i in range(len(new)) if old[i] != new[i]]
        if len(places) != 1 or not places[0] % 2 or max(len(old[places[0]]), len(new[places[0]])) > 4:
            return None
        step = NumberStep(int(old[places[0]]), int(new[places[0]]), False, True)
        return step if max(step.before or 0, step.after or 0) <= _LARGEST_UNNAMED else None
    stem, longer = _TAIL.sub("", mine), _TAIL.sub("", theirs)
    found, was = _NUMBER_AT_END.search(longer), _NUMBER_AT_END.search(stem)
    if found and longer[: found.start()] == stem:
        return NumberStep(None, int(found.group(1)), False, True)
    if found and _continues(stem, longer[: found.start()]):
        return NumberStep(None, int(found.group(1)), False, False)
    if was and stem[: was.start()] == longer:
        return NumberStep(int(was.group(1)), None, False, True)
    return None


def _continues(stem: str, longer: str) -> bool:
    """Tell whether a path only adds a short word to another, as `,nPack,2` does."""
    return len(stem) > _LONG_PATH and longer.startswith(stem) and len(longer) - len(stem) <= _SHORT_WORD


def _stem(path: str) -> str:
    return _TAIL.sub("", path).rstrip("/-_.").replace("//", "/")


def _without(path: str, found: re.Match[str] | None) -> str:
    return path if found is None else path[: found.start()].rstrip("/-_.") + path[found.end() :]


def _number(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def _agree(mine: dict[str, str], theirs: dict[str, str]) -> bool:
    return mine == theirs or not theirs


def _is_number(value: str | None) -> bool:
    return not value or (value.isdecimal() and len(value) <= 8 and int(value) <= _LARGEST)


def _to_int(value: str | None) -> int | None:
    return int(value) if value else None
