"""Extract stored versions anew from the pages they were made of: `refill` tells the run.

site -> what is wanted now -> stale versions -> cut, or read -> rewritten in their place -> the next ...

It begins again where it was ended, however it ended: what was rewritten is no longer stale.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from scythe.archive.archive import Archive
from scythe.archive.profile_history import stored_profile
from scythe.archive.results import SiteRow
from scythe.archive.stale_versions import StaleVersion, Wanted, count_stale, rewrite, stale_versions, wanted_now
from scythe.archive.stored_sites import find_site, load_notes, site_rows
from scythe.crawl_model import Extracted
from scythe.crawling.crawl_options import USUAL_PARTS, recall_parts
from scythe.errors import BadInput, ScytheError
from scythe.version import version

if TYPE_CHECKING:
    from scythe.model import Document
    from scythe.site.rules import Profile
    from scythe.site.site import Site

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
) -> RefillCounts:
    """Extract anew what was extracted by other rules or another scythe than today's, of some sites or of all.

    `tell` hears how far it has come, `stop` ends it soon. Raises BadInput where there is no such site, ArchiveFailed.
    """
    known = {row.key: row for row in site_rows(archive)}
    unknown = set(sites or ()) - known.keys()
    if unknown:
        raise BadInput(f"{archive.where}: there is no site {min(unknown)!r:.80} in the archive")
    counts = RefillCounts()
    chosen = [row for key, row in known.items() if sites is None or key in sites]
    wanted = [(row, wanted_now(archive, row.id, version())) for row in chosen]
    for _, one in wanted:
        counts.total += count_stale(archive, one)
        counts.not_kept += count_stale(archive, one, kept=False)
    for row, one in wanted:
        _refill_site(archive, row, one, counts, tell, stop)
    return counts


def is_stale(archive: Archive, key: str) -> bool:
    """Say whether there is anything to be extracted anew of a site."""
    site = find_site(archive, key)
    return site is not None and count_stale(archive, wanted_now(archive, site, version())) > 0


def _refill_site(
    archive: Archive, row: SiteRow, wanted: Wanted, counts: RefillCounts, tell: Tell | None, stop: Event | None
) -> None:
    reader: VersionReader | None = None
    for some in stale_versions(archive, wanted):
        if stop is not None and stop.is_set():
            return
        reader = reader or VersionReader(archive, row.id, wanted)
        for lists in (False, True):  # what is left of what was stored, and what is read again with all it lists
            ours = [one for one in some if reader.needs_lists(one) is lists]
            read = [(one, new) for one in ours if (new := reader.read(one, lists=lists)) is not None]
            counts.failed += len(ours) - len(read)
            counts.done += rewrite(archive, wanted, read, lists=lists) if read else 0
        if tell is not None:
            tell(counts)


class VersionReader:
    """Reads stored versions of a site by its newest profile; what other rules would give just so is taken over."""

    def __init__(self, archive: Archive, site: int, wanted: Wanted) -> None:
        from scythe.site.site import Site

        self._archive, self._number, self._wanted = archive, site, wanted
        self._parts = recall_parts(load_notes(archive, site)) or USUAL_PARTS
        saved = stored_profile(archive, site, wanted.profile) if wanted.profile else None
        self._site: Site | None = Site.from_json(saved) if saved is not None else None
        self._before: dict[int, Profile | None] = {}

    def needs_lists(self, stale: StaleVersion) -> bool:
        """Say whether other lists may be found than were."""
        if "records" not in self._parts or not stale.is_newest:
            return False
        before = self._profile_of(stale)
        if before is None or self._site is None:
            return True
        then = {layout.name: layout.records for layout in before.layouts}
        return any(then.get(layout.name) != layout.records for layout in self._site.profile.layouts)

    def read(self, stale: StaleVersion, *, lists: bool) -> Extracted | None:
        """Return a version as it is extracted now; None where it cannot be."""
        from scythe.archive.stored_documents import is_cold, to_extracted
        from scythe.page.encoding import in_utf8
        from scythe.page.head_from_bytes import read_said

        before, parts = self._profile_of(stale), set(self._parts)
        keeps_images = before is not None and self._site is not None and before.images == self._site.profile.images
        keeps = {"images", "attributes"} if keeps_images else set()
        parts -= keeps | (set() if lists else {"records"})
        parts |= {name for name in ("markdown", "html") if getattr(stale.old, name) is not None}
        body = in_utf8(stale.body, stale.content_type)
        try:
            document = self._extract(body, stale)
            said = None if is_cold(document) else read_said(body, stale.url)
            new = to_extracted(document, parts, said)
        except (ScytheError, MemoryError):  # it was extracted once: by rules that are not
            return None
        kept = ("images", "attributes") if keeps else ()
        return replace(new, rest=_with_old(new.rest, stale.old.rest, kept if lists else (*kept, "paging")))

    def _extract(self, body: bytes, stale: StaleVersion) -> Document:
        from scythe.reader import read

        is_html = stale.content_type.partition(";")[0].strip().lower().endswith(("html", "xml"))
        if self._site is None or (stale.content_type and not is_html):
            return read(body, stale.url, content_type=stale.content_type)
        return self._site.extract(body, stale.url, "tree")

    def _profile_of(self, stale: StaleVersion) -> Profile | None:
        """Return by what a version was extracted; None where nobody knows, or by another scythe."""
        from scythe.site.profile import load_profile

        number = stale.profile
        if not number or stale.made_by != self._wanted.made_by:
            return None
        if number not in self._before:
            saved = stored_profile(self._archive, self._number, number)
            try:
                self._before[number] = load_profile(saved or "").profile
            except BadInput:
                self._before[number] = None
        return self._before[number]


def _with_old(rest: str, old: str, names: Collection[str]) -> str:
    """Take over parts of an extraction that are as they were."""
    said: dict[str, Any] = json.loads(old)
    kept = {name: said[name] for name in names if name in said}
    if not kept:
        return rest
    new: dict[str, Any] = json.loads(rest)
    return json.dumps(kept | new, ensure_ascii=False, separators=(",", ":"))
