"""Find what a text repeats in scripts without capitals: a text comes in, its terms go out.

Which of them are names cannot be seen. Words between spaces (Arabic, Hebrew, Hindi, Korean) lose the commonest
particles written onto them; Japanese has words by its change of scripts; Chinese and Thai are taken in pieces of a few
characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from scythe.read.images.function_words import function_words

_TIMES = 2  # a term that a text has once says little about it
_MOST_TERMS = 400  # of one text, the commonest
# Arabic to Georgian without case, the scripts of South Asia; Hangul. Vowel signs are no letters to `\w`.
_SPACED = re.compile(
    r"[\u0590-\u05ff\u0620-\u065f\u066e-\u06d3\u06d5-\u06ff\u0750-\u0963\u0966-\u0dff\uac00-\ud7a3]{2,40}"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc][\u30a1-\u30fa\u30fc・]{1,39}")
_HAN_RUN = re.compile(r"[\u3005\u3400-\u4dbf\u4e00-\u9fff]{2,200}")
_THAI_RUN = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{4,400}")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HAN_WORD = 2  # characters of a Chinese piece; most words have two
_THAI_PIECE = 5
_JAPANESE_WORD = 8  # kanji of one word at most
_ARTICLES = (
    "\u0648\u0627\u0644",
    "\u0628\u0627\u0644",
    "\u0641\u0627\u0644",
    "\u0643\u0627\u0644",
    "\u0644\u0644",
    "\u0627\u0644",
)
_PARTICLES = tuple("에서는 에게서 으로는 에서 에게 으로 까지 부터 은 는 이 가 을 를 의 에 와 과 로 도 만".split())
_SHORTEST = 3  # letters of a word between spaces; shorter ones are particles


def repeated_terms(text: str) -> frozenset[str]:
    """Return what a text has at least twice, at most so many."""
    counts = Counter(_pieces(text)).most_common(_MOST_TERMS)
    return frozenset(term for term, count in counts if count >= _TIMES) - function_words()


def terms_in(text: str, known: frozenset[str]) -> list[str]:
    """Return the known terms in a text as often as they occur, and every word in katakana: those are names or loans."""
    if text.isascii():
        return []
    return [term for term in _pieces(text) if term in known or _KATAKANA.fullmatch(term)]


def _pieces(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for match in _SPACED.finditer(text):
        word = _stem(match[0]) if match[0] not in function_words() else ""
        if len(word) >= _SHORTEST or (len(word) == 2 and word[0] >= "\uac00"):
            yield word
    yield from (match[0] for match in _KATAKANA.finditer(text))
    is_japanese = _KANA.search(text) is not None
    for match in _HAN_RUN.finditer(text):
        run = match[0]
        if is_japanese and len(run) <= _JAPANESE_WORD:
            yield run
        else:
            yield from _cut(run, _HAN_WORD)
    for match in _THAI_RUN.finditer(text):
        yield from _cut(match[0], _THAI_PIECE)


def _cut(run: str, size: int) -> Iterator[str]:
    return (run[at : at + size] for at in range(len(run) - size + 1))


def _stem(word: str) -> str:
    """Drop the article before an Arabic word and the particle behind a Korean one."""
    if word[0] < "\u0700":
        article = next((part for part in _ARTICLES if word.startswith(part)), "")
        return word[len(article) :] if len(word) > len(article) + 2 else word
    if word[0] >= "\uac00":
        particle = next((part for part in _PARTICLES if word.endswith(part)), "")
        return word[: len(word) - len(particle)] if len(word) > len(particle) + 1 else word
    return word
