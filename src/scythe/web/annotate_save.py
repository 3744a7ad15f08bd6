"""Save what was said of images: a sitting comes in, a profile that has learned from it goes to where profiles are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.errors import BadInput
from scythe.extracting.judge_images import Quality
from scythe.rules import LabelledPage
from scythe.site import Site
from scythe.teaching.spread import FROM_FILES, spread
from scythe.web.annotate_desk import Desk
from scythe.web.jobs import Job
from scythe.web.room import Room

_STEPS = 3


@dataclass(frozen=True, slots=True)
class QualitySeen:
    """How well the model does on pages left out of learning, one after the other."""

    pages: int
    precision: float
    recall: float
    f: float
    words: str


@dataclass(frozen=True, slots=True)
class MarksSaved:
    """What came of saving."""

    where: str
    pages: int  # of this sitting
    images: int
    relevant: int
    labelled: int  # pages that the profile has labels of
    layouts: int
    by_tree: int  # layouts whose images are read by the tree, which is slower
    conflicts: int  # images that people do not agree on
    quality: QualitySeen | None
    note: str  # why a published method has no model


def see_quality(quality: Quality | None) -> QualitySeen | None:
    """Say a quality in plain words, too."""
    if quality is None:
        return None
    found, right = round(100 * quality.recall), round(100 * quality.precision)
    words = (
        f"Tried on {quality.pages} pages, each left out of learning in turn: it finds {found} of 100 relevant images, "
    )
    words += f"and {right} of 100 that it picks are relevant."
    return QualitySeen(quality.pages, quality.precision, quality.recall, quality.f, words)


def save_sitting(room: Room, key: str, job: Job) -> MarksSaved:
    """Learn from what was confirmed and save it. Raises BadInput, OSError, ArchiveFailed, MissingExtra."""
    desk = room.part(Desk)
    with room.lock:
        sitting = desk.open(key).sitting
        labels, said, method = sitting.labels(), dict(sitting.said), sitting.method
        pages = [(page.url, page.body) for page in room.pages(key)]
    if not labels:
        raise BadInput("no page with images is confirmed yet")
    job.step(0, _STEPS, f"reading {len(pages)} pages")
    site = room.load_site(key) or Site.learn([*spread(pages, FROM_FILES)])
    job.step(1, _STEPS, f"learning from {len(labels)} labelled pages")
    outcome = site.annotate(labels, pages, method=method)
    job.step(2, _STEPS, "saving")
    where = room.save_site(key, site)
    with room.lock:
        sitting.known = site.profile.images
        sitting.saved |= {page: one for page, one in said.items() if one.is_confirmed}
        desk.keep(key)
    job.step(_STEPS, _STEPS, where)
    relevant, images = _count(labels)
    return MarksSaved(
        where,
        len(labels),
        images,
        relevant,
        len(outcome.profile.images.labelled),
        len(outcome.profile.layouts),
        outcome.by_tree,
        len(outcome.conflicts),
        see_quality(outcome.quality),
        outcome.note,
    )


def _count(labels: Sequence[LabelledPage]) -> tuple[int, int]:
    """Return how many images are relevant, and how many were looked at."""
    marks = [marks for each in labels for marks in each.marks]
    relevant = sum(len(each.relevant) for each in marks)
    return relevant, relevant + sum(len(each.irrelevant) for each in marks)
