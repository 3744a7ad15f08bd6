"""Plan the pages of the demo site and generate their prose."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

LANGUAGES = ("en", "de", "tr", "zh")
_THOUSANDS = {"en": ",", "de": ".", "tr": ".", "zh": ""}


@cache
def load_words(name: str) -> Any:
    """Return one of the word files of this package."""
    return json.loads((files("scythe.demo") / "words" / f"{name}.json").read_text(encoding="utf-8"))


class Voice(Mapping[str, str]):
    """What one page speaks about: one place, a small cast, a topic; as a mapping it fills the slots of a sentence."""

    _STEADY = ("place", "river", "street", "bird", "bread", "season")

    def __init__(self, language: str, random: Random) -> None:
        self.language = language
        self.random = random
        self.words = load_words(language)
        self.ui: dict[str, Any] = self.words["ui"]
        slots = self.words["slots"]
        self._fixed: dict[str, str] = {name: random.choice(slots[name]) for name in self._STEADY if name in slots}
        self._fixed["neighbour"] = random.choice([name for name in slots["place"] if name != self._fixed["place"]])
        self.author = self._new_person()
        self._cast = [self._new_person() for _ in range(3)]

    def _new_person(self) -> str:
        slots = self.words["slots"]
        space = "" if self.language == "zh" else " "
        return f"{self.random.choice(slots['first'])}{space}{self.random.choice(slots['last'])}"

    def __getitem__(self, slot: str) -> str:
        random = self.random
        if slot in self._fixed:
            return self._fixed[slot]
        if slot == "person":
            return random.choice(self._cast)
        if slot == "thousands":
            return f"{random.randrange(12, 480) * 100:,}".replace(",", _THOUSANDS[self.language])
        ranges = {"count": (4, 41), "percent": (3, 39), "millions": (2, 40)}
        ranges |= {"oldyear": (1821, 1936), "recentyear": (1998, 2023)}
        if slot in ranges:
            return str(random.randrange(*ranges[slot]))
        return str(random.choice(self.words["slots"][slot]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.words["slots"])

    def __len__(self) -> int:
        return len(self.words["slots"])

    def say(self, template: str) -> str:
        """Fill the slots of one sentence."""
        return template.format_map(self)

    def choose_topic(self) -> str:
        """Pick one of the topics this language has words for."""
        topics: list[str] = sorted(self.words["topics"])
        return self.random.choice(topics)

    def headline(self, topic: str) -> str:
        """Make a title for a topic."""
        return self.say(self.random.choice(self.words["topics"][topic]["titles"]))

    def story(self, topic: str, sentences: int, without: Collection[str] = ()) -> list[str]:
        """Tell a story after its first sentence: a mixture of what the topic has and of general sentences."""
        own = self.words["topics"][topic]["sentences"][1:]
        general = [sentence for sentence in self.words["generic"] if sentence not in without]
        spoken = min(4, sentences // 4)
        chosen = sorted(self.random.sample(range(len(own)), min(sentences - spoken, len(own))))
        order = [own[i] for i in chosen]
        for sentence in self.random.sample(general, spoken):
            order.insert(self.random.randrange(1, len(order) + 1), sentence)
        return [self.say(sentence) for sentence in order]

    def paragraphs(self, sentences: list[str]) -> list[str]:
        """Join sentences into paragraphs of one to four."""
        out: list[str] = []
        space = "" if self.language == "zh" else " "
        while sentences:
            size = self.random.choice((1, 2, 2, 3, 3, 4))
            out.append(space.join(sentences[:size]))
            sentences = sentences[size:]
        return out


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
class PagePlan:
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


def plan_pages(seed: int, count: int) -> tuple[PagePlan, ...]:
    """Plan `count` content pages."""
    return tuple(
        plan_page(seed, number, *_CYCLE[number % len(_CYCLE)], round_=number // len(_CYCLE)) for number in range(count)
    )


def plan_page(seed: int, number: int, kind: str, language: str, *, round_: int) -> PagePlan:
    """Plan one content page; `round_` chooses among the products, recipes and other things there are."""
    key = f"{seed}/{number}"
    voice = Voice(language, Random(key))
    topic, title, teaser = _subject(kind, voice, round_)
    published = FIRST_DAY + timedelta(days=voice.random.randrange(240))
    folder = _FOLDERS[kind] if language == "en" else f"{language}/{_FOLDERS[kind]}"
    slug = slugify(title) or f"{kind}"
    path = f"/{folder}/{published:%Y/%m}/{slug}-{number}.html" if kind == "news" else f"/{folder}/{slug}-{number}.html"
    return PagePlan(number, kind, language, path, title, voice.author, published, topic, teaser, key)


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
