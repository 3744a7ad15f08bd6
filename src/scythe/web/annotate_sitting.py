"""One person's way through the pages of a site that are worth annotating: pages at hand come in, marks go out.

What people say of a page is kept here until it is saved, with all steps so that they can be undone; what the model
makes of images is fitted anew whenever a page was confirmed, which takes some ten milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scythe.extracting.judge_images import ImageJudge, fit_method
from scythe.learn.annotators import agreed_marks, merge_labelled, page_key
from scythe.model import RELEVANT, Image, PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.rules import LabelledPage, Marks, SiteImages
from scythe.teaching.annotate import count_at_hand
from scythe.teaching.spread import spread
from scythe.teaching.suggest import Suggestion, suggest_pages
from scythe.web.room import PageAtHand

_LOOKED_AT = 200  # pages at hand among which those to annotate are chosen: reading one takes 3 ms
_STEPS = 2_000  # that can be undone


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page as it is annotated."""

    page: PageAtHand
    around: PageImages  # one to one with `images`
    images: tuple[Image, ...]
    why: str = ""  # it was suggested

    @property
    def name(self) -> str:
        """What labels call it."""
        return self.page.url or self.page.name


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of the images of one page."""

    relevant: frozenset[int]
    is_confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One change that can be undone."""

    page: int
    before: Said | None
    after: Said


def read_sheet(page: PageAtHand, why: str = "") -> Sheet:
    """Read the images of a page."""
    read = Page.from_bytes(page.body, url=page.url, content_type=page.content_type)
    return Sheet(page, read_image_contexts(read), tuple(use.image for use in read.images), why)


@dataclass
class Sitting:
    """The pages that are being annotated, what was said of them, and what the model makes of it."""

    sheets: list[Sheet]
    known: SiteImages  # of the site, before this sitting or as saved last
    at_hand: frozenset[int]  # numbers of the pages at hand when it began
    by: str = ""
    method: str | None = None
    said: dict[int, Said] = field(default_factory=dict)  # by the number of the page
    saved: dict[int, Said] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    undone: list[Step] = field(default_factory=list)
    note: str = ""  # for people: what was found when it began
    _judge: ImageJudge | None = None

    def find(self, page: int) -> Sheet | None:
        """Return a page of this sitting by its number."""
        return next((sheet for sheet in self.sheets if sheet.page.number == page), None)

    # -- what was said -------------------------------------------------------------------------------------------------

    def say(self, page: int, said: Said) -> None:
        """Take note of what is said of a page."""
        before = self.said.get(page)
        if said == before:
            return
        self.steps = [*self.steps, Step(page, before, said)][-_STEPS:]
        self.undone.clear()
        self._set(page, said)

    def undo(self) -> int | None:
        """Take the last change back; return its page, None where there is none."""
        if not self.steps:
            return None
        step = self.steps.pop()
        self.undone.append(step)
        self._set(step.page, step.before)
        return step.page

    def redo(self) -> int | None:
        """Make a change again that was taken back; return its page, None where there is none."""
        if not self.undone:
            return None
        step = self.undone.pop()
        self.steps.append(step)
        self._set(step.page, step.after)
        return step.page

    def forget(self, page: int) -> None:
        """Drop what was said of a page that is another now."""
        self.steps = [step for step in self.steps if step.page != page]
        self.undone = [step for step in self.undone if step.page != page]
        self._set(page, None)

    def _set(self, page: int, said: Said | None) -> None:
        before = self.said.pop(page, None)
        if said is not None:
            self.said[page] = said
        if _taught(before) != _taught(said):
            self._judge = None

    @property
    def confirmed(self) -> list[Sheet]:
        """The pages that somebody is done with."""
        return [sheet for sheet in self.sheets if self.is_confirmed(sheet)]

    def is_confirmed(self, sheet: Sheet) -> bool:
        """Say whether somebody is done with a page."""
        said = self.said.get(sheet.page.number)
        return said is not None and said.is_confirmed

    @property
    def is_unsaved(self) -> bool:
        """Whether something was said that is not in the profile."""
        return any(self.saved.get(page) != said for page, said in self.said.items())

    def labels(self) -> list[LabelledPage]:
        """Return what was said of the pages confirmed; a page without images says nothing."""
        return [self._label(sheet) for sheet in self.confirmed if sheet.images]

    def _label(self, sheet: Sheet) -> LabelledPage:
        relevant = self.said[sheet.page.number].relevant
        rows = range(len(sheet.images))
        marks = Marks(self.by, tuple(sorted(relevant)), tuple(row for row in rows if row not in relevant))
        return LabelledPage(sheet.around, (marks,))

    # -- what the model makes of it ------------------------------------------------------------------------------------

    @property
    def taught(self) -> SiteImages:
        """What is known of the site's images with what was said so far."""
        known = replace(self.known, method=self.method or self.known.method)
        return replace(known, labelled=merge_labelled(known.labelled, self.labels()).labelled)

    @property
    def is_taught(self) -> bool:
        """Whether the model has seen a page of this site that somebody labelled."""
        return bool(self.known.labelled) or bool(self.labels())

    def score(self, sheet: Sheet) -> list[float]:
        """Return how likely each image of a page is relevant. Raises MissingExtra for a published method."""
        if self._judge is None:
            self._judge = ImageJudge(fit_method(self.taught))
        return self._judge.score(sheet.around)

    def marks(self, sheet: Sheet, scores: Sequence[float]) -> frozenset[int]:
        """Return the images that are marked as relevant: as said, or as the model of this site expects."""
        said = self.said.get(sheet.page.number)
        if said is not None:
            return said.relevant
        if not self.is_taught:
            return frozenset()  # what the shared model makes of them is shown, not said
        return frozenset(row for row, score in enumerate(scores) if score >= RELEVANT)


