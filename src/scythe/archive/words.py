"""Words by which texts are found: a text, or what somebody looks for, comes in; folded words go out.

Both databases are given words that were told apart here, so that they find the same. Case, accents and forms of width
do not matter. Scripts that are written without spaces (Chinese, Japanese, Thai ...), and Korean, whose words grow
endings, are cut into pairs of signs: whatever stands in the middle of a sentence is found, without a dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

WORD_CHARS = 64  # of one word; more of it tells nothing
TERMS = 24  # of one search that are looked for
QUERY_CHARS = 2_000  # of one search that are looked at

# Thai, Lao, Tibetan, Myanmar; Khmer; kana; Han and its extensions; Hangul
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_SIGNED = "\u0900-\u0963\u0966-\u0dff"  # scripts of India: their vowel signs belong to words
_ACCENTS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670"  # Latin, Greek, Cyrillic; Hebrew; Arabic
_RUN = re.compile(f"[{_UNSPACED}]+|(?:[{_SIGNED}{_ACCENTS}]|(?![{_UNSPACED}_])\\w)+")
_ACCENT = re.compile(f"[{_ACCENTS}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PLAIN_RUN = re.compile(r"[a-z0-9]+")
_PART = re.compile(r'-?"[^"]*"?|[^\s"]+')


def fold(text: str) -> str:
    """Return a text as words are compared: lower case, without accents, full-width letters as plain ones."""
    if text.isascii():
        return text.lower()
    apart = _ACCENT.sub("", normalize("NFKD", text))
    return normalize("NFC", apart.casefold())


def list_words(text: str) -> list[str]:
    """Return the words of a text in its order, as they are kept."""
    folded = fold(text)
    if folded.isascii():
        return [word[:WORD_CHARS] for word in _PLAIN_RUN.findall(folded)]
    words: list[str] = []
    for run in _RUN.findall(folded):
        if _IS_UNSPACED.match(run):
            # the last sign by itself, too: a single sign is looked for by what begins with it
            words += [run[at : at + 2] for at in range(len(run))]
        else:
            words.append(run[:WORD_CHARS])
    return words


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that must, or must not, stand in what is found: words that follow each other."""

    words: tuple[str, ...]
    is_prefix: bool = False  # the last word may go on
    is_unwanted: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """What is marked where it stands: whole runs again, not the pairs of signs that they were cut into."""
        runs: list[str] = []
        for word in self.words:
            if runs and _IS_UNSPACED.match(word) and runs[-1][-1] == word[0]:
                runs[-1] += word[1:]
            else:
                runs.append(word)
        return tuple(runs)


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for."""

    terms: tuple[Term, ...] = ()
    left_out: int = 0  # parts beyond what is looked for


def read_query(text: str) -> Query:
    """Read what somebody typed; nothing in it can be wrong.

    All words must be there; "these words" must follow each other, harv* may go on, -this must not be there.
    """
    terms: list[Term] = []
    left_out = 0
    for part in _PART.findall(text[:QUERY_CHARS]):
        term = _read_term(part)
        if term is None or term in terms:
            continue
        if len(terms) < TERMS:
            terms.append(term)
        else:
            left_out += 1
    if all(term.is_unwanted for term in terms):  # nobody looks for all the rest
        terms = [Term(term.words, term.is_prefix) for term in terms]
    return Query(tuple(terms), left_out + (len(text) > QUERY_CHARS))


def _read_term(part: str) -> Term | None:
    said = part.lstrip("-")
    words = list_words(said)[:WORD_CHARS]
    if not words:
        return None
    is_prefix = said.endswith("*")
    if _IS_UNSPACED.match(words[-1]):
        if len(words) > 1 and len(words[-1]) == 1:
            words.pop()  # the last sign may be followed by others
        is_prefix = is_prefix or len(words[-1]) == 1
    return Term(tuple(words), is_prefix, part.startswith("-"))


def find_marks(text: str, query: Query) -> Iterator[tuple[int, int]]:
    """Yield where words that were looked for stand in a text, as (begin, end), in its order."""
    wanted, begun = _marks(query)
    for run in _RUN.finditer(text):
        word = fold(run.group())
        if _IS_UNSPACED.match(word):
            yield from _find_inside(run.start(), run.end(), word, (*wanted, *begun))
        elif word[:WORD_CHARS] in wanted or (begun and word.startswith(begun)):
            yield run.span()


@lru_cache(maxsize=64)
def _marks(query: Query) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words to be marked, and the beginnings of words."""
    wanted = [term for term in query.terms if not term.is_unwanted]
    begun = tuple(term.marks[-1] for term in wanted if term.is_prefix)
    return frozenset(mark for term in wanted for mark in term.marks), begun


def _find_inside(start: int, end: int, run: str, marks: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where marks stand inside a run without spaces; all of it where folding moved its signs."""
    found = sorted({(at, at + len(mark)) for mark in marks if mark for at in [run.find(mark)] if at >= 0})
    if found and len(run) != end - start:
        yield start, end
        return
    last = 0
    for begin, stop in found:
        if begin >= last:
            yield start + begin, start + stop
            last = stop


def may_hold(folded: str, query: Query) -> bool:
    """Say whether a folded text can hold a word that was looked for: quick, and never wrong about a no."""
    wanted, begun = _marks(query)
    return any(mark in folded for mark in (*wanted, *begun))
