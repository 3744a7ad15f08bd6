"""Find the link that identifies each record of a list.

A record has many links: title and picture, author, category, comments. Its own link is one that no other record has, of
the URL shape that distinguishes nearly all records; ties are broken by shared words with the title and by position.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote

from scythe.model import Record, RecordList
from scythe.package_files import packaged_text
from scythe.url import Url, fold, url_shape

MOST_LINKS = 60  # of one record that are looked at; a record with more is a part of a page
SURE = 0.6  # worth from which a kind of links is believed to be the own one
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[0-9]{4}|[0-9a-f]{8}-[0-9a-f]{4}-")
_FEW = 5  # records: in a list that is no longer each author may have written but one
_SOME = 12  # records of a list whose addresses are looked at closely
_TITLE_CHARS = 200


@dataclass(slots=True)
class _Kind:
    """What is known of links that look alike."""

    places: dict[int, list[int]] = field(default_factory=dict)  # record -> its links of this kind that tell, in order
    shared: dict[int, list[int]] = field(default_factory=dict)  # and those that other records have, too
    first: int = 0  # records that begin with one
    worth: float = 0.0


@dataclass(frozen=True, slots=True)
class _Link:
    """One link of one record."""

    own: OwnLink
    host: str
    shape: str
    is_first: bool


class OwnLink(NamedTuple):
    """The link that is a record's own; both are empty where none is sure."""

    url: str = ""  # as the page has it
    key: str = ""  # what it is known by: other spellings of the same address have the same


NONE = OwnLink()


def own_links(record_list: RecordList) -> tuple[str, ...]:
    """Return for each record the address of the page that is about it alone; empty where none is sure."""
    return tuple(own.url for own in find_own_links(record_list))


def find_own_links(record_list: RecordList) -> list[OwnLink]:
    """Return for each record its own link. Two records may have the same where one thing is shown twice."""
    records = record_list.records
    listed = [_fold_links(record) for record in records]
    holders = Counter(key for links in listed for key in links)
    if (told := _find_plain(listed, holders)) is not None:
        return told
    rows = [_look_at(links) for links in listed]
    shared = _shared(record_list, rows)
    if any("#" in link.own.url for row in rows for link in row if link.own.key in shared):
        # the posts of a thread: one page, and each has a place on it
        rows = [_look_at(_fold_links(record, shared)) for record in records]
        shared = _shared(record_list, rows)
    kinds = _sort_kinds(rows, shared)
    home = Counter(link.host for row in rows for link in row).most_common(1)
    for kind in kinds.values():
        kind.worth = _judge(record_list, rows, kind, home[0][0])
    ranked = sorted((kind for kind in kinds.values() if kind.worth >= SURE), key=lambda kind: -kind.worth)
    found = [_own(row, number, ranked) for number, row in enumerate(rows)]
    holders = Counter(link.own.key for row in rows for link in row)
    for number, row in enumerate(rows):
        if not found[number].key and len(row) == 1:
            only = row[0].own
            if only.key not in shared or 2 * holders[only.key] <= len(rows):
                found[number] = only  # not what most records lead to
    return found


def _find_plain(listed: Sequence[Mapping[str, Url]], holders: Counter[str]) -> list[OwnLink] | None:
    """Return the own links of a list where nothing is to be weighed: each record has one link, or one that tells."""
    if all(len(links) == 1 for links in listed):
        alone = [OwnLink(url, key) for links in listed for key, url in links.items()]
        if all(holders[own.key] == 1 for own in alone):  # a record that is shown twice has to be looked at
            return alone
    if len(listed) >= _FEW:
        telling = [[OwnLink(url, key) for key, url in links.items() if holders[key] == 1] for links in listed]
        if all(len(own) == 1 for own in telling):
            return [own[0] for own in telling]
    return None


def _own(row: Sequence[_Link], number: int, ranked: Sequence[_Kind]) -> OwnLink:
    for kind in ranked:
        if number in kind.places:
            return row[kind.places[number][0]].own
    # shown twice with other words: the link of the right kind, though it does not tell the two apart
    for kind in ranked:
        if number in kind.shared and 2 * len(kind.shared) <= len(kind.places):
            return row[kind.shared[number][0]].own
    return NONE


def _fold_links(record: Record, on_one_page: Collection[str] = ()) -> dict[str, Url]:
    """Return the links of a record by key, those to one page once, written as the first without a fragment is.

    Fragments count on pages that several records lead to.
    """
    if len(record.links) == 1 and not on_one_page:
        return {fold(record.links[0]): record.links[0]}
    urls: dict[str, Url] = {}
    for url in record.links[:MOST_LINKS]:
        key = fold(url)
        if "#" not in url:
            if key not in urls or "#" in urls[key]:
                urls[key] = url
        elif key in on_one_page:
            urls.setdefault(f"{key}#{url.partition('#')[2]}", url)
        else:
            urls.setdefault(key, url)
    return urls


def _look_at(links: Mapping[str, Url]) -> list[_Link]:
    kept = [(key, url) for key, url in links.items() if not _quotes(key, links)]
    return [_Link(OwnLink(url, key), *_look(key), place == 0) for place, (key, url) in enumerate(kept)]


