"""Make pages with areas of images, with every mistake of HTML around and inside them, and rules for these areas."""

from __future__ import annotations

from random import Random

from tests.property.list_soup import make_soup

from scythe.site.rules import FLOW, ImageArea, ImageRules, Layout, Rule, Way

BOXES = ("div", "figure", "section", "p", "span", "td", "li", "ul", "article")
IMAGES = (
    '<img src="a.jpg" alt="A">',
    '<a href="/next"><img class="thumb" src="/b.jpg"></a>',
    '<a href="/c.jpg"><img src="c-small.jpg" srcset="c.jpg 900w, c-small.jpg 90w"></a>',
    '<picture><source srcset="d.webp 900w"><img src="d.jpg"></picture>',
    '<img src="data:," data-src="e.jpg"><noscript><img src="e.jpg"></noscript>',
    '<figure class="f"><img src="f.jpg" width=40 height=40><figcaption>F &amp; more</figcaption></figure>',
    "<IMG SRC='g.jpg' class='w x'>",
    "<b><img src=h.jpg",
    '<img src="picture-9-300x200.jpg">',
)
KINDS = (
    ("img<div", 300),
    ("link img.thumb<a", 301),
    ("icon img<figure.f", 302),
    ("img.w.x<section", 303),
    ("img<p", 304),
    ("img<p<div", 305),
)


def make_areas(random: Random, faults: float) -> tuple[bytes, Layout]:
    """Return a page with one or two areas and a layout that selects them."""
    boxes = [random.choice(BOXES) for _ in range(2)]
    parts = [_make_area(random, box, number, faults) for number, box in enumerate(boxes)]
    named = '<meta property="og:image" content="http://a.example/picture-9.jpg">'
    lead = random.choice(
        [
            "<!DOCTYPE html>",
            "<!DOCTYPE html><head><base href='http://b.example/x/'></head>",
            "",
            f"<head>{named}</head>",
        ]
    )
    between = [make_soup(random, faults) for _ in range(3)]
    page = f"{lead}{between[0]}{parts[0]}{between[1]}{parts[1] if random.random() < 0.8 else ''}{between[2]}"
    areas = tuple(
        ImageArea((_way(box, number, random),), (box, "main"), 500 + number, pages=4, present=2 + 2 * (number == 0))
        for number, box in enumerate(boxes)
    )
    return page.encode(), Layout("areas", (), images=ImageRules(areas, KINDS, (), 4, 4))


def _way(box: str, number: int, random: Random) -> Way:
    rule = Rule("tag", f'<{box} id="area{number}"'.encode())
    inside = Rule("label", f"mark{number}".encode(), step=f"<{box}".encode(), nth=1, reach=200)
    return Way(FLOW, (rule,) if random.random() < 0.7 else (inside,), needed=1)


def _make_area(random: Random, box: str, number: int, faults: float) -> str:
    inside = [
        random.choice(IMAGES) + (">" if random.random() > faults / 2 else "") for _ in range(random.randint(0, 4))
    ]
    inside = [part.removesuffix(">") if part.endswith(">>") else part for part in inside]
    if random.random() < faults:
        inside.insert(random.randint(0, len(inside)), make_soup(random, faults))
    body = "\n".join(random.choice([part, f"<p>{part}</p>", f"<div class='x{number}'>{part}</div>"]) for part in inside)
    closing = "" if random.random() < faults / 4 else f"</{box}>"
    area = f'mark{number}<{box} id="area{number}">{body}{closing}'
    return f"<table><tr>{area}</tr></table>" if box == "td" else area
