"""What a demo site consists of: a seed and a page count come in, one plan per page goes out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from scythe.demo.prose import Voice, load_words

BASE = "https://demo.scythe.example"  # .example is reserved: no such host can exist
FIRST_DAY = date(2026, 3, 2)
# How often each kind comes up, with the languages it has words for.
_CYCLE = (
    ("news", "en"), ("news", "de"), ("blog", "en"), ("forum", "en"), ("docs", "en"), ("product", "en"),
    ("news", "tr"), ("recipe", "en"), ("wiki", "en"), ("news", "zh"), ("blog", "de"), ("news", "en"),
)  # fmt: skip
_FOLDERS = {"news": "news", "blog": "blog", "forum": "t", "docs": "manual", "product": "shop", "recipe": "recipes"}
_FOLDERS |= {"wiki": "wiki"}


@dataclass(frozen=True, slots=True)
class Plan:
    """One page before it is written; `seed` makes all its words."""

    number: int
    kind: str
    language: str
    path: str
    title: str
    author: str
    published: date
    topic: str  # of stories
    teaser: str
    seed: str

    def voice(self) -> Voice:
        """Return the page's own voice, always the same one."""
        return Voice(self.language, Random(self.seed))


def plan_pages(seed: int, count: int) -> tuple[Plan, ...]:
    """Plan `count` content pages."""
    return tuple(
        plan_page(seed, number, *_CYCLE[number % len(_CYCLE)], round_=number // len(_CYCLE)) for number in range(count)
    )


def plan_page(seed: int, number: int, kind: str, language: str, *, round_: int) -> Plan:
    """Plan one content page; `round_` chooses among the products, recipes and other things there are."""
    key = f"{seed}/{number}"
    voice = Voice(language, Random(key))
    topic, title, teaser = _subject(kind, voice, round_)
    published = FIRST_DAY + timedelta(days=voice.random.randrange(240))
    folder = _FOLDERS[kind] if language == "en" else f"{language}/{_FOLDERS[kind]}"
    slug = slugify(title) or f"{kind}"
    path = f"/{folder}/{published:%Y/%m}/{slug}-{number}.html" if kind == "news" else f"/{folder}/{slug}-{number}.html"
    return Plan(number, kind, language, path, title, voice.author, published, topic, teaser, key)


def _subject(kind: str, voice: Voice, round_: int) -> tuple[str, str, str]:
    """Choose topic, title and teaser. Things are taken in turn, so that small sites do not repeat them."""
    if kind in ("news", "blog"):
        topic = voice.choose_topic()
        return topic, voice.headline(topic), voice.say(voice.words["topics"][topic]["sentences"][0])
    thing = pick_thing(kind, round_)
    teasers = {"forum": "ask", "docs": "lead", "product": "description", "recipe": "intro", "wiki": "lead"}
    teaser = thing[teasers[kind]]
    return str(round_), thing["title"], teaser if isinstance(teaser, str) else teaser[0]


def pick_thing(kind: str, round_: int) -> dict[str, Any]:
    """Return the product, recipe, thread, entry or manual of one round."""
    pool = {"forum": "threads", "docs": "tools", "product": "items", "recipe": "dishes", "wiki": "entries"}
    things = load_words("things")[kind][pool[kind]]
    return dict(things[round_ % len(things)])


def slugify(title: str) -> str:
    """Make a readable path segment: ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title.replace("ı", "i").replace("ß", "ss")).encode("ascii", "ignore").decode()
    words = "".join(c if c.isalnum() else " " for c in plain.lower()).split()
    return "-".join(words[:8])
