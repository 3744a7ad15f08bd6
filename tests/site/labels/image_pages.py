"""Small pages of images for tests of what a site's labels teach."""

from __future__ import annotations

from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages


def picture(src: str, where: str, *, outer: str = "main.site", tag: str = "") -> ImageContext:
    """An image in an element of a class, inside another."""
    name, _, classes = outer.partition(".")
    tags = (f'<{name} class="{classes}">', f'<div class="{where}">', tag or f'<img src="{src}" width="640">')
    return ImageContext(src, tags, (f"div.{where}", outer, "body"))


def story(number: int, pictures: int = 2, teasers: int = 3) -> PageImages:
    """A page whose first images belong to it, while those behind them lead elsewhere."""
    own = [picture(f"/media/{number}-{at}.jpg", "story") for at in range(pictures)]
    others = [picture(f"/media/{number}-t{at}.jpg", "teaser", outer="ul.more") for at in range(teasers)]
    logo = picture("/theme/logo.svg", "brand", outer="header.top")
    return PageImages(f"https://news.example/{number}", images=(logo, *own, *others))


def mark_stories(page: PageImages, by: str = "Ann") -> LabelledPage:
    """Say what is true: images of class story are relevant, no others."""
    rows: dict[bool, list[int]] = {True: [], False: []}
    for row, image in enumerate(page.images):
        rows["story" in image.path[0]].append(row)
    return LabelledPage(page, (ImageMarks(by, tuple(rows[True]), tuple(rows[False])),))
