"""The content of news articles and blog posts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scythe.demo.designs import Design
from scythe.demo.furniture import PIXEL, write_advert
from scythe.demo.markup import Part, bullets, el, furniture, heading, paragraph
from scythe.demo.plan import BASE, Plan
from scythe.demo.prose import Voice


def write_story(plan: Plan, voice: Voice, design: Design, others: Sequence[Plan]) -> list[Part]:
    """Write lead, pictures, paragraphs and headings, with the odd advert and link box that real stories carry."""
    random = voice.random
    asides = random.sample(voice.words["generic"], 3) if plan.kind == "blog" else []
    texts = voice.paragraphs([plan.teaser, *voice.story(plan.topic, random.randrange(11, 22), without=asides)])
    middle = max(2, len(texts) // 2)
    parts = [_figure(plan, voice, design, 0), paragraph(texts[0], class_="lead")]
    for number, text in enumerate(texts[1:], start=1):
        if number == middle:
            parts.append(heading(random.choice(voice.words["headings"])))
        parts.append(paragraph(text, _decorate(text, voice, others)))
        if number == 1 and others:
            parts.append(_read_also(voice, others[0]))
        if number == middle and plan.kind == "news":
            parts.append(furniture(write_advert(voice, design)))
        if number == middle + 1 and plan.kind == "blog":
            parts.append(_figure(plan, voice, design, 1))
    if asides:
        parts.insert(-1, bullets(voice.say(sentence) for sentence in asides))
    return parts


def _decorate(text: str, voice: Voice, others: Sequence[Plan]) -> str:
    """Return the paragraph as markup, some words of it set as a link or in bold."""
    words = text.split(" ")
    if len(words) < 12 or voice.random.random() < 0.5:
        return escape(text)
    at = voice.random.randrange(3, len(words) - 4)
    while at and not words[at - 1].endswith("."):
        at -= 1  # a link covers the first words of a sentence
    before, marked, after = (escape(" ".join(part)) for part in (words[:at], words[at : at + 3], words[at + 3 :]))
    wrapped = el("a", marked, href=voice.random.choice(others).path) if others else el("strong", marked)
    return f"{before} {wrapped} {after}".strip()


def _read_also(voice: Voice, other: Plan) -> Part:
    link = el("a", escape(other.title), href=other.path)
    return furniture(el("div", el("strong", escape(voice.ui["more"])), " ", link, class_="inline-related"))


def _figure(plan: Plan, voice: Voice, design: Design, number: int) -> Part:
    alt = voice.say("{place}")
    name = f"/img/{plan.topic}-{plan.number}-{number}"
    return write_figure(name, alt, f"{alt}. Photo: {plan.author}", design, style=plan.number + number)


def write_figure(name: str, alt: str, caption: str, design: Design, *, style: int) -> Part:
    """Write a picture in one of the ways in which pages hide its address from simple readers."""
    large = f"{name}-1280.jpg"
    if style % 4 == 0:
        image = el("img", src=large, alt=alt, width="1280", height="720")
    elif style % 4 == 1:
        image = el("img", src=PIXEL, data_src=large, alt=alt, class_="lazyload", width="1280", height="720")
        image += el("noscript", el("img", src=large, alt=alt))
    elif style % 4 == 2:
        srcset = f"{name}-640.jpg 640w, {name}-960.jpg 960w, {large} 1280w"
        image = el("img", src=f"{name}-640.jpg", srcset=srcset, sizes="100vw", alt=alt)
    else:
        source = el("source", type="image/webp", srcset=f"{name}-640.webp 640w, {name}-1280.webp 1280w")
        large = f"{name}-1280.webp"
        image = el("picture", source, el("img", src=f"{name}-640.jpg", alt=alt, loading="lazy"))
    inside = el("figcaption", escape(caption))
    return Part(el("figure", image, inside, class_=design.figure), "", (BASE + large,))
