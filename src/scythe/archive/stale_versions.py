"""Versions that were extracted by other rules, or by another scythe, than today's: find them, and write them anew.

A version is rewritten in its place, in one transaction with all that depends on its text; who is killed in between
leaves it as it was, and it is found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, not_, or_, select, update

from scythe.archive.archive import Archive, reads, soundly, write_rows
from scythe.archive.bodies import PACKED, read_body
from scythe.archive.outcomes import extraction_values, reshelve
from scythe.archive.schema import (
    BODIES,
    CHECKED,
    EXTRACTIONS,
    PAGES,
    PROFILES,
    URLS,
    VERSIONS,
    checksum,
    storable,
)
from scythe.archive.search_index import forget_index
from scythe.archive.stored_records import Reread, resight
from scythe.archive.stored_sites import find_site
from scythe.crawl_model import Extracted
from scythe.url import Url

FEW, TOGETHER = 8, 128  # versions read, and written, at a time: few at first, so that who is killed often comes on, too
_BYTES = 8_000_000  # of their bodies; one may be larger by itself
_TEXTS = EXTRACTIONS.alias("texts")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What extractions of a site's versions are to be: those that are otherwise are stale."""

    site: int
    profile: int  # newest version of the site's profile; 0: nothing was learned
    fresh: tuple[int, ...]  # versions of it with the same rules
    made_by: str  # version of scythe
    cut_too: bool = True  # False: what rules gave is as wanted, whichever they were


@dataclass(frozen=True, slots=True)
class StaleVersion:
    """A version with the page it was made of and its extraction so far."""

    version: int
    page: int
    url: Url
    content_type: str
    body: bytes = field(repr=False)
    is_newest: bool  # of its page
    profile: int | None  # of the extraction so far; None: unknown
    made_by: str  # empty: unknown
    old: Extracted = field(repr=False)
    row: Row[Any] = field(repr=False)


@reads
def wanted_now(connection: Connection, site: int, made_by: str) -> Wanted:
    """Return what extractions of a site are to be now."""
    query = select(PROFILES.c.version, PROFILES.c.rules).where(PROFILES.c.site == site)
    rows = connection.execute(query.order_by(PROFILES.c.version.desc())).all()
    if not rows:
        return Wanted(site, 0, (0,), made_by)
    newest = rows[0]
    fresh = [row.version for row in rows if row.version == newest.version or (row.rules and row.rules == newest.rules)]
    return Wanted(site, newest.version, tuple(fresh), made_by)


@reads
def count_stale(connection: Connection, wanted: Wanted, *, kept: bool = True) -> int:
    """Count the stale versions of a site, those whose page was kept or those whose page was not."""
    query = _stale(select(func.count()), wanted)
    is_kept = VERSIONS.c.body.is_not(None)
    return int(connection.execute(query.where(is_kept if kept else not_(is_kept))).scalar_one())


def is_stale(archive: Archive, key: str, made_by: str, *, cut_too: bool = True) -> bool:
    """Say whether there is anything to be extracted anew of a site."""
    site = find_site(archive, key)
    return site is not None and count_stale(archive, replace(wanted_now(archive, site, made_by), cut_too=cut_too)) > 0


@soundly
def stale_versions(archive: Archive, wanted: Wanted) -> Iterator[list[StaleVersion]]:
    """Yield the stale versions of a site whose pages were kept, some at a time, the oldest first."""
    last, count = 0, FEW
    while True:
        with archive.reading() as connection:
            found = _some(archive, connection, wanted, last, count)
        if not found:
            return
        last, count = found[-1].version, min(2 * count, TOGETHER)
        yield found


def _some(archive: Archive, connection: Connection, wanted: Wanted, after: int, count: int) -> list[StaleVersion]:
    keys = _stale(select(VERSIONS.c.id, VERSIONS.c.size), wanted).where(VERSIONS.c.body.is_not(None))
    keys = keys.where(VERSIONS.c.id > after).order_by(VERSIONS.c.id).limit(count)
    ids: list[int] = []
    left = _BYTES
    for row in connection.execute(keys):
        if ids and row.size > left:
            break
        ids.append(row.id)
        left -= row.size
    rows = connection.execute(_WITH_BODIES, {"ids": ids}).all()
    return [_stale_version(archive, connection, row) for row in rows]


def _stale(query: Select[Any], wanted: Wanted) -> Select[Any]:
    """Narrow a query to stale versions of a site. Lists that are watched are never read again."""
    by_others = or_(EXTRACTIONS.c.profile.is_(None), EXTRACTIONS.c.profile.not_in(wanted.fresh))
    if not wanted.cut_too:
        query = query.where(EXTRACTIONS.c.how != "cut")
    return (
        query.select_from(VERSIONS)
        .join(PAGES, PAGES.c.id == VERSIONS.c.page)
        .join(URLS, URLS.c.id == PAGES.c.id)
        .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        .where(PAGES.c.site == wanted.site, URLS.c.kind != "list")
        .where(or_(by_others, EXTRACTIONS.c.made_by != wanted.made_by))
    )


