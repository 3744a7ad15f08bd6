"""Choose who wrote a page, by agreement of what it declares and shows, and tell names from what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from scythe.page.claims import Claims, score_claims
from scythe.page.dates import date_words, find_days

_BY = re.compile(
    r"(?:(?:article|story|words?|text|post|reporting)?\s?(?:written|posted|published|created|started|authored) by"
    r"|(?:article|story|words?|text|post) by|by|author|authors|autor|autora|autore|auteur|contributors?|thread starter"
    r"|text|texte|escrito por|publicado por|scritto da|écrit par|geschrieben von|verfasst von"
    r"|автор|作者|文|記者|记者)\s?[:：]?\s+|(?:by|author|written by|作者|記者|记者)[:：]\s?|(?:By|By:)(?=[A-Z])",
    re.I,
)
_STARTS = tuple(  # of what `_BY` matches, to know fast where it does not
    "article story word text post reporting written posted published created started authored by author autor auteur "
    "contributor thread escrito publicado scritto écrit geschrieben verfasst автор 作者 文 記者 记者".split()
)
_MAYBE_BY = re.compile(r"(?:von|por|par|di|door|av|af)\s+(?=[A-Z])", re.I)
_SURE_BY = re.compile(
    r"(?:written |posted |started |authored |article |story |published )?by\b|author\b|thread starter\b", re.I
)
_WITHIN = re.compile(
    r"\b(?:Written|Posted|Published|Started|Authored|Article|Story) by:? |(?<=\d )by | • by | \| by ", re.I
)
_CUT = re.compile(
    r"\s[|•·⋅●»–—:/-]+\s|[|•·⋅●»\n(\[<]|\s-\s|\d|https?:|\s(?:on|in|at|from|updated|published|posted|last|is|was|has|has|for|with|over|"
    r"reviewed|edited|fact|medically|follow|follows|joined|minute|min|read|says|view|said|©|via)\b|(?<!\b[A-Z])[.!?]\s(?=[A-Z]\w{3,}\s\w+\s\w+)",
    re.I,
)
_BETWEEN = re.compile(r"\s*(?:[,;&、，/]|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bи\b|\bog\b|\boch\b|\ben\b)\s*")
_NO_NAMES = frozenset(
    "admin administrator anonymous author authors by byline contributor contributors default editor editorial "
    "editors follow guest me none null posted root staff undefined unknown user webmaster written you share home "
    "news blog login get contact about read more".split()
)
_ROLES = frozenset(
    "analyst advisor associate attorney author chief co-founder columnist consultant contributor coordinator "
    "correspondent dds dietitian director dvm dr editor engineer executive expert facs founder freelance head "
    "journalist jr lecturer llc manager marketing md m.d member moderator mph msc officer partner phd ph.d "
    "physician president producer professor reporter researcher rd rn senior specialist sr staff strategist "
    "therapist writer vp inc ltd reviewer".split()
)
_GROUPS = frozenset(
    "inc llc ltd team staff university college news editorial editors company corporation agency magazine group "
    "association institute department office foundation media press society board committee contributors official "
    "services solutions".split()
)
_SMALL = frozenset(
    "de da di du del della der den van von zu zur la le el al bin ibn y e dos das af av ten ter 't".split()
)
_BESIDE = re.compile(
    r"comment|review|testimonial|quote|related|card|teaser|widget|footer|sidebar|reply|recent|popular|nav|menu|recommend|rating"
)
_DECLARED = frozenset(("item.author", "meta.author", "marked"))
_OF_READERS = re.compile(r"comment|review|testimonial|label|form\b")
_NAMED = re.compile(r"author|byline|writer|by-line|posted-by|post-by|contributor|username|user-name|creator")
_BESIDE_DAY = re.compile(
    r"^(?:[^\w(]|(?:at )?\d{1,2}:\d\d(?: ?[ap]m)?)+|(?:[^\w.)]|published|posted|updated|on|at)+$", re.I
)
_WEEKDAYS = frozenset("mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday".split())
_SOURCES = frozenset(
    "item.author|item.group|meta.author|marked|text|text later|text by surely|text named author|text beside".split("|")
)
_CHARS = 60  # of one name
_WORDS = 5
_MOST = 12  # authors of one page
_LOOKED_AT = 160  # characters of a text


class Signed(NamedTuple):
    """A short text of the page that may name who wrote it, and where it stands."""

    text: str
    names: str  # classes of the elements around it
    number: int  # of the block
    heading: int  # number of the first heading, -1 where there is none
    blocks: int  # of the page


@dataclass(slots=True)
class AuthorClaims(Claims):
    """Who is said to have written a page, by first name of each claim, and what speaks for it."""

    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add_names(self, source: str, names: tuple[str, ...], *more: str) -> None:
        """Take note of what a source claims."""
        if not names:
            return
        key = key_of(names[0])
        self.add(key, names[0], source, *more)
        if len(names) > len(self.names.get(key, ())):
            self.names[key] = names

    def join(self, source: str) -> None:
        """Make one claim of all that a source names, under its first name."""
        keys = [key for key, features in self.features.items() if not features.isdisjoint((source, f"{source} later"))]
        names = [name for key in keys for name in self.names[key]]
        for key in keys:
            self.names[key] = tuple(dict.fromkeys(names))[:_MOST]

    def judged(self, site: frozenset[str], kind: str) -> dict[str, set[str]]:
        """Return all that speaks for or against each claim; `site` are keys of the site's own names."""
        found: dict[str, set[str]] = {}
        for key, features in self.features.items():
            noted = found[key] = {*features, f"kind {kind}", *(f"{kind} {one}" for one in features & _SOURCES)}
            first = self.names[key][0]
            words = first.lower().split()
            sources = {feature.partition(" ")[0] for feature in features}
            noted.add(f"sources {min(len(sources), 3)}")
            many = sum(len(self.features) >= claims for claims in (2, 4, 8))
            noted.update((f"claims {many}", f"{kind} claims {many}"))
            again = {one for one in features if f"{one} later" in features}
            noted.update(f"{kind} {one} again" for one in again)
            if key in site or any(len(name) > 4 and (name in key or (len(key) > 4 and key in name)) for name in site):
                noted.add("site")
            if any(word in _GROUPS for word in words):
                noted.add("group")
            noted.add(f"words {min(len(words), 3)}" if first[:1].isupper() else "lower case")
        return found


