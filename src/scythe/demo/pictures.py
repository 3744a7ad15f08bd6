"""Galleries of the demo site: a number comes in, many pictures with captions go out."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

from scythe.demo.designs import Design
from scythe.demo.markup import Part, paragraph
from scythe.demo.plan import FIRST_DAY, Plan, slugify
from scythe.demo.prose import Voice, load_words
from scythe.demo.stories import write_figure


def plan_gallery(seed: int, number: int) -> Plan:
    """Plan one gallery."""
    key = f"{seed}/{number}"
    voice = Voice("en", Random(key))
    title = voice.say(voice.random.choice(_words()["titles"]))
    published = FIRST_DAY + timedelta(days=voice.random.randrange(240))
    path = f"/pictures/{slugify(title)}-{number}.html"
    teaser = voice.say(_words()["intro"][0])
    return Plan(number, "gallery", "en", path, title, voice.author, published, "gallery", teaser, key)


def write_gallery(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    """Write an introduction and the pictures, each with its caption."""
    random = voice.random
    told = [*random.sample(_words()["intro"][1:], 5), *random.sample(voice.words["generic"], 5)]
    intro = [plan.teaser, *map(voice.say, told)]
    captions = random.sample(_words()["captions"], random.randrange(8, len(_words()["captions"]) + 1))
    figures = [
        write_figure(f"/img/pictures/{plan.number}-{at}", caption, f"{caption}. Photo: {plan.author}", design, style=at)
        for at, caption in enumerate(map(voice.say, captions))
    ]
    return [*(paragraph(text) for text in voice.paragraphs(intro)), *figures]


def _words() -> dict[str, Any]:
    words: dict[str, Any] = load_words("world")["pictures"]
    return words
