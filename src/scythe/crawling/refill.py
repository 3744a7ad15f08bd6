"""Extract stored versions anew from the pages they were made of: `refill` tells the run.

site -> what is wanted now -> stale versions -> cut, or read -> rewritten in their place -> the next ...

It begins again where it was ended, however it ended: what was rewritten is no longer stale.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import msgspec

from scythe.archive.archive import Archive
from scythe.archive.results import SiteRow
from scythe.archive.stale_versions import StaleVersion, Wanted, count_stale, rewrite, stale_versions, wanted_now
from scythe.archive.stored_documents import plain_field, to_extracted
from scythe.archive.stored_sites import load_notes, site_rows, stored_profile
from scythe.crawl_model import Extracted
from scythe.crawling.crawl_options import USUAL_PARTS, recall_parts
from scythe.errors import BadInput, ScytheError
from scythe.model import Document, Field
from scythe.page.encoding import in_utf8
from scythe.reader import read
from scythe.site.extract import Extractor
from scythe.site.profile import load_profile
from scythe.site.rules import Layout, Profile
from scythe.site.site import Site
from scythe.version import version

Tell = Callable[["RefillCounts"], None]


@dataclass(slots=True)
class RefillCounts:
    """What a refill came to so far."""

    total: int = 0  # versions that were stale, of those whose pages were kept
    done: int = 0
    failed: int = 0  # their extractions stay as they were, and stale
    not_kept: int = 0  # versions that are stale and cannot be read again: their pages were not kept


def refill(
    archive: Archive,
    sites: Collection[str] | None = None,
    *,
    tell: Tell | None = None,
    stop: Event | None = None,
    cut_too: bool = True,
) -> RefillCounts:
    """Extract anew what was extracted by other rules or another scythe than today's, of some sites or of all.

    Without `cut_too` only pages that were read: those that rules gave stay as they are. `tell` hears how far it has
    come, `stop` ends it soon. Raises BadInput where there is no such site, ArchiveFailed.
    """
    known = {row.key: row for row in site_rows(archive)}
    unknown = set(sites or ()) - known.keys()
    if unknown:
        raise BadInput(f"{archive.where}: there is no site {min(unknown)!r:.80} in the archive")
    counts = RefillCounts()
    chosen = [row for key, row in known.items() if sites is None or key in sites]
    wanted = [(row, replace(wanted_now(archive, row.id, version()), cut_too=cut_too)) for row in chosen]
    for _, one in wanted:
        counts.total += count_stale(archive, one)
        counts.not_kept += count_stale(archive, one, kept=False)
    for row, one in wanted:
        _refill_site(archive, row, one, counts, tell, stop)
    return counts


def _refill_site(
    archive: Archive, row: SiteRow, wanted: Wanted, counts: RefillCounts, tell: Tell | None, stop: Event | None
) -> None:
    reader: VersionReader | None = None
    for some in stale_versions(archive, wanted):
        if stop is not None and stop.is_set():
            return
        try:
            reader = reader or VersionReader(archive, row.id, wanted)
        except BadInput:  # a profile of another version of scythe: the site has to be learned again
            counts.failed += count_stale(archive, wanted)
            return
        for lists in (False, True):  # what is left of what was stored, and what is read again with all it lists
            ours = [one for one in some if reader.needs_lists(one) is lists]
            read = [(one, new) for one in ours if (new := reader.read(one, lists=lists)) is not None]
            counts.failed += len(ours) - len(read)
            counts.done += rewrite(archive, wanted, read, lists=lists) if read else 0
        if tell is not None:
            tell(counts)


class VersionReader:
    """Reads stored versions of a site by its newest profile; what rules give just as before is taken over."""

    def __init__(self, archive: Archive, site: int, wanted: Wanted) -> None:
        self._archive, self._number, self._wanted = archive, site, wanted
        self._parts = recall_parts(load_notes(archive, site)) or USUAL_PARTS
        saved = stored_profile(archive, site, wanted.profile) if wanted.profile else None
        self._site: Site | None = Site.from_json(saved) if saved is not None else None
        self._since: dict[int, Since | None] = {}

    def needs_lists(self, stale: StaleVersion) -> bool:
        """Say whether other lists may be found than were."""
        since = self._since_then(stale)
        return stale.is_newest and "records" in self._parts and (since is None or since.lists)

    def read(self, stale: StaleVersion, *, lists: bool) -> Extracted | None:
        """Return a version as it is extracted now; None where it cannot be."""
        since = self._since_then(stale)
        try:
            body = in_utf8(stale.body, stale.content_type)
            if since is not None and since.extractor is not None and not lists:
                return _with_fields(stale.old, since.extractor.extract_page(body, stale.url, "cut").document.fields)
            return self._read(stale, body, since, lists=lists)
        except (ScytheError, MemoryError):  # by the rules of then it could be
            return None

    def _read(self, stale: StaleVersion, body: bytes, since: Since | None, *, lists: bool) -> Extracted:
        keeps = ("images", "attributes") if since is not None and not since.images else ()
        parts = {name for name in self._parts if name not in keeps and (lists or name != "records")}
        parts |= {name for name in ("markdown", "html") if getattr(stale.old, name) is not None}
        document = self._extract(body, stale)
        new = to_extracted(document, parts)
        return replace(new, rest=_with_old(new.rest, stale.old.rest, keeps if lists else (*keeps, "paging")))

    def _extract(self, body: bytes, stale: StaleVersion) -> Document:
        is_html = stale.content_type.partition(";")[0].strip().lower().endswith(("html", "xml"))
        if self._site is None or (stale.content_type and not is_html):
            return read(body, stale.url, content_type=stale.content_type)
        return self._site.extract(body, stale.url, "tree")

    def _since_then(self, stale: StaleVersion) -> Since | None:
        """Return what is new since a version was extracted; None: everything may be."""
        number = stale.profile
        if not number or stale.made_by != self._wanted.made_by or self._site is None:
            return None
        if number not in self._since:
            saved = stored_profile(self._archive, self._number, number)
            try:
                self._since[number] = Since.of(load_profile(saved or "").profile, self._site.profile)
            except BadInput:
                self._since[number] = None
        return self._since[number]


@dataclass(frozen=True, slots=True)
class Since:
    """What is new in a profile since an earlier one."""

    images: bool
    lists: bool
    extractor: Extractor | None  # of fields shown by example, where nothing else of the rules is new

    @classmethod
    def of(cls, before: Profile, now: Profile) -> Since:
        """Compare two profiles of a site."""
        then, today = ({layout.name: layout for layout in one.layouts} for one in (before, now))
        images = before.images != now.images
        lists = any(name not in then or then[name].records != today[name].records for name in today)
        shown = {name for name in today if name in then for name in _changed(then[name], today[name])}
        is_all = not images and not lists and then.keys() == today.keys() and shown <= set(now.named)
        return cls(images, lists, Extractor(now, tuple(shown)) if is_all and shown else None)


def _changed(before: Layout, now: Layout) -> set[str]:
    """Return the names of the fields whose rules differ; of a layout that has become another all."""
    if (before.is_empty, before.parent) != (now.is_empty, now.parent):
        return {rules.name for rules in (*before.fields, *now.fields)}
    fields = {rules.name for rules in (*before.fields, *now.fields)}
    return {name for name in fields if before.field(name) != now.field(name)}


def _with_fields(old: Extracted, fields: Mapping[str, Field]) -> Extracted:
    """Return an extraction with some fields in place of those it had, or beside them."""
    rest = msgspec.json.decode(old.rest.encode(), type=dict[str, msgspec.Raw])
    plain: dict[str, Any] = msgspec.json.decode(rest.get("fields", b"{}"))
    how: dict[str, str] = msgspec.json.decode(rest.get("how", b"{}"))
    plain |= {name: plain_field(name, field) for name, field in fields.items()}
    how |= {name: field.how for name, field in fields.items()}
    parts: dict[str, Any] = {**rest, "fields": plain, "how": how}
    ways = [how[name].partition(":")[0] for name in plain if name in how]
    return replace(
        old,
        rest=msgspec.json.encode(parts).decode(),
        cut_fields=ways.count("cut"),
        tree_fields=ways.count("tree"),
        missing_fields=ways.count("missing"),
    )


def _with_old(rest: str, old: str, names: Collection[str]) -> str:
    """Take over parts of an extraction that are as they were."""
    said = msgspec.json.decode(old.encode(), type=dict[str, msgspec.Raw])
    kept = "".join(f'"{name}":{bytes(said[name]).decode()},' for name in names if name in said)
    return f"{{{kept}{rest[1:]}" if kept else rest
