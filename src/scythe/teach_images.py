"""Join judging and learning of images: pages of a layout come in, rules for the areas that hold its images go out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from scythe.cut.dispatch import Dispatcher
from scythe.learn.areas import JudgedPage, LearnedAreas, learn_areas
from scythe.page import Page
from scythe.page.source import Source, read_source
from scythe.reader import read
from scythe.rules import FLOW, FieldRules, ImageRules, Layout, Profile

_PAGES = 40  # of a layout whose images are looked at: more say nothing new


def judge_page(source: Source, page: Page) -> JudgedPage:
    """Score the images of a page that shares the tree of its source."""
    return JudgedPage(source, page, [image.score for image in read(page).images])


def learn_images(
    pages: Sequence[tuple[Source, Page]], fields: Sequence[FieldRules], old: ImageRules | None = None
) -> LearnedAreas:
    """Learn where relevant images stand on pages of one layout with these fields; `old` rules are added to."""
    judged = [judge_page(source, page) for source, page in pages[:_PAGES]]
    text = next((rules for rules in fields if rules.name == "text"), None)
    if text is not None and any(way.take != FLOW or way.repeats for way in text.ways):
        text = None  # it was shown by example and may be less than the element
    return learn_areas(judged, text, old or ImageRules())


def relearn_images(profile: Profile, pages: Iterable[tuple[str | None, bytes]]) -> Profile:
    """Learn areas and scores of images again on pages at hand, as after people marked images on them.

    Areas known before are kept. What the pages show is judged anew; of the rest the profile keeps what it knew.
    """
    dispatcher = Dispatcher(profile.layouts)
    own: dict[int, list[tuple[Source, Page]]] = defaultdict(list)
    for url, body in pages:
        number = dispatcher.pick(body, url)
        if number is not None:
            source = read_source(body)
            own[number].append((source, Page.from_bytes(body, url=url).with_tree(source.tree)))
    layouts = [_relearn(layout, own[i]) if i in own else layout for i, layout in enumerate(profile.layouts)]
    return replace(profile, layouts=tuple(layouts))


def _relearn(layout: Layout, pages: Sequence[tuple[Source, Page]]) -> Layout:
    learned = learn_images(pages, layout.fields, layout.images)
    return layout if learned.why else replace(layout, images=learned.rules)
