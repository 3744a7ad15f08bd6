"""Learn later what the first pages did not show: pages of a half-learned layout come in, a fuller profile goes out.

A layout that was met on one or two pages, or whose pages did not agree, has no rule for its text or its title, and each
of its pages is read by the tree. Some of them are kept, and when there are enough the layout is learned once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scythe.extracting.harvest import Harvest
from scythe.learn.fields import learn_fields
from scythe.learn.health import Health
from scythe.rules import Layout, Profile
from scythe.teaching.teach import make_lesson, make_sample
from scythe.teaching.teach_images import ImageTeacher, make_image_lesson

_NEEDED = ("text", "title")  # what makes a layout half-learned; the others may just not be there
_TRIES = (8, 32, 128, 512)  # pages after which learning is tried again: it costs as much as reading a hundred
_KEPT = 10  # pages of a layout
_BYTES = 8_000_000  # of them
_LAYOUTS = 16


@dataclass(slots=True)
class Bed:
    """Some pages of one layout, the newest last, and how many there were."""

    pages: list[tuple[str | None, bytes]] = field(default_factory=list)  # without its address a page has few images
    met: int = 0

    def add(self, body: bytes, url: str | None) -> None:
        self.met += 1
        self.pages.append((url, body))
        while len(self.pages) > _KEPT or sum(len(body) for _, body in self.pages) > _BYTES:
            self.pages.pop(0)


class Nursery:
    """Keeps pages of half-learned layouts in bounded memory. What is learned later is noted in the site's health."""

    def __init__(self, health: Health) -> None:
        self._health = health
        self._beds: dict[str, Bed] = {}

    def attend(self, profile: Profile, page: Harvest, body: bytes, url: str | None) -> Profile | None:
        """Take in a page that was extracted; return a profile with rules that its layout lacked, once found."""
        layout = page.layout
        if layout is None:
            return None
        lacking = self._lacking(profile, layout)
        if not any(page.document.fields[name].values for name in lacking):
            return None
        bed = self.keep(layout, body, url)
        if bed is None or bed.met not in _TRIES:
            return None
        fuller = _ripen(profile, layout, bed.pages)
        if fuller is None:
            return None
        names = [rules.name for rules in fuller.fields[len(layout.fields) :]]
        self._health.renew(fuller, names, "learned from more pages")
        for name in names:
            self._health.note("learned", layout.name, name, f"from {len(bed.pages)} pages")
        return replace(profile, layouts=tuple(fuller if old is layout else old for old in profile.layouts))

    def keep(self, layout: Layout, body: bytes, url: str | None) -> Bed | None:
        """Keep a page of a layout."""
        if layout.name not in self._beds and len(self._beds) >= _LAYOUTS:
            return None
        bed = self._beds.setdefault(layout.name, Bed())
        bed.add(body, url)
        return bed

    def look_back(self, profile: Profile, page: Harvest, body: bytes, url: str | None) -> None:
        """Keep a page that was learned from, if its layout lacks something."""
        if page.layout is not None and self._lacking(profile, page.layout):
            self.keep(page.layout, body, url)

    def _lacking(self, profile: Profile, layout: Layout) -> list[str]:
        have = {rules.name for rules in layout.fields}
        return [name for name in _NEEDED if name in profile.fields and name not in have and name not in profile.named]


def _ripen(profile: Profile, layout: Layout, pages: Sequence[tuple[str | None, bytes]]) -> Layout | None:
    """Learn a layout again and add the fields that it lacks."""
    lessons = [make_lesson(body, url) for url, body in pages]
    samples = [make_sample(lesson) for lesson in lessons]
    found, _, lines = learn_fields(samples)
    have = {rules.name for rules in layout.fields}
    new = [rules for rules in found if rules.name in profile.fields and rules.name not in have]
    if not new:
        return None
    fuller = replace(layout, fields=(*layout.fields, *new), pages=max(layout.pages, len(pages)))
    if "images" in profile.fields:
        seen = [make_image_lesson(lesson.source, lesson.page) for lesson in lessons]
        images = ImageTeacher(profile.images).learn(seen, fuller.fields, layout.images)
        fuller = fuller if images.why else replace(fuller, images=images.rules)
    is_new_text = any(rules.name == "text" for rules in new)
    return replace(fuller, boilerplate=lines) if is_new_text else fuller
