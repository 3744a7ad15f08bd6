"""Profiles by where they are kept: in the archive of their site, or in a file, which is an export of the same.

ARCHIVE names that of the only site which was learned, ARCHIVE#HOST that of one of several.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.profile_history import save_profile, stored_profile
from scythe.archive.results import SiteRow
from scythe.archive.stored_sites import add_site, learned_sites, site_rows
from scythe.atomic_files import write_atomically
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.url import Url

_SQLITE = b"SQLite format 3\0"
_SERVED = "postgresql"


def is_in_archive(where: str | Path) -> bool:
    """Say whether a profile is, or is to be, kept in an archive: a SQLite file that is there, or a database."""
    place = _place(os.fspath(where))[0]
    if place.startswith(_SERVED) and "://" in place:
        return True
    try:
        with open(place, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def read_profile(where: str | Path) -> str:
    """Return a profile as JSON. Raises BadInput where there is none, OSError and ArchiveFailed."""
    if not is_in_archive(where):
        with Path(where).open("rb") as file:
            text = file.read(LIMITS.profile_bytes + 1)
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"{where}: byte {error.start}: not UTF-8") from None
    with _opened(where) as (archive, key):
        site = _find(archive, key, where)
        profile = stored_profile(archive, site.id)
        if profile is None:
            raise BadInput(f"{archive.where}: nothing was learned of {site.key} yet")
        return profile


def write_profile(where: str | Path, profile: str, start: str | None = None) -> None:
    """Keep a profile in an archive or a file. A site that the archive does not have is added where `start` says it.

    Raises BadInput, OSError and ArchiveFailed.
    """
    if not is_in_archive(where):
        write_atomically(Path(where), profile.encode())
        return
    with _opened(where) as (archive, key):
        if key and start is not None and key not in {site.key for site in site_rows(archive)}:
            add_site(archive, key, Url(start))
        save_profile(archive, _find(archive, key, where, to_write=True).id, profile)


def _place(where: str) -> tuple[str, str]:
    """Return the archive and the key of a site, which may be empty; a file may have a # in its name."""
    place, _, key = where.rpartition("#")
    return (where, "") if not place or os.path.exists(where) else (place, key)


@contextmanager
def _opened(where: str | Path) -> Iterator[tuple[Archive, str]]:
    place, key = _place(os.fspath(where))
    with open_archive(place, create=False) as archive:
        yield archive, key


def _find(archive: Archive, key: str, where: str | Path, *, to_write: bool = False) -> SiteRow:
    """Return the site that is meant: the one named, or the only one there is, or that was learned."""
    sites = site_rows(archive)
    if key:
        found = [site for site in sites if site.key == key]
    else:
        learned = learned_sites(archive)
        found = [site for site in sites if site.id in learned] or (sites if to_write else [])
    if len(found) == 1:
        return found[0]
    if key:
        raise BadInput(f"{archive.where}: there is no site {key!r:.80} in the archive")
    if not found:
        raise BadInput(f"{archive.where}: nothing was learned of any site of the archive yet")
    names = ", ".join(site.key for site in found[:5])
    raise BadInput(f"{archive.where}: the archive has several sites ({names}): say which with {where}#{found[0].key}")