def _quotes(key: str, others: Iterable[str]) -> bool:
    """Say whether an address holds another one: a place to share it, or to log in and come back."""
    query = key.partition("?")[2]
    if "http" not in query and "%2F" not in query:
        return False
    said = unquote(query)
    return any(other != key and other.partition("#")[0].removeprefix("https://") in said for other in others)


def _look(key: str) -> tuple[str, str]:
    """Return the host of an address and what it looks like."""
    place, _, fragment = key.partition("#")
    host = place.split("/", 3)[2] if place.count("/") > 1 else ""
    return host, f"{host} {url_shape(place)} {_DIGITS.sub('9', fragment)[:20]}"


def _shared(record_list: RecordList, rows: Sequence[Sequence[_Link]]) -> set[str]:
    """Return the keys of links that records with different texts share; a record shown twice is one."""
    holders: dict[str, int] = {}
    shared: set[str] = set()
    for number, row in enumerate(rows):
        for link in row:
            before = holders.setdefault(link.own.key, number)
            if before != number and record_list.records[before].fields != record_list.records[number].fields:
                shared.add(link.own.key)
    return shared


def _sort_kinds(rows: Sequence[Sequence[_Link]], shared: set[str]) -> dict[str, _Kind]:
    """Put links that look alike together: /story/7 and /gallery/7 do not, where many records have either.

    Those to places all over the web, each named once, are one kind.
    """
    hosts = Counter(host for row in rows for host in {link.host for link in row})
    folders = Counter(folder for row in rows for folder in {_folder(link.own.key) for link in row})
    often = max(2, len(rows) // 4)
    kinds: dict[str, _Kind] = defaultdict(_Kind)
    for number, row in enumerate(rows):
        for place, link in enumerate(row):
            folder = _folder(link.own.key)
            name = f"{folder if folders[folder] >= often else ''} {link.shape}"
            kind = kinds[name if hosts[link.host] >= often else "elsewhere"]
            held = kind.shared if link.own.key in shared else kind.places
            held.setdefault(number, []).append(place)
            kind.first += link.is_first
    return kinds


def _folder(key: str) -> str:
    return key.partition("?")[0].rpartition("/")[0]


def _judge(record_list: RecordList, rows: Sequence[Sequence[_Link]], kind: _Kind, home: str) -> float:
    """Return what speaks for a kind of links being the own ones of its records."""
    if not kind.places:
        return 0.0
    held = sum(map(bool, rows))
    telling = sum(map(len, kind.places.values()))
    single = len(kind.places) / telling  # tags: several in one record
    worth = (
        single * telling / (telling + sum(map(len, kind.shared.values())) + 1) * (0.5 + 0.5 * len(kind.places) / held)
    )
    some = [(number, rows[number][places[0]]) for number, places in list(kind.places.items())[:_SOME]]
    rich = sum(_is_rich(link.own.key) - _is_poor(link.own.key) for _, link in some)
    aside = sum(_leads_aside(link.own.key) for _, link in some)
    away = sum(link.host != home for _, link in some)
    named = sum(_share_named(record_list, number, link.own.key) for number, link in some)
    return worth + 0.15 * kind.first / held + (0.3 * rich + 0.5 * named - 0.6 * aside - 0.4 * away) / len(some)


def _is_rich(key: str) -> bool:
    """Say whether an address ends like one of thousands: with a long number, or three words and more."""
    tail = _tail(key)
    return _NUMBER.search(tail) is not None or len(_WORD.findall(tail)) > 2


def _is_poor(key: str) -> bool:
    """Say whether an address looks like that of a section: a word or two right behind the host."""
    return key.count("/") < 4 and "?" not in key and not _is_rich(key) and not _DIGITS.search(_tail(key))


def _tail(key: str) -> str:
    """Return the end of an address, which tells it from its neighbours."""
    path, _, query = key.partition("?")
    return query or path.rpartition("/")[2]


def _leads_aside(key: str) -> bool:
    """Say whether an address has a word for people, groups of records, things to do with one."""
    path, _, query = key.partition("?")
    names = [*path.split("/")[3:-1], path.rpartition("/")[2].partition(".")[0].rstrip("0123456789")]
    names += _WORD.findall(query)
    return any(name.lower() in _aside_words() for name in names)


def _share_named(record_list: RecordList, number: int, key: str) -> float:
    """Return the share of the words of a record's title that its address has."""
    words = set(_WORD.findall(title_of(record_list, record_list.records[number]).lower()))
    return len(words.intersection(_WORD.findall(unquote(_tail(key)).lower()))) / len(words) if words else 0.0


def title_of(record_list: RecordList, record: Record) -> str:
    """Return what a record is called, or else the longest of its texts; not more than 200 characters."""
    for name, text in zip(record_list.columns, record.fields, strict=False):
        if text and name.startswith("title"):
            return text[:_TITLE_CHARS]
    return max((text[:_TITLE_CHARS] for text in record.fields), key=len, default="")


@cache
def _aside_words() -> frozenset[str]:
    lines = packaged_text("scythe.reading.lists", "tables/aside_links.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
