"""Learn from labelled images: match labels to images, merge them with earlier ones, and update the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scythe.errors import BadInput
from scythe.model import IMAGE_METHODS, LabelledPage, PageImages, SiteImages
from scythe.site.judge_images import Quality, expect_quality, fit_method, why_no_model
from scythe.site.labels.annotators import Agreement, Conflict, agree, merge_labelled
from scythe.site.labels.label_files import Label, Labels, Statement, check_labels
from scythe.site.labels.match_labels import Lost, mark_page
from scythe.site.labels.site_relevance import count_again
from scythe.site.rules import Profile

NOT_GIVEN = "this page was not given"


@dataclass(frozen=True, slots=True)
class Annotated:
    """What came of labels."""

    profile: Profile
    new: tuple[LabelledPage, ...] = ()  # what the labels say, by page
    lost: tuple[Lost, ...] = ()  # labels that belong to no image
    conflicts: tuple[Conflict, ...] = ()  # images that people do not agree on, of all pages labelled so far
    replaced: tuple[tuple[str, str], ...] = ()  # (page, person) whose earlier marks were replaced
    agreement: tuple[Agreement, ...] = ()  # of each two people
    note: str = ""  # why the method asked for has no model

    @property
    def quality(self) -> Quality | None:
        """How well relevant images are told on pages that nobody labelled, tried by leaving out a page at a time."""
        return expect_quality(self.profile.images)


def list_labels(given: Mapping[str, Iterable[str]], by: str = "") -> Labels:
    """Turn relevant images by page into labels; a page without any was looked at. Raises BadInput."""
    rows: list[Statement] = []
    for number, (page, images) in enumerate(given.items(), 1):
        if isinstance(images, str) or not isinstance(images, Iterable):
            raise BadInput(f"the images of {page!r:.80} must be a list of addresses, not {images!r:.60}")
        rows += [Statement(number, page, image) for image in images] or [Statement(number, page, "")]
    return check_labels(rows, Labels("labels", (), has_lines=False), by)


def place_labels(labels: Labels, pages: Mapping[str, PageImages | str]) -> tuple[list[LabelledPage], list[Lost]]:
    """Find the images that labels mean, and the labels that mean none.

    `pages` has each page by the name that labels call it, or why it is missing; two names may stand for one page.
    Raises BadInput where one person says two things of one image.
    """
    groups: dict[int, tuple[PageImages, list[Label]]] = {}
    lost: list[Lost] = []
    for label in labels.rows:
        page = pages.get(label.page, NOT_GIVEN)
        if isinstance(page, str):
            lost.append(Lost(label, page, labels.place(label.line), is_page=True))
        else:
            groups.setdefault(id(page), (page, []))[1].append(label)
    marked = [mark_page(group, page, labels) for page, group in groups.values()]
    lost += [one for each in marked for one in each.lost]
    return [each.labelled for each in marked if each.labelled.marks], lost


def annotate(
    profile: Profile,
    new: Sequence[LabelledPage],
    *,
    method: str | None = None,
    seen: Sequence[PageImages] = (),
) -> Annotated:
    """Add labelled pages to a profile and learn from all that it has.

    `seen` are the images of pages of the site, labelled or not. Raises BadInput for an unknown method or too many
    pages, MissingExtra where a published method cannot be fitted.
    """
    method = method if method is not None else profile.images.method
    if method not in IMAGE_METHODS:
        raise BadInput(f"unknown image method {method!r:.60}; expected one of {', '.join(IMAGE_METHODS)}")
    merged = merge_labelled(profile.images.labelled, new)
    known = fit_method(count_at_hand(replace(profile.images, labelled=merged.labelled, method=method), seen))
    return Annotated(
        replace(profile, images=known),
        tuple(new),
        conflicts=merged.conflicts,
        replaced=merged.replaced,
        agreement=agree(merged.labelled),
        note=why_no_model(known),
    )


def count_at_hand(known: SiteImages, seen: Sequence[PageImages]) -> SiteImages:
    """Count what repeats on the pages at hand where they are more than those counted before."""
    at_hand = (*(each.page for each in known.labelled), *seen)
    pages = {page.url or f"#{number}": page for number, page in enumerate(at_hand)}
    if len(pages) <= known.pages:
        return known
    return count_again(known, list(pages.values()))