def _taught(said: Said | None) -> frozenset[int] | None:
    return said.relevant if said is not None and said.is_confirmed else None


def begin(
    pages: Sequence[PageAtHand], known: SiteImages, count: int, *, kept: Sequence[PageAtHand] = (), again: bool = False
) -> Sitting:
    """Choose pages to annotate: those `kept`, then the most useful of the others up to `count` in all.

    `again` chooses among those that are labelled already, with the marks they have.
    """
    sheets = [read_sheet(page) for page in spread(list(pages), _LOOKED_AT)]
    counted = count_at_hand(known, [sheet.around for sheet in sheets])
    own = {page.number for page in kept}
    first = [read_sheet(page, "you were at it already") for page in kept]
    others = [sheet for sheet in sheets if sheet.page.number not in own]
    wanted = max(count - len(first), 0)
    chosen = _labelled(others, known)[:wanted] if again else _suggested(others, counted, wanted)
    sitting = Sitting([*first, *chosen], counted, frozenset(page.number for page in pages))
    if again:
        sitting.said = _what_was_said(chosen, known)
        sitting.saved = dict(sitting.said)
    return sitting


def _suggested(sheets: Sequence[Sheet], known: SiteImages, count: int) -> list[Sheet]:
    if not count or not sheets:
        return []
    found = suggest_pages([sheet.around for sheet in sheets], count, by="cover", site=known)
    return [replace(sheets[one.at], why=_why(one)) for one in found]


def _why(one: Suggestion) -> str:
    """Say in plain words what makes a page worth annotating."""
    said = [f"{one.new_kinds} new kind{'s' * (one.new_kinds > 1)} of images"] if one.new_kinds else []
    said += [f"{one.unsure} that scythe is unsure about"] if one.unsure else []
    return ", ".join(said)


def _labelled(sheets: Sequence[Sheet], known: SiteImages) -> list[Sheet]:
    done = {page_key(each.page) for each in known.labelled}
    return [replace(sheet, why="labelled before") for sheet in sheets if page_key(sheet.around) in done]


def _what_was_said(sheets: Sequence[Sheet], known: SiteImages) -> dict[int, Said]:
    """Return the marks that a profile has of pages, where they still have the same images."""
    marked = {_version(each.page): agreed_marks(each) for each in known.labelled}
    found = {}
    for sheet in sheets:
        agreed = marked.get(_version(sheet.around))
        if agreed is not None:
            found[sheet.page.number] = Said(frozenset(row for row, truth in agreed.items() if truth), is_confirmed=True)
    return found


def _version(page: PageImages) -> tuple[str, tuple[str, ...]]:
    return page_key(page), tuple(image.src for image in page.images)
