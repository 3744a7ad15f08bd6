"""Join judging and learning of images: pages of a layout come in, rules for the areas that hold its images go out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scythe.cut.dispatch import Dispatcher
from scythe.extracting.judge_images import ImageJudge
from scythe.learn.annotators import agreed_marks
from scythe.learn.areas import JudgedPage, LearnedAreas, learn_areas
from scythe.model import PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.page.source import Source, read_source
from scythe.rules import FLOW, FieldRules, ImageRules, Layout, Profile, SiteImages

_PAGES = 40  # of a layout whose images are looked at: more say nothing new


@dataclass(frozen=True, slots=True)
class ImageLesson:
    """One page to learn images from: its bytes tied to its tree, and what is around its images."""

    source: Source
    page: Page  # shares the tree of the source
    images: PageImages  # one to one with those of the page


def make_image_lesson(source: Source, page: Page) -> ImageLesson:
    """Look around the images of a page."""
    plain = Page.from_bytes(source.body, url=page.url)  # whose tags are written without marks
    same = len(plain.images) == len(page.images)
    return ImageLesson(source, page, read_image_contexts(plain if same else page))


class ImageTeacher:
    """Learns areas of images by what is known of the images of a site, people's labels among it."""

    def __init__(self, known: SiteImages) -> None:
        self._judge = ImageJudge(known)
        self._labelled = {_version(each.page): each for each in known.labelled if each.page.url}

    def learn(
        self, lessons: Sequence[ImageLesson], fields: Sequence[FieldRules], old: ImageRules | None = None
    ) -> LearnedAreas:
        """Learn where relevant images stand on pages of one layout with these fields; `old` rules are added to."""
        judged = [JudgedPage(one.source, one.page, self._score(one)) for one in lessons[:_PAGES]]
        text = next((rules for rules in fields if rules.name == "text"), None)
        if text is not None and any(way.take != FLOW or way.repeats for way in text.ways):
            text = None  # it was shown by example and may be less than the element
        return learn_areas(judged, text, old or ImageRules())

    def _score(self, lesson: ImageLesson) -> list[float]:
        """Judge the images of a page; what people agreed on is so."""
        scores = self._judge.score_page(lesson.page, lesson.images)
        labelled = self._labelled.get(_version(lesson.images))
        if labelled is not None:
            for row, is_relevant in agreed_marks(labelled).items():
                scores[row] = float(is_relevant)
        return scores


def _version(page: PageImages) -> tuple[str, tuple[str, ...]]:
    """Tell a page from others, and from itself with other images."""
    return page.url, tuple(image.src for image in page.images)


def relearn_images(profile: Profile, pages: Iterable[tuple[str | None, bytes]]) -> Profile:
    """Learn areas and scores of images again on pages at hand, as after people marked images on them.

    Areas known before are kept. What the pages show is judged anew; of the rest the profile keeps what it knew.
    """
    dispatcher = Dispatcher(profile.layouts)
    teacher = ImageTeacher(profile.images)
    own: dict[int, list[ImageLesson]] = defaultdict(list)
    for url, body in pages:
        number = dispatcher.pick(body, url)
        if number is not None:
            source = read_source(body)
            own[number].append(make_image_lesson(source, Page.from_bytes(body, url=url).with_tree(source.tree)))
    layouts = [_relearn(layout, own[i], teacher) if i in own else layout for i, layout in enumerate(profile.layouts)]
    return replace(profile, layouts=tuple(layouts))


def _relearn(layout: Layout, lessons: Sequence[ImageLesson], teacher: ImageTeacher) -> Layout:
    learned = teacher.learn(lessons, layout.fields, layout.images)
    return layout if learned.why else replace(layout, images=learned.rules)
