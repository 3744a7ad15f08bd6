"""Invented prose: a language, a topic and a random source come in, sentences go out."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
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