def key_of(name: str) -> str:
    """Return only the letters and digits of a name, case folded."""
    return "".join(filter(str.isalnum, name.casefold()))


def read_names(text: str, *, is_declared: bool = False) -> tuple[str, ...]:
    """Return the names in a text that says who wrote something, without "by", dates, roles and the like."""
    text = " ".join(text[:_LOOKED_AT].split())
    within = _WITHIN.search(text)
    if within is not None:
        text = text[within.end() :]
    opening = _BY.match(text)
    is_said = opening is not None or within is not None
    while opening is not None:
        text = text[opening.end() :]
        opening = _BY.match(text)
    if not is_declared and (maybe := _MAYBE_BY.match(text)) is not None:
        is_said, text = True, text[maybe.end() :]
    text = text.lstrip("~-–—:•· \"'“@,")
    is_cut = False
    if not is_declared or " " in text:
        cut = _CUT.search(text) if not text.isalnum() else None
        is_cut = cut is not None
        text = text[: cut.start()] if cut is not None else text
    months = date_words().months
    days = ((at, word.strip(".,").lower()) for at, word in enumerate(text.split()))
    dated = next((at for at, word in days if at and (word in months or word in _WEEKDAYS)), None)
    if dated is not None and is_cut:
        text = " ".join(text.split()[:dated])
    names: list[str] = []
    for part in _BETWEEN.split(text.strip(" ,;:.–-")):
        name = part.strip(" \"'“”.,:;")
        if not _is_name(name, is_first=not names, is_said=is_said or is_declared):
            if not names:
                return ()
            continue
        names.append(name)
    return tuple(dict.fromkeys(names))[:_MOST]


