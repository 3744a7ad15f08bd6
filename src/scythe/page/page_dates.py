"""Choose when a page was published, by agreement of all that it says: metadata, elements, address and visible words.

Every day that is said anywhere is weighed by who says it and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from scythe.page.claims import Claims, score_claims
from scythe.page.dates import find_days, to_iso

_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/._-]|$)|[/_-]((?:19|20)\d\d)[-_]?([01]\d)[-_]?([0-3]\d)(?=[/._-]|$)"
)
_PUBLISHED = re.compile(
    r"publi|posted|erstellt|veröffentlicht|\bvom |opublik|pubblic|发布|发表|опубл|written|"
    r"\bdate:|fecha|datum|\bstand:|投稿|작성"
)
_MODIFIED = re.compile(
    r"updat|modif|aktualisier|geändert|edited|mis à jour|mise à jour|actualiz|aggiorn|更新|обновл|revis|review|last "
)
_OF_PEOPLE = re.compile(r"join|founded|member|registr|since|born")
_COPYRIGHT = re.compile(r"©|copyright|expir|\bends?\b|deadline|effective|accessed|retrieved")
_DATE_NAMES = re.compile(r"date|publi|posted|byline|meta\b|datum|fecha|created|entry-info")
_MODIFIED_NAMES = re.compile(r"updat|modif")
_OTHER_NAMES = re.compile(
    r"comment|footer|sidebar|related|widget|recent|archive|copyright|teaser|card|popular|nav|event|list"
)
_FIRST_PROPERTIES = frozenset(
    "article:published_time og:published_time article:published og:article:published_time".split()
)
_PROPERTIES = re.compile(
    r"publi|pubdate|issued|^date$|parsely-pub|sailthru\.date|citation|^dc\.date|dcterms\.(?:date|created)|created|pub_date"
)
_MODIFIED_PROPERTIES = re.compile(r"modif|updat|lastmod|last-mod|revised")
_ITEM_KEYS = ("datePublished", "dateCreated", "uploadDate", "dateModified")
_DECLARED = frozenset(("item.datePublished", "meta.first", "meta.published"))
_CHANGED = frozenset(("item.dateModified", "meta.modified"))
_SHOWN = frozenset(("text", "text later"))
_BEFORE_CHARS = 40  # before a day that say what day it is
_MANY = 8  # days on one page
_HALF = 0.5
_DAYS_AHEAD = 2  # of the visit, that a page may say by its zone


class DatedText(NamedTuple):
    """A text of the page that may name a day, and where it stands."""

    text: str
    names: str  # classes of the elements around it
    number: int  # of the block
    heading: int  # number of the first heading, -1 where there is none
    blocks: int  # of the page


class TimeElement(NamedTuple):
    """A time element: what it says for machines and for people, and the classes around it."""

    stamp: str
    text: str
    names: str


@dataclass(slots=True)
class DayClaims(Claims):
    """What speaks for each day."""

    def add_day(self, source: str, text: str, *more: str) -> bool:
        """Take note of a day that a source gives; say whether it gave one."""
        iso = to_iso(text)
        if iso:
            self.add(iso[:10], iso, source, *more)
        return bool(iso)

    def judged(self, latest: date) -> dict[str, set[str]]:
        """Return all that speaks for or against each day up to the latest that it can be."""
        order = sorted(day for day in self.features if day <= latest.isoformat())
        declared = {day for day in order if _DECLARED & self.features[day]}
        if any(_SHOWN & self.features[day] for day in declared):  # so a day of change beside it is none of publication
            order = [day for day in order if day in declared or not _CHANGED & self.features[day]]
        found: dict[str, set[str]] = {}
        for day in order:
            features = found[day] = set(self.features[day])
            sources = {feature.partition(" ")[0].partition(".")[0] for feature in features}
            features.add(f"sources {min(len(sources), 4)}")
            if len(order) == 1:
                features.add("only day")
                continue
            features.update(["many days"] * (len(order) > _MANY))
            features.update(["latest day"] * (day == order[-1]) + ["earliest day"] * (day == order[0]))
        return found


def note_declared(
    claims: DayClaims,
    item: dict[str, str],
    others: Iterable[dict[str, str]],
    properties: Sequence[tuple[str, str]],
    microdata: Iterable[tuple[str, str]],
    url: str,
) -> None:
    """Take note of what JSON-LD, meta tags, microdata and the address say."""
    for key in _ITEM_KEYS:
        claims.add_day(f"item.{key}", item.get(key, ""))
    for other in others:
        for key in _ITEM_KEYS:
            claims.add_day(f"other.{key}", other.get(key, ""))
    for name, content in properties:
        if "expir" in name or len(content) > 80:
            continue
        if name in _FIRST_PROPERTIES:
            claims.add_day("meta.first", content)
        elif _MODIFIED_PROPERTIES.search(name):
            claims.add_day("meta.modified", content)
        elif _PROPERTIES.search(name):
            claims.add_day("meta.published", content)
        elif "date" in name or "time" in name:
            claims.add_day("meta.other", content)
    for name, content in microdata:
        if name.startswith("date") or name == "uploaddate":
            claims.add_day(f"microdata.{name}", content)
    found = _IN_ADDRESS.search(url)
    if found is not None:
        year, month, day, *compact = found.groups()
        claims.add_day("address", f"{year}-{month}-{day}" if year else "-".join(compact))


def note_times(claims: DayClaims, times: Iterable[TimeElement]) -> None:
    """Take note of time elements."""
    for number, one in enumerate(times):
        names = one.names.lower()
        kind = "modified" if _MODIFIED_NAMES.search(names) else "published" if _is_published(names) else "plain"
        place = "first" if number == 0 else "second" if number < 3 else "later"
        more = (f"time {kind} {place}", *(("time beside",) if _OTHER_NAMES.search(names) else ()))
        if to_iso(one.stamp)[:10] in claims.features:
            more = (*more, "time again")
        if not claims.add_day("time", one.stamp, *more):
            claims.add_day("time.text", one.text, *more)


def _is_published(names: str) -> bool:
    return any(word in names for word in ("publi", "entry-date", "post-date", "pubdate", "posted", "dateline"))


def note_shown(claims: DayClaims, shown: Iterable[DatedText], *, is_month_first: bool) -> None:
    """Take note of the days that visible texts name."""
    ranks = {"after": 0, "before": 0}
    for one in shown:
        end_before = 0
        for day, start, end in find_days(one.text, is_month_first=is_month_first)[:3]:
            lead = one.text[max(end_before, start - _BEFORE_CHARS) : start].lower()
            end_before = end
            side = "after" if one.number >= one.heading >= 0 else "before"
            features = [*_of_place(one, side, ranks[side]), *_of_words(one, lead)]
            ranks[side] += 1
            if {"text", "text later"} & claims.features.get(day.isoformat(), set()):
                features.append("text again")
            claims.add_day("text", day.isoformat(), *features)


def _of_place(one: DatedText, side: str, rank: int) -> Iterator[str]:
    yield f"text {side} {min(rank, 2)}" if one.heading >= 0 else f"text without heading {min(rank, 2)}"
    distance = abs(one.number - one.heading)
    if one.heading >= 0:
        yield f"text {side} far {sum(distance >= far for far in (3, 8, 20))}"
    yield f"text long {sum(len(one.text) >= chars for chars in (25, 60, 150))}"
    if one.number > 0.8 * one.blocks:
        yield "text near the end"


def _of_words(one: DatedText, lead: str) -> Iterator[str]:
    names = one.names.lower()
    for name, pattern, text in (
        ("text said published", _PUBLISHED, lead),
        ("text said modified", _MODIFIED, lead),
        ("text of people", _OF_PEOPLE, lead),
        ("text of rights", _COPYRIGHT, lead),
        ("text named date", _DATE_NAMES, names),
        ("text named modified", _MODIFIED_NAMES, names),
        ("text beside", _OTHER_NAMES, names),
    ):
        if pattern.search(text):
            yield name


def is_settled(claims: DayClaims) -> bool:
    """Say whether the page declares its day so plainly that nothing else need be read."""
    firsts = [features for features in claims.features.values() if "meta.first" in features]
    said = [features for features in claims.features.values() if "item.datePublished" in features]
    return len(firsts) == 1 and (not said or said == firsts)


def choose_day(claims: DayClaims, now: datetime | None = None) -> str:
    """Return the most likely day of publication as the page gives it, or an empty string if none is likely."""
    scores = score_claims(claims.judged(latest_day(now)), "date")
    return claims.texts[max(scores, key=scores.__getitem__)] if scores else ""


def latest_day(now: datetime | None = None) -> date:
    """Return the last day on which a page that is read now can have been published."""
    return (now or datetime.now(UTC)).date() + timedelta(days=_DAYS_AHEAD)
