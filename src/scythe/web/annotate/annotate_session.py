"""One person's annotation of a site: the pages, marks, undo steps and drafts.

The model is fitted again after every confirmed page, in about ten milliseconds. Unsaved marks are kept beside the
profile as JSON lines that `scythe annotate --from` reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scythe.atomic_files import write_atomically
from scythe.fetch.inputs import spread
from scythe.model import RELEVANT, Image, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.page.image_context import read_image_contexts
from scythe.site.judge_images import ImageJudge, fit_method
from scythe.site.labels.annotators import agreed_marks, merge_labelled, page_key
from scythe.site.labels.label_files import Label, Labels, open_labels
from scythe.site.labels.learn_labels import count_at_hand, place_labels
from scythe.site.labels.match_labels import name_images
from scythe.site.labels.suggest_pages import Suggestion, suggest_pages
from scythe.web.state import PROFILE, PageAtHand, State, open_page

_LOOKED_AT = 200  # pages at hand among which those to annotate are chosen: reading one takes 3 ms
_STEPS = 2_000  # that can be undone


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
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
class PageMarks:
    """What was said of the images of one page."""

    relevant: frozenset[int]
    is_confirmed: bool = False


@dataclass(frozen=True, slots=True)
class UndoStep:
    """One change that can be undone."""

    page: int
    before: PageMarks | None
    after: PageMarks


def read_annotated_page(page: PageAtHand, why: str = "") -> AnnotatedPage:
    """Read the images of a page."""
    read = open_page(page)
    return AnnotatedPage(page, read_image_contexts(read), tuple(use.image for use in read.images), why)


@dataclass
class AnnotationSession:
    """The pages that are being annotated, what was said of them, and what the model makes of it."""

    pages: list[AnnotatedPage]
    known: SiteImages  # of the site, before this session or as saved last
    at_hand: frozenset[int]  # numbers of the pages at hand when it began
    by: str = ""
    method: str | None = None
    marked: dict[int, PageMarks] = field(default_factory=dict)  # by the number of the page
    saved: dict[int, PageMarks] = field(default_factory=dict)
    steps: list[UndoStep] = field(default_factory=list)
    undone: list[UndoStep] = field(default_factory=list)
    note: str = ""  # for people: what was found when it began
    rest: tuple[Label, ...] = ()  # what its draft says of pages that are not at hand
    job: int = 0  # that saves it, or did so last
    _judge: ImageJudge | None = None

    def find(self, page: int) -> AnnotatedPage | None:
        """Return a page of this session by its number."""
        return next((opened for opened in self.pages if opened.page.number == page), None)

    # -- what was said -------------------------------------------------------------------------------------------------

    def say(self, page: int, said: PageMarks) -> None:
        """Take note of what is said of a page."""
        before = self.marked.get(page)
        if said == before:
            return
        self.steps = [*self.steps, UndoStep(page, before, said)][-_STEPS:]
        self.undone.clear()
        self._set(page, said)

    def undo(self) -> int | None:
        """Take the last change back; return its page, None where there is none."""
        return self._step(self.steps, self.undone, lambda step: step.before)

    def redo(self) -> int | None:
        """Make a change again that was taken back; return its page, None where there is none."""
        return self._step(self.undone, self.steps, lambda step: step.after)

    def _step(
        self, source: list[UndoStep], target: list[UndoStep], said: Callable[[UndoStep], PageMarks | None]
    ) -> int | None:
        if not source:
            return None
        step = source.pop()
        target.append(step)
        self._set(step.page, said(step))
        return step.page

    def forget(self, page: int) -> None:
        """Drop what was said of a page that is another now."""
        self.steps = [step for step in self.steps if step.page != page]
        self.undone = [step for step in self.undone if step.page != page]
        self._set(page, None)

    def _set(self, page: int, said: PageMarks | None) -> None:
        before = self.marked.pop(page, None)
        if said is not None:
            self.marked[page] = said
        if _taught(before) != _taught(said):
            self._judge = None

    @property
    def confirmed(self) -> list[AnnotatedPage]:
        """The pages that somebody is done with."""
        return [opened for opened in self.pages if self.is_confirmed(opened)]

    def is_confirmed(self, opened: AnnotatedPage) -> bool:
        """Say whether somebody is done with a page."""
        said = self.marked.get(opened.page.number)
        return said is not None and said.is_confirmed

    @property
    def is_unsaved(self) -> bool:
        """Whether something was said that is not in the profile."""
        return any(self.saved.get(page) != said for page, said in self.marked.items())

    def labels(self) -> list[LabelledPage]:
        """Return what was said of the pages confirmed; a page without images says nothing."""
        labels = []
        for opened in filter(lambda one: one.images, self.confirmed):
            relevant = self.marked[opened.page.number].relevant
            others = tuple(row for row in range(len(opened.images)) if row not in relevant)
            labels.append(LabelledPage(opened.around, (ImageMarks(self.by, tuple(sorted(relevant)), others),)))
        return labels

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

    def score(self, opened: AnnotatedPage) -> list[float]:
        """Return how likely each image of a page is relevant. Raises MissingExtra for a published method."""
        if self._judge is None:
            self._judge = ImageJudge(fit_method(self.taught))
        return self._judge.score(opened.around)

    def marks(self, opened: AnnotatedPage, scores: Sequence[float]) -> frozenset[int]:
        """Return the images that are marked as relevant: as said, or as the model of this site expects."""
        said = self.marked.get(opened.page.number)
        if said is not None:
            return said.relevant
        if not self.is_taught:
            return frozenset()  # what the shared model makes of them is shown, not said
        return frozenset(row for row, score in enumerate(scores) if score >= RELEVANT)


def _taught(said: PageMarks | None) -> frozenset[int] | None:
    return said.relevant if said is not None and said.is_confirmed else None


def begin(
    pages: Sequence[PageAtHand], known: SiteImages, count: int, *, kept: Sequence[PageAtHand] = (), again: bool = False
) -> AnnotationSession:
    """Choose pages to annotate: those `kept`, then the most useful of the others up to `count` in all.

    `again` chooses among those that are labelled already, with the marks they have.
    """
    opened_pages = [read_annotated_page(page) for page in spread(list(pages), _LOOKED_AT)]
    counted = count_at_hand(known, [opened.around for opened in opened_pages])
    own = {page.number for page in kept}
    first = [read_annotated_page(page, "you were at it already") for page in kept]
    others = [opened for opened in opened_pages if opened.page.number not in own]
    wanted = max(count - len(first), 0)
    if again:
        done = {page_key(each.page) for each in known.labelled}
        chosen = [replace(one, why="labelled before") for one in others if page_key(one.around) in done][:wanted]
    else:
        around = [opened.around for opened in others]
        found = suggest_pages(around, wanted, by="cover", site=counted) if wanted and others else ()
        chosen = [replace(others[one.at], why=_why(one)) for one in found]
    session = AnnotationSession([*first, *chosen], counted, frozenset(page.number for page in pages))
    if again:
        session.marked = _read_marks(chosen, known)
        session.saved = dict(session.marked)
    return session


def _why(one: Suggestion) -> str:
    """Say in plain words what makes a page worth annotating."""
    said = [f"{one.new_kinds} new kind{'s' * (one.new_kinds > 1)} of images"] if one.new_kinds else []
    said += [f"{one.unsure} that scythe is unsure about"] if one.unsure else []
    return ", ".join(said)


def _read_marks(opened_pages: Sequence[AnnotatedPage], known: SiteImages) -> dict[int, PageMarks]:
    """Return the marks that a profile has of pages, where they still have the same images."""
    marked = {_version(each.page): agreed_marks(each) for each in known.labelled}
    found = {}
    for opened in opened_pages:
        agreed = marked.get(_version(opened.around))
        if agreed is not None:
            found[opened.page.number] = PageMarks(
                frozenset(row for row, truth in agreed.items() if truth), is_confirmed=True
            )
    return found


def _version(page: PageImages) -> tuple[str, tuple[str, ...]]:
    return page_key(page), tuple(image.src for image in page.images)


@dataclass(frozen=True, slots=True)
class DraftMarks:
    """What a draft says of the pages at hand."""

    pages: tuple[PageAtHand, ...]
    marked: dict[int, PageMarks]
    by: str
    rest: tuple[Label, ...]  # of pages that are not at hand, or are others now: kept as they are


def read_draft(path: Path, pages: Sequence[PageAtHand]) -> DraftMarks:
    """Read a draft; without one nothing is found. Raises BadInput where it is damaged, OSError."""
    try:
        labels = open_labels(path)
    except FileNotFoundError:
        return DraftMarks((), {}, "", ())
    at_hand = {page.url or page.name: page for page in pages}
    groups: dict[str, list[Label]] = {}
    for label in labels.rows:
        groups.setdefault(label.page, []).append(label)
    chosen: list[PageAtHand] = []
    said: dict[int, PageMarks] = {}
    rest: list[Label] = []
    for name, own in groups.items():
        marks = _marks(read_annotated_page(at_hand[name]), own) if name in at_hand else None
        if marks is None:
            rest += own
        else:
            chosen.append(at_hand[name])
            said[at_hand[name].number] = marks
    return DraftMarks(tuple(chosen), said, labels.rows[-1].by if labels.rows else "", tuple(rest))


def _marks(opened: AnnotatedPage, labels: Sequence[Label]) -> PageMarks | None:
    """Return what labels say of a page, None where it has other images now."""
    if not opened.images and not any(label.image for label in labels):
        return PageMarks(frozenset(), is_confirmed=True)
    placed, lost = place_labels(Labels("draft", tuple(labels)), {opened.name: opened.around})
    if lost or not placed:
        return None
    return PageMarks(frozenset(row for marks in placed[0].marks for row in marks.relevant), is_confirmed=True)


def write_draft(path: Path, session: AnnotationSession) -> None:
    """Write the confirmed pages that are not saved; without any the file goes. Raises OSError."""
    rows = [_row(label.page, label.image, label.relevant, label.by) for label in session.rest]
    for opened in session.confirmed:
        said = session.marked[opened.page.number]
        if session.saved.get(opened.page.number) != said:
            rows += _rows(opened, said, session.by)
    if rows:
        write_atomically(path, "".join(f"{row}\n" for row in rows).encode())
    else:
        path.unlink(missing_ok=True)


def _rows(opened: AnnotatedPage, said: PageMarks, by: str) -> Iterator[str]:
    names = name_images(opened.around)
    images = [names[row] for row in sorted(said.relevant)]
    if (
        any(image[0] == "#" for image in images)
        or _marks(opened, [Label(opened.name, image, relevant=True) for image in images]) != said
    ):
        images = [f"#{row + 1}" for row in sorted(said.relevant)]  # two images share an address
    if not images:
        yield _row(opened.name, "", False, by)
    for image in images:
        yield _row(opened.name, image, True, by)


def _row(page: str, image: str, relevant: bool, by: str) -> str:
    return json.dumps({"page": page, "image": image, "relevant": int(relevant)} | ({"by": by} if by else {}))


PAGES = 6  # to annotate: enough for most sites, docs/why/images.md#labels


@dataclass
class AnnotationSessions:
    """The sessions of a state, one for each site. Whoever uses one holds the lock of the state."""

    state: State
    by: str = ""  # who sits here, unless said otherwise
    method: str | None = None  # what learns from labels; None: as in the profile
    _kept: dict[str, AnnotationSession] = field(default_factory=dict)

    def open(self, key: str) -> AnnotationSession:
        """Return the session on a site, begun if there is none. Raises BadInput, OSError where a profile is broken."""
        kept = self._kept.get(key)
        if kept is None:
            path = self._draft(key)
            return self._begin(key, PAGES, read_draft(path, self.state.pages(key)) if path is not None else None)
        now = {page.number: page for page in self.state.pages(key)}
        if not kept.marked and kept.at_hand != now.keys():
            return self._begin(key, max(PAGES, len(kept.pages)))
        self._follow_pages(kept)
        return kept

    def begin(self, key: str, count: int, *, again: bool = False) -> AnnotationSession:
        """Choose pages anew; those with marks that are not saved stay."""
        kept = self.open(key)
        unsaved = {page: said for page, said in kept.marked.items() if kept.saved.get(page) != said}
        pages = tuple(opened.page for opened in kept.pages if opened.page.number in unsaved)
        return self._begin(key, count, DraftMarks(pages, unsaved, kept.by, kept.rest), again=again)

    def keep(self, key: str) -> None:
        """Write what is confirmed and not saved where it outlives this process, if there is such a place.

        Where it cannot be written that is noted, and annotating goes on.
        """
        kept, path = self._kept[key], self._draft(key)
        if path is None:
            return
        try:
            write_draft(path, kept)
        except OSError as error:
            kept.note = f"marks cannot be kept in {path} until they are saved: {error.strerror or error}"

    def _begin(
        self, key: str, count: int, draft: DraftMarks | None = None, *, again: bool = False
    ) -> AnnotationSession:
        draft = draft or DraftMarks((), {}, "", ())
        site = self.state.load_site(key)
        known = site.profile.images if site is not None else SiteImages()
        session = begin(self.state.pages(key), known, max(count, len(draft.pages)), kept=draft.pages, again=again)
        session.marked |= draft.marked
        session.by = draft.by or self.by
        session.method = self.method
        if draft.rest:
            gone = len({label.page for label in draft.rest})
            session.note = (
                f"marks of {gone} more page{'s' * (gone > 1)} wait in {self._draft(key)}: not at hand, or changed"
            )
        session.rest = draft.rest
        self._kept[key] = session
        return session

    def _draft(self, key: str) -> Path | None:
        profile = self.state.options.profile
        return profile.with_name(f"{profile.stem}.marks.jsonl") if key == PROFILE and profile is not None else None

    def _follow_pages(self, session: AnnotationSession) -> None:
        """Read pages again that were fetched again meanwhile: what was said of the old ones no longer holds."""
        for at, opened in enumerate(session.pages):
            page = self.state.page(opened.page.number)
            if page.body is not opened.page.body and page.body != opened.page.body:
                session.pages[at] = read_annotated_page(page, opened.why)
                if session.pages[at].around != opened.around:
                    session.forget(page.number)