def _is_name(name: str, *, is_first: bool, is_said: bool) -> bool:
    words = name.split()
    lower = name.lower()
    if (
        not 1 < len(name) <= _CHARS
        or not 0 < len(words) <= _WORDS
        or lower in _NO_NAMES
        or not any(map(str.isalpha, name))
    ):
        return False
    if "{" in name or "@" in name or "://" in name or lower.startswith(("www.", "the author", "sign in", "log in")):
        return False
    if any(word.rstrip(".") in date_words().months and len(words) == 1 for word in lower.split()):
        return False
    bare = [word.strip(".").lower() for word in words]
    if not is_first and (len(words) < 2 or any(word in _ROLES or word in _GROUPS for word in bare)):
        return False  # what follows a name mostly says what the person is
    if all(word in _ROLES or word in _NO_NAMES for word in bare):
        return False
    if len(words) == 1:
        return is_said
    small = [word for word in words if word[:1].islower() and word.lower() not in _SMALL]
    return len(small) * 2 < len(words) if is_said else not small


@lru_cache(maxsize=4_096)
def names_author(names: str) -> bool:
    """Say whether classes name the place of an author."""
    return _NAMED.search(names.lower()) is not None


@lru_cache(maxsize=4_096)
def says_author(text: str) -> bool:
    """Say whether a text begins as one that names an author, or says "written by" further on."""
    if text[:12].lower().startswith(_STARTS) and _BY.match(text) is not None:
        return True
    return "by" in text and _WITHIN.search(text) is not None


def is_bare_name(text: str) -> bool:
    """Say whether a text is nothing but what may be a name: two to four words with capitals."""
    words = text.split()
    return 1 < len(words) < 5 and len(text) < 40 and all(word[:1].isupper() and word.isalpha() for word in words)


def name_beside_day(text: str) -> str:
    """Return what may be a name in a text that is nothing but this and a day, or an empty string."""
    days = find_days(text[:_LOOKED_AT]) if len(text) < _LOOKED_AT else []
    if not days:
        return ""
    _, start, end = days[0]
    for part in (text[:start], text[end:]):
        found = _BESIDE_DAY.sub("", part)
        if is_bare_name(found):
            return found
    return ""


def note_signed(claims: AuthorClaims, signed: Iterable[Signed]) -> None:
    """Take note of the visible texts that say who wrote the page."""
    rank = 0
    for one in signed:
        names = one.names.lower()
        if _OF_READERS.search(names) is not None:
            continue
        is_named = _NAMED.search(names) is not None
        is_by = says_author(one.text)
        beside = "" if is_by else name_beside_day(one.text)
        found = read_names(beside or one.text, is_declared=is_named)
        if found:
            more = _of_text(one, names, rank, is_named=is_named, is_by=is_by)
            claims.add_names("text", found, *more, *(["text with day"] if beside else []))
            rank += 1


def _of_text(one: Signed, names: str, rank: int, *, is_named: bool, is_by: bool) -> Iterator[str]:
    side = "after" if one.number >= one.heading >= 0 else "before" if one.heading >= 0 else "alone"
    distance = abs(one.number - one.heading)
    yield f"text {side} {min(rank, 2)}"
    yield f"text {side} far {sum(distance >= far for far in (4, 12, 40))}"
    yield f"text long {sum(len(one.text) >= chars for chars in (30, 80))}"
    if is_named:
        yield "text named byline" if "byline" in names else "text named author"
    if not is_named and not is_by:
        yield f"text bare {side} {sum(distance >= far for far in (2, 5))}"
    if is_by:
        yield "text by surely" if _SURE_BY.match(one.text) or _WITHIN.search(one.text) else "text by"
    if _BESIDE.search(names):
        yield "text beside"
    if one.number > 0.8 * one.blocks:
        yield "text near the end"


def choose_authors(claims: AuthorClaims, judged: dict[str, set[str]]) -> tuple[str, ...]:
    """Return the most likely authors, none where none is likely."""
    scores = score_claims(judged, "author")
    best = max(scores, key=scores.__getitem__, default="")
    for key, features in judged.items() if best else ():
        if key != best and best.startswith(key) and not _DECLARED.isdisjoint(features):
            return claims.names[key]  # "Ada ReaperMay 3" on the page is the Ada Reaper that it declares
    return claims.names.get(best, ())
