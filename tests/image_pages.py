"""Stories of one template whose lead picture stands outside of the text, among images that belong to the site."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.page.source import read_source, tag_end
from scythe.site.follow.follow_fields import lead_to
from scythe.site.learn.learn_images import JudgedPage
from scythe.site.learn.learn_site import make_lesson_page
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import FLOW, FieldRules, ImageRules

WORDS = (
    "The harvest of {n} began late, because the meadows by the river stood under water until the middle of June.",
    "Anna Berg, who has mown the slopes above the village for {n} years, sharpens her blade every ten minutes.",
    "A machine needs a road, she says, and there is none up here; a scythe needs only someone who gets up early.",
    "In the year {n} the county counted nine mowers, and this summer there are twenty-three, most of them young.",
    "They meet on the first Saturday of the month, mow until noon and argue about whetstones in the afternoon.",
    "The hay goes to two farms in the valley, which pay for it in cheese, bread and the loan of a small tractor.",
)
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def picture(name: str, style: int) -> str:
    """Write an image in one of the ways in which pages hide its address from simple readers."""
    if style == 0:
        return f'<img src="/img/{name}.jpg" width="1200" height="800" alt="Mowers {name}">'
    if style == 1:
        copy = f'<noscript><img src="/img/{name}.jpg" alt="Mowers"></noscript>'
        return f'<img class="lazy" src="{PIXEL}" data-src="/img/{name}.jpg" alt="Mowers">{copy}'
    if style == 2:
        return f'<img src="/img/{name}-300.jpg" srcset="/img/{name}-300.jpg 300w, /img/{name}.jpg 1200w" alt="Mowers">'
    return f'<picture><source srcset="/img/{name}.jpg 1200w"><img src="/img/{name}-300.jpg" alt="Mowers"></picture>'


def figure(name: str, style: int, css: str = "inline") -> str:
    return f'<figure class="{css}">{picture(name, style)}<figcaption>Mowers in {name}</figcaption></figure>'


def hero(number: int) -> str:
    """Write the lead picture, which stands outside of the text."""
    return f'<div class="hero">{figure(f"lead-{number}", number % 4, "big")}</div>'


def story(number: int, *, lead: str | None = None, inside: str = "", head: str = "", end: str = "") -> bytes:
    """Write a story with a lead picture, one picture in the text and images around it that are not its own."""
    texts = [f"<p>{words.format(n=1900 + number)}</p>" for words in WORDS]
    texts.insert(3, figure(f"field-{number}", (number + 1) % 4))
    teasers = "".join(
        f'<li><a href="/story-{n}"><img class="thumb" src="/img/thumb-{n}.jpg" width="120" height="80" alt="">'
        f"Story {n}</a></li>"
        for n in range(number + 1, number + 4)
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Hay {number} - The Post</title>{head}
<meta property="og:image" content="https://post.example/img/lead-{number}.jpg"></head><body>
<header class="top"><a href="/"><img src="/logo.svg" width="180" height="40" alt="The Post"></a></header>
<main><h1>Hay of the year {1900 + number}</h1>{hero(number) if lead is None else lead}
<div class="by"><img class="portrait" src="/img/anna.jpg" width="64" height="64" alt="Anna Berg">By Anna Berg</div>
<div class="text">{"".join(texts)}{inside}</div>{end}
<aside class="more"><h2>More</h2><ul>{teasers}</ul></aside></main>
<aside class="side"><img src="https://ads.example/b.png" width="300" height="250" alt=""></aside>
<footer><img src="/seal.png" width="80" height="80" alt="">The Post, 12 Mill Lane</footer></body></html>""".encode()


def url_of(number: int) -> str:
    return f"https://post.example/story-{number}"


def own_images(number: int) -> list[str]:
    """Return the addresses of the pictures that belong to a story, in page order."""
    return [f"https://post.example/img/{name}-{number}.jpg" for name in ("lead", "field")]


def judged(body: bytes, number: int) -> JudgedPage:
    """Take a story for learning, its own pictures known to be relevant."""
    lesson = make_lesson_page(body, url_of(number))
    own = (f"/img/lead-{number}", f"/img/field-{number}", "/img/gallery-")
    scores = [0.95 if any(name in use.image.src for name in own) else 0.05 for use in lesson.page.images]
    return JudgedPage(lesson.source, lesson.page, scores)


def text_rules(bodies: Sequence[bytes]) -> FieldRules:
    """Return rules to the element of the text."""
    sources = [read_source(body) for body in bodies]
    way = learn_way(sources, [body.index(b'<div class="text">') for body in bodies], FLOW)
    assert way is not None
    return FieldRules("text", (way,))


def area_tags(rules: ImageRules, body: bytes) -> list[bytes]:
    """Return the opening tags of the areas that rules with ways lead to on a page, b"text" for that of the text."""
    source = read_source(body)
    found = [lead_to(source, area.ways) if area.ways else None for area in rules.areas]
    return [body[one.offset : tag_end(body, one.offset)] if one is not None else b"text" for one in found]