_EXTRACTED = ("title", "markdown", "html", "rest", "kind", "language", "published", "how")
_WITH_BODIES = (
    select(VERSIONS.c.id, VERSIONS.c.page, VERSIONS.c.at, VERSIONS.c.is_complete, VERSIONS.c.content_type, URLS.c.url)
    .add_columns(PAGES.c.version.label("newest"), PAGES.c.site, EXTRACTIONS.c.text_of, EXTRACTIONS.c.made_by)
    .add_columns(*PACKED, EXTRACTIONS.c.profile, *(EXTRACTIONS.c[name] for name in _EXTRACTED))
    .add_columns(func.coalesce(EXTRACTIONS.c.text, _TEXTS.c.text).label("text"))
    .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
    .join(URLS, URLS.c.id == PAGES.c.id)
    .join(BODIES, BODIES.c.hash == VERSIONS.c.body)
    .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
    .join(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of, isouter=True)
    .where(VERSIONS.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(VERSIONS.c.id)
)


def _stale_version(archive: Archive, connection: Connection, row: Row[Any]) -> StaleVersion:
    said = {name: getattr(row, name) for name in _EXTRACTED}
    return StaleVersion(
        row.id,
        row.page,
        Url(row.url),
        row.content_type,
        read_body(archive, connection, row),
        row.newest == row.id,
        row.profile,
        row.made_by,
        Extracted(text=row.text or "", **said),
        row,
    )


_STILL = select(EXTRACTIONS.c.version, EXTRACTIONS.c.profile, EXTRACTIONS.c.made_by, EXTRACTIONS.c.text_of)
_STILL = _STILL.where(EXTRACTIONS.c.version.in_(bindparam("ids", expanding=True)))
_HANGING = select(EXTRACTIONS).where(EXTRACTIONS.c.text_of.in_(bindparam("ids", expanding=True)))
_COUNTS = ("cut_fields", "tree_fields", "missing_fields")
_VALUES = (*_EXTRACTED, *_COUNTS, "text", "text_of", "checksum", "profile", "made_by")
_REWRITE = update(EXTRACTIONS).where(EXTRACTIONS.c.version == bindparam("of"))
_REWRITE = _REWRITE.values({name: bindparam(f"new_{name}") for name in _VALUES})
_TAKE_TEXT = update(EXTRACTIONS).where(EXTRACTIONS.c.version == bindparam("of"))
_TAKE_TEXT = _TAKE_TEXT.values(text=bindparam("its"), text_of=bindparam("at"), checksum=bindparam("sum"))


def rewrite(archive: Archive, wanted: Wanted, read: Sequence[tuple[StaleVersion, Extracted]], *, lists: bool) -> int:
    """Write what versions are by today's rules in place of what they were; return how many.

    One that somebody else rewrote meanwhile is left alone. With `lists`, what the newest versions list is put in place
    of what they listed; else it stays.
    """
    with archive.writing(wanted.site) as connection:
        ids = [stale.version for stale, _ in read]
        there = {row.version: row for row in connection.execute(_STILL, {"ids": ids})}
        mine = [
            (stale, replace(new, profile=wanted.profile))
            for stale, new in read
            if stale.version in there
            and (there[stale.version].profile, there[stale.version].made_by) == (stale.profile, stale.made_by)
        ]
        changed = {stale.version for stale, new in mine if storable(new.text) != stale.old.text}
        _let_texts_go(connection, {stale.version: stale.old.text for stale, _ in mine if stale.version in changed})
        text_of = {row.version: row.text_of for row in connection.execute(_STILL, {"ids": ids})}
        rows = []
        for stale, new in mine:
            at = None if stale.version in changed else text_of[stale.version]
            values = extraction_values(new, at, wanted.made_by)
            rows.append({"of": stale.version, **{f"new_{name}": values[name] for name in _VALUES}})
        write_rows(connection, _REWRITE, rows)
        newest = [
            Reread(stale.page, wanted.site, stale.version, stale.row.at, stale.row.is_complete, new)
            for stale, new in mine
            if stale.is_newest
        ]
        reshelve(connection, [one for one in newest if one.version in changed])
        if lists:
            resight(archive, connection, newest)
        if any(new.title != stale.old.title or stale.version in changed for stale, new in mine) or (lists and newest):
            forget_index(connection)
        return len(mine)


def _let_texts_go(connection: Connection, texts: Mapping[int, str]) -> None:
    """Give a text that is about to change to the first of the versions that have the same and keep it."""
    hanging = connection.execute(_HANGING, {"ids": list(texts)}).all() if texts else []
    heirs: dict[int, int] = {}
    rows = []
    for row in sorted(hanging, key=lambda row: row.version):
        if row.version in texts:
            continue
        heir = heirs.setdefault(row.text_of, row.version)
        its = texts[row.text_of] if heir == row.version else None
        at = None if heir == row.version else heir
        values = [its if name == "text" else getattr(row, name) for name in CHECKED[EXTRACTIONS.name]]
        rows.append({"of": row.version, "its": its, "at": at, "sum": checksum(values)})
    write_rows(connection, _TAKE_TEXT, rows)
