"""Learn a `Profile` from the pages of a site: group them into layouts and learn each one's fields, lists and images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from scythe.model import SiteImages, TextOptions
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.page.source import Source, read_source
from scythe.reader import read
from scythe.reading.lists.find_lists import CUT
from scythe.reading.text import method as text_method
from scythe.reading.text.choose_text import expect_f1
from scythe.site.boilerplate import find_boilerplate
from scythe.site.extract import observe_lists
from scythe.site.labels.site_relevance import count_images
from scythe.site.learn.examples import learn_examples
from scythe.site.learn.layout_marks import choose_marks
from scythe.site.learn.layouts import group_pages
from scythe.site.learn.learn_fields import learn_fields
from scythe.site.learn.learn_images import ImageAreaLearner, make_image_page
from scythe.site.learn.learn_lists import LearnedLists, learn_layout_lists
from scythe.site.learn.value_sources import LearnedPage
from scythe.site.rules import FieldRules, Layout, Profile
from scythe.url import host, url_shape

Example = Mapping[str, Sequence[str]]
EXAMPLES_PER_LAYOUT = 2
_LISTED = 40  # pages of a layout whose lists are read: more say nothing new


@dataclass(frozen=True, slots=True)
class LessonPage:
    """One page to learn from: its bytes tied to its tree, and the values someone marked on it, if anyone did."""

    url: str | None
    source: Source
    page: Page  # shares the tree of the source
    example: Example | None = None


def make_lesson_page(body: bytes, url: str | None = None, example: Example | None = None) -> LessonPage:
    """Parse a page for learning."""
    source = read_source(body)
    return LessonPage(url, source, Page.from_bytes(body, url=url).with_tree(source.tree), example)


def learn_profile(
    lessons: Sequence[LessonPage], wanted: Sequence[str], known: SiteImages | None = None
) -> tuple[Profile, tuple[str, ...]]:
    """Learn the wanted fields, layout by layout; also return why something was not learned. Costs some 50 ms a page.

    `known` is what is known of the site's images already.
    """
    named = {name for lesson in lessons for name in lesson.example or ()}
    plain = tuple(name for name in wanted if name not in named)
    groups = _groups(lessons)
    marks = choose_marks([[lessons[i].source.body for i in group] for group in groups])
    by_reading = [name for name in plain if name != "records"]
    samples = [make_sample(lesson) for lesson in lessons] if by_reading else []
    seen = [make_image_page(lesson.source, lesson.page) for lesson in lessons] if "images" in plain else []
    known = known or count_images([one.images for one in seen])
    teacher = ImageAreaLearner(known)
    layouts: list[Layout] = []
    reasons: list[str] = []
    for number, group in enumerate(groups):
        chosen = [lessons[i] for i in group]
        fields: tuple[FieldRules, ...] = ()
        if named:
            fields, why = learn_examples([lesson.source for lesson in chosen], [lesson.example for lesson in chosen])
            reasons += [f"layout {number + 1}: {name}: {line}" for name, line in why.items()]
        lines: tuple[str, ...] = ()
        if by_reading:
            own = [samples[i] for i in group]
            more, also, lines = learn_fields(own)
            fields += tuple(rules for rules in more if rules.name in by_reading)
            reasons += [f"layout {number + 1}: {line}" for line in also]
        layout = _layout(f"layout-{number + 1}", fields, marks[number], lines, chosen)
        if "images" in plain:
            images, why_no_images = teacher.learn([seen[i] for i in group], fields)
            layout = replace(layout, images=images)
            reasons += [f"layout {number + 1}: images: {why_no_images}"] if why_no_images else []
        if "records" in plain:
            lists, why_not = learn_lists(chosen)
            layout = replace(layout, lists=lists)
            reasons += [f"layout {number + 1}: records: {line}" for line in why_not]
        layouts.append(layout)
    return replace(_profile(layouts, lessons, wanted, samples), images=known), tuple(reasons)


def _groups(lessons: Sequence[LessonPage]) -> list[list[int]]:
    """Group the pages into layouts, largest first; examples that are too few for a group of their own stay together."""
    groups = group_pages([lesson.page for lesson in lessons])
    labelled = [group for group in groups if any(lessons[i].example is not None for i in group)]
    if not labelled:
        return sorted(groups, key=len, reverse=True)
    counts = [sum(lessons[i].example is not None for i in group) for group in labelled]
    if min(counts) < EXAMPLES_PER_LAYOUT:
        return [sorted(i for group in labelled for i in group)]
    return sorted(labelled, key=len, reverse=True)


def make_sample(lesson: LessonPage) -> LearnedPage:
    """Read a lesson cold, for learning what reading finds."""
    document = read(lesson.page)
    content = document.content
    kept = content.kept if isinstance(content, PageContent) else ()
    metadata = document.metadata
    return LearnedPage(
        lesson.source,
        lesson.page,
        kept,
        document.title,
        metadata.author,
        metadata.published,
        sure=expect_f1(lesson.page, text_method("auto")(lesson.page, TextOptions())),
    )


def learn_lists(lessons: Sequence[LessonPage]) -> LearnedLists:
    """Read what pages of one layout list, and learn to cut it."""
    pages = lessons[:_LISTED]
    seen = [one for number, lesson in enumerate(pages) for one in observe_lists(number, lesson.page)]
    return learn_layout_lists([lesson.source for lesson in pages], seen, CUT)


def _layout(
    name: str,
    fields: tuple[FieldRules, ...],
    marks: tuple[bytes, ...],
    boilerplate: tuple[str, ...],
    lessons: Sequence[LessonPage],
) -> Layout:
    return Layout(
        name=name,
        fields=fields,
        marks=marks,
        shapes=tuple(sorted({url_shape(lesson.url) for lesson in lessons if lesson.url})),
        encodings=tuple(sorted({lesson.source.encoding for lesson in lessons})),
        pages=len(lessons),
        boilerplate=boilerplate,
    )


def _profile(
    layouts: Sequence[Layout], lessons: Sequence[LessonPage], wanted: Sequence[str], samples: Sequence[LearnedPage]
) -> Profile:
    return Profile(
        layouts=tuple(layouts),
        fields=tuple(wanted),
        hosts=tuple(sorted({host(lesson.url) for lesson in lessons if lesson.url} - {""})),
        learned=datetime.now(UTC).isoformat(timespec="seconds"),
        boilerplate=find_boilerplate(samples) if samples else (),
        named=tuple(sorted({name for lesson in lessons for name in lesson.example or ()})),
    )
