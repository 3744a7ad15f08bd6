"""Where sittings are kept: the key of a site comes in, the sitting on its pages goes out, as it was left."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from scythe.learn.annotations import Label
from scythe.rules import SiteImages
from scythe.web.annotate_draft import Found, draft_path, read_draft, write_draft
from scythe.web.annotate_sitting import Sitting, begin, read_sheet
from scythe.web.operation import NotThere
from scythe.web.room import PROFILE, Room

PAGES = 6  # to annotate: enough for most sites, docs/why/suggest.md


@dataclass
class Kept:
    """A sitting, and what of its draft speaks of pages that are not at hand."""

    sitting: Sitting
    rest: tuple[Label, ...] = ()
    job: int = 0  # that saves it, or did so last


@dataclass
class Desk:
    """The sittings of a room, one for each site. Whoever uses one holds the lock of the room."""

    room: Room
    by: str = ""  # who sits here, unless said otherwise
    method: str | None = None  # what learns from labels; None: as in the profile
    _kept: dict[str, Kept] = field(default_factory=dict)

    def find_key(self, given: str) -> str:
        """Return the key of a site, of the first one where none is given. Raises NotThere."""
        keys = self.room.site_keys()
        if given and given not in keys:
            raise NotThere(f"there is no site {given!r:.80}")
        return given or (keys[0] if keys else PROFILE)

    def open(self, key: str) -> Kept:
        """Return the sitting on a site, begun if there is none. Raises BadInput, OSError where a profile is broken."""
        kept = self._kept.get(key)
        if kept is None:
            return self._begin(key, PAGES, self._find_draft(key))
        now = {page.number: page for page in self.room.pages(key)}
        if not kept.sitting.said and kept.sitting.at_hand != now.keys():
            return self._begin(key, max(PAGES, len(kept.sitting.sheets)))
        self._follow_pages(kept.sitting)
        return kept

    def begin(self, key: str, count: int, *, again: bool = False) -> Kept:
        """Choose pages anew; those with marks that are not saved stay."""
        kept = self.open(key)
        sitting = kept.sitting
        unsaved = {page: said for page, said in sitting.said.items() if sitting.saved.get(page) != said}
        pages = tuple(sheet.page for sheet in sitting.sheets if sheet.page.number in unsaved)
        return self._begin(key, count, Found(pages, unsaved, sitting.by, kept.rest), again=again)

    def keep(self, key: str) -> None:
        """Write what is confirmed and not saved where it outlives this process, if there is such a place.

        Where it cannot be written that is noted, and annotating goes on.
        """
        kept, path = self._kept[key], self._draft(key)
        if path is None:
            return
        try:
            write_draft(path, kept.sitting, kept.rest)
        except OSError as error:
            kept.sitting.note = f"marks cannot be kept in {path} until they are saved: {error.strerror or error}"

    def _begin(self, key: str, count: int, draft: Found | None = None, *, again: bool = False) -> Kept:
        draft = draft or Found((), {}, "", ())
        site = self.room.load_site(key)
        known = site.profile.images if site is not None else SiteImages()
        sitting = begin(self.room.pages(key), known, max(count, len(draft.pages)), kept=draft.pages, again=again)
        sitting.said |= draft.said
        sitting.by = draft.by or self.by
        sitting.method = self.method
        if draft.rest:
            gone = len({label.page for label in draft.rest})
            sitting.note = (
                f"marks of {gone} more page{'s' * (gone > 1)} wait in {self._draft(key)}: not at hand, or changed"
            )
        kept = self._kept[key] = Kept(sitting, draft.rest)
        return kept

    def _draft(self, key: str) -> Path | None:
        profile = self.room.options.profile
        return draft_path(profile) if key == PROFILE and profile is not None else None

    def _find_draft(self, key: str) -> Found | None:
        path = self._draft(key)
        return read_draft(path, self.room.pages(key)) if path is not None else None

    def _follow_pages(self, sitting: Sitting) -> None:
        """Read pages again that were fetched again meanwhile: what was said of the old ones no longer holds."""
        for at, sheet in enumerate(sitting.sheets):
            page = self.room.page(sheet.page.number)
            if page is not None and page.body is not sheet.page.body and page.body != sheet.page.body:
                sitting.sheets[at] = read_sheet(page, sheet.why)
                if sitting.sheets[at].around != sheet.around:
                    sitting.forget(page.number)
