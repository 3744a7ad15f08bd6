"""Find the names in a text: running text of any language comes in, its names in the order of the text go out.

Names of people, places and organisations stand out by how they are written, and nothing else is looked at: no model,
no dictionary of names. Where a script has capitals, names are runs of capitalised words, held together by small words
such as "von" and "of"; what a capital means is learned from the text itself, since German gives one to every noun and
every language to the first word of a sentence. Where it has none, what a text says again and again stands for names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from scythe.read.images.function_words import function_words
from scythe.read.images.terms import repeated_terms, terms_in

_READ_CHARS = 200_000  # of a text; longer ones repeat the names they have
_MOST_WORDS = 6  # of one name
_NOUN_TIMES = 2  # that a word stands without an article before it is taken for a name in such a language
_NOUN_SHARE = 0.23  # of the words inside of sentences: German 30 %, other languages 5 to 15 %
_NOUN_KINDS = 0.15  # of the capitalised words have an article before them, in German 40 %
_HEADLINE_SHARE = 0.7  # of the words of a line: more capitals are a style, not names
_HEADLINE_WORDS = (4, 20)
_WORD = re.compile(r"[^\W\d_]{1,60}(?:['’ʼ\-‐‑][^\W\d_]{1,60}){0,8}|\d{1,20}|[.!?…:;|•·\n]|[^\s\w]")
_STOPS = frozenset(".!?…:;|•·\n")
_QUOTES = frozenset("\"'“”„«»‘’‹›(")  # a sentence may begin behind them
_APOSTROPHE = re.compile("['’ʼ]")


@dataclass(frozen=True, slots=True)
class Habits:
    """How a text writes, which short texts about the same thing are read by: words in lower case, one form each."""

    names: frozenset[str] = frozenset()  # words that are part of names
    common: frozenset[str] = frozenset()  # words that are none, capitalised or not
    capital_nouns: bool = False
    terms: frozenset[str] = frozenset()  # what the text repeats in scripts without capitals


@dataclass(slots=True)
class _Word:
    text: str
    starts: bool  # a sentence
    joined: bool  # nothing but space between it and the word before
    before: str  # the word before in its sentence, in lower case
    plain: bool = True  # stands in a line where a capital means something


def learn_habits(text: str) -> Habits:
    """Learn from a whole text which of its capitalised words are names."""
    words = [word for word in _words(text[:_READ_CHARS]) if word.plain]
    inside = [word for word in words if not word.starts]
    capitals = Counter(word.text.lower() for word in inside if word.text[0].isupper())
    smalls = Counter(word.text.lower() for word in words if word.text[0].islower())
    common = {word for word, count in smalls.items() if count >= capitals[word]}
    nouns = _nouns(inside)
    capital_nouns = len(nouns) > _NOUN_KINDS * len(capitals) and capitals.total() > _NOUN_SHARE * (
        capitals.total() + smalls.total()
    )
    if capital_nouns:
        common |= nouns
        again = Counter(word.text.lower() for word in words if word.text[0].isupper())
        capitals = Counter({word: count for word, count in capitals.items() if again[word] >= _NOUN_TIMES})
    names = frozenset(word for word in capitals if len(word) > 1) - common - function_words()
    return Habits(names, frozenset(common), capital_nouns, repeated_terms(text[:_READ_CHARS]))


def find_entities(text: str, habits: Habits | None = None) -> list[str]:
    """Return the names in a text, repeated as often as they occur. `habits` are those of the text it belongs to."""
    text = text[:_READ_CHARS]
    habits = habits or learn_habits(text)
    found: list[str] = []
    run: list[_Word] = []
    for word in _words(text):
        if run and not word.joined:
            _close(run, habits, found)
        if word.text[0].isupper() or (run and _joins(run[-1], word, habits)):
            run.append(word)
        elif run:
            _close(run, habits, found)
    _close(run, habits, found)
    return found + terms_in(text, habits.terms)


def _joins(last: _Word, word: _Word, habits: Habits) -> bool:
    lower = word.text.lower()
    if not last.text[0].isupper():
        return lower in function_words("linked")
    return lower in function_words("particles" if habits.capital_nouns else "joiners")


def _close(run: list[_Word], habits: Habits, found: list[str]) -> None:
    """Move a run of words to the names found, without what is none at its ends."""
    words = run[:_MOST_WORDS]
    run.clear()
    if words and not words[0].plain:
        words = [word for word in words if word.text.lower() in habits.names]
    while words and not words[-1].text[0].isupper():
        words.pop()
    while words and not _may_begin(words, habits):
        words.pop(0)
        while words and not words[0].text[0].isupper():
            words.pop(0)
    if words and (len(words) > 1 or _is_name(words[0], habits)):
        found.append(" ".join(word.text for word in words))


def _may_begin(words: list[_Word], habits: Habits) -> bool:
    first = words[0]
    lower = first.text.lower()
    if lower in habits.names or _is_acronym(first):
        return True
    is_common = lower in function_words() or lower in habits.common
    if is_common and (first.starts or not first.plain or habits.capital_nouns):
        return False  # inside of a sentence it belongs to the name: New York, South Africa
    return len(words) > 1 or _is_name(first, habits)


def _is_name(word: _Word, habits: Habits) -> bool:
    """Say whether a capitalised word is a name by itself."""
    lower = word.text.lower()
    if lower in habits.names or _is_acronym(word):
        return True
    if lower in habits.common or lower in function_words() or len(lower) == 1:
        return False
    return word.plain and not word.starts and not habits.capital_nouns


def _is_acronym(word: _Word) -> bool:
    return word.plain and word.text.isupper() and len(word.text) > 1


def _nouns(inside: Iterable[_Word]) -> set[str]:
    """Return the capitalised words that an article or the like stands before, or that end like nouns."""
    determiners, suffixes = function_words("determiners"), tuple(function_words("suffixes"))
    capitals = [word for word in inside if word.text[0].isupper() and not word.text.isupper()]
    held = {word.text.lower() for word in capitals if word.before in determiners}
    return held | {word.text.lower() for word in capitals if held and word.text.endswith(suffixes)}


def _words(text: str) -> list[_Word]:
    """Split a text into words that have case, with where they stand."""
    words: list[_Word] = []
    line: list[_Word] = []
    starts, joined, before = True, False, ""
    for match in _WORD.finditer(text):
        piece: str = match[0]
        if piece in _STOPS:
            if piece != "." or not _is_abbreviation(before):
                starts, before = True, ""
            joined = piece == "." and not starts
            if piece == "\n":
                _judge_line(line)
                line = []
        elif not piece[0].isalpha():
            joined = False
            starts = starts and piece in _QUOTES
        else:
            cut = _bare(piece)
            if cut and (cut[0].isupper() or cut[0].islower()):
                word = _Word(cut, starts, joined, before)
                line.append(word)
                words.append(word)
                starts, joined, before = False, piece.endswith(cut), cut.lower()
            else:
                starts, joined = False, False
    _judge_line(line)
    return words


def _judge_line(line: list[_Word]) -> None:
    """Mark the words of a headline, where capitals are a style."""
    capitals = sum(word.text[0].isupper() for word in line)
    least, most = _HEADLINE_WORDS
    if least <= len(line) <= most and capitals > _HEADLINE_SHARE * len(line):
        for word in line:
            word.plain = False


@lru_cache(maxsize=2_048)
def _bare(piece: str) -> str:
    """Drop what an apostrophe ties to a name: `l'Iran`, `Ankara'da`, `Merkel's`; `O'Brien` is whole."""
    parts = _APOSTROPHE.split(piece)
    if len(parts) == 1:
        return piece
    if len(parts[0]) == 1 and parts[0].isupper() and parts[1][:1].isupper() and len(parts[1]) > 2:
        return piece
    return next((part for part in parts if part[:1].isupper() and len(part) > 1), parts[0])


def _is_abbreviation(word: str) -> bool:
    return len(word) == 1 or word in function_words("abbreviations")
