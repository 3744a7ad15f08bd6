"""Small pages of images for tests of labels."""

from __future__ import annotations

from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages

PAGE = "https://news.example/2026/harvest.html"


def image(src: str, *addresses: str) -> ImageContext:
    return ImageContext(src, ("<div>", "<p>", f'<img src="{src}">'), addresses=(src, *addresses))


def page(*sources: str, url: str = PAGE) -> PageImages:
    """A page at `url` that shows images, named relative to it."""
    return PageImages(url, "Harvest", images=tuple(image(f"https://news.example/{source}") for source in sources))


def labelled(*sources: str, url: str = PAGE, **people: tuple[set[int], set[int]]) -> LabelledPage:
    """A page with what each person calls relevant and irrelevant."""
    marks = (ImageMarks(by, tuple(sorted(yes)), tuple(sorted(no))) for by, (yes, no) in people.items())
    return LabelledPage(page(*sources, url=url), tuple(marks))
