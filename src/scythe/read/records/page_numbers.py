"""Tell which page of a list an address names: two addresses come in, how they differ in a page number goes out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

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


class Address(NamedTuple):
    """An address taken apart."""

    host: str  # without www.
    path: str
    query: dict[str, str]


class Step(NamedTuple):
    """How the page number changes from one address to another; None where an address has none."""

    before: int | None
    after: int | None
    named: bool  # a word of the address says that it is the number of a page
    exact: bool  # nothing else differs


@lru_cache(maxsize=1_024)
def split_address(url: str) -> Address:
    """Take an absolute address apart; one that is too long or broken gives an empty host."""
    if len(url) > _MOST_CHARS:
        return Address("", "", {})
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        return Address("", "", {})
    return Address(host, parts.path.replace("//", "/") or "/", dict(pairs))


def is_same(own: str, other: str) -> bool:
    """Tell whether two addresses are one page."""
    mine, theirs = split_address(own), split_address(other)
    return mine.host == theirs.host and mine.path.rstrip("/") == theirs.path.rstrip("/") and mine.query == theirs.query


def leads_to_comments(url: str) -> bool:
    """Tell whether an address is that of more of what readers wrote below an article: that list is not the page's."""
    return _COMMENTS.search(url) is not None


def compare(own: str, other: str) -> Step | None:
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
            return Step(_number(was), _number(found), True, exact)
    step = _compare_paths(mine.path, theirs.path)
    if step is not None:
        return step._replace(exact=step.exact and _agree(mine.query, theirs.query))
    return _compare_queries(mine.query, theirs.query, False)


def _compare_queries(mine: dict[str, str], theirs: dict[str, str], same_path: bool) -> Step | None:
    """Compare parameters; those that only one of the two has count as differences."""
    differ = [name for name in {**mine, **theirs} if (mine.get(name) or "") != (theirs.get(name) or "")]
    steps: list[Step] = []
    for name in differ:
        if _NO_PAGE.search(name.lower()):
            continue
        before, after = mine.get(name), theirs.get(name)
        before, after = (before or "").rpartition(",")[2], (after or "").rpartition(",")[2]  # Drupal counts pagers: 0,1
        named = _names_page(name.lower(), after, same_path)
        if after and name.lower().endswith(_MARKED):
            return Step(None, None, True, same_path)
        if _is_number(before) and _is_number(after) and (named or (len(differ) == 1 and same_path)):
            steps.append(Step(_to_int(before), _to_int(after), named, same_path and len(differ) == 1))
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


def _compare_paths(mine: str, theirs: str) -> Step | None:
    """Find the one number in which two paths differ, or that one has at its end and the other has not."""
    if _DATED.search(theirs):
        return None
    old, new = _DIGITS.split(mine), _DIGITS.split(theirs)
    if len(old) == len(new):
        places = [i for i in range(len(new)) if old[i] != new[i]]
        if len(places) != 1 or not places[0] % 2 or max(len(old[places[0]]), len(new[places[0]])) > 4:
            return None
        step = Step(int(old[places[0]]), int(new[places[0]]), False, True)
        return step if max(step.before or 0, step.after or 0) <= _LARGEST_UNNAMED else None
    stem, longer = _TAIL.sub("", mine), _TAIL.sub("", theirs)
    found, was = _NUMBER_AT_END.search(longer), _NUMBER_AT_END.search(stem)
    if found and longer[: found.start()] == stem:
        return Step(None, int(found.group(1)), False, True)
    if found and _continues(stem, longer[: found.start()]):
        return Step(None, int(found.group(1)), False, False)
    if was and stem[: was.start()] == longer:
        return Step(int(was.group(1)), None, False, True)
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
